//! An exhaustive search with stored states, over models that are written down step by step: what the fair stateless search is
//! measured against.
//!
//! Iterative context bounding, Algorithm 1 of Musuvathi and Qadeer, PLDI 2007, with its `table` of work items. It shares nothing
//! with the library.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;

/// A program of a fixed number of tasks, as a transition system. One step is one operation of the real program.
pub trait Model {
    type State: Clone + Eq + Hash;

    fn tasks(&self) -> usize;

    fn start(&self) -> Self::State;

    /// Whether the task has begun, has not ended, and could take its next step.
    fn is_enabled(&self, state: &Self::State, task: usize) -> bool;

    fn step(&self, state: &mut Self::State, task: usize);

    /// Whether this step, by which the task tries what it cannot get, is a yield.
    fn yields(&self, state: &Self::State, task: usize) -> bool;

    /// What the real program's hook shows in this state. That a task has taken its very last step, its end, is not shown: no line
    /// of the program runs after it that could write it down.
    fn shown(&self, state: &Self::State) -> u64;
}

/// The states, as they are shown, that can be reached with at most c preemptions, for c = 0, 1, ... until there are no more
/// executions: the last element has all states.
pub fn states_by_bound<M: Model>(model: &M) -> Vec<BTreeSet<u64>> {
    let start = model.start();
    let enabled = |state: &M::State| -> Vec<usize> {
        (0..model.tasks()).filter(|&task| model.is_enabled(state, task)).collect()
    };
    let mut table = HashSet::new();
    let mut states = BTreeSet::from([model.shown(&start)]);
    let mut queue: Vec<_> = enabled(&start).into_iter().map(|task| (start.clone(), task)).collect();
    let mut bounds = Vec::new();
    loop {
        let mut next_queue = Vec::new();
        while let Some(item) = queue.pop() {
            if !table.insert(item.clone()) {
                continue;
            }
            let (mut state, task) = item;
            model.step(&mut state, task);
            states.insert(model.shown(&state));
            let goes_on = model.is_enabled(&state, task);
            for other in enabled(&state) {
                let item = (state.clone(), other);
                if goes_on && other != task { next_queue.push(item) } else { queue.push(item) }
            }
        }
        bounds.push(states.clone());
        if next_queue.is_empty() {
            return bounds;
        }
        queue = next_queue;
    }
}

/// Small numbers as one, four bits each.
pub fn pack(numbers: impl IntoIterator<Item = u8>) -> u64 {
    numbers.into_iter().fold(1, |packed, number| {
        assert!(number < 16 && packed < 1 << 60, "there is room for it");
        packed << 4 | u64::from(number)
    })
}
