//! Who polls takes a message if there is one (flume).

use flume::Receiver;

pub fn poll(messages: &Receiver<u32>) -> Option<u32> {
    messages.try_recv().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_of_two_gets_it() {
        let (send, messages) = flume::unbounded();
        send.send(5).unwrap();
        let (mine, others) = thread::scope(|s| {
            let other = s.spawn(|| poll(&messages));
            (poll(&messages), other.join().unwrap())
        });
        assert_eq!(mine.or(others), Some(5));
        assert!(mine.is_none() || others.is_none());
    }
}
