//! Delaying schedulers over states (POPL'11, section 3): the scheduler's object is part of a state.
//!
//! For programs with one buffer and one level. The pending tasks lie in the scheduler's order, with one number beside them: in
//! round-robin the position of the next task, in depth-first how many of them are the round stack, bottom first; the delay stack
//! follows. Positions and costs are those of the core's schedulers (`caissa_core::guide`): a task costs as many delays as it takes
//! until it first comes up.

/// A delaying scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delaying {
    /// Scheduler 3.
    RoundRobin,
    /// Scheduler 4, skipping blocked tasks.
    DepthFirst,
}

impl Delaying {
    /// The number beside the first task.
    pub(super) fn first(self) -> u32 {
        match self {
            Delaying::RoundRobin => 0,
            Delaying::DepthFirst => 1,
        }
    }

    /// The tasks that could go on, in the order in which they come up.
    pub(super) fn order(
        self,
        pending: &[u32],
        number: u32,
        mut able: impl FnMut(u32) -> bool,
        each: &mut impl FnMut(u32),
    ) {
        let number = number as usize;
        match self {
            Delaying::RoundRobin => {
                for offset in 0..pending.len() {
                    let task = pending[(number + offset) % pending.len()];
                    if able(task) {
                        each(task);
                    }
                }
            }
            Delaying::DepthFirst => {
                let (round, delayed) = pending.split_at(number);
                for &task in round.iter().rev().chain(delayed) {
                    if able(task) {
                        each(task);
                    }
                }
            }
        }
    }

    /// Takes the task that comes up after `delays` delays. Returns it, and the number from now on.
    pub(super) fn take(
        self,
        pending: &mut Vec<u32>,
        number: u32,
        delays: u32,
        mut able: impl FnMut(u32) -> bool,
    ) -> (u32, u32) {
        match self {
            Delaying::RoundRobin => {
                let len = pending.len();
                let positions = (0..len).map(|offset| (number as usize + offset) % len);
                let position =
                    positions.filter(|&at| able(pending[at])).nth(delays as usize).expect("it comes up");
                (pending.remove(position), position as u32)
            }
            Delaying::DepthFirst => {
                let mut delayed = pending.split_off(number as usize);
                let mut left = delays;
                loop {
                    match pending.iter().rposition(|&task| able(task)) {
                        Some(at) if left == 0 => {
                            let task = pending.remove(at);
                            let number = pending.len() as u32;
                            pending.append(&mut delayed);
                            return (task, number);
                        }
                        Some(at) => {
                            delayed.push(pending.remove(at));
                            left -= 1;
                        }
                        // The next round.
                        None => pending.extend(delayed.drain(..).rev()),
                    }
                }
            }
        }
    }

    /// The task that was taken has come to its next point: from `old` on lie what it has posted and, if it goes on later, itself.
    pub(super) fn give(self, pending: &mut Vec<u32>, number: u32, old: usize, goes_on: bool) -> u32 {
        match self {
            Delaying::RoundRobin => {
                if goes_on {
                    let task = pending.pop().expect("it is the last one");
                    pending.insert((number as usize).min(pending.len()), task);
                }
                number
            }
            Delaying::DepthFirst => {
                let given: Vec<u32> = pending.drain(old..).rev().collect();
                let count = given.len() as u32;
                pending.splice(number as usize..number as usize, given);
                number + count
            }
        }
    }
}
