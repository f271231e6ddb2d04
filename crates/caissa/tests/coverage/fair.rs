//! Algorithm 1 of Musuvathi and Qadeer, PLDI 2008, over a model: what the fair search of the real program must come to.
//!
//! It is written down as in the paper, line by line, over sets of tasks, and shares nothing with the library. Executions are not
//! run one by one: nodes that have the same state, the same P, E, D and S, the same last task and the same budget have the
//! same executions below them, and these are counted once.

use std::collections::{BTreeSet, HashMap};

use super::explorer::Model;

/// A set of tasks, by their bits.
type Tasks = u8;

/// The sets that the paper keeps with each state, by task.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Order {
    /// `p[t]` has u if (t, u) is in P.
    p: Vec<Tasks>,
    e: Vec<Tasks>,
    d: Vec<Tasks>,
    s: Vec<Tasks>,
    /// Yields since the last one that counts.
    yields: Vec<u8>,
}

impl Order {
    /// Lines 1 to 4.
    fn new(tasks: usize) -> Order {
        let all = (1 << tasks) - 1;
        let yields = vec![0; tasks];
        Order { p: vec![0; tasks], e: vec![0; tasks], d: vec![all; tasks], s: vec![all; tasks], yields }
    }

    /// Line 7.
    fn schedulable(&self, enabled: Tasks) -> Tasks {
        let first = |t: &usize| self.p[*t] & enabled == 0;
        members(enabled).filter(first).fold(0, |set, t| set | 1 << t)
    }

    /// Lines 13 to 29, for every `k`-th yield.
    fn step(&mut self, t: usize, yields: bool, k: u8, before: Tasks, after: Tasks) {
        for u in 0..self.p.len() {
            self.p[u] &= !(1 << t);
            self.e[u] &= after;
            if u == t {
                self.d[u] |= before & !after;
            }
            self.s[u] |= 1 << t;
        }
        self.yields[t] += u8::from(yields);
        if self.yields[t] == k {
            self.yields[t] = 0;
            self.p[t] |= (self.e[t] | self.d[t]) & !self.s[t];
            self.e[t] = after;
            self.d[t] = 0;
            self.s[t] = 0;
        }
    }
}

fn members(set: Tasks) -> impl Iterator<Item = usize> {
    (0..8).filter(move |&t| set & 1 << t != 0)
}

/// What can follow depends on this.
type Node<S> = (S, Order, Option<usize>, Option<u32>);

/// The fair executions of a model.
pub struct Fair<'m, M: Model> {
    model: &'m M,
    k: u8,
    counts: HashMap<Node<M::State>, Option<u128>>,
    /// The states that they come to, as they are shown.
    pub states: BTreeSet<u64>,
    /// How many there are; `u128::MAX` if more than that.
    pub executions: u128,
}

impl<'m, M: Model> Fair<'m, M> {
    /// Those with at most so many preemptions, or all, where every `k`-th yield counts. A switch that fairness forces is none.
    ///
    /// # Panics
    /// If there is one without end.
    pub fn explore(model: &'m M, bound: Option<u32>, k: u8) -> Fair<'m, M> {
        let mut fair = Fair { model, k, counts: HashMap::new(), states: BTreeSet::new(), executions: 0 };
        let start = (model.start(), Order::new(model.tasks()), None, bound);
        fair.executions = fair.count(start);
        fair
    }

    fn enabled(&self, state: &M::State) -> Tasks {
        (0..self.model.tasks()).filter(|&t| self.model.is_enabled(state, t)).fold(0, |set, t| set | 1 << t)
    }

    /// How many executions there are from here on.
    fn count(&mut self, node: Node<M::State>) -> u128 {
        if let Some(count) = self.counts.get(&node) {
            return count.expect("a fair execution without end");
        }
        self.counts.insert(node.clone(), None);
        let (state, order, last, budget) = &node;
        self.states.insert(self.model.shown(state));
        let enabled = self.enabled(state);
        let schedulable = order.schedulable(enabled);
        assert_eq!(schedulable == 0, enabled == 0, "Theorem 3");
        let mut count = u128::from(enabled == 0);
        for t in members(schedulable) {
            let preempts = last.is_some_and(|last| t != last && schedulable & 1 << last != 0);
            if preempts && *budget == Some(0) {
                continue;
            }
            let mut next = state.clone();
            let yields = self.model.yields(state, t);
            self.model.step(&mut next, t);
            let mut then = order.clone();
            then.step(t, yields, self.k, enabled, self.enabled(&next));
            let more = self.count((next, then, Some(t), budget.map(|left| left - u32::from(preempts))));
            count = count.saturating_add(more);
        }
        self.counts.insert(node, Some(count));
        count
    }
}
