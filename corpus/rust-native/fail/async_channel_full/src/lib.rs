//! Who comes looks whether the waiting room is full and then goes in: another may have taken the last chair
//! (async-channel).

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
        if self.entrance.is_full() {
            return false;
        }
        self.entrance.try_send(patient).expect("there is a chair");
        true
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
