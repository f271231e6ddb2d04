// A oneshot sender dropped. A worker takes requests until it is told to stop; one that is still in
// the queue then is dropped with its sender, and who waits for the answer did not expect that.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// twin: pass/answer_never_sent.rs

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
            assert_eq!(answered.await.unwrap(), 42);
        }
    });
    stop.store(true, SeqCst);
    block_on(client).unwrap();
    block_on(worker).unwrap();
}
