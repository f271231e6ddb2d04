// A thread local's destructor before the join: the join waits for it.
// origin: folklore
// verdict: verified
// twin: fail/thread_local_destructor.rs

struct AtEnd(Arc<Pair>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.write(1);
    }
}

caissa::thread_local! {
    static AT_END: RefCell<Option<AtEnd>> = const { RefCell::new(None) };
}

pub fn thread_local_destructor() {
    let pair = Arc::new(Pair::new());
    let (done, is_done) = mpsc::channel();
    let worker = {
        let pair = pair.clone();
        thread::spawn(move || {
            AT_END.set(Some(AtEnd(pair)));
            done.send(()).unwrap();
        })
    };
    is_done.recv().unwrap();
    worker.join().unwrap();
    assert_eq!(pair.read(), 1);
}
