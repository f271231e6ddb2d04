// The borrow ends before the await. Between awaits a local task has its thread alone.
// origin: clippy's await_holding_refcell_ref
// verdict: verified, 10 executions
// preemptions: 2, 10 executions
// delays rr: 2, 7 executions
// delays dfs: 2, 7 executions
// twin: fail/refcell_across_await.rs

pub fn refcell_across_await() {
    block_on(async {
        let shared = Rc::new(RefCell::new(0));
        let tasks = [0, 1].map(|_| {
            let shared = Rc::clone(&shared);
            spawn_local(async move {
                let seen = *shared.borrow();
                *shared.borrow_mut() = seen + 1;
                yield_now().await;
            })
        });
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*shared.borrow(), 2);
    });
}
