// A consumer that polls a channel. A receive that finds nothing counts as a yield.
// origin: folklore
// verdict: verified, 45 executions
// preemptions: 2, 18 executions
// delays rr: 2, 18 executions
// delays dfs: 2, 15 executions
// unfair: incomplete
// twin: fail/polling_consumer.rs

const MESSAGES: usize = 2;

pub fn polling_consumer() {
    let (sender, receiver) = mpsc::channel();
    let producer = {
        let sender = sender.clone();
        thread::spawn(move || {
            for message in 0..MESSAGES {
                sender.send(message).unwrap();
            }
        })
    };
    let mut received = 0;
    while received < MESSAGES {
        if let Ok(message) = receiver.try_recv() {
            assert_eq!(message, received);
            received += 1;
        }
    }
    producer.join().unwrap();
    drop(sender);
}
