//! Drop-in replacements for the part of [`std::hint`] that concerns tasks.

use std::panic::Location;

use caissa_core::{ObjectId, Op, OpKind};

use crate::rt;

pub use std::hint::{assert_unchecked, black_box, cold_path, select_unpredictable, unreachable_unchecked};

/// Says that this task waits in a loop; see [`std::hint::spin_loop`]. Inside a check a scheduling point, as
/// [`crate::thread::yield_now`].
#[track_caller]
pub fn spin_loop() {
    match rt::current() {
        Some(rt) => {
            rt.point(Op::new(OpKind::Spin, ObjectId(rt.current().0)), Location::caller());
            rt.touch_nothing();
            rt.yields();
        }
        None => std::hint::spin_loop(),
    }
}
