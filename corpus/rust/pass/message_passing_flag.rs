// Message passing by a flag. The sender writes the message and then raises the flag; the receiver
// reads the message if it sees the flag. Whoever sees the flag sees what was written before it.
// origin: folklore
// verdict: verified, 47 executions
// preemptions: 3, 40 executions
// delays rr: 3, 34 executions
// delays dfs: 3, 34 executions
// twin: fail/message_passing_flag.rs

const SC: Ordering = Ordering::SeqCst;

pub fn message_passing_flag() {
    let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let sender = {
        let shared = shared.clone();
        thread::spawn(move || {
            let (message, sent) = &*shared;
            message.store(42, SC);
            sent.store(true, SC);
        })
    };
    let receiver = thread::spawn(move || {
        let (message, sent) = &*shared;
        if sent.load(SC) {
            assert_eq!(message.load(SC), 42, "the flag came before the message");
        }
    });
    sender.join().unwrap();
    receiver.join().unwrap();
}
