//! Drop-in replacements for [`std::cell`].
//!
//! A cell is plain memory: nothing about it orders tasks, and an access is no scheduling point. If two tasks access one, one of them
//! writes, and nothing orders the two, that is a data race: the check ends there and reports both, whatever the schedule made of
//! it (docs/semantics.md, "Races"). [`UnsafeCell`] is what lock-free code keeps its memory in. [`Cell`], [`RefCell`] and [`OnceCell`]
//! cannot be shared by safe code; the race checks are for types around them that claim to be `Sync`, and for what local tasks share.
//!
//! That a cell is made is not seen as a write to it. Outside a check all of these behave as std's.

mod once_cell;
mod plain;
mod ref_cell;
mod unsafe_cell;

use caissa_core::ObjectKind;

use crate::rt::data::Use;
use crate::rt::{self, Home, Rt, Source};

pub use once_cell::OnceCell;
pub use plain::Cell;
pub use ref_cell::RefCell;
pub use std::cell::{BorrowError, BorrowMutError, LazyCell, Ref, RefMut};
pub use unsafe_cell::UnsafeCell;

/// The word of a cell, which tells the check when the cell is destroyed.
#[derive(Debug)]
struct CellHome(Home);

impl CellHome {
    const fn new() -> CellHome {
        CellHome(Home::new())
    }
}

impl std::ops::Deref for CellHome {
    type Target = Home;
    #[inline]
    fn deref(&self) -> &Home {
        &self.0
    }
}

impl Drop for CellHome {
    #[inline]
    fn drop(&mut self) {
        if let Some(rt) = rt::inside() {
            rt.cell_is_gone(&self.0);
        }
    }
}

/// The object of a cell that the running task is about to use; `None` outside a check.
#[inline]
fn object(home: &Home, kind: Use, source: Source) -> Option<(Rt, usize)> {
    let Some(rt) = rt::inside() else {
        if let Some(peek) = rt::peek() {
            match kind {
                Use::Read => peek.read_cell(home, source),
                Use::Write | Use::Point => peek.refuse(format!("writes to a cell at {source}, or may do so")),
            }
        }
        return None;
    };
    let object = home.find(rt, ObjectKind::Cell, source, || false);
    if kind.writes() {
        home.mark_changed();
    }
    Some((rt, object))
}

/// The running task uses a cell at this moment.
#[inline]
fn access(home: &Home, kind: Use, source: Source) {
    if let Some((rt, object)) = object(home, kind, source) {
        rt.access(object, kind, source);
    }
}
