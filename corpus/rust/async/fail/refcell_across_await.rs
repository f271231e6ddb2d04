// A borrow of a RefCell held across an await. Local tasks share a thread, but not one that awaits
// in the middle.
// origin: clippy's await_holding_refcell_ref
// verdict: bug panic
// preemptions: 1, 4 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// twin: pass/refcell_across_await.rs

pub fn refcell_across_await() {
    block_on(async {
        let shared = Rc::new(RefCell::new(0));
        let tasks = [0, 1].map(|_| {
            let shared = Rc::clone(&shared);
            spawn_local(async move {
                let mut value = shared.borrow_mut();
                yield_now().await;
                *value += 1;
            })
        });
        for task in tasks {
            task.await.unwrap();
        }
    });
}
