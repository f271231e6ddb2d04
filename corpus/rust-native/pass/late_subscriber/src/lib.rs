//! A hub that is closed lets go of its subscribers, and keeps none that come after that.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

#[derive(Default)]
struct Subscribers {
    closed: bool,
    senders: Vec<Sender<u32>>,
}

#[derive(Default)]
pub struct Hub {
    subscribers: Mutex<Subscribers>,
}

impl Hub {
    pub fn subscribe(&self) -> Receiver<u32> {
        let (sender, receiver) = channel();
        let mut subscribers = self.subscribers.lock().unwrap();
        if !subscribers.closed {
            subscribers.senders.push(sender);
        }
        receiver
    }

    pub fn publish(&self, news: u32) {
        let mut subscribers = self.subscribers.lock().unwrap();
        assert!(!subscribers.closed, "the hub is closed");
        subscribers.senders.retain(|sender| sender.send(news).is_ok());
    }

    pub fn close(&self) {
        let mut subscribers = self.subscribers.lock().unwrap();
        subscribers.closed = true;
        subscribers.senders.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_list_ends() {
        let hub = Hub::default();
        thread::scope(|s| {
            s.spawn(|| {
                hub.publish(1);
                hub.close();
            });
            assert!(hub.subscribe().iter().count() <= 1);
        });
    }
}
