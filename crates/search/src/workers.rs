//! Workers: any number of subjects on one search.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use caissa_core::Outcome;

use crate::{JobId, Next, Search, Stopped, Subject};

/// A search that several threads work on. The front end starts the threads, since a subject may be tied to its own.
pub struct Workers<S> {
    search: Mutex<S>,
    learned: Condvar,
    /// How many wait to learn something. Changed with the search locked; waking nobody would still be a system call.
    waiting: AtomicUsize,
}

impl<S: Search> Workers<S> {
    /// Shares a search.
    pub fn new(search: S) -> Workers<S> {
        Workers { search: Mutex::new(search), learned: Condvar::new(), waiting: AtomicUsize::new(0) }
    }

    /// The search itself, for a look at it or to stop it.
    pub fn search(&self) -> MutexGuard<'_, S> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs jobs on `subject` until the search is done (true), or until the subject cannot go on (false).
    pub fn work<T: Subject>(&self, subject: &mut T) -> bool {
        while subject.can_go_on() {
            let mut search = self.search();
            let (id, job) = loop {
                match search.next() {
                    Next::Run(id, job) => break (id, job),
                    Next::Wait => {
                        self.waiting.fetch_add(1, Ordering::Relaxed);
                        search = self.learned.wait(search).unwrap_or_else(PoisonError::into_inner);
                        self.waiting.fetch_sub(1, Ordering::Relaxed);
                    }
                    Next::Done => {
                        self.wake();
                        return true;
                    }
                }
            };
            drop(search);
            let lost = LostJob { workers: self, id };
            let outcome = subject.run(&job);
            std::mem::forget(lost);
            let mut search = self.search();
            search.learn(id, outcome);
            self.wake();
        }
        false
    }

    /// Wakes those that wait. To be called with the search locked, after a change to it.
    fn wake(&self) {
        if self.waiting.load(Ordering::Relaxed) > 0 {
            self.learned.notify_all();
        }
    }

    /// The search, when all work is done.
    pub fn into_search(self) -> S {
        self.search.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job whose subject panicked: the search ends, so that no other worker waits for it.
struct LostJob<'a, S: Search> {
    workers: &'a Workers<S>,
    id: JobId,
}

impl<S: Search> Drop for LostJob<'_, S> {
    fn drop(&mut self) {
        let mut search = self.workers.search();
        search.stop(Stopped::Asked);
        search.learn(self.id, Outcome::default());
        self.workers.wake();
    }
}
