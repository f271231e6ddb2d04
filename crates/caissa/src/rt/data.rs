//! Data cells: who reads and writes them, and what comes of it if nothing orders two that do.
//!
//! An access is no scheduling point, unless that was asked for ([`crate::Points`]). It is checked against the clocks of the core (`caissa_core::race`), if these are kept; if not
//! and the task is not alone, the search has to begin again with them ([`super::reliance`]).
//!
//! The reference counts of `Arc` are std's, and order what its owners did before what the destructor of the value does. That shows on
//! the stack only ([`super::callers`]), so it is looked at where a race would be reported.

use caissa_core::class::Access;
use caissa_core::{DataAccess, ObjectId, Op, OpKind, Race};

use super::{Home, Rt, Source, callers};

/// What a task does with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
    /// Takes a pointer through which it may write.
    Point,
}

impl Use {
    /// Whether it counts as a write.
    #[inline]
    pub(crate) fn writes(self) -> bool {
        self != Use::Read
    }
}

/// Which task does what with which cell, and since when.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellUse {
    object: usize,
    begun: DataAccess,
}

impl CellUse {
    /// Whether it is this one, or one that cannot be told from it.
    #[inline]
    fn is(&self, other: &CellUse) -> bool {
        self.object == other.object
            && (self.begun.task, self.begun.step) == (other.begun.task, other.begun.step)
            && self.begun.source.address() == other.begun.source.address()
            && self.begun.writes == other.begun.writes
    }
}

/// A task uses a cell until this is dropped.
pub(crate) struct Using {
    rt: Rt,
    using: CellUse,
}

impl Drop for Using {
    #[inline]
    fn drop(&mut self) {
        let engine = self.rt.engine();
        let CellUse { object, begun: DataAccess { task, writes, step, .. } } = self.using;
        if engine.execution.steps() != step {
            if engine.terms.races && engine.execution.task_count() > 1 {
                // It may have been alone when it began.
                engine.settings.reliance.use_cell();
            }
            engine.execution.end_access(object, task, writes);
        }
        if let Some(index) = engine.cell_uses.iter().rposition(|using| using.is(&self.using)) {
            engine.cell_uses.swap_remove(index);
        }
    }
}

impl Rt {
    /// The running task uses a cell at this moment.
    #[inline]
    pub(crate) fn access(self, object: usize, kind: Use, source: Source) {
        let (op, access) = match kind {
            Use::Read => (OpKind::CellRead, Access::Read),
            Use::Write => (OpKind::CellWrite, Access::Write),
            Use::Point => (OpKind::CellGet, Access::Write),
        };
        let op = Op::new(op, ObjectId(object as u32));
        if self.engine().execution.has_data_point(source.into()) {
            self.point(op, source);
            self.touch_class(object, access);
        } else {
            self.engine().execution.aside(op, source.into());
        }
        if kind.writes() {
            self.changes_hidden();
        }
        if self.looks_for_races() {
            self.require_no_overlap(object, kind, source);
            while let Err(race) = self.engine().execution.access(object, kind.writes(), source.into()) {
                self.judge(race);
            }
        } else if std::thread::panicking() {
            self.access_while_unwinding(object, kind, source);
        }
    }

    /// The running task begins to use a cell.
    #[inline]
    pub(crate) fn begin_access(self, object: usize, kind: Use, source: Source) -> Using {
        self.access(object, kind, source);
        let (task, step) = (self.current(), self.engine().execution.steps());
        let begun = DataAccess { task, writes: kind.writes(), source: source.into(), step };
        let using = CellUse { object, begun };
        self.engine().cell_uses.push(using);
        Using { rt: self, using }
    }

    /// Whether a task is writing to a cell.
    pub(super) fn is_being_written(self, object: usize) -> bool {
        self.engine().cell_uses.iter().any(|using| using.object == object && using.begun.writes)
    }

    /// Whether the running task's access can be a race, and is looked at.
    #[inline]
    fn looks_for_races(self) -> bool {
        let engine = self.engine();
        if !engine.execution.has_clocks() {
            if engine.terms.races && engine.execution.task_count() > 1 {
                // What a task does while it is alone comes before all that others do.
                engine.settings.reliance.use_cell();
            }
            return false;
        }
        !engine.aborting && engine.execution.ending().is_none() && !std::thread::panicking()
    }

    /// An access of a task that unwinds ends nothing, but a later one may race with it.
    #[cold]
    fn access_while_unwinding(self, object: usize, kind: Use, source: Source) {
        let engine = self.engine();
        if !engine.aborting && engine.execution.ending().is_none() {
            let _ = engine.execution.access(object, kind.writes(), source.into());
        }
    }

    /// An access that is still going on orders nothing, whatever its task has released meanwhile.
    #[inline]
    fn require_no_overlap(self, object: usize, kind: Use, source: Source) {
        let (engine, me) = (self.engine(), self.current());
        let overlaps = |other: &&CellUse| {
            other.object == object && other.begun.task != me && (kind.writes() || other.begun.writes)
        };
        if let Some(&other) = engine.cell_uses.iter().find(overlaps) {
            let race = engine.execution.overlap(object, other.begun, kind.writes(), source.into());
            if let Some(race) = race {
                self.end_by_race(race);
            }
        }
    }

    /// Ends the execution, unless something that is not seen orders the two accesses.
    #[cold]
    fn judge(self, race: Race) {
        let engine = self.engine();
        if callers::of_current(&mut engine.callers).destroy_arc() {
            // The value's other owners are gone, and what they did comes before; if the cell belongs to the value.
            engine.execution.excuse_race(&race);
            engine.excused.push(race);
            engine.heeds = true;
            engine.execution.watch();
        } else {
            self.end_by_race(race);
        }
    }

    /// A cell is destroyed: if the running task does that, it was right to use it as its last owner.
    #[inline]
    pub(crate) fn cell_is_gone(self, home: &Home) {
        if !self.engine().excused.is_empty() {
            self.confirm_excuse(home);
        }
    }

    #[cold]
    fn confirm_excuse(self, home: &Home) {
        if let Some(object) = home.find_present(self) {
            let me = self.current();
            let gone = |race: &Race| race.object.0 as usize == object && race.second.task == me;
            self.engine().excused.retain(|race| !gone(race));
        }
    }

    /// The running task has come to a point. If it is not in the destructor of an `Arc` any more, but has left a cell behind that it used
    /// there as its owner, that was a race: the execution is over, and this is false.
    pub(super) fn has_no_false_excuse(self) -> bool {
        let me = self.current();
        let engine = self.engine();
        let Some(index) = engine.excused.iter().position(|race| race.second.task == me) else { return true };
        if callers::of_current(&mut engine.callers).destroy_arc() {
            return true;
        }
        let race = engine.excused.remove(index);
        engine.execution.end_by_race(race);
        false
    }

    #[cold]
    fn end_by_race(self, race: Race) -> ! {
        self.engine().execution.end_by_race(race);
        self.suspend();
        unreachable!("a task of an execution that is over is unwound")
    }
}
