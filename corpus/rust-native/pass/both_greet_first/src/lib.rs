//! Two peers greet: who has been greeted answers, who has not begins; the channels hold one greeting, so that
//! both may begin.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

const CAPACITY: usize = 1;

pub struct Peer {
    name: &'static str,
    out: SyncSender<&'static str>,
    inbox: Receiver<&'static str>,
}

pub fn pair(left: &'static str, right: &'static str) -> (Peer, Peer) {
    let (to_left, from_right) = sync_channel(CAPACITY);
    let (to_right, from_left) = sync_channel(CAPACITY);
    let left = Peer { name: left, out: to_right, inbox: from_right };
    let right = Peer { name: right, out: to_left, inbox: from_left };
    (left, right)
}

impl Peer {
    pub fn greet(&self) -> &'static str {
        if let Ok(other) = self.inbox.try_recv() {
            self.out.send(self.name).unwrap();
            return other;
        }
        self.out.send(self.name).unwrap();
        self.inbox.recv().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_peers() {
        let (ann, bob) = pair("Ann", "Bob");
        thread::scope(|s| {
            s.spawn(move || assert_eq!(bob.greet(), "Ann"));
            assert_eq!(ann.greet(), "Bob");
        });
    }
}
