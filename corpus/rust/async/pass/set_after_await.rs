// `get_or_init` lets one make the value and the other wait for it.
// origin: folklore
// verdict: verified, 67 executions
// preemptions: 2, 19 executions
// delays rr: 2, 19 executions
// delays dfs: 2, 19 executions
// twin: fail/set_after_await.rs

async fn connection(cell: &OnceCell<u32>) -> u32 {
    *cell.get_or_init(async || {
        yield_now().await;
        1
    })
    .await
}

pub fn set_after_await() {
    let cell = Arc::new(OnceCell::new());
    let other = {
        let cell = Arc::clone(&cell);
        spawn(async move { connection(&cell).await })
    };
    assert_eq!(block_on(connection(&cell)), block_on(other).unwrap());
}
