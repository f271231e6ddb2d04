// Aborted, and awaited: the end of a task that was aborted is ordered like any other.
// origin: folklore
// verdict: verified
// twin: fail/async_abort.rs

struct AtEnd(Arc<Pair>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.write(1);
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
        assert!(task.await.is_err());
        assert_eq!(pair.read(), 1);
    });
}
