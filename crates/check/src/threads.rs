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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use caissa_core::Identity;

    use super::*;

    fn terms(count: usize) -> Vec<Terms> {
        let pulse = Arc::default();
        let one =
            Terms { identity: Identity::MODEL, classes: false, races: false, promoted: Vec::new(), pulse };
        vec![one; count]
    }

    #[test]
    fn results_come_in_the_order_of_the_terms() {
        let mut terms = terms(3);
        terms.iter_mut().zip(7..).for_each(|(terms, number)| terms.promoted.push(number));
        let results = on_threads(terms, &mut Tending::of_nothing(), |terms| terms.promoted[0]);
        assert_eq!(results, [7, 8, 9]);
    }

    #[test]
    fn a_panic_comes_back_when_all_have_ended() {
        let ended = AtomicUsize::new(0);
        let mut terms = terms(3);
        terms[0].races = true;
        let run = || {
            on_threads(terms, &mut Tending::of_nothing(), |terms| {
                if terms.races {
                    resume_unwind(Box::new("mine"));
                }
                ended.fetch_add(1, Ordering::Relaxed);
            })
        };
        let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"mine"));
        assert_eq!(ended.load(Ordering::Relaxed), 2);
    }
}
