use shuttle::sync::mpsc;
use shuttle::thread;

#[test]
fn everything_that_was_sent_arrives() {
    shuttle::check_dfs(
        || {
            let (sender, receiver) = mpsc::channel();
            let senders = [1, 2].map(|value| {
                let sender = sender.clone();
                thread::spawn(move || sender.send(value).unwrap())
            });
            drop(sender);
            assert_eq!(receiver.iter().sum::<i32>(), 3);
            for sender in senders {
                sender.join().unwrap();
            }
        },
        None,
    );
}
