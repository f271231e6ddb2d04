//! Stateright's side: the models as it wants them, with sizes that are known when they are compiled, which is what it is fastest with.
//!
//! It keeps 64 bits of each state, so its storage is not exact; it has nothing that is.

use std::hash::Hash;
use std::time::Instant;

use stateright::{Checker, Model, Property};

use super::filesystem::FileSystem;
use super::peterson::Peterson;
use super::philosophers::Philosophers;
use super::subject::{Exhausted, Size, Subject};

/// Which of its searches; it takes the faster one for each model. Its depth-first search copies the path to each state,
/// which is no use where paths are long.
#[derive(Clone, Copy)]
enum Order {
    BreadthFirst,
    DepthFirst,
}

/// A property that always holds: without one, stateright explores nothing.
pub fn everything<M: Model>() -> Vec<Property<M>> {
    vec![Property::always("everything is explored", |_, _| true)]
}

fn exhaust<M>(model: M, order: Order) -> Exhausted
where
    M: Model<Action = u8> + Send + Sync + 'static,
    M::State: Clone + PartialEq + Hash + Send + Sync + std::fmt::Debug + 'static,
{
    let begin = Instant::now();
    let checker = model.checker().threads(1);
    let finished = |states: usize, transitions: usize, discoveries: usize| {
        assert_eq!(discoveries, 0, "the models have no bugs");
        let [states, transitions] = [states, transitions].map(|count| count as u64);
        Exhausted { states, transitions, seconds: begin.elapsed().as_secs_f64(), bytes: 0 }
    };
    match order {
        Order::BreadthFirst => {
            let done = checker.spawn_bfs().join();
            finished(done.unique_state_count(), done.state_count(), done.discoveries().len())
        }
        Order::DepthFirst => {
            let done = checker.spawn_dfs().join();
            finished(done.unique_state_count(), done.state_count(), done.discoveries().len())
        }
    }
}

/// Exhausts a model on one thread.
pub fn run(subject: &Subject, size: &Size) -> Exhausted {
    let values: Vec<i32> = size.sets.iter().map(|&(_, value)| value).collect();
    match (subject.name, &*values) {
        ("philosophers", [13]) => exhaust(Philosophers::<13>, Order::BreadthFirst),
        ("philosophers", [8]) => exhaust(Philosophers::<8>, Order::BreadthFirst),
        ("peterson", [5]) => exhaust(Peterson::<5>, Order::BreadthFirst),
        ("peterson", [4]) => exhaust(Peterson::<4>, Order::BreadthFirst),
        ("filesystem", [10, 5, 5]) => exhaust(FileSystem::<10, 5, 5>, Order::DepthFirst),
        ("filesystem", [6, 3, 4]) => exhaust(FileSystem::<6, 3, 4>, Order::DepthFirst),
        (name, _) => unreachable!("{name} is not compiled for {size}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::subject::SUBJECTS;

    #[test]
    fn small_models_have_as_many_states_as_spin_counts() {
        for subject in &SUBJECTS {
            let size = subject.size(true);
            assert_eq!(run(subject, size).states, size.states, "{}", subject.name);
        }
    }

    #[test]
    fn philosophers_have_three_to_the_power_of_their_number() {
        let two = exhaust(Philosophers::<2>, Order::BreadthFirst);
        assert_eq!((two.states, two.transitions), (9, 13));
        assert_eq!(exhaust(Philosophers::<3>, Order::DepthFirst).states, 27);
        assert_eq!(exhaust(Philosophers::<4>, Order::BreadthFirst).states, 81);
    }

    #[test]
    fn both_searches_explore_the_same() {
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            let exhausted = exhaust(FileSystem::<4, 2, 4>, order);
            assert_eq!((exhausted.states, exhausted.transitions), (484, 969));
            let exhausted = exhaust(Peterson::<3>, order);
            assert_eq!((exhausted.states, exhausted.transitions), (780, 1_759));
        }
    }
}
