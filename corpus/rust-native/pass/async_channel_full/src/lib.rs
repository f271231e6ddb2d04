//! Who comes goes in if the waiting room lets it (async-channel).

use async_channel::{Receiver, Sender, bounded};

pub struct WaitingRoom {
    entrance: Sender<u32>,
    exit: Receiver<u32>,
}

impl WaitingRoom {
    pub fn new(chairs: usize) -> Self {
        let (entrance, exit) = bounded(chairs);
        WaitingRoom { entrance, exit }
    }

    pub fn enter(&self, patient: u32) -> bool {
        self.entrance.try_send(patient).is_ok()
    }

    pub fn waiting(&self) -> usize {
        self.exit.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_of_two_is_let_in() {
        let room = WaitingRoom::new(1);
        thread::scope(|s| {
            s.spawn(|| room.enter(1));
            room.enter(2);
        });
        assert_eq!(room.waiting(), 1);
    }
}
