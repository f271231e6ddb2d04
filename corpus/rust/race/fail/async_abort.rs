// Aborted, but perhaps not yet gone. The task is dropped some time after abort, and its
// destructor writes.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_abort.rs

struct AtEnd(Arc<Pair>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.write(1); // race
    }
}

pub fn async_abort() {
    let pair = Arc::new(Pair::new());
    future::block_on(async {
        let at_end = AtEnd(pair.clone());
        let task = future::spawn(async move {
            let _at_end = at_end;
            std::future::pending::<()>().await;
        });
        task.abort();
        pair.read(); // race
        assert!(task.await.is_err());
    });
}
