//! The oracle's condition variables, barriers, channels and data choices, checked by hand.

use crate::oracle;
use std::collections::BTreeSet;

use crate::oracle::explore::{explore_all, replay};
use crate::oracle::interpret::{Machine, Observation};
use crate::oracle::program::Instr::*;
use crate::oracle::program::{Program, Task};
use crate::oracle::random::{Options, Rng, random_program};
use crate::oracle::summary::{Measure, summarize};

/// What a task may observe, over all executions.
fn logs(program: &Program, task: Task) -> BTreeSet<Vec<Observation>> {
    let mut logs = BTreeSet::new();
    explore_all(program, u64::MAX, |execution| {
        logs.insert(execution.outcome.logs[task].clone());
    })
    .unwrap();
    logs
}

fn stuck(program: &Program) -> BTreeSet<Vec<Task>> {
    let mut stuck = BTreeSet::new();
    explore_all(program, u64::MAX, |execution| {
        stuck.insert(execution.outcome.stuck.clone());
    })
    .unwrap();
    stuck
}

fn with_capacity(capacity: usize, tasks: Vec<Vec<oracle::program::Instr>>) -> Program {
    let mut program = Program::new(tasks);
    program.channels = vec![Some(capacity)];
    program
}

#[test]
fn a_notification_is_lost_or_wakes_any_one_waiter() {
    let waiter = || vec![Lock(0), Wait(0, 0), Unlock(0)];
    let program = Program::new(vec![vec![Spawn(1), Spawn(2), NotifyOne(0)], waiter(), waiter()]);
    assert_eq!(stuck(&program), BTreeSet::from([vec![1], vec![2], vec![1, 2]]));
    let program = Program::new(vec![vec![Spawn(1), Spawn(2), NotifyAll(0)], waiter(), waiter()]);
    assert_eq!(stuck(&program), BTreeSet::from([vec![], vec![1], vec![2], vec![1, 2]]));
    // Both wait, in this order; then the second is chosen, takes the mutex and leaves.
    let notifying = Program::new(vec![vec![Spawn(1), Spawn(2), NotifyOne(0)], waiter(), waiter()]);
    let schedule = [0, 0, 1, 1, 2, 2, 0, 1, 0, 2, 2, 2];
    let left = replay(&notifying, &schedule, |execution| execution.outcome.stuck.clone());
    assert_eq!(left, Some(vec![1]));
}

#[test]
fn a_wait_is_passed_over_without_the_mutex() {
    let tries = vec![TryLock(0), Wait(0, 0), Unlock(0)];
    let program = Program::new(vec![vec![Lock(0), Spawn(1), Join(1), Unlock(0)], tries]);
    assert_eq!(stuck(&program), BTreeSet::from([vec![]]));
}

#[test]
fn the_last_to_arrive_leads_and_does_not_leave() {
    let mut program = Program::new(vec![vec![Spawn(1), Arrive(0)], vec![Arrive(0)]]);
    let either = BTreeSet::from([vec![Observation::Led(false)], vec![Observation::Led(true)]]);
    assert_eq!(logs(&program, 0), either);
    // Two steps of the one that comes first, one of the other, two ends, one spawn.
    explore_all(&program, u64::MAX, |execution| assert_eq!(execution.steps.len(), 6)).unwrap();
    program.barriers = vec![3];
    assert_eq!(stuck(&program), BTreeSet::from([vec![0, 1]]));
}

#[test]
fn a_rendezvous_needs_both() {
    let full = vec![Observation::TrySent { sent: false, connected: true }];
    let sent = vec![Observation::TrySent { sent: true, connected: true }];
    let main = vec![Spawn(1), TrySend(0, 7), DropSender(0)];
    let program = with_capacity(0, vec![main, vec![Recv(0), DropReceiver(0)]]);
    assert_eq!(logs(&program, 0), BTreeSet::from([full, sent]));
    let missed = vec![Observation::Missed { connected: false }];
    assert_eq!(logs(&program, 1), BTreeSet::from([vec![Observation::Received(7)], missed]));
    // A sender waits until its message is taken, or the receiver gone.
    let main = vec![Spawn(1), Send(0, 7), DropSender(0)];
    let program = with_capacity(0, vec![main, vec![DropReceiver(0)]]);
    assert_eq!(logs(&program, 0), BTreeSet::from([vec![Observation::Sent(false)]]));
}

#[test]
fn a_full_channel_makes_its_sender_wait() {
    let main = vec![Send(0, 1), Send(0, 2), DropSender(0), Spawn(1)];
    let receiver = vec![Recv(0), Recv(0), Recv(0), DropReceiver(0)];
    assert_eq!(stuck(&with_capacity(1, vec![main.clone(), receiver.clone()])), BTreeSet::from([vec![0]]));
    let program = with_capacity(2, vec![main, receiver]);
    let received = [1, 2].map(Observation::Received).into_iter();
    let received = received.chain([Observation::Missed { connected: false }]).collect();
    assert_eq!(logs(&program, 1), BTreeSet::from([received]));
}

#[test]
fn choices_are_steps_without_a_point() {
    let program = Program::new(vec![vec![Choose(2), Spawn(1), Choose(3)], vec![Choose(2)]]);
    // The child chooses when it is spawned; then only the two ends can change places.
    let summary = summarize(&program, Measure::Preemptions, usize::MAX, u64::MAX).unwrap();
    assert_eq!(summary.counts, [12, 12]);
    assert_eq!((summary.outcomes.len(), summary.classes.len()), (12, 12));
}

#[test]
fn a_child_is_finished_after_its_end() {
    let program = Program::new(vec![vec![Spawn(1), IsFinished(1)], vec![]]);
    let summary = summarize(&program, Measure::Preemptions, usize::MAX, u64::MAX).unwrap();
    assert_eq!((summary.outcomes.len(), summary.classes.len()), (2, 2));
}

#[test]
fn taking_steps_back_restores_the_state() {
    for seed in 0..2_000 {
        let program = random_program(seed, &Options::from_mask(seed).meeting(1 + seed % 31));
        let mut rng = Rng::new(seed);
        let mut machine = Machine::new(&program);
        loop {
            let before = machine.clone();
            let enabled: Vec<Task> = (0..program.tasks.len()).filter(|task| machine.enabled(*task)).collect();
            let again = match (machine.choice(), enabled.is_empty()) {
                (Some((_, count)), _) => {
                    let value = rng.below(count);
                    machine.choose(value);
                    machine.undo();
                    assert_eq!(machine, before, "{program}");
                    machine.choose(value)
                }
                (None, false) => {
                    let task = enabled[rng.below(enabled.len())];
                    machine.step(task);
                    machine.undo();
                    assert_eq!(machine, before, "{program}");
                    machine.step(task)
                }
                (None, true) => break,
            };
            assert_eq!(machine.steps().last(), Some(&again));
        }
    }
}
