//! [`state`]: how a test shows its state, so that a check can count states.

use std::hash::Hash;
use std::panic::Location;

use crate::rt;

/// Lets the check count the states that the program comes to: from here on, in this execution, `f` is called at every
/// scheduling point, before the choice, and at the end of the execution, and different values are different states.
/// [`Report::states`](crate::Report::states) says how many there were in all executions.
///
/// Call it inside the closure, first of all. Several calls add up: their values together, in the order of the calls, are the
/// state. Outside a check it does nothing.
///
/// What the state consists of is up to the test, and nothing is added to it. A state of the program is more than its shared
/// variables: it also depends on where each task is and on what its local variables hold. If two different states show the same
/// value they are counted as one. A test that wants to count all has its tasks leave in plain memory, such as std's
/// atomics, where they are:
///
/// ```
/// use std::sync::atomic::AtomicU8; // std's: writing to it is no step
/// use caissa::sync::Arc;
/// use caissa::sync::atomic::{AtomicU32, Ordering::SeqCst};
///
/// let report = caissa::Builder::new()
///     .search(caissa::Search::Dfs)
///     .explore(|| {
///         let counter = Arc::new(AtomicU32::new(0));
///         let place = Arc::new(AtomicU8::new(0));
///         {
///             let (counter, place) = (Arc::clone(&counter), Arc::clone(&place));
///             caissa::state(move || (place.load(SeqCst), counter.load(SeqCst)));
///         }
///         let task = {
///             let counter = Arc::clone(&counter);
///             caissa::thread::spawn(move || {
///                 counter.fetch_add(1, SeqCst);
///             })
///         };
///         place.store(1, SeqCst);
///         counter.fetch_add(1, SeqCst);
///         place.store(2, SeqCst);
///         task.join().unwrap();
///     })
///     .unwrap();
/// // (0, 0) before the spawn; 1 with 0 and 1; 2 with 1 and 2.
/// assert_eq!(report.states(), Some(5));
/// ```
///
/// `f` may look at Caissa's own types, and only look: `load` of atomics, `try_lock` and `try_read` of locks (`lock` and `read`
/// too, as long as no task holds what they would wait for), `UnsafeCell::with`. That is no scheduling point and leaves no mark in
/// the execution. Anything that changes something or would have to wait, and a panic of `f`, ends the check with an error
/// ([`Misuse`](crate::Misuse)).
///
/// What `f` has captured lives until the execution is over and has been unwound; its destructors are no part of the execution.
///
/// States are counted by a hash of 64 bits. Its function is fixed, but a value must not differ from execution to execution by
/// itself: no addresses, and nothing that was hashed with a random seed. Replays and minimising count nothing. A check with a
/// state leaves out no executions: [`Builder::reduce`](crate::Builder::reduce) has no effect on it.
#[track_caller]
pub fn state<T: Hash>(f: impl Fn() -> T + Send + 'static) {
    if let Some(rt) = rt::current() {
        rt.show_state(Location::caller(), Box::new(move |hasher| f().hash(hasher)));
    }
}
