// A thread local's destructor after the last message. The worker says that it is done; then its
// thread locals are destroyed, and one of them writes.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/thread_local_destructor.rs

struct AtEnd(Arc<Pair>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.write(1); // race
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
    pair.read(); // race
    worker.join().unwrap();
}
