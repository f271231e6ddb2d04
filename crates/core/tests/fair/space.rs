//! All that a program can do, with stored states: by itself, and under the fair scheduler.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use caissa_core::fair::Fairness;
use caissa_core::{TaskId, TaskSet};

use super::graph::{Graph, Node};
use super::printed::Printed;
use super::program::{Program, Set, State, TASKS, members, only, task_set};

/// Spaces under the fair scheduler that have more nodes are not looked at.
const MAX_NODES: usize = 2_000;

/// A graph, with the program's state at each node.
pub struct Space {
    pub graph: Graph,
    pub states: Vec<State>,
}

/// Numbers for things, in the order in which they are met.
struct Numbers<K> {
    of: HashMap<K, usize>,
    todo: VecDeque<(usize, K)>,
}

impl<K: Clone + Eq + Hash> Numbers<K> {
    fn new(first: K) -> Numbers<K> {
        let mut numbers = Numbers { of: HashMap::new(), todo: VecDeque::new() };
        numbers.get(&first);
        numbers
    }

    fn get(&mut self, key: &K) -> usize {
        let next = self.of.len();
        *self.of.entry(key.clone()).or_insert_with(|| {
            self.todo.push_back((next, key.clone()));
            next
        })
    }
}

impl Space {
    fn empty() -> Space {
        Space { graph: Graph { nodes: Vec::new() }, states: Vec::new() }
    }

    fn push(&mut self, program: &Program, state: State, steps: Vec<(usize, usize)>) {
        let (enabled, yielding) = (program.enabled(&state), program.yielding(&state));
        self.graph.nodes.push(Node { enabled, yielding, steps });
        self.states.push(state);
    }

    /// Everything that the program can do.
    pub fn plain(program: &Program) -> Space {
        let mut space = Space::empty();
        let mut numbers = Numbers::new(program.initial());
        while let Some((_, state)) = numbers.todo.pop_front() {
            let step = |task| (task, numbers.get(&program.next(&state, task)));
            let steps = members(program.enabled(&state)).map(step).collect();
            space.push(program, state, steps);
        }
        space
    }

    /// Everything that it can do under the fair scheduler: nodes are states together with P, E, D and S as they are printed,
    /// and the scheduler asked is the one of the core. `None` if that is very much.
    ///
    /// # Panics
    /// If the two do not agree.
    pub fn fair(program: &Program, k: u32) -> Option<Space> {
        let mut space = Space::empty();
        let mut numbers = Numbers::new((program.initial(), Printed::new(program.all())));
        let mut schedulers = vec![Fairness::new(k)];
        while let Some((node, (state, printed))) = numbers.todo.pop_front() {
            if numbers.of.len() > MAX_NODES {
                return None;
            }
            let es = program.enabled(&state);
            let schedulable = compare(&schedulers[node], &printed, es);
            let mut steps = Vec::new();
            for task in members(schedulable) {
                let next = program.next(&state, task);
                let (yields, after) = (program.yielding(&state) & only(task) != 0, program.enabled(&next));
                let mut printed = printed.clone();
                printed.step(k, task, yields, es, after);
                let to = numbers.get(&(next, printed));
                if to == schedulers.len() {
                    let mut scheduler = schedulers[node].clone();
                    step(&mut scheduler, task, yields, es, after);
                    schedulers.push(scheduler);
                }
                steps.push((task, to));
            }
            space.push(program, state, steps);
        }
        Some(space)
    }
}

/// A task takes a step that no clock sees.
pub fn step(scheduler: &mut Fairness, task: usize, yields: bool, before: Set, after: Set) {
    scheduler.step(TaskId(task as u32), yields, &task_set(before), &task_set(after), false);
}

/// T, of the core.
pub fn schedulable(scheduler: &Fairness, es: Set) -> Set {
    let mut out = TaskSet::new();
    let set = if scheduler.schedulable(&task_set(es), &mut out) { out } else { task_set(es) };
    set.iter().map(|task| only(task.index())).sum()
}

/// P, of the core.
pub fn edges(scheduler: &Fairness) -> Vec<(usize, usize)> {
    scheduler.edges().map(|(t, u)| (t.index(), u.index())).collect()
}

/// T, if both say the same and have the same P.
pub fn compare(scheduler: &Fairness, printed: &Printed, es: Set) -> Set {
    assert_eq!(edges(scheduler), printed.edges(), "P");
    let t = schedulable(scheduler, es);
    assert_eq!(t, printed.schedulable(es), "T of {es:03b} under {:?}", printed.edges());
    t
}

/// The states of yield count at most `count`: each with an execution that leads there and in which no task yields more often.
pub fn within_yields(program: &Program, count: u32) -> HashMap<State, Vec<usize>> {
    let mut found = HashMap::new();
    let mut met = HashSet::new();
    let mut todo = VecDeque::from([(program.initial(), [0; TASKS], Vec::new())]);
    while let Some((state, yields, path)) = todo.pop_front() {
        if !met.insert((state, yields)) {
            continue;
        }
        found.entry(state).or_insert_with(|| path.clone());
        for task in members(program.enabled(&state)) {
            let mut yields = yields;
            yields[task] += (program.yielding(&state) & only(task) != 0) as u32;
            if yields[task] <= count {
                let path = path.iter().copied().chain([task]).collect();
                todo.push_back((program.next(&state, task), yields, path));
            }
        }
    }
    found
}

/// A way from a state back to it in which no task yields more than `count` times and everybody runs who is enabled in it.
pub fn fair_round(program: &Program, around: State, count: u32) -> Option<Vec<usize>> {
    let mut met = HashSet::new();
    let mut todo = VecDeque::from([(around, [0; TASKS], 0, 0, Vec::new())]);
    while let Some((state, yields, enabled, scheduled, path)) = todo.pop_front() {
        if state == around && !path.is_empty() && enabled & !scheduled == 0 {
            return Some(path);
        }
        if !met.insert((state, yields, enabled, scheduled)) {
            continue;
        }
        let es = program.enabled(&state);
        for task in members(es) {
            let mut yields = yields;
            yields[task] += (program.yielding(&state) & only(task) != 0) as u32;
            if yields[task] <= count {
                let path = path.iter().copied().chain([task]).collect();
                let next = program.next(&state, task);
                todo.push_back((next, yields, enabled | es, scheduled | only(task), path));
            }
        }
    }
    None
}
