//! The ends of the channels of an abstract program.

use caissa::sync::mpsc::{Receiver, SendError, Sender, SyncSender, TrySendError, channel, sync_channel};

use crate::oracle::program::{Instr, Program};

pub enum AnySender {
    Unbounded(Sender<u64>),
    Bounded(SyncSender<u64>),
}

/// What one task has of one channel.
#[derive(Default)]
pub struct Ends {
    pub sender: Option<AnySender>,
    pub receiver: Option<Receiver<u64>>,
}

impl Ends {
    pub fn receiver(&self) -> &Receiver<u64> {
        self.receiver.as_ref().unwrap()
    }

    pub fn send(&self, message: u64) -> bool {
        match self.sender.as_ref().unwrap() {
            AnySender::Unbounded(sender) => sender.send(message).is_ok(),
            AnySender::Bounded(sender) => {
                let result = sender.send(message);
                assert!(result.is_ok() || result == Err(SendError(message)), "another message came back");
                result.is_ok()
            }
        }
    }

    /// Whether the message was sent, and whether the receiver was there.
    pub fn try_send(&self, message: u64) -> (bool, bool) {
        let AnySender::Bounded(sender) = self.sender.as_ref().unwrap() else {
            unreachable!("an unbounded channel always has room");
        };
        let result = sender.try_send(message);
        (result.is_ok(), !matches!(result, Err(TrySendError::Disconnected(_))))
    }
}

/// Makes the program's channels; what each task has of each.
pub fn ends_by_task(program: &Program) -> Vec<Vec<Ends>> {
    let channels = program.channels.len();
    let mut ends: Vec<Vec<Ends>> =
        program.tasks.iter().map(|_| (0..channels).map(|_| Ends::default()).collect()).collect();
    for (index, capacity) in program.channels.iter().enumerate() {
        let owns = |task: &usize, drop| program.tasks[*task].contains(&drop);
        let senders: Vec<usize> =
            (0..ends.len()).filter(|task| owns(task, Instr::DropSender(index))).collect();
        let (made, receiver) = make(*capacity, senders.len());
        for (task, sender) in senders.into_iter().zip(made) {
            ends[task][index].sender = Some(sender);
        }
        let receives = (0..ends.len()).find(|task| owns(task, Instr::DropReceiver(index))).unwrap();
        ends[receives][index].receiver = Some(receiver);
    }
    ends
}

/// Exactly so many senders are made, for dropping one more would be a step.
fn make(capacity: Option<usize>, senders: usize) -> (Vec<AnySender>, Receiver<u64>) {
    match capacity {
        None => {
            let (sender, receiver) = channel();
            let mut all: Vec<Sender<u64>> = (1..senders).map(|_| sender.clone()).collect();
            all.push(sender);
            (all.into_iter().map(AnySender::Unbounded).collect(), receiver)
        }
        Some(capacity) => {
            let (sender, receiver) = sync_channel(capacity);
            let mut all: Vec<SyncSender<u64>> = (1..senders).map(|_| sender.clone()).collect();
            all.push(sender);
            (all.into_iter().map(AnySender::Bounded).collect(), receiver)
        }
    }
}
