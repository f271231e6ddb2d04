//! Graphs of states: what a program can do, and which of its infinite executions are fair.
//!
//! An infinite execution of a program with finitely many states stays, from some step on, among states that it visits again
//! and again, and takes steps between them again and again. So there is one of a certain kind if there is a strongly
//! connected part of that kind; the parts are found by taking away what cannot belong to any, and looking again.

use super::program::{Set, TASKS, members, only};

/// A node: a state, or a state together with one of the scheduler.
pub struct Node {
    /// ES.
    pub enabled: Set,
    /// The tasks that yield if they are scheduled here.
    pub yielding: Set,
    /// The tasks that may be scheduled here, each with where it leads.
    pub steps: Vec<(usize, usize)>,
}

/// Nodes by number; 0 is the initial one, and all can be reached from it.
pub struct Graph {
    pub nodes: Vec<Node>,
}

/// A part in which every node can be reached from every other, over steps that stay in it; there is one at least.
struct Part {
    nodes: Vec<usize>,
    /// Enabled in some node of it.
    enabled: Set,
    /// With a step that stays in it.
    scheduled: Set,
    /// With a yielding one.
    yields: Set,
}

impl Graph {
    /// Whether there is an infinite execution.
    pub fn is_cyclic(&self) -> bool {
        !self.parts(&self.numbers(), |_, _| true).is_empty()
    }

    /// Whether an infinite execution violates GS: some task runs again and again, and from some step on without yielding.
    pub fn violates_gs(&self) -> bool {
        (0..TASKS).any(|task| {
            let parts = self.parts(&self.numbers(), |node, other| {
                other != task || self.nodes[node].yielding & only(task) == 0
            });
            parts.iter().any(|part| part.scheduled & only(task) != 0)
        })
    }

    /// Whether an infinite execution satisfies SF: who is enabled again and again runs again and again.
    pub fn has_fair(&self) -> bool {
        let mut todo = vec![self.numbers()];
        while let Some(nodes) = todo.pop() {
            for part in self.parts(&nodes, |_, _| true) {
                let starved = part.enabled & !part.scheduled;
                if starved == 0 {
                    return true;
                }
                let enabled = |node: &usize| self.nodes[*node].enabled;
                todo.push(part.nodes.into_iter().filter(|node| enabled(node) & starved == 0).collect());
            }
        }
        false
    }

    /// Whether an infinite execution satisfies GS and not SF: somebody never runs and is enabled again and again, while all
    /// that run yield.
    pub fn has_starving(&self) -> bool {
        (0..TASKS).any(|starved| {
            let mut todo = vec![(self.numbers(), !only(starved))];
            while let Some((nodes, runs)) = todo.pop() {
                for part in self.parts(&nodes, |_, task| runs & only(task) != 0) {
                    let never_yield = part.scheduled & !part.yields;
                    if part.enabled & only(starved) == 0 {
                        continue;
                    }
                    if never_yield == 0 {
                        return true;
                    }
                    todo.push((part.nodes, runs & !never_yield));
                }
            }
            false
        })
    }

    /// How many paths there are from the initial node, each to its end or to `limit` steps; and the longest of them.
    pub fn paths(&self, limit: usize) -> (u64, usize) {
        let mut ways = vec![0u64; self.nodes.len()];
        ways[0] = 1;
        let mut ended = 0u64;
        for length in 0..limit {
            let mut next = vec![0u64; self.nodes.len()];
            for (node, &count) in ways.iter().enumerate().filter(|(_, count)| **count > 0) {
                let steps = &self.nodes[node].steps;
                if steps.is_empty() {
                    ended = ended.saturating_add(count);
                }
                for &(_, to) in steps {
                    next[to] = next[to].saturating_add(count);
                }
            }
            if next.iter().all(|&count| count == 0) {
                return (ended, length);
            }
            ways = next;
        }
        (ways.iter().fold(ended, |sum, &count| sum.saturating_add(count)), limit)
    }

    /// The largest limit, up to `most`, with which there are not more than so many paths.
    pub fn limit(&self, paths: u64, most: usize) -> usize {
        (1..=most).take_while(|&limit| self.paths(limit).0 <= paths).last().expect("there are few tasks")
    }

    fn numbers(&self) -> Vec<usize> {
        (0..self.nodes.len()).collect()
    }

    /// The largest strongly connected parts of these nodes over the steps that are kept (Kosaraju's algorithm).
    fn parts(&self, nodes: &[usize], keep: impl Fn(usize, usize) -> bool) -> Vec<Part> {
        const OUTSIDE: usize = usize::MAX;
        const NONE: usize = usize::MAX - 1;
        let mut part_of = vec![OUTSIDE; self.nodes.len()];
        for &node in nodes {
            part_of[node] = NONE;
        }
        let inside = |part_of: &[usize], node: usize| {
            let steps = self.nodes[node].steps.iter().copied();
            let kept = steps.filter(|&(task, to)| part_of[to] != OUTSIDE && keep(node, task));
            kept.collect::<Vec<_>>()
        };
        let mut back = vec![Vec::new(); self.nodes.len()];
        let mut order = Vec::new();
        let mut met = vec![false; self.nodes.len()];
        for &root in nodes {
            if std::mem::replace(&mut met[root], true) {
                continue;
            }
            let mut stack = vec![(root, inside(&part_of, root))];
            while let Some((node, steps)) = stack.last_mut() {
                let node = *node;
                match steps.pop() {
                    Some((_, to)) => {
                        back[to].push(node);
                        if !std::mem::replace(&mut met[to], true) {
                            stack.push((to, inside(&part_of, to)));
                        }
                    }
                    None => {
                        order.push(node);
                        stack.pop();
                    }
                }
            }
        }
        let mut parts = Vec::new();
        for &root in order.iter().rev() {
            if part_of[root] != NONE {
                continue;
            }
            let mut part = Part { nodes: Vec::new(), enabled: 0, scheduled: 0, yields: 0 };
            let mut stack = vec![root];
            part_of[root] = parts.len();
            while let Some(node) = stack.pop() {
                part.nodes.push(node);
                part.enabled |= self.nodes[node].enabled;
                for &from in &back[node] {
                    if part_of[from] == NONE {
                        part_of[from] = parts.len();
                        stack.push(from);
                    }
                }
            }
            parts.push(part);
        }
        for (number, part) in parts.iter_mut().enumerate() {
            for &node in &part.nodes {
                for (task, to) in inside(&part_of, node) {
                    if part_of[to] == number {
                        part.scheduled |= only(task);
                        part.yields |= only(task) & self.nodes[node].yielding;
                    }
                }
            }
        }
        parts.retain(|part| part.scheduled != 0);
        parts
    }
}

/// Whether a relation between tasks has no cycle.
pub fn is_acyclic(edges: &[(usize, usize)]) -> bool {
    let mut left: Set = (0..TASKS).map(only).sum();
    while let Some(last) = members(left).find(|&t| edges.iter().all(|&(a, b)| a != t || left & only(b) == 0))
    {
        left &= !only(last);
    }
    left == 0
}

/// The analyses on graphs whose answers can be seen: two nodes, a step there and a step back.
#[test]
fn cycles_are_told_apart() {
    let judge = |enabled: [Set; 2], yielding: [Set; 2], there: usize, back: usize| {
        let node = |at: usize, task, to| Node {
            enabled: enabled[at],
            yielding: yielding[at],
            steps: vec![(task, to)],
        };
        let graph = Graph { nodes: vec![node(0, there, 1), node(1, back, 0)] };
        assert!(graph.is_cyclic());
        (graph.violates_gs(), graph.has_fair(), graph.has_starving())
    };
    assert_eq!(judge([1, 1], [0, 0], 0, 0), (true, true, false), "alone, without yielding");
    assert_eq!(judge([1, 1], [0, 1], 0, 0), (false, true, false), "alone, yielding");
    assert_eq!(judge([3, 1], [0, 1], 0, 0), (false, false, true), "T1 starves");
    assert_eq!(judge([3, 1], [0, 2], 0, 0), (true, false, false), "T1 starves; T0 never yields");
    assert_eq!(judge([3, 3], [1, 0], 0, 1), (true, true, false), "both run, T1 never yields");
    assert_eq!(judge([3, 3], [1, 2], 0, 1), (false, true, false), "both run and yield");
    assert_eq!(judge([7, 3], [1, 2], 0, 1), (false, false, true), "T2 starves");
    assert!(is_acyclic(&[(0, 1), (0, 2), (1, 2)]) && !is_acyclic(&[(0, 1), (1, 2), (2, 0)]));
}

/// A part without fairness may hold a smaller one that is fair.
#[test]
fn fairness_is_looked_for_in_parts_of_parts() {
    // 0 <-> 1 by T0 and T1, where nobody else is enabled; 1 <-> 2 by T0, where T2 is enabled and never runs.
    let node =
        |enabled, steps: &[(usize, usize)]| Node { enabled, yielding: enabled & 3, steps: steps.to_vec() };
    let nodes = vec![node(1, &[(0, 1)]), node(3, &[(1, 0), (0, 2)]), node(5, &[(0, 1)])];
    let graph = Graph { nodes };
    assert!(graph.has_fair() && graph.has_starving() && !graph.violates_gs());
    assert_eq!(graph.paths(3), (2, 3), "0 1 0 1 and 0 1 2 1");
}
