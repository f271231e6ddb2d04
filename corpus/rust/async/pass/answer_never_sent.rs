// Whoever waits for an answer expects that none comes.
// origin: folklore
// verdict: bounded
// preemptions: 2, 273 executions
// delays rr: 2, 57 executions
// delays dfs: 2, 73 executions
// twin: fail/answer_never_sent.rs

pub fn answer_never_sent() {
    let (requests, mut queue) = mpsc::channel::<oneshot::Sender<u32>>(1);
    let stop = Arc::new(AtomicBool::new(false));
    let worker = {
        let stop = Arc::clone(&stop);
        spawn(async move {
            while let Some(answer) = queue.recv().await {
                if stop.load(SeqCst) {
                    break;
                }
                let _ = answer.send(42);
            }
        })
    };
    let client = spawn(async move {
        let (answer, answered) = oneshot::channel();
        if requests.send(answer).await.is_ok() {
            assert!(matches!(answered.await, Ok(42) | Err(_)));
        }
    });
    stop.store(true, SeqCst);
    block_on(client).unwrap();
    block_on(worker).unwrap();
}
