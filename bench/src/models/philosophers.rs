//! models/philosophers.cai as a model of stateright's: the same steps, the same states.

use stateright::{Model, Property};

/// What each of `N` philosophers does next, and which forks are taken.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub struct State<const N: usize> {
    next: [Step; N],
    fork: [bool; N],
}

#[derive(Clone, Copy, Debug, PartialEq, Hash)]
#[repr(u8)]
enum Step {
    TakeFirst,
    TakeSecond,
    PutFirst,
    PutSecond,
}

pub struct Philosophers<const N: usize>;

impl<const N: usize> Philosophers<N> {
    /// The forks of a philosopher in the order in which they are taken.
    fn forks(philosopher: usize) -> (usize, usize) {
        if philosopher == N - 1 { (0, N - 1) } else { (philosopher, philosopher + 1) }
    }
}

impl<const N: usize> Model for Philosophers<N> {
    type State = State<N>;
    type Action = u8;

    fn init_states(&self) -> Vec<State<N>> {
        vec![State { next: [Step::TakeFirst; N], fork: [false; N] }]
    }

    fn actions(&self, state: &State<N>, actions: &mut Vec<u8>) {
        for (philosopher, next) in state.next.iter().enumerate() {
            let (first, second) = Self::forks(philosopher);
            let enabled = match next {
                Step::TakeFirst => !state.fork[first],
                Step::TakeSecond => !state.fork[second],
                Step::PutFirst | Step::PutSecond => true,
            };
            if enabled {
                actions.push(philosopher as u8);
            }
        }
    }

    fn next_state(&self, state: &State<N>, philosopher: u8) -> Option<State<N>> {
        let philosopher = usize::from(philosopher);
        let (first, second) = Self::forks(philosopher);
        let mut after = *state;
        after.next[philosopher] = match state.next[philosopher] {
            Step::TakeFirst => {
                after.fork[first] = true;
                Step::TakeSecond
            }
            Step::TakeSecond => {
                after.fork[second] = true;
                Step::PutFirst
            }
            Step::PutFirst => {
                after.fork[first] = false;
                Step::PutSecond
            }
            Step::PutSecond => {
                after.fork[second] = false;
                Step::TakeFirst
            }
        };
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        super::stateright::everything()
    }
}
