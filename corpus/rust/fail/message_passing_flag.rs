// Message passing by a flag, wrong order. The sender raises the flag and then writes the message;
// the receiver reads the message if it sees the flag. A sender preempted between the two writes has
// announced a message that is not there.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 3 executions
// twin: pass/message_passing_flag.rs

const SC: Ordering = Ordering::SeqCst;

pub fn message_passing_flag() {
    let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let sender = {
        let shared = shared.clone();
        thread::spawn(move || {
            let (message, sent) = &*shared;
            sent.store(true, SC);
            message.store(42, SC);
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
