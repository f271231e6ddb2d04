//! models/peterson.cai as a model of stateright's: the same steps, the same states.

use stateright::{Model, Property};

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub struct State<const N: usize> {
    processes: [Process; N],
    level: [u8; N],
    last: [u8; N],
    inside: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
struct Process {
    next: Step,
    /// The level it wants to pass.
    k: u8,
    /// Whom it waits for there; 0 where it does not wait.
    j: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
#[repr(u8)]
enum Step {
    SetLevel,
    SetLast,
    Wait,
    Enter,
    Leave,
}

pub struct Peterson<const N: usize>;

/// The first from `j` on that is not `me`.
fn other(j: u8, me: u8) -> u8 {
    if j == me { j + 1 } else { j }
}

impl<const N: usize> Model for Peterson<N> {
    type State = State<N>;
    type Action = u8;

    fn init_states(&self) -> Vec<State<N>> {
        let process = Process { next: Step::SetLevel, k: 1, j: 0 };
        vec![State { processes: [process; N], level: [0; N], last: [0; N], inside: 0 }]
    }

    fn actions(&self, state: &State<N>, actions: &mut Vec<u8>) {
        for (me, process) in state.processes.iter().enumerate() {
            let Process { next, k, j } = *process;
            let passes = || state.level[usize::from(j)] < k || usize::from(state.last[usize::from(k)]) != me;
            if next != Step::Wait || passes() {
                actions.push(me as u8);
            }
        }
    }

    fn next_state(&self, state: &State<N>, me: u8) -> Option<State<N>> {
        let mut after = *state;
        let process = &mut after.processes[usize::from(me)];
        match process.next {
            Step::SetLevel => {
                after.level[usize::from(me)] = process.k;
                process.next = Step::SetLast;
            }
            Step::SetLast => {
                after.last[usize::from(process.k)] = me;
                process.j = other(0, me);
                process.next = Step::Wait;
            }
            Step::Wait => {
                process.j = other(process.j + 1, me);
                if usize::from(process.j) >= N {
                    process.j = 0;
                    process.k += 1;
                    process.next = Step::SetLevel;
                    if usize::from(process.k) == N {
                        process.k = 1;
                        process.next = Step::Enter;
                    }
                }
            }
            Step::Enter => {
                after.inside += 1;
                process.next = Step::Leave;
            }
            Step::Leave => {
                after.inside -= 1;
                after.level[usize::from(me)] = 0;
                process.next = Step::SetLevel;
            }
        }
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("at most one is inside", |_, state: &State<N>| state.inside <= 1)]
    }
}
