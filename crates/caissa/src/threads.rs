//! The OS threads on which checks run their executions.
//!
//! Starting a thread costs more than a small check, so the thread that calls a check keeps those it has started, for its next
//! one. It keeps them to itself: what they print goes where its own output goes, under a test harness that captures it, and
//! their name is its own.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

/// How many threads a caller keeps.
const MAX_KEPT: usize = 16;

thread_local! {
    static KEPT: RefCell<Vec<Worker>> = const { RefCell::new(Vec::new()) };
}

type Work = Box<dyn FnOnce() + Send>;

/// What a thread is to do next.
#[derive(Default)]
struct Post {
    work: Mutex<Option<Work>>,
    closed: AtomicBool,
}

/// A thread that waits for work. It ends when this is dropped.
struct Worker {
    post: Arc<Post>,
    thread: Thread,
}

impl Worker {
    /// One that was kept, or a new one.
    fn take() -> Worker {
        let kept = KEPT.try_with(|kept| kept.borrow_mut().pop());
        kept.ok().flatten().unwrap_or_else(Worker::start)
    }

    fn start() -> Worker {
        let post = Arc::new(Post::default());
        let name = std::thread::current().name().unwrap_or("caissa").to_owned();
        let inside = Arc::clone(&post);
        let handle = std::thread::Builder::new()
            .name(name)
            .spawn(move || wait_for_work(&inside))
            .expect("the system can start a thread for each worker");
        Worker { post, thread: handle.thread().clone() }
    }

    fn give(&self, work: Work) {
        *self.post.work.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
        self.thread.unpark();
    }

    fn keep(self) {
        // If this thread is about to end, the worker ends here.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < MAX_KEPT {
                kept.push(self);
            }
        });
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.post.closed.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

fn wait_for_work(post: &Post) {
    loop {
        // Asked before the work is looked for: what was given before it was closed is still done.
        let closed = post.closed.load(Ordering::Acquire);
        let work = post.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        match work {
            Some(work) => work(),
            None if closed => return,
            None => std::thread::park(),
        }
    }
}

/// Runs `work` on a number of threads, each with its number, and calls `meanwhile` again and again until all have returned;
/// it should park, and is unparked when one has. `work` also says whether its thread can be used again.
///
/// # Panics
/// If `work` panics, with what it panicked with, after all have ended.
pub(crate) fn on_threads<R: Send>(
    count: usize,
    work: impl Fn(usize) -> (R, bool) + Sync,
    mut meanwhile: impl FnMut(),
) -> Vec<R> {
    type Outcome<R> = std::thread::Result<(R, bool)>;
    let outcomes: Vec<Mutex<Option<Outcome<R>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let at_work = AllReturn { at_work: AtomicUsize::new(0) };
    let workers: Vec<Worker> = (0..count).map(|_| Worker::take()).collect();
    for (index, worker) in workers.iter().enumerate() {
        let (work, outcome, at_work) = (&work, &outcomes[index], &at_work.at_work);
        let caller = std::thread::current();
        let run = move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(index)));
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            at_work.fetch_sub(1, Ordering::Release);
            caller.unpark();
        };
        at_work.fetch_add(1, Ordering::Relaxed);
        let run: Box<dyn FnOnce() + Send + '_> = Box::new(run);
        // SAFETY: only the lifetime changes. What it borrows lives until this function returns, which `AllReturn` delays, also
        // while it unwinds, until `run` has borrowed for the last time.
        worker.give(unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Work>(run) });
    }
    while at_work.at_work.load(Ordering::Acquire) > 0 {
        meanwhile();
    }
    let mut results = Vec::with_capacity(count);
    let mut panic = None;
    for (worker, outcome) in workers.into_iter().zip(outcomes) {
        match outcome.into_inner().unwrap_or_else(PoisonError::into_inner).expect("all have returned") {
            Ok((result, usable)) => {
                results.push(result);
                if usable {
                    worker.keep();
                }
            }
            Err(payload) => panic = Some(payload),
        }
    }
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
    results
}

/// Waits, when it is dropped, until nobody is at work.
struct AllReturn {
    at_work: AtomicUsize,
}

impl Drop for AllReturn {
    fn drop(&mut self) {
        while self.at_work.load(Ordering::Acquire) > 0 {
            std::thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_used_again_unless_they_must_not() {
        let id = || std::thread::current().id();
        let once = |usable| on_threads(1, |_| (id(), usable), std::thread::park)[0];
        let first = once(true);
        assert_ne!(first, id());
        assert_eq!(once(false), first);
        assert_ne!(once(true), first);
        let mut both = on_threads(2, |n| (n, true), std::thread::park);
        both.sort();
        assert_eq!(both, [0, 1]);
    }

    #[test]
    fn a_panic_comes_back_when_all_have_ended() {
        let ended = AtomicUsize::new(0);
        let work = |n: usize| {
            if n == 0 {
                resume_unwind(Box::new("mine"));
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            ended.fetch_add(1, Ordering::Relaxed);
            ((), true)
        };
        let payload = catch_unwind(AssertUnwindSafe(|| on_threads(3, work, std::thread::park))).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"mine"));
        assert_eq!(ended.load(Ordering::Relaxed), 2);
    }
}
