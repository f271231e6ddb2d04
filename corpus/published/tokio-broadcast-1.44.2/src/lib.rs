//! RUSTSEC-2025-0023, mended: a receiver locks the value while it clones it.

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;
    use tokio::sync::broadcast;

    /// Counts how often it was cloned. `Send`, but not `Sync`.
    #[derive(Default)]
    struct Message(Cell<u32>);

    impl Clone for Message {
        fn clone(&self) -> Message {
            self.0.set(self.0.get() + 1);
            Message::default()
        }
    }

    #[test]
    fn two_receive_one_message() {
        let (sender, mut receiver) = broadcast::channel(2);
        let mut other = sender.subscribe();
        assert!(sender.send(Message::default()).is_ok());
        thread::scope(|s| {
            s.spawn(|| assert!(other.try_recv().is_ok()));
            assert!(receiver.try_recv().is_ok());
        });
    }
}
