//! Condition variables, barriers and channels: where tasks wait for each other.
//!
//! Some of their instructions take two steps. `Wait` releases the mutex and begins to wait, then takes
//! the mutex again; all arrivals at a barrier but the last are followed by leaving it; on a rendezvous
//! channel sending is followed by handing over, and a receiver that finds nothing first comes to wait.

use super::interpret::Observation;
use super::program::{Instr, Program, Task};

/// A set of tasks, one bit for each.
pub type Tasks = u32;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Barrier {
    size: usize,
    arrived: Vec<Task>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Channel {
    /// None: any number of messages.
    capacity: Option<usize>,
    messages: Vec<u64>,
    senders: usize,
    receiver_gone: bool,
    /// On a rendezvous channel: the receiver has come and found nothing.
    receiver_waits: bool,
    /// On a rendezvous channel: who has put a message that was not taken yet.
    handing: Vec<Task>,
}

/// The state of these objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Per condvar the waiters that are not notified, in the order in which they came.
    condvars: Vec<Vec<Task>>,
    barriers: Vec<Barrier>,
    channels: Vec<Channel>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    pub observed: Option<Observation>,
    /// False if the step has only looked at its object.
    pub success: bool,
    /// The instruction has a second step.
    pub halfway: bool,
    /// The tasks whose second step this one has made possible.
    pub wakes: Tasks,
}

impl Effect {
    pub const NOTHING: Effect = Effect { observed: None, success: true, halfway: false, wakes: 0 };

    pub fn seen(observation: Observation) -> Effect {
        Effect { observed: Some(observation), ..Effect::NOTHING }
    }

    pub fn tried(success: bool, observation: Observation) -> Effect {
        Effect { success, ..Effect::seen(observation) }
    }

    fn failed(observation: Observation) -> Effect {
        Effect::tried(false, observation)
    }

    fn waking(tasks: &[Task]) -> Effect {
        Effect { wakes: tasks.iter().fold(0, |set, task| set | 1 << task), ..Effect::NOTHING }
    }
}

impl Meeting {
    pub fn new(program: &Program) -> Meeting {
        let instrs = || program.tasks.iter().flatten();
        let channel = |(channel, capacity): (usize, &Option<usize>)| Channel {
            capacity: *capacity,
            messages: Vec::new(),
            senders: instrs().filter(|instr| **instr == Instr::DropSender(channel)).count(),
            receiver_gone: false,
            receiver_waits: false,
            handing: Vec::new(),
        };
        Meeting {
            condvars: vec![Vec::new(); program.condvars],
            barriers: program.barriers.iter().map(|&size| Barrier { size, arrived: Vec::new() }).collect(),
            channels: program.channels.iter().enumerate().map(channel).collect(),
        }
    }

    /// Whether an instruction is about one of these objects.
    pub fn concerns(instr: Instr) -> bool {
        use Instr::*;
        matches!(
            instr,
            Wait(..)
                | NotifyOne(_)
                | NotifyAll(_)
                | Arrive(_)
                | Send(..)
                | TrySend(..)
                | Recv(_)
                | TryRecv(_)
                | DropSender(_)
                | DropReceiver(_)
        )
    }

    /// Whether the instruction's first or second step is possible, as far as these objects are concerned.
    pub fn allows(&self, task: Task, instr: Instr, second: bool) -> bool {
        match (instr, second) {
            (Instr::Wait(c, _), true) => !self.condvars[c].contains(&task),
            (Instr::Arrive(b), true) => !self.barriers[b].arrived.contains(&task),
            (Instr::Send(c, _), true) => {
                self.channels[c].receiver_gone || !self.channels[c].handing.contains(&task)
            }
            (Instr::Send(c, _), false) => self.channels[c].receiver_gone || self.channels[c].has_room(),
            (Instr::Recv(c), _) => {
                let comes = self.channels[c].is_rendezvous() && !second;
                comes || self.channels[c].answers()
            }
            _ => true,
        }
    }

    /// How many tasks a `NotifyOne` can choose from.
    pub fn waiters(&self, condvar: usize) -> usize {
        self.condvars[condvar].len()
    }

    /// Notifies the waiter at this place in the queue.
    pub fn notify(&mut self, condvar: usize, place: usize) -> Effect {
        Effect::waking(&[self.condvars[condvar].remove(place)])
    }

    /// The first step of an instruction. `NotifyOne` with a choice to make does nothing yet.
    pub fn first(&mut self, task: Task, instr: Instr) -> Effect {
        match instr {
            Instr::Wait(c, _) => {
                self.condvars[c].push(task);
                Effect { halfway: true, ..Effect::NOTHING }
            }
            Instr::NotifyOne(c) if self.waiters(c) == 1 => self.notify(c, 0),
            Instr::NotifyAll(c) => Effect::waking(&std::mem::take(&mut self.condvars[c])),
            Instr::Arrive(b) => self.barriers[b].arrive(task),
            Instr::Send(c, message) => self.channels[c].send(task, message),
            Instr::TrySend(c, message) => self.channels[c].try_send(message),
            Instr::Recv(c) => self.channels[c].recv(),
            Instr::TryRecv(c) => self.channels[c].try_recv(),
            Instr::DropSender(c) => {
                self.channels[c].senders -= 1;
                Effect::NOTHING
            }
            Instr::DropReceiver(c) => self.channels[c].drop_receiver(),
            _ => Effect::NOTHING,
        }
    }

    /// The second step of an instruction.
    pub fn second(&mut self, task: Task, instr: Instr) -> Effect {
        match instr {
            Instr::Arrive(_) => Effect::seen(Observation::Led(false)),
            Instr::Send(c, _) => self.channels[c].hand_over(task),
            Instr::Recv(c) => {
                self.channels[c].receiver_waits = false;
                self.channels[c].take()
            }
            _ => Effect::NOTHING,
        }
    }
}

impl Barrier {
    fn arrive(&mut self, task: Task) -> Effect {
        if self.arrived.len() + 1 < self.size {
            self.arrived.push(task);
            return Effect { halfway: true, ..Effect::NOTHING };
        }
        let released = std::mem::take(&mut self.arrived);
        Effect { observed: Some(Observation::Led(true)), ..Effect::waking(&released) }
    }
}

impl Channel {
    fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }

    /// A rendezvous channel has room for the one message that is being handed over.
    fn has_room(&self) -> bool {
        self.capacity.is_none_or(|capacity| self.messages.len() < capacity.max(1))
    }

    /// Whether a receiver need not wait.
    fn answers(&self) -> bool {
        !self.messages.is_empty() || self.senders == 0
    }

    fn send(&mut self, task: Task, message: u64) -> Effect {
        if self.receiver_gone {
            return Effect::failed(Observation::Sent(false));
        }
        self.messages.push(message);
        if self.is_rendezvous() {
            self.handing.push(task);
            return Effect { halfway: true, ..Effect::NOTHING };
        }
        Effect::seen(Observation::Sent(true))
    }

    /// The message was taken, or the receiver is gone and the sender takes it back.
    fn hand_over(&mut self, task: Task) -> Effect {
        let place = self.handing.iter().position(|other| *other == task);
        if let Some(place) = place {
            self.handing.remove(place);
            self.messages.pop();
        }
        Effect::seen(Observation::Sent(place.is_none()))
    }

    fn try_send(&mut self, message: u64) -> Effect {
        if self.receiver_gone {
            return Effect::failed(Observation::TrySent { sent: false, connected: false });
        }
        let sent = self.has_room() && (!self.is_rendezvous() || self.receiver_waits);
        let observation = Observation::TrySent { sent, connected: true };
        if !sent {
            return Effect::failed(observation);
        }
        self.messages.push(message);
        Effect::seen(observation)
    }

    fn recv(&mut self) -> Effect {
        if self.answers() {
            return self.take();
        }
        self.receiver_waits = true;
        Effect { halfway: true, ..Effect::NOTHING }
    }

    fn try_recv(&mut self) -> Effect {
        if self.messages.is_empty() {
            return Effect::failed(Observation::Missed { connected: self.senders > 0 });
        }
        self.take()
    }

    fn take(&mut self) -> Effect {
        if self.messages.is_empty() {
            return Effect::failed(Observation::Missed { connected: false });
        }
        let observed = Some(Observation::Received(self.messages.remove(0)));
        let sender = (!self.handing.is_empty()).then(|| self.handing.remove(0));
        Effect { observed, ..Effect::waking(sender.as_slice()) }
    }

    fn drop_receiver(&mut self) -> Effect {
        self.receiver_gone = true;
        if !self.is_rendezvous() {
            self.messages.clear();
        }
        Effect::waking(&self.handing)
    }
}
