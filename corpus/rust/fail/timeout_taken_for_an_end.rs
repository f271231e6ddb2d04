// Timeout taken for the end. A consumer waits for each of two messages with a timeout and takes a timeout
// to mean that no more will come. If the producer is slow the timeout fires first, and the messages
// are lost.
// origin: folklore
// verdict: bug panic
// preemptions: 0, 2 executions
// delays rr: 0, 2 executions
// delays dfs: 1, 3 executions
// twin: pass/timeout_taken_for_an_end.rs

pub fn timeout_taken_for_an_end() {
    let (sender, receiver) = mpsc::channel();
    let producer = thread::spawn(move || {
        for message in [1, 2] {
            // The consumer may have gone.
            let _ = sender.send(message);
        }
    });
    let mut sum = 0;
    while let Ok(message) = receiver.recv_timeout(Duration::from_secs(1)) {
        sum += message;
    }
    assert_eq!(sum, 3, "messages were lost");
    producer.join().unwrap();
}
