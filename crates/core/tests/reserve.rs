//! A task in reserve, by itself: a harness that starts a test and waits for its end is in no schedule of it.

use std::collections::BTreeSet;

use caissa_core::{
    AtCut, Cost, Ending, Execution, Guide, GuideSpec, Guides, Identity, Job, Limit, Next, ObjectId, Op,
    OpKind, Scope, Source, TaskId,
};

struct BuiltIn;

impl Guides for BuiltIn {
    fn make(&self, _: &GuideSpec) -> Option<Guide> {
        Some(Guide::NonPreemptive)
    }
}

const TEST: TaskId = TaskId(1);

fn here() -> Source {
    std::panic::Location::caller().into()
}

fn op(kind: OpKind) -> Op {
    Op::new(kind, ObjectId(0))
}

/// Runs every execution of a test under a harness; returns which task has taken each step of each.
fn explore(mut run: impl FnMut(&mut Execution) -> Vec<u32>) -> Vec<Vec<u32>> {
    let job = Job {
        faults: 0,
        prefix: Vec::new(),
        scope: Scope::Below,
        guide: GuideSpec::NonPreemptive,
        cost: Cost::Free,
        limit: Limit { executions: 1_000_000, steps: 1_000 },
        at_cut: AtCut::Stop,
        keep_deferred: true,
        reduce: false,
        repeat: None,
        trace: false,
    };
    let mut execution = Execution::new(true, Identity { fair_k: 1, ..Identity::RUST });
    assert!(execution.begin(&job, &BuiltIn));
    let mut schedules = Vec::new();
    loop {
        execution.start();
        execution.keep_in_reserve(TaskId::MAIN);
        assert!(execution.is_in_reserve());
        assert_eq!(execution.spawn(), TEST);
        schedules.push(run(&mut execution));
        execution.finish();
        if !execution.advance() {
            return schedules;
        }
    }
}

/// The harness has started the test, which has announced its first operation, and waits for it.
fn wait_for_test(execution: &mut Execution, first: OpKind) {
    assert_eq!(execution.point(op(first), here()), Next::Switch(TaskId::MAIN));
    assert_eq!(execution.block(op(OpKind::Join), here()), Next::Switch(TEST));
}

/// A test that starts `threads` threads of `steps` steps and ends without waiting for them.
fn starts_threads(execution: &mut Execution, threads: u32, steps: u32) -> Vec<u32> {
    let kind = |task: TaskId, taken: u32| match task {
        TEST if taken < threads => OpKind::Spawn,
        task if task > TEST && taken < steps => OpKind::Rmw,
        _ => OpKind::End,
    };
    wait_for_test(execution, kind(TEST, 0));
    let mut taken = vec![0; threads as usize + 2];
    let (mut schedule, mut running) = (Vec::new(), TEST);
    loop {
        let step = kind(running, taken[running.index()]);
        schedule.push(running.0);
        taken[running.index()] += 1;
        let next = match step {
            OpKind::End => {
                if running == TEST {
                    execution.enable(TaskId::MAIN);
                }
                execution.end_task()
            }
            step => {
                if step == OpKind::Spawn {
                    let child = execution.spawn();
                    let first = op(kind(child, 0));
                    assert_eq!(execution.point(first, here()), Next::Switch(running));
                }
                if execution.coast() {
                    continue;
                }
                execution.point(op(kind(running, taken[running.index()])), here())
            }
        };
        match next {
            Next::Stay => {}
            Next::Switch(TaskId::MAIN) => {
                // Only now: nobody else can go on.
                assert_eq!(taken, [&[0, threads + 1][..], &vec![steps + 1; threads as usize]].concat());
                assert_eq!(execution.end_task(), Next::End);
                return schedule;
            }
            Next::Switch(task) => running = task,
            Next::End => panic!("the harness goes on in the end"),
        }
    }
}

/// As many schedules as the test has by itself: 45, by the hook formula, as in `execution.rs` without a harness.
#[test]
fn a_harness_is_in_no_schedule() {
    let schedules = explore(|execution| starts_threads(execution, 2, 1));
    let distinct: BTreeSet<_> = schedules.iter().collect();
    assert_eq!((schedules.len(), distinct.len()), (45, 45));
    assert!(schedules.iter().flatten().all(|&task| task != 0));
    assert_eq!(explore(|execution| starts_threads(execution, 0, 0)), [[1]]);
    assert_eq!(explore(|execution| starts_threads(execution, 1, 1)).len(), 3);
}

/// It goes on before time passes: whoever still sleeps then does not wake any more.
#[test]
fn a_harness_that_can_go_on_does_so_before_time_passes() {
    let schedules = explore(|execution| {
        wait_for_test(execution, OpKind::Sleep);
        execution.enable(TaskId::MAIN);
        let next = execution.wait(op(OpKind::WakeUp), Some(10), op(OpKind::WakeUp), here());
        assert_eq!((next, execution.now()), (Next::Switch(TaskId::MAIN), 0));
        assert_eq!(execution.block(op(OpKind::Join), here()), Next::Switch(TEST), "then time passes");
        execution.end(Ending::Complete);
        vec![]
    });
    assert_eq!(schedules.len(), 1);
}

/// A thread that was left behind and spins does not keep it from ending the test.
#[test]
fn a_task_that_yields_lets_the_harness_go_on() {
    explore(|execution| {
        wait_for_test(execution, OpKind::Yield);
        execution.enable(TaskId::MAIN);
        for _ in 0..100 {
            execution.yields();
            match execution.point(op(OpKind::Yield), here()) {
                Next::Stay => {}
                Next::Switch(TaskId::MAIN) => {
                    execution.end(Ending::Complete);
                    return vec![];
                }
                other => panic!("{other:?}"),
            }
        }
        panic!("the harness never goes on");
    });
}

/// If it waits for what never comes, nobody can go on.
#[test]
fn a_harness_that_cannot_go_on_is_in_a_deadlock_too() {
    explore(|execution| {
        wait_for_test(execution, OpKind::Lock);
        assert_eq!(execution.block(op(OpKind::Lock), here()), Next::End);
        assert_eq!(execution.ending(), Some(&Ending::Deadlock));
        vec![]
    });
}
