//! Local tasks: futures that share the thread of their `block_on`.

use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use caissa_core::ObjectKind;

use super::outside;
use super::task::{JoinHandle, Slot, spawn_task};
use crate::rt::{self, Home};

/// Makes an async task on the thread of the [`block_on`](super::block_on) call that this is part of. Its future need not be
/// `Send`: of all futures of that call one is polled at a time, and while it is none of the others runs.
///
/// # Panics
/// If this is not part of a `block_on` call or of a local task of one.
#[track_caller]
pub fn spawn_local<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + 'static,
    F::Output: 'static,
{
    const WHERE: &str = "`spawn_local` needs a thread to share: call it in `block_on`, or in a local task";
    let source = Location::caller();
    match rt::current() {
        Some(rt) => match rt.local_set(|| Home::new().find(rt, ObjectKind::LocalSet, source, || false)) {
            Some(set) => spawn_task(rt, future, Some(set), source),
            None => panic!("{WHERE}"),
        },
        None => {
            let slot = Slot::new();
            let remote = outside::spawn_local(future, Arc::clone(&slot)).expect(WHERE);
            JoinHandle::outside(slot, remote)
        }
    }
}
