//! Searches that leave out equivalent executions, on programs that yield. Once a task has yielded nothing is left out. What
//! the full search guarantees stays: every class of executions in which no task yields more than 2k - 1 times, at a bound
//! that is no greater.

use std::collections::{BTreeMap, BTreeSet};

use caissa_core::{Cost, GuideSpec, Job, Scope};

use super::bounds::{on_ending_programs, search};
use super::front_end::job;
use super::paths::Paths;
use super::program::{Program, TASKS, only};

/// The first of all paths, by the numbers of their tasks, that differ only in the order of steps which have nothing to do
/// with each other; and how often a task yields in it at most.
fn class(program: &Program, path: &[usize]) -> (Vec<usize>, u32) {
    let mut state = program.initial();
    let mut yields = [0; TASKS];
    // Task, what it touches and how, and whom it creates.
    let mut steps = Vec::new();
    for &task in path {
        steps.push((task, program.touches(&state, task), program.creates(&state, task)));
        yields[task] += (program.yielding(&state) & only(task) != 0) as u32;
        state = program.next(&state, task);
    }
    let mut first = Vec::new();
    while !steps.is_empty() {
        let is_free = |&at: &usize| {
            let (task, touch, _) = steps[at];
            steps[..at].iter().all(|&(before, touched, child)| {
                let conflict = |(object, writes)| {
                    touched.is_some_and(|(other, wrote)| object == other && (writes || wrote))
                };
                before != task && child != Some(task) && !touch.is_some_and(conflict)
            })
        };
        let next = (0..steps.len()).filter(is_free).min_by_key(|&at| steps[at].0).expect("the first is");
        first.push(steps.remove(next).0);
    }
    (first, yields.into_iter().max().unwrap_or(0))
}

fn keeps_classes(cost: Cost) {
    let (mut full, mut reduced) = (0, 0);
    on_ending_programs(2_000, |program, k, steps| {
        let paths = Paths::all(program, k, cost).found;
        let below = job(Scope::Below, GuideSpec::NonPreemptive, cost, steps);
        let found = search(program, k, Job { reduce: true, ..below });
        let all: BTreeSet<_> = paths.iter().cloned().collect();
        let mut cheapest = BTreeMap::new();
        full += paths.len();
        for (spent, schedules) in found {
            reduced += schedules.len();
            for path in schedules {
                cheapest.entry(class(program, &path).0).or_insert(spent);
                assert!(all.contains(&(path, spent)), "k = {k}");
            }
        }
        for (path, spent) in paths {
            let (class, yields) = class(program, &path);
            if yields < 2 * k {
                let least = cheapest.get(&class);
                assert!(
                    least.is_some_and(|&least| least <= spent),
                    "{path:?} costs {spent}, not {least:?}, k = {k}"
                );
            }
        }
    });
    assert!(reduced < full * 2 / 3, "{reduced} of {full}");
}

#[test]
fn an_unbounded_search_keeps_classes() {
    keeps_classes(Cost::Free);
}

#[test]
fn a_search_by_preemptions_keeps_classes() {
    keeps_classes(Cost::Preemptions);
}
