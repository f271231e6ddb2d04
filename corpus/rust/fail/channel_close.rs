// Channel closed early. A worker answers a request, unless it is told to shut down first: then it
// drops its sender without a word. The main task takes an answer for granted, and fails if the
// shutdown comes before the worker looks.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 2 executions
// twin: pass/channel_close.rs

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
    let operator = thread::spawn(move || shutdown.store(true, SC));
    let answer = inbox.recv();
    assert_eq!(answer, Ok(42), "the worker has hung up without an answer");
    worker.join().unwrap();
    operator.join().unwrap();
}
