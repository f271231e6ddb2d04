// Channel closed early, handled. A worker answers a request, unless it is told to shut down first:
// then it drops its sender without a word. The main task expects that too: a closed channel means
// that the worker was told to shut down.
// origin: folklore
// verdict: verified, 218 executions
// preemptions: 3, 125 executions
// delays rr: 3, 65 executions
// delays dfs: 3, 56 executions
// twin: fail/channel_close.rs

const SC: Ordering = Ordering::SeqCst;

pub fn channel_close() {
    let shutdown = Arc::new(AtomicBool::new(false));
    let (answers, inbox) = mpsc::channel();
    let worker = {
        let shutdown = shutdown.clone();
        thread::spawn(move || {
            if !shutdown.load(SC) {
                answers.send(42).unwrap();
            }
        })
    };
    let operator = {
        let shutdown = shutdown.clone();
        thread::spawn(move || shutdown.store(true, SC))
    };
    match inbox.recv() {
        Ok(answer) => assert_eq!(answer, 42, "the answer was changed on its way"),
        Err(_) => assert!(shutdown.load(SC), "the worker has hung up without being told to"),
    }
    worker.join().unwrap();
    operator.join().unwrap();
}
