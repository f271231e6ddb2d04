//! Who polls looks whether there is a message and then receives it: another may have, and it waits for one
//! that does not come (flume).

use flume::Receiver;

pub fn poll(messages: &Receiver<u32>) -> Option<u32> {
    if messages.is_empty() {
        return None;
    }
    messages.recv().ok()
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
