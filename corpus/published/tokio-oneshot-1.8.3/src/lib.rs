//! RUSTSEC-2021-0124: `send` marks a closed channel as having a value, and takes the value back while the receiver takes it.

#[cfg(test)]
mod tests {
    use std::thread;
    use tokio::sync::oneshot;

    #[test]
    fn a_value_comes_to_a_closed_channel() {
        let (sender, mut receiver) = oneshot::channel();
        thread::scope(|s| {
            s.spawn(|| sender.send(Box::new(1)));
            receiver.close();
            let _ = receiver.try_recv();
        });
    }
}
