//! Algorithm 1 as a search that keeps no states: every path, one after the other. At every point of every path it is checked
//! what the paper says of all of them.

use std::collections::HashSet;

use caissa_core::fair::Fairness;

use super::graph::is_acyclic;
use super::program::{Program, State, members, only};
use super::space::{edges, schedulable, step};

/// What came of a search.
#[derive(Default)]
pub struct Explored {
    /// The tasks of each path's steps, in the order in which they were explored.
    pub paths: Vec<Vec<usize>>,
    pub visited: HashSet<State>,
    pub longest: usize,
    /// Paths that met the limit of steps and could have gone on.
    pub endless: usize,
    /// How often in a row some unfair cycle was taken.
    pub rounds: usize,
}

struct Search<'a> {
    program: &'a Program,
    limit: usize,
    /// The states of the present path, and the task that left each.
    states: Vec<State>,
    tasks: Vec<usize>,
    explored: Explored,
}

/// All paths of at most `limit` steps.
pub fn explore(program: &Program, k: u32, limit: usize) -> Explored {
    let mut search =
        Search { program, limit, states: Vec::new(), tasks: Vec::new(), explored: Explored::default() };
    search.visit(program.initial(), &Fairness::new(k));
    search.explored
}

impl Search<'_> {
    fn visit(&mut self, state: State, scheduler: &Fairness) {
        self.states.push(state);
        self.explored.visited.insert(state);
        self.explored.longest = self.explored.longest.max(self.tasks.len());
        self.explored.rounds = self.explored.rounds.max(self.rounds());
        let es = self.program.enabled(&state);
        let options = schedulable(scheduler, es);
        let shown = || format!("after {:?}: P = {:?}", self.tasks, edges(scheduler));
        // Theorem 3 and the invariant in its proof.
        assert_eq!(options == 0, es == 0, "T is empty and ES is not, {}", shown());
        assert_eq!(options & !es, 0, "{}", shown());
        assert!(is_acyclic(&edges(scheduler)), "{}", shown());
        if options == 0 || self.tasks.len() == self.limit {
            self.explored.endless += (options != 0) as usize;
            self.explored.paths.push(self.tasks.clone());
        } else {
            for task in members(options) {
                let next = self.program.next(&state, task);
                let yields = self.program.yielding(&state) & only(task) != 0;
                let mut scheduler = scheduler.clone();
                step(&mut scheduler, task, yields, es, self.program.enabled(&next));
                self.tasks.push(task);
                self.visit(next, &scheduler);
                self.tasks.pop();
            }
        }
        self.states.pop();
    }

    /// How often in a row the path, as far as it has come, has just taken the same unfair cycle.
    fn rounds(&self) -> usize {
        let steps = self.tasks.len();
        let last = self.states[steps];
        // A cycle meets no state twice: the last return to this state is the only one that can be one.
        let Some(length) = (1..=steps).find(|&length| self.states[steps - length] == last) else { return 0 };
        let cycle = &self.states[steps - length..steps];
        let met: HashSet<&State> = cycle.iter().collect();
        let scheduled = self.tasks[steps - length..].iter().fold(0, |set, &task| set | only(task));
        let enabled = cycle.iter().fold(0, |set, state| set | self.program.enabled(state));
        if met.len() < length || enabled & !scheduled == 0 {
            return 0;
        }
        let same = |at: usize| {
            self.states[at] == self.states[at + length] && self.tasks[at] == self.tasks[at + length]
        };
        1 + (0..steps - length).rev().take_while(|&at| same(at)).count() / length
    }
}
