// All that is needed is acquired at once.
// origin: the fairness rule of tokio::sync::Semaphore
// verdict: verified, 5637 executions
// preemptions: 2, 121 executions
// delays rr: 2, 47 executions
// delays dfs: 2, 35 executions
// twin: fail/permits_piece_by_piece.rs

pub fn permits_piece_by_piece() {
    let pool = Arc::new(Semaphore::new(3));
    let tasks = [0, 1].map(|_| {
        let pool = Arc::clone(&pool);
        spawn(async move {
            let _three = pool.acquire_many(3).await.unwrap();
        })
    });
    for task in tasks {
        block_on(task).unwrap();
    }
}
