// A consumer that polls a channel for one message more than are sent. The channel stays open, so it
// polls for ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/polling_consumer.rs

const MESSAGES: usize = 2;

pub fn polling_consumer() {
    let (sender, receiver) = mpsc::channel();
    let producer = {
        let sender = sender.clone();
        thread::spawn(move || {
            for message in 0..MESSAGES - 1 {
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
