//! What a reduced search takes for granted until it sees otherwise; then it has left out too much and has to begin again.
//!
//! - No task asks whether another one has ended. Once one has, ends are taken for seen.
//! - No task uses a shared object while it unwinds by a panic of its own. What it does then has no point and belongs to the step
//!   before, which touches more than it says. Once one has, nothing is left out any more.
//! - Nobody looks at states between steps, which equivalent executions come to by other ways. Once a state hook does, nothing is
//!   left out any more either.
//! - No task enters the scope of a guard that seals preemptions. Once one has, nothing is left out any more either.
//!
//! Any search takes for granted that tasks share no data cells, and does not keep the clocks by which races on them are found. Once
//! a task has used one beside others, they are kept.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use caissa_check::Broken;

/// A task asks for ends, or may do so.
const ASKED: u8 = 1;
/// It was relied on that none does.
const ON_ENDS: u8 = 2;
/// A task uses objects while it unwinds, is sealed or yields, or states are looked at.
const UNWINDS: u8 = 4;
/// It was relied on that none does.
const ON_POINTS: u8 = 8;
/// A task uses a data cell, and is not alone.
const CELLS: u8 = 16;
/// It was relied on that none does.
const ON_NO_CELLS: u8 = 32;
/// What breaks a reliance, each next to what it breaks.
const BREAKS: u8 = ASKED | UNWINDS | CELLS;

/// Shared by the engines of a check. What one of them sees late is seen when they are done.
#[derive(Debug, Default)]
pub(crate) struct Reliance {
    flags: AtomicU8,
    /// What was relied on when that was given up.
    relied: AtomicU8,
}

impl Reliance {
    fn raise(&self, flag: u8) {
        if self.flags.load(Relaxed) & flag == 0 {
            self.flags.fetch_or(flag, Relaxed);
        }
    }

    /// A task asks whether another has ended, or may ask.
    pub(crate) fn ask(&self) {
        self.raise(ASKED);
    }

    /// Whether no task has asked so far, on which the caller will rely.
    pub(crate) fn rely_on_ends(&self) -> bool {
        let unasked = self.flags.load(Relaxed) & ASKED == 0;
        if unasked {
            self.raise(ON_ENDS);
        }
        unasked
    }

    /// A task uses an object while it unwinds.
    pub(crate) fn unwind(&self) {
        self.raise(UNWINDS);
    }

    /// States are looked at.
    pub(crate) fn watch(&self) {
        self.raise(UNWINDS);
    }

    /// A task enters a scope that seals preemptions: which of two equivalent executions is explored may depend on it.
    pub(crate) fn seal(&self) {
        self.raise(UNWINDS);
    }

    /// A reduced search runs.
    pub(crate) fn rely_on_points(&self) {
        self.raise(ON_POINTS);
    }

    /// A task uses a data cell, and is not alone.
    pub(crate) fn use_cell(&self) {
        self.raise(CELLS);
    }

    /// Whether no task has used a data cell beside others so far, on which the caller will rely.
    pub(crate) fn rely_on_no_cells(&self) -> bool {
        let unused = self.flags.load(Relaxed) & CELLS == 0;
        if unused {
            self.raise(ON_NO_CELLS);
        }
        unused
    }

    /// Whether something was relied on that does not hold.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        let flags = self.flags.load(Relaxed);
        flags & flags >> 1 & BREAKS != 0
    }
}

impl caissa_check::Reliance for Reliance {
    fn distrust(&self, races: bool) {
        // The other process may not know that somebody asks.
        self.ask();
        if races {
            // Nor that tasks share data.
            self.use_cell();
        }
    }

    fn allows_reduction(&self) -> bool {
        self.flags.load(Relaxed) & UNWINDS == 0
    }

    fn refuse_reduction(&self) {
        self.raise(UNWINDS);
    }

    fn broken(&self) -> Option<Broken> {
        let flags = self.flags.load(Relaxed);
        let lacked_clocks = flags & flags >> 1 & CELLS != 0;
        self.is_broken().then_some(if lacked_clocks { Broken::Races } else { Broken::LeftOut })
    }

    fn give_up(&self) {
        self.relied.store(self.flags.fetch_and(BREAKS, Relaxed), Relaxed);
    }

    fn was_broken(&self) -> bool {
        self.flags.load(Relaxed) & self.relied.load(Relaxed) >> 1 & BREAKS != 0
    }
}
