//! Threads for workers that need no others than ordinary ones.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::Duration;

use crate::front_end::Terms;
use crate::tending::Tending;

/// How often the calling thread looks after its workers.
const TICK: Duration = Duration::from_millis(20);

/// Runs `work` with each of these terms, each on a thread of its own, while this thread tends them. Returns when all have ended.
///
/// # Panics
/// If one of them does, or the tending: with what it panicked with, after all have ended.
pub fn on_threads<R: Send>(
    terms: Vec<Terms>,
    tending: &mut Tending<'_>,
    work: impl Fn(Terms) -> R + Sync,
) -> Vec<R> {
    let (at_work, caller) = (AtomicUsize::new(terms.len()), std::thread::current());
    let (at_work, caller, work) = (&at_work, &caller, &work);
    std::thread::scope(|scope| {
        let start = |terms| {
            scope.spawn(move || {
                let _done = Done { at_work, caller };
                work(terms)
            })
        };
        let workers: Vec<_> = terms.into_iter().map(start).collect();
        while at_work.load(Ordering::Acquire) > 0 {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| tending.look())) {
                // Nobody looks after the search any more.
                tending.stop();
                resume_unwind(payload);
            }
            std::thread::park_timeout(TICK);
        }
        let results = workers.into_iter().map(|worker| worker.join());
        results.map(|result| result.unwrap_or_else(|payload| resume_unwind(payload))).collect()
    })
}

/// Tells the caller, when it is dropped, that a worker is done.
struct Done<'a> {
    at_work: &'a AtomicUsize,
    caller: &'a Thread,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.at_work.fetch_sub(1, Ordering::Release);
        self.caller.unpark();
    }
}
