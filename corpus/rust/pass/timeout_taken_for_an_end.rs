// Timeout told from the end. A consumer waits for two messages with a timeout and tries again when it fires; only
// a closed channel is the end.
// origin: folklore
// verdict: verified, 203 executions
// preemptions: 3, 123 executions
// delays rr: 3, 107 executions
// delays dfs: 3, 84 executions
// twin: fail/timeout_taken_for_an_end.rs

pub fn timeout_taken_for_an_end() {
    let (sender, receiver) = mpsc::channel();
    let producer = thread::spawn(move || {
        for message in [1, 2] {
            sender.send(message).unwrap();
        }
    });
    let mut sum = 0;
    loop {
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(message) => sum += message,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    assert_eq!(sum, 3, "messages were lost");
    producer.join().unwrap();
}
