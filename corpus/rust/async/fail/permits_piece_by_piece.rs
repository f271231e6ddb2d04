// Two that need many permits. One has two of three and wants the third; the other, which needs two,
// came before it in the queue and has been given the third already. Each waits for the other,
// though one permit would do.
// origin: the fairness rule of tokio::sync::Semaphore
// verdict: bug deadlock
// preemptions: 1, 10 executions
// delays rr: 1, 6 executions
// delays dfs: 1, 4 executions
// twin: pass/permits_piece_by_piece.rs

pub fn permits_piece_by_piece() {
    let pool = Arc::new(Semaphore::new(3));
    let tasks = [0, 1].map(|_| {
        let pool = Arc::clone(&pool);
        spawn(async move {
            let _two = pool.acquire_many(2).await.unwrap();
            let _one = pool.acquire().await.unwrap();
        })
    });
    for task in tasks {
        block_on(task).unwrap();
    }
}
