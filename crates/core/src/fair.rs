//! The fair scheduler (Musuvathi, Qadeer, PLDI 2008, Algorithm 1).
//!
//! A task that yields says that it makes no progress by itself. The scheduler keeps an order of priorities between tasks, P: a
//! task for which (t, u) is in P is not scheduled while u is enabled. An edge is made only when t yields for the second time
//! and u could have run between the two yields, the *window* of t, but did not; it goes when u runs. So every infinite
//! execution in which all tasks yield again and again is fair, and where nobody yields nothing is ruled out.
//!
//! Words of the paper: E, D and S of a window are its `enabled`, `disabled` and `scheduled` tasks; T is what
//! [`Fairness::schedulable`] gives. Of a task that has not yielded the paper says E = {}, D = S = Tid, which only means that
//! its first yield makes no edge: nothing is kept for it. A task that is created on the way begins like that, and in the
//! windows of others it is one that was not enabled before.
//!
//! With parameter k only every k-th yield of a task counts.
//!
//! Added to the paper: time. While a task waits with a timeout the clock counts as one more task, always enabled, that others
//! can come to stand below, if not at once: a task that yields a few times may still be about to do what the other waits for. When
//! all enabled tasks have closed many windows in which no time passed, time has to pass ([`Fairness::must_tick`]).

use alloc::vec::Vec;

use crate::task::{TaskId, TaskSet};

/// Windows of a task without any time passing, after which time goes first.
const PATIENCE: u32 = 16;

/// What has happened since a task's last yield that counts.
#[derive(Clone, Debug, Default)]
struct Window {
    /// The task has yielded.
    open: bool,
    /// Yields since the last one that counts.
    yields: u32,
    /// Tasks that have been enabled all the time.
    enabled: Members,
    /// Tasks that the task itself has disabled.
    disabled: Members,
    /// Tasks that were scheduled.
    scheduled: Members,
    /// Tasks that go first: (this task, u) is in P.
    below: Members,
    /// Some task has been waiting for time to pass, all the time.
    timed: bool,
    /// Time has passed.
    ticked: bool,
    /// Windows without that, one after the other.
    idle: u32,
}

/// The priorities of the tasks of one execution.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    k: u32,
    /// Some task has yielded.
    active: bool,
    /// There is an edge.
    ordered: bool,
    windows: Vec<Window>,
    /// Some task waits for time to pass.
    timed: bool,
    /// Tasks that have run in all windows: further steps of theirs change nothing by themselves.
    settled: Members,
    /// Kept for its memory.
    first: Members,
}

impl Fairness {
    /// Priorities by every `k`-th yield; with 0 there are none.
    pub fn new(k: u32) -> Fairness {
        Fairness { k, ..Fairness::default() }
    }

    /// How many yields of a task make one that counts; 0 if none does.
    pub fn k(&self) -> u32 {
        self.k
    }

    /// A new execution begins.
    pub fn reset(&mut self) {
        if self.active {
            self.active = false;
            self.ordered = false;
            self.settled.clear();
            for window in &mut self.windows {
                window.reset();
            }
        }
    }

    /// Whether steps have to be followed: some task has yielded in this execution.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// A task has taken a step, by which it yielded or not. `before` and `after`: the enabled tasks. `timed`: some task now waits
    /// for time to pass.
    pub fn step(&mut self, task: TaskId, yields: bool, before: &TaskSet, after: &TaskSet, timed: bool) {
        let begins = yields && self.k > 0;
        if !self.active && !begins {
            return;
        }
        // Those whom the step disabled.
        self.first.copy(before);
        self.first.remove_all(after.words());
        let disables = !self.first.is_empty();
        if !yields && !disables && timed == self.timed && self.settled.contains(task) {
            return;
        }
        self.active = true;
        self.timed = timed;
        self.settled.insert(task);
        if self.windows.len() <= task.index() {
            self.windows.resize(task.index() + 1, Window::default());
        }
        self.ordered = false;
        for window in self.windows.iter_mut().filter(|window| window.open) {
            window.below.remove(task);
            self.ordered |= !window.below.is_empty();
            window.timed &= timed;
            window.scheduled.insert(task);
            if disables {
                window.enabled.remove_all(self.first.words());
            }
        }
        if disables && self.windows[task.index()].open {
            self.windows[task.index()].disabled.insert_all(self.first.words());
        }
        if yields {
            self.yielded(task, after, timed);
        }
    }

    fn yielded(&mut self, task: TaskId, after: &TaskSet, timed: bool) {
        let window = &mut self.windows[task.index()];
        window.yields += 1;
        if window.yields < self.k {
            return;
        }
        window.yields = 0;
        if window.open {
            // H: those who could have run and did not.
            let Window { enabled, disabled, scheduled, below, .. } = &mut *window;
            enabled.insert_all(disabled.words());
            enabled.remove_all(scheduled.words());
            below.insert_all(enabled.words());
            window.idle = if window.timed && !window.ticked { window.idle + 1 } else { 0 };
            self.ordered |= !window.below.is_empty();
        }
        window.open = true;
        self.settled.clear();
        window.enabled.copy(after);
        window.disabled.clear();
        window.scheduled.clear();
        window.timed = timed;
        window.ticked = false;
    }

    /// T: the enabled tasks that stand below no other enabled one. False if these are all; `out` is not touched then.
    #[inline]
    pub fn schedulable(&self, enabled: &TaskSet, out: &mut TaskSet) -> bool {
        self.ordered && self.filter(enabled, out)
    }

    fn filter(&self, enabled: &TaskSet, out: &mut TaskSet) -> bool {
        out.clone_from(enabled);
        for (task, window) in (0..).map(TaskId).zip(&self.windows) {
            if window.below.meets(enabled.words()) {
                out.remove(task);
            }
        }
        out.len() < enabled.len()
    }

    /// Whether time goes first: every enabled task stands below the clock.
    pub fn must_tick(&self, enabled: &TaskSet) -> bool {
        let below =
            |task: TaskId| self.windows.get(task.index()).is_some_and(|window| window.idle >= PATIENCE);
        self.active && enabled.iter().all(below)
    }

    /// Time has passed.
    pub fn tick(&mut self) {
        for window in &mut self.windows {
            window.ticked = true;
            window.idle = 0;
        }
    }

    /// P: the first of each pair is not scheduled while the second is enabled.
    pub fn edges(&self) -> impl Iterator<Item = (TaskId, TaskId)> + '_ {
        let windows = (0..).map(TaskId).zip(&self.windows);
        windows.flat_map(|(task, window)| window.below.iter().map(move |first| (task, first)))
    }
}

/// A set of tasks that nobody counts: as words of bits, the first 64 tasks in one.
#[derive(Clone, Debug, Default)]
struct Members {
    low: u64,
    rest: Vec<u64>,
}

impl Members {
    #[inline]
    fn words(&self) -> (u64, &[u64]) {
        (self.low, &self.rest)
    }

    #[inline]
    fn copy(&mut self, set: &TaskSet) {
        let (low, rest) = set.words();
        self.low = low;
        self.rest.clear();
        self.rest.extend_from_slice(rest);
    }

    fn clear(&mut self) {
        self.low = 0;
        self.rest.clear();
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.low == 0 && self.rest.iter().all(|word| *word == 0)
    }

    #[inline]
    fn insert(&mut self, task: TaskId) {
        if task.0 < 64 {
            self.low |= 1 << task.0;
        } else {
            let index = task.index() / 64 - 1;
            if index >= self.rest.len() {
                self.rest.resize(index + 1, 0);
            }
            self.rest[index] |= 1 << (task.0 % 64);
        }
    }

    #[inline]
    fn contains(&self, task: TaskId) -> bool {
        let word = if task.0 < 64 { Some(&self.low) } else { self.rest.get(task.index() / 64 - 1) };
        word.is_some_and(|word| word & 1 << (task.0 % 64) != 0)
    }

    #[inline]
    fn remove(&mut self, task: TaskId) {
        if task.0 < 64 {
            self.low &= !(1 << task.0);
        } else if let Some(word) = self.rest.get_mut(task.index() / 64 - 1) {
            *word &= !(1 << (task.0 % 64));
        }
    }

    #[inline]
    fn insert_all(&mut self, (low, rest): (u64, &[u64])) {
        self.low |= low;
        if self.rest.len() < rest.len() {
            self.rest.resize(rest.len(), 0);
        }
        self.rest.iter_mut().zip(rest).for_each(|(word, more)| *word |= more);
    }

    #[inline]
    fn remove_all(&mut self, (low, rest): (u64, &[u64])) {
        self.low &= !low;
        self.rest.iter_mut().zip(rest).for_each(|(word, less)| *word &= !less);
    }

    #[inline]
    fn meets(&self, (low, rest): (u64, &[u64])) -> bool {
        self.low & low != 0 || self.rest.iter().zip(rest).any(|(a, b)| a & b != 0)
    }

    fn iter(&self) -> impl Iterator<Item = TaskId> + '_ {
        let words = core::iter::once(self.low).chain(self.rest.iter().copied());
        words.zip((0..).step_by(64)).flat_map(|(word, base)| {
            (0..64).filter(move |bit| word & 1 << bit != 0).map(move |bit| TaskId(base + bit))
        })
    }
}

impl Window {
    /// As new, and keeps its memory.
    fn reset(&mut self) {
        for set in [&mut self.enabled, &mut self.disabled, &mut self.scheduled, &mut self.below] {
            set.clear();
        }
        self.open = false;
        self.yields = 0;
        self.timed = false;
        self.ticked = false;
        self.idle = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(tasks: &[u32]) -> TaskSet {
        tasks.iter().copied().map(TaskId).collect()
    }

    /// The emulation of Figure 4: u spins twice, and t has to run.
    #[test]
    fn the_second_round_of_a_spin_loop_lets_the_other_task_run() {
        let (t, u) = (TaskId(0), TaskId(1));
        let both = set(&[0, 1]);
        let mut fair = Fairness::new(1);
        let mut out = TaskSet::new();
        for (round, ordered) in [(1, false), (2, true)] {
            fair.step(u, false, &both, &both, false);
            assert!(!fair.schedulable(&both, &mut out), "round {round}");
            fair.step(u, true, &both, &both, false);
            assert_eq!(fair.schedulable(&both, &mut out), ordered, "round {round}");
        }
        assert_eq!(out, set(&[0]));
        assert!(fair.edges().eq([(u, t)]));
        assert!(!fair.schedulable(&set(&[1]), &mut out), "t is not enabled: u may run");
        fair.step(t, false, &both, &set(&[1]), false);
        assert_eq!(fair.edges().count(), 0);
        fair.reset();
        assert!(!fair.is_active());
    }

    #[test]
    fn a_task_that_another_disables_again_and_again_goes_first() {
        // T0 takes and releases a lock that T1 waits for, and yields.
        let (both, alone) = (set(&[0, 1]), set(&[0]));
        let mut fair = Fairness::new(1);
        let mut out = TaskSet::new();
        for _ in 0..2 {
            fair.step(TaskId(0), false, &both, &alone, false);
            fair.step(TaskId(0), false, &alone, &both, false);
            fair.step(TaskId(0), true, &both, &both, false);
        }
        assert!(fair.schedulable(&both, &mut out));
        assert_eq!(out, set(&[1]));
    }

    #[test]
    fn every_kth_yield_counts() {
        let both = set(&[0, 1]);
        for k in 1..4 {
            let mut fair = Fairness::new(k);
            let mut out = TaskSet::new();
            let yields = (1..).find(|_| {
                fair.step(TaskId(1), true, &both, &both, false);
                fair.schedulable(&both, &mut out)
            });
            assert_eq!(yields, Some(2 * k));
        }
        let mut off = Fairness::new(0);
        off.step(TaskId(1), true, &both, &both, false);
        assert!(!off.is_active());
    }

    #[test]
    fn time_passes_when_all_who_are_enabled_have_yielded_to_it() {
        let both = set(&[0, 1]);
        let mut fair = Fairness::new(1);
        let spin = |fair: &mut Fairness, task| {
            for _ in 0..=PATIENCE {
                assert!(!fair.must_tick(&set(&[task])));
                fair.step(TaskId(task), true, &both, &both, true);
            }
        };
        spin(&mut fair, 0);
        assert!(!fair.must_tick(&both) && fair.must_tick(&set(&[0])));
        spin(&mut fair, 1);
        assert!(fair.must_tick(&both));
        fair.tick();
        assert!(!fair.must_tick(&both));
    }
}
