//! What limit soundness asks of a delaying scheduler (POPL 2011, Lemma 1), on random operations: it is deterministic, it
//! is lossless, and every enabled task can be reached by delays.

use caissa_core::guide::{DepthFirst, Random, RoundRobin, SkippingDepthFirst};
use caissa_core::{Delaying, TaskId, TaskSet};

const SEEDS: u64 = 2_000;
const OPERATIONS: u32 = 40;

/// A user's scheduler: the newest task first, a delayed one last.
#[derive(Default)]
struct NewestFirst {
    pending: Vec<TaskId>,
}

impl Delaying for NewestFirst {
    fn reset(&mut self) {
        self.pending.clear();
    }
    fn give(&mut self, task: TaskId, _fresh: bool) {
        self.pending.push(task);
    }
    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        let index = self.pending.iter().rposition(|&task| enabled.contains(task))?;
        Some(self.pending.remove(index))
    }
    fn delay(&mut self, task: TaskId) {
        self.pending.insert(0, task);
    }
}

/// Lossy on purpose: forgets a task that is delayed twice in a row.
#[derive(Default)]
struct Forgetful {
    inner: NewestFirst,
    last: Option<TaskId>,
}

impl Delaying for Forgetful {
    fn reset(&mut self) {
        self.inner.reset();
        self.last = None;
    }
    fn give(&mut self, task: TaskId, fresh: bool) {
        self.inner.give(task, fresh);
    }
    fn take(&mut self, enabled: &TaskSet) -> Option<TaskId> {
        self.inner.take(enabled)
    }
    fn delay(&mut self, task: TaskId) {
        if self.last.replace(task) != Some(task) {
            self.inner.delay(task);
        }
    }
}

/// Drives a scheduler and its equal through the same random operations, as an execution would: a task runs, may spawn,
/// and is given back, ends, or is delayed. Says what is wrong, if anything.
fn judge<S: Delaying>(make: impl Fn() -> S, seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let (mut scheduler, mut twin) = (make(), make());
    // A scheduler that has been used and reset is as good as new.
    twin.give(TaskId(7), true);
    twin.reset();
    let mut pending = TaskSet::new();
    let mut created = 0;
    let mut give = |pending: &mut TaskSet, scheduler: &mut S, twin: &mut S, task: Option<TaskId>| {
        let id = task.unwrap_or(TaskId(created));
        created += task.is_none() as u32;
        pending.insert(id);
        scheduler.give(id, task.is_none());
        twin.give(id, task.is_none());
    };
    give(&mut pending, &mut scheduler, &mut twin, None);
    for _ in 0..OPERATIONS {
        if pending.is_empty() {
            return Ok(());
        }
        let mut enabled: TaskSet = pending.iter().filter(|_| random.below(4) > 0).collect();
        if !scheduler.skips_blocked() {
            enabled.clone_from(&pending);
        }
        let taken = scheduler.take(&enabled);
        if taken != twin.take(&enabled) {
            return Err("two of its kind answered differently".into());
        }
        let Some(task) = taken else {
            match enabled.is_empty() {
                true => continue,
                false => return Err(format!("nothing was taken though {enabled:?} were enabled")),
            }
        };
        if !pending.remove(task) || !enabled.contains(task) {
            return Err(format!("{task} was taken but was not pending and enabled"));
        }
        match random.below(5) {
            0 => {}
            1 => {
                scheduler.delay(task);
                twin.delay(task);
                pending.insert(task);
                reachable(&mut scheduler, &mut twin, &enabled, &pending)?;
            }
            2 => {
                give(&mut pending, &mut scheduler, &mut twin, None);
                give(&mut pending, &mut scheduler, &mut twin, Some(task));
            }
            _ => give(&mut pending, &mut scheduler, &mut twin, Some(task)),
        }
    }
    reachable(&mut scheduler, &mut twin, &pending.clone(), &pending)
}

/// By delays alone every enabled pending task comes up, within a few rounds.
fn reachable<S: Delaying>(a: &mut S, b: &mut S, enabled: &TaskSet, pending: &TaskSet) -> Result<(), String> {
    let mut seen = TaskSet::new();
    for _ in 0..3 * pending.len() {
        let Some(task) = a.take(enabled) else { break };
        if b.take(enabled) != Some(task) {
            return Err("two of its kind answered differently".into());
        }
        seen.insert(task);
        a.delay(task);
        b.delay(task);
    }
    let lost: Vec<TaskId> =
        enabled.iter().filter(|&task| pending.contains(task) && !seen.contains(task)).collect();
    if lost.is_empty() { Ok(()) } else { Err(format!("{lost:?} never come up")) }
}

fn holds<S: Delaying>(make: impl Fn() -> S) {
    for seed in 0..SEEDS {
        judge(&make, seed).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
}

#[test]
fn round_robin_is_limit_sound() {
    holds(RoundRobin::default);
}

#[test]
fn depth_first_is_limit_sound() {
    holds(DepthFirst::default);
}

#[test]
fn skipping_depth_first_is_limit_sound() {
    holds(SkippingDepthFirst::default);
}

#[test]
fn a_users_scheduler_is_limit_sound() {
    holds(NewestFirst::default);
}

#[test]
fn a_lossy_scheduler_is_noticed() {
    assert!((0..SEEDS).any(|seed| judge(Forgetful::default, seed).is_err()));
}

/// Where a scheduler says that it is steady, taking the same task again really changes nothing.
#[test]
fn steady_means_steady() {
    fn check<S: Delaying + Clone + PartialEq + std::fmt::Debug + Default>() {
        for seed in 0..SEEDS {
            let mut random = Random::new(seed);
            let mut scheduler = S::default();
            let tasks = 2 + random.below(4);
            for task in 0..tasks {
                scheduler.give(TaskId(task), true);
            }
            let all: TaskSet = (0..tasks).map(TaskId).collect();
            let mut task = scheduler.take(&all).unwrap();
            for _ in 0..random.below(6) {
                scheduler.delay(task);
                task = scheduler.take(&all).unwrap();
            }
            assert!(scheduler.is_steady(), "seed {seed}");
            let before = scheduler.clone();
            scheduler.give(task, false);
            assert_eq!(scheduler.take(&all), Some(task), "seed {seed}");
            assert_eq!(scheduler, before, "seed {seed}");
        }
    }
    check::<RoundRobin>();
    check::<DepthFirst>();
    check::<SkippingDepthFirst>();
}
