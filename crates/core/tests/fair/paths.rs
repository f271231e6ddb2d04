//! Every path of Algorithm 1 as it is printed, with what it costs: what searches have to find.

use std::collections::BTreeMap;

use caissa_core::Cost;

use super::printed::Printed;
use super::program::{Program, Set, State, TASKS, members, only};

/// A point as costs see it: the task that ran last, ES and T.
struct At {
    last: usize,
    es: Set,
    t: Set,
}

impl At {
    /// Whether fairness keeps the last task back.
    fn is_forced(&self) -> bool {
        self.es & !self.t & only(self.last) != 0
    }

    fn cost(&self, cost: Cost, task: usize) -> u32 {
        match cost {
            Cost::Preemptions => (task != self.last && self.t & only(self.last) != 0) as u32,
            Cost::Contexts => (task != self.last && !self.is_forced()) as u32,
            // Round-robin: from the last task on, in the order of creation, only tasks of T.
            Cost::Delays => {
                let round = (0..TASKS).map(|offset| (self.last + offset) % TASKS);
                let mut options = round.filter(|&task| self.t & only(task) != 0);
                options.position(|option| option == task).expect("one of T") as u32
            }
            Cost::Depth => 1,
            Cost::Free => 0,
        }
    }
}

/// Paths by their cost, in ascending order.
pub type ByCost = BTreeMap<u32, Vec<Vec<usize>>>;

/// Every path of Algorithm 1 with what it costs, by the printed algorithm.
pub struct Paths<'a> {
    program: &'a Program,
    k: u32,
    cost: Cost,
    tasks: Vec<usize>,
    pub found: Vec<(Vec<usize>, u32)>,
    /// Points at which fairness kept the last task back.
    pub forced: u32,
}

impl<'a> Paths<'a> {
    pub fn all(program: &'a Program, k: u32, cost: Cost) -> Paths<'a> {
        let mut paths = Paths { program, k, cost, tasks: Vec::new(), found: Vec::new(), forced: 0 };
        paths.visit(program.initial(), Printed::new(program.all()), 0, 0);
        paths
    }

    fn visit(&mut self, state: State, printed: Printed, last: usize, spent: u32) {
        let es = self.program.enabled(&state);
        let at = At { last, es, t: printed.schedulable(es) };
        if es == 0 {
            self.found.push((self.tasks.clone(), spent));
        }
        self.forced += at.is_forced() as u32;
        for task in members(at.t) {
            let next = self.program.next(&state, task);
            let yields = self.program.yielding(&state) & only(task) != 0;
            let mut printed = printed.clone();
            printed.step(self.k, task, yields, es, self.program.enabled(&next));
            self.tasks.push(task);
            self.visit(next, printed, task, spent + at.cost(self.cost, task));
            self.tasks.pop();
        }
    }

    /// The paths of each cost.
    pub fn by_cost(mut self) -> ByCost {
        self.found.sort();
        let mut by_cost = ByCost::new();
        for (tasks, spent) in self.found {
            by_cost.entry(spent).or_default().push(tasks);
        }
        by_cost
    }
}

/// An execution under the printed algorithm.
#[derive(Default)]
pub struct Account {
    pub preemptions: u32,
    /// Points at which fairness kept the last task back.
    pub forced: u32,
    /// Steps that differ from the non-preemptive default: the last task if it may go on, else the first one.
    pub choices: usize,
}

impl Account {
    pub fn of(program: &Program, k: u32, tasks: &[usize]) -> Account {
        let mut account = Account::default();
        let mut printed = Printed::new(program.all());
        let mut state = program.initial();
        let mut last = 0;
        for &task in tasks {
            let es = program.enabled(&state);
            let at = At { last, es, t: printed.schedulable(es) };
            let default = if at.t & only(last) != 0 { Some(last) } else { members(at.t).next() };
            account.preemptions += at.cost(Cost::Preemptions, task);
            account.forced += at.is_forced() as u32;
            account.choices += (default != Some(task)) as usize;
            let next = program.next(&state, task);
            printed.step(k, task, program.yielding(&state) & only(task) != 0, es, program.enabled(&next));
            (state, last) = (next, task);
        }
        account
    }
}
