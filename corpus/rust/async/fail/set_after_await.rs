// Checked before an await, acted on after it. Two tasks find the cell empty, both make a value, and
// the second one cannot set it.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 4 executions
// twin: pass/set_after_await.rs

async fn connection(cell: &OnceCell<u32>) -> u32 {
    if cell.get().is_none() {
        yield_now().await;
        cell.set(1).unwrap();
    }
    *cell.get().unwrap()
}

pub fn set_after_await() {
    let cell = Arc::new(OnceCell::new());
    let other = {
        let cell = Arc::clone(&cell);
        spawn(async move { connection(&cell).await })
    };
    assert_eq!(block_on(connection(&cell)), block_on(other).unwrap());
}
