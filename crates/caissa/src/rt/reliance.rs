//! What a reduced search takes for granted until it sees otherwise; then it has left out too much and has to begin again.
//!
//! - No task asks whether another one has ended. Once one has, ends are taken for seen.
//! - No task uses a shared object while it unwinds by a panic of its own. What it does then has no point and belongs to the step
//!   before, which touches more than it says. Once one has, nothing is left out any more.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Shared by the engines of a check. A flag that one of them sees late is seen when they are done.
#[derive(Debug, Default)]
pub(crate) struct Reliance {
    /// A task asks for ends, or may do so.
    asked: AtomicBool,
    /// It was relied on that none does.
    on_ends: AtomicBool,
    /// A task uses objects while it unwinds.
    unwinds: AtomicBool,
    /// It was relied on that none does.
    on_points: AtomicBool,
}

/// What was relied on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relied {
    on_ends: bool,
    on_points: bool,
}

fn raise(flag: &AtomicBool) {
    if !flag.load(Relaxed) {
        flag.store(true, Relaxed);
    }
}

impl Reliance {
    /// A task asks whether another has ended, or may ask.
    pub(crate) fn ask(&self) {
        raise(&self.asked);
    }

    /// Whether no task has asked so far, on which the caller will rely.
    pub(crate) fn rely_on_ends(&self) -> bool {
        let unasked = !self.asked.load(Relaxed);
        if unasked {
            raise(&self.on_ends);
        }
        unasked
    }

    /// A task uses an object while it unwinds.
    pub(crate) fn unwind(&self) {
        raise(&self.unwinds);
    }

    /// A reduced search runs.
    pub(crate) fn rely_on_points(&self) {
        raise(&self.on_points);
    }

    /// Whether executions can be left out, as far as is known.
    pub(crate) fn allows_reduction(&self) -> bool {
        !self.unwinds.load(Relaxed)
    }

    /// Whether something was relied on that does not hold.
    pub(crate) fn is_broken(&self) -> bool {
        self.breaks(Relied { on_ends: self.on_ends.load(Relaxed), on_points: self.on_points.load(Relaxed) })
    }

    /// Nothing is relied on any more. What was until now?
    pub(crate) fn give_up(&self) -> Relied {
        Relied { on_ends: self.on_ends.swap(false, Relaxed), on_points: self.on_points.swap(false, Relaxed) }
    }

    /// Whether something of this does not hold.
    pub(crate) fn breaks(&self, relied: Relied) -> bool {
        relied.on_ends && self.asked.load(Relaxed) || relied.on_points && self.unwinds.load(Relaxed)
    }
}
