//! Which tasks of a random program have the ends of a channel.

use super::program::{Instr, Task};
use super::random::Rng;

pub struct Ends {
    pub capacity: Option<usize>,
    receiver: Task,
    /// Not empty; the receiver may be among them.
    senders: Vec<Task>,
}

impl Ends {
    pub fn random(rng: &mut Rng, tasks: usize) -> Ends {
        let capacity = [None, Some(0), Some(0), Some(1), Some(2)][rng.below(5)];
        let receiver = rng.below(tasks);
        let mut senders: Vec<Task> = (0..tasks).filter(|_| rng.chance(1, 2)).collect();
        if senders.is_empty() {
            senders.push(rng.below(tasks));
        }
        Ends { capacity, receiver, senders }
    }

    /// Something that the task can do with its ends; None if it has none.
    pub fn use_of(&self, channel: usize, task: Task, rng: &mut Rng) -> Option<Instr> {
        let receives = self.receiver == task;
        let sends = self.senders.contains(&task);
        if receives && !(sends && rng.chance(1, 2)) {
            return Some(match rng.chance(2, 3) {
                true => Instr::Recv(channel),
                false => Instr::TryRecv(channel),
            });
        }
        let message = rng.below(100) as u64;
        let tries = self.capacity.is_some() && rng.chance(1, 3);
        sends.then_some(match tries {
            true => Instr::TrySend(channel, message),
            false => Instr::Send(channel, message),
        })
    }

    /// Drops each end once, somewhere after its last use.
    pub fn add_drops(&self, channel: usize, rng: &mut Rng, lists: &mut [Vec<Instr>]) {
        for (task, list) in lists.iter_mut().enumerate() {
            let mut drops = Vec::new();
            drops.extend(self.senders.contains(&task).then_some(Instr::DropSender(channel)));
            drops.extend((self.receiver == task).then_some(Instr::DropReceiver(channel)));
            for drop in drops {
                let last = list.iter().rposition(|instr| uses(*instr, drop));
                let after = last.map_or(0, |last| last + 1);
                let at = match rng.chance(1, 2) {
                    true => list.len(),
                    false => after + rng.below(list.len() - after + 1),
                };
                list.insert(at, drop);
            }
        }
    }
}

/// Whether an instruction uses the end that another one drops.
fn uses(instr: Instr, drop: Instr) -> bool {
    match (instr, drop) {
        (Instr::Send(a, _) | Instr::TrySend(a, _), Instr::DropSender(b)) => a == b,
        (Instr::Recv(a) | Instr::TryRecv(a), Instr::DropReceiver(b)) => a == b,
        _ => false,
    }
}
