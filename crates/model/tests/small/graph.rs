//! The graph of all states of a small program, and its endless executions by the words of docs/semantics.md: every set of tasks is
//! tried, and who reaches whom is found by following the edges.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::Program;
use super::rules::{End, Event, Flat, State};

/// A set of places of tasks.
type Set = u32;

struct Edge {
    from: usize,
    to: usize,
    ran: Set,
    paused: Set,
    ended: bool,
}

/// What a program can do wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    pub states: usize,
    pub deadlock: bool,
    pub unlock: bool,
    pub assertion: bool,
    pub spins: bool,
    pub livelock: bool,
    pub good_samaritan: bool,
}

const MAX_STATES: usize = 400;

/// Judges a program; not one with too many states.
pub fn judge(program: &Program) -> Option<Judged> {
    let flat = Flat::new(program);
    let mut judged = Judged::default();
    let (mut numbers, mut states, mut edges): (HashMap<State, usize>, Vec<State>, Vec<Edge>) =
        Default::default();
    let first = flat.first();
    numbers.insert(first.clone(), 0);
    states.push(first);
    let mut enabled = vec![];
    let mut from = 0;
    while from < states.len() {
        let state = states[from].clone();
        let candidates = flat.candidates(&state);
        enabled.push(candidates.iter().fold(0, |set, slot| set | 1 << slot));
        judged.deadlock |= candidates.is_empty() && state.tasks.iter().any(Option::is_some);
        for slot in candidates {
            for (end, events) in flat.go(&state, slot) {
                let set = |pick: fn(&Event) -> Option<usize>| {
                    events.iter().filter_map(pick).fold(0, |set: Set, slot| set | 1 << slot)
                };
                match end {
                    End::To(next) => {
                        let number = states.len();
                        let to = *numbers.entry(next.clone()).or_insert(number);
                        if to == number {
                            states.push(next);
                        }
                        edges.push(Edge {
                            from,
                            to,
                            ran: set(|event| if let Event::Runs(slot) = event { Some(*slot) } else { None }),
                            paused: set(
                                |event| if let Event::Pauses(slot) = event { Some(*slot) } else { None },
                            ),
                            ended: events.iter().any(|event| matches!(event, Event::Ends(_))),
                        });
                    }
                    End::Unlock => judged.unlock = true,
                    End::Assertion => judged.assertion = true,
                    End::Spins => judged.spins = true,
                    End::TooMuch => return None,
                }
            }
        }
        from += 1;
        if states.len() > MAX_STATES {
            return None;
        }
    }
    judged.states = states.len();
    let all = enabled.iter().fold(0, |all, set| all | set);
    for set in (1..=all).filter(|set| set & !all == 0) {
        let kept = |edge: &&Edge| {
            let fair = (enabled[edge.from] | enabled[edge.to] | edge.ran) & !set == 0;
            fair && !edge.ended
        };
        let kept: Vec<&Edge> = edges.iter().filter(kept).collect();
        judged.livelock |=
            rounds(&kept, states.len()).iter().any(|&(ran, paused)| ran == set && paused == set);
    }
    for slot in (0..32).filter(|slot| all & 1 << slot != 0) {
        let kept: Vec<&Edge> =
            edges.iter().filter(|edge| !edge.ended && edge.paused & 1 << slot == 0).collect();
        judged.good_samaritan |= rounds(&kept, states.len()).iter().any(|(ran, _)| ran & 1 << slot != 0);
    }
    Some(judged)
}

/// For each part of the graph in which all lead to each other: who runs and who pauses in it.
fn rounds(edges: &[&Edge], states: usize) -> Vec<(Set, Set)> {
    let mut next = vec![vec![]; states];
    edges.iter().for_each(|edge| next[edge.from].push(edge.to));
    let mut sources: Vec<usize> = edges.iter().map(|edge| edge.from).collect();
    sources.dedup();
    let reach: HashMap<usize, Vec<bool>> = sources
        .into_iter()
        .map(|from| {
            let (mut seen, mut open) = (vec![false; states], vec![from]);
            while let Some(at) = open.pop() {
                for &to in &next[at] {
                    if !std::mem::replace(&mut seen[to], true) {
                        open.push(to);
                    }
                }
            }
            (from, seen)
        })
        .collect();
    let leads = |from: usize, to: usize| reach.get(&from).is_some_and(|seen| seen[to]);
    let mut done = vec![false; states];
    let mut all = vec![];
    for edge in edges {
        if done[edge.from] || !(edge.from == edge.to || leads(edge.to, edge.from)) {
            continue;
        }
        let inside: Vec<bool> =
            (0..states).map(|at| at == edge.from || leads(edge.from, at) && leads(at, edge.from)).collect();
        let own = edges.iter().filter(|edge| inside[edge.from] && inside[edge.to]);
        all.push(own.fold((0, 0), |(ran, paused), edge| (ran | edge.ran, paused | edge.paused)));
        inside.iter().enumerate().filter(|(_, inside)| **inside).for_each(|(at, _)| done[at] = true);
    }
    all
}

/// What goes wrong before a point, with the fewest preemptions that lead there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Least {
    pub bugs: BTreeMap<&'static str, u32>,
    /// The variables where all tasks have ended.
    pub finals: BTreeMap<Vec<u8>, u32>,
}

/// By going through all states in the order of their costs; not for programs with too many of them.
pub fn least(program: &Program) -> Option<Least> {
    let flat = Flat::new(program);
    let mut least = Least::default();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(flat.first(), None, 0)]);
    while let Some((state, current, cost)) = queue.pop_front() {
        if !seen.insert((state.clone(), current)) {
            continue;
        }
        if seen.len() > 4 * MAX_STATES {
            return None;
        }
        let candidates = flat.candidates(&state);
        if candidates.is_empty() {
            if state.tasks.iter().any(Option::is_some) {
                least.bugs.entry("deadlock").or_insert(cost);
            } else {
                least.finals.entry(state.globals.clone()).or_insert(cost);
            }
        }
        for slot in candidates {
            let more = current.is_some_and(|current| current != slot) as u32;
            if more == 1 && !seen.contains(&(state.clone(), Some(slot))) {
                // Again later, as if the task that is to go on had come to the point.
                queue.push_back((state.clone(), Some(slot), cost + 1));
                continue;
            }
            if current.is_none_or(|current| current == slot) {
                for (end, events) in flat.go(&state, slot) {
                    let bug = match end {
                        End::To(next) => {
                            let ended = events.iter().any(|event| matches!(event, Event::Ends(_)));
                            let last = events.iter().rev().find_map(|event| match event {
                                Event::Runs(slot) => Some(*slot),
                                _ => None,
                            });
                            let current = last.filter(|&slot| !ended && !flat.is_blocked(&next, slot));
                            queue.push_front((next, current, cost));
                            continue;
                        }
                        End::Unlock => "unlock",
                        End::Assertion => "assertion",
                        End::Spins => "spins",
                        End::TooMuch => return None,
                    };
                    least.bugs.entry(bug).or_insert(cost);
                }
            }
        }
    }
    Some(least)
}
