//! The fair scheduler (Musuvathi, Qadeer, PLDI 2008, Algorithm 1).
//!
//! A task that yields says that it makes no progress by itself. The scheduler keeps an order of priorities between tasks, P: a
//! task for which (t, u) is in P is not scheduled while u is enabled. An edge is made only when t yields for the second time
//! and u could have run between the two yields, the *window* of t, but did not; it goes when u runs. So every infinite
//! execution in which all tasks yield again and again is fair, and where nobody yields nothing is ruled out.
//!
//! Words of the paper: E, D and S of a window are the tasks that were enabled all the time, those that the task itself has
//! disabled, and those that were scheduled. They are asked for at the end of a window only. So they are not kept: when each
//! task last ran and was last disabled is, which takes a moment per step however many windows there are. T is what
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

/// What is known of a task, and what has happened since its last yield that counts.
#[derive(Clone, Debug, Default)]
struct Window {
    /// When the task last took a step.
    ran: u32,
    /// When it was last disabled.
    stopped: u32,
    /// When it last yielded so that it counts; 0 if it never did.
    since: u32,
    /// Yields since then.
    yields: u32,
    /// Tasks that were enabled then.
    enabled: Members,
    /// Tasks that the task itself has disabled since.
    disabled: Members,
    /// Tasks that go first: (this task, u) is in P.
    below: Members,
    /// Time has passed since.
    ticked: bool,
    /// Windows without that, one after the other.
    idle: u32,
}

/// The priorities of the tasks of one execution.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    k: u32,
    /// Steps since the first yield; 0 before.
    moment: u32,
    /// There is an edge.
    ordered: bool,
    /// By task; those that have done nothing yet may be missing at the end.
    windows: Vec<Window>,
    /// When no task was waiting for time to pass, last.
    untimed: u32,
    /// Kept for its memory.
    some: Members,
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
        if self.is_active() {
            self.moment = 0;
            self.untimed = 0;
            self.ordered = false;
            for window in &mut self.windows {
                window.reset();
            }
        }
    }

    /// Whether steps have to be followed: some task has yielded in this execution.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.moment > 0
    }

    /// The number of the last step that was followed.
    #[inline]
    pub fn moment(&self) -> u32 {
        self.moment
    }

    /// Whether a task has taken a step after that one.
    #[inline]
    pub fn has_run_since(&self, task: TaskId, moment: u32) -> bool {
        self.windows.get(task.index()).is_some_and(|window| window.ran > moment)
    }

    /// A task has taken a step, by which it yielded or not. `before` and `after`: the enabled tasks. `timed`: some task now waits
    /// for time to pass.
    #[inline]
    pub fn step(&mut self, task: TaskId, yields: bool, before: &TaskSet, after: &TaskSet, timed: bool) {
        let begins = yields && self.k > 0;
        if !self.is_active() && !begins {
            return;
        }
        self.moment += 1;
        if !timed {
            self.untimed = self.moment;
        }
        self.window(task).ran = self.moment;
        if !after.has_all(before) {
            self.disabled(task, before, after);
        }
        if self.ordered {
            self.lift(task);
        }
        if yields {
            self.yielded(task, after);
        }
    }

    #[inline]
    fn window(&mut self, task: TaskId) -> &mut Window {
        if self.windows.len() <= task.index() {
            self.windows.resize(task.index() + 1, Window::default());
        }
        &mut self.windows[task.index()]
    }

    /// A step of `task` has disabled some.
    fn disabled(&mut self, task: TaskId, before: &TaskSet, after: &TaskSet) {
        for other in before.without(after) {
            self.window(other).stopped = self.moment;
            // That it has disabled itself says nothing: it has run.
            if other != task {
                self.window(task).disabled.insert(other);
            }
        }
    }

    /// The task has run: nobody stands below it any more.
    fn lift(&mut self, task: TaskId) {
        self.ordered = false;
        for window in &mut self.windows {
            window.below.remove(task);
            self.ordered |= !window.below.is_empty();
        }
    }

    #[inline]
    fn yielded(&mut self, task: TaskId, after: &TaskSet) {
        let window = &mut self.windows[task.index()];
        window.yields += 1;
        if window.yields < self.k {
            return;
        }
        if window.since > 0 {
            self.close(task);
        }
        let window = &mut self.windows[task.index()];
        window.yields = 0;
        window.since = self.moment;
        window.enabled.copy(after);
        window.disabled.clear();
        window.ticked = false;
    }

    /// The end of a task's window.
    fn close(&mut self, task: TaskId) {
        let mut first = core::mem::take(&mut self.some);
        first.clear();
        let window = &self.windows[task.index()];
        let since = window.since;
        // E, D and S of the window.
        let was_enabled =
            |other: TaskId| self.windows.get(other.index()).is_none_or(|other| other.stopped <= since);
        let was_scheduled = |&other: &TaskId| self.has_run_since(other, since);
        let could_run =
            window.enabled.iter().filter(|&other| was_enabled(other)).chain(window.disabled.iter());
        // H: those who could have run and did not.
        could_run.filter(|other| !was_scheduled(other)).for_each(|other| first.insert(other));
        let timed = self.untimed < since;
        let window = &mut self.windows[task.index()];
        window.below.insert_all(first.words());
        window.idle = if timed && !window.ticked { window.idle + 1 } else { 0 };
        self.ordered |= !window.below.is_empty();
        self.some = first;
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
        self.is_active() && enabled.iter().all(below)
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
        if !(self.rest.is_empty() && rest.is_empty()) {
            self.rest.clear();
            self.rest.extend_from_slice(rest);
        }
    }

    #[inline]
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
    fn meets(&self, (low, rest): (u64, &[u64])) -> bool {
        self.low & low != 0 || self.rest.iter().zip(rest).any(|(a, b)| a & b != 0)
    }

    fn iter(&self) -> impl Iterator<Item = TaskId> + '_ {
        let words = core::iter::once(self.low).chain(self.rest.iter().copied());
        words.zip((0..).step_by(64)).flat_map(|(word, base)| Bits(word).map(move |bit| TaskId(base + bit)))
    }
}

/// The bits of a word that are set, ascending.
struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let bit = (self.0 != 0).then_some(self.0.trailing_zeros());
        self.0 &= self.0.wrapping_sub(1);
        bit
    }
}

impl Window {
    /// As new, and keeps its memory.
    fn reset(&mut self) {
        self.enabled.clear();
        self.disabled.clear();
        self.below.clear();
        self.ran = 0;
        self.stopped = 0;
        self.since = 0;
        self.yields = 0;
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
