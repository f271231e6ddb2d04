//! The executing side by itself, under the smallest front end there can be: tasks that take a number of steps.

use std::collections::BTreeSet;

use caissa_core::guide::RoundRobin;
use caissa_core::{
    AtCut, Cost, Ending, Execution, Guide, GuideSpec, Guides, Identity, Job, Limit, Next, ObjectId, Op,
    OpKind, Outcome, Scope, TaskId,
};

struct BuiltIn;

impl Guides for BuiltIn {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        Some(match spec {
            GuideSpec::NonPreemptive => Guide::NonPreemptive,
            GuideSpec::Delaying(_) => Guide::Delaying(Box::new(RoundRobin::default())),
            sampling => Guide::sampling(sampling)?,
        })
    }
}

fn job(scope: Scope, guide: GuideSpec, cost: Cost) -> Job {
    Job {
        faults: 0,
        prefix: Vec::new(),
        scope,
        guide,
        cost,
        limit: Limit { executions: 1_000_000, steps: 1_000 },
        at_cut: AtCut::Stop,
        keep_deferred: true,
        reduce: false,
        repeat: None,
        trace: false,
    }
}

/// Runs a job on a program whose main task spawns `tasks` tasks of `steps` steps each; returns the task of each step of
/// each execution.
fn run(job: &Job, tasks: u32, steps: u32) -> (Vec<Vec<u32>>, Outcome) {
    let mut execution = Execution::new(true, Identity::RUST);
    let mut schedules = Vec::new();
    if execution.begin(job, &BuiltIn) {
        loop {
            execution.start();
            schedules.push(one(&mut execution, tasks, steps));
            execution.finish();
            if !execution.advance() {
                break;
            }
        }
    }
    let outcome = execution.outcome(job);
    (schedules, outcome)
}

/// One execution. A task that is switched to takes the step that it announced.
fn one(execution: &mut Execution, tasks: u32, steps: u32) -> Vec<u32> {
    let source = std::panic::Location::caller().into();
    let op = |task: usize, taken: u32| {
        let length = if task == 0 { tasks } else { steps };
        let kind = match task {
            _ if taken == length => OpKind::End,
            0 => OpKind::Spawn,
            _ => OpKind::Rmw,
        };
        Op::new(kind, ObjectId(0))
    };
    let mut taken = vec![0; tasks as usize + 1];
    let mut schedule = Vec::new();
    let mut running = TaskId::MAIN;
    let mut announced = false;
    loop {
        let next = op(running.index(), taken[running.index()]);
        if !announced && !execution.coast() {
            match execution.point(next, source) {
                Next::Stay => {}
                Next::Switch(task) => running = task,
                Next::End => return schedule,
            }
        }
        announced = false;
        let me = running.index();
        let step = op(me, taken[me]);
        schedule.push(running.0);
        taken[me] += 1;
        match step.kind {
            OpKind::Spawn => {
                let child = execution.spawn();
                assert_eq!(execution.point(op(child.index(), 0), source), Next::Switch(running));
            }
            OpKind::End => match execution.end_task() {
                Next::Switch(task) => {
                    running = task;
                    announced = true;
                }
                Next::Stay => unreachable!("the task has ended"),
                Next::End => return schedule,
            },
            _ => {}
        }
    }
}

#[test]
fn everything_below_an_empty_prefix_is_every_interleaving_once() {
    // Main: spawn, spawn, end. T1 may begin after the first spawn, T2 after the second; each takes a step and ends.
    let (schedules, outcome) = run(&job(Scope::Below, GuideSpec::NonPreemptive, Cost::Free), 2, 1);
    let distinct: BTreeSet<_> = schedules.iter().collect();
    assert_eq!(distinct.len(), schedules.len());
    assert_eq!(outcome.executions, schedules.len() as u64);
    // 7 steps: main spawns, spawns and ends; each child takes a step and ends.
    let valid = |schedule: &[u32]| {
        let second_spawn = schedule.iter().enumerate().filter(|(_, task)| **task == 0).nth(1).unwrap().0;
        schedule[0] == 0 && schedule[..second_spawn].iter().all(|&task| task != 2)
    };
    assert!(schedules.iter().all(|schedule| schedule.len() == 7 && valid(schedule)));
    // Linear extensions of the forest of steps, by the hook formula: 7! / (7 * 4 * 1 * 2 * 1 * 2 * 1).
    assert_eq!(schedules.len(), 45);
}

#[test]
fn what_costs_something_comes_back_as_records() {
    let (schedules, outcome) = run(&job(Scope::Below, GuideSpec::NonPreemptive, Cost::Preemptions), 2, 2);
    assert_eq!(schedules.len(), 2, "whichever task goes first when main has ended");
    assert_eq!(outcome.records.len(), 2);
    let points: usize = outcome.records.iter().map(|record| record.unpack().1.len()).sum();
    assert!(points > 4 && !outcome.leaves_out, "{outcome:?}");
    let last = Job { keep_deferred: false, ..job(Scope::Below, GuideSpec::NonPreemptive, Cost::Preemptions) };
    let (_, outcome) = run(&last, 2, 2);
    assert!(outcome.records.is_empty() && outcome.leaves_out);
}

#[test]
fn a_random_walk_is_fixed_by_its_seed_and_reaches_everything() {
    let walk = |seed| run(&job(Scope::One, GuideSpec::Random(seed), Cost::Free), 2, 1).0.remove(0);
    assert_eq!(walk(7), walk(7));
    let seen: BTreeSet<_> = (0..3_000).map(walk).collect();
    assert_eq!(seen.len(), 45);
}

#[test]
fn a_replayed_choice_that_does_not_fit_is_divergence() {
    let (_, outcome) = run(&job(Scope::Below, GuideSpec::NonPreemptive, Cost::Preemptions), 2, 2);
    let (prefix, cuts) = outcome.records[0].unpack();
    let cut = Job {
        prefix,
        scope: Scope::Cuts(cuts),
        ..job(Scope::One, GuideSpec::NonPreemptive, Cost::Preemptions)
    };
    let (schedules, outcome) = run(&cut, 2, 2);
    assert!(schedules.len() > 3 && outcome.failure.is_none());
    // The same cuts on a program with one task less.
    let mut execution = Execution::new(false, Identity::RUST);
    assert!(execution.begin(&cut, &BuiltIn));
    let mut endings = Vec::new();
    loop {
        execution.start();
        one(&mut execution, 1, 2);
        execution.finish();
        endings.push(execution.ending().cloned());
        if !execution.advance() {
            break;
        }
    }
    assert!(endings.contains(&Some(Ending::Diverged)), "{endings:?}");
}

#[test]
fn a_limit_hands_the_rest_back() {
    let whole = job(Scope::Below, GuideSpec::NonPreemptive, Cost::Free);
    let mut todo = vec![Job { limit: Limit { executions: 3, steps: 1_000 }, ..whole }];
    let mut seen = BTreeSet::new();
    let mut executions = 0;
    while let Some(job) = todo.pop() {
        let (schedules, outcome) = run(&job, 2, 1);
        assert!(schedules.len() <= 3);
        executions += schedules.len();
        seen.extend(schedules);
        todo.extend(outcome.rest);
    }
    assert_eq!((executions, seen.len()), (45, 45), "in pieces, each execution once");
}
