//! The OS threads on which checks run their executions.
//!
//! The thread that calls a check runs it, unless it has several workers: waking another thread costs more than a small check.
//! What else is to be done in the meantime is done by an attendant, a thread that looks every now and then and need not be woken
//! for that.
//!
//! Starting a thread costs even more, so the calling thread keeps those it has started, for its next check. It keeps them to
//! itself: what they print goes where its own output goes, under a test harness that captures it, and their name is its own.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use crate::rt::recount::forget_abandoned_panics;

/// How many workers a caller keeps.
const MAX_KEPT: usize = 16;

/// How often an attendant looks after its duty.
const TICK: Duration = Duration::from_millis(20);

/// An attendant that has had no duty for so many ticks goes to sleep, and has to be woken for the next one.
const IDLE_TICKS: u32 = 50;

thread_local! {
    static KEPT: RefCell<Vec<Worker>> = const { RefCell::new(Vec::new()) };
    static ATTENDANT: RefCell<Option<Attendant>> = const { RefCell::new(None) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread with the name of this one.
fn start(run: impl FnOnce() + Send + 'static) -> Thread {
    let name = std::thread::current().name().unwrap_or("caissa").to_owned();
    let started = std::thread::Builder::new().name(name).spawn(run);
    started.expect("the system can start a thread for each worker").thread().clone()
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
        let inside = Arc::clone(&post);
        let thread = start(move || wait_for_work(&inside));
        Worker { post, thread }
    }

    fn give(&self, work: Work) {
        *lock(&self.post.work) = Some(work);
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
        let work = lock(&post.work).take();
        match work {
            Some(work) => work(),
            None if closed => return,
            None => std::thread::park(),
        }
    }
}

/// What an attendant is to do again and again.
type Duty = *mut (dyn FnMut() + Send);

/// What an attendant and its caller share.
#[derive(Default)]
struct Desk {
    duty: Option<Duty>,
    /// The duty panicked, with this.
    panic: Option<Box<dyn Any + Send>>,
    asleep: bool,
    closed: bool,
}

// SAFETY: a duty can be sent, and is done with the desk locked.
unsafe impl Send for Desk {}

/// A thread that looks after something. It ends when this is dropped.
struct Attendant {
    desk: Arc<Mutex<Desk>>,
    thread: Thread,
}

impl Attendant {
    /// The one that was kept, or a new one.
    fn take() -> Attendant {
        let kept = ATTENDANT.try_with(|kept| kept.borrow_mut().take());
        kept.ok().flatten().unwrap_or_else(|| {
            let desk = Arc::new(Mutex::new(Desk::default()));
            let inside = Arc::clone(&desk);
            let thread = start(move || attend(&inside));
            Attendant { desk, thread }
        })
    }

    fn keep(self) {
        let _ = ATTENDANT.try_with(|kept| *kept.borrow_mut() = Some(self));
    }

    /// Does `run` while the attendant does `duty` every now and then.
    fn during<R>(&self, mut duty: impl FnMut() + Send, run: impl FnOnce() -> R) -> R {
        /// Takes the duty back; waits for the attendant if it is at it.
        struct TakeBack<'a>(&'a Mutex<Desk>);
        impl Drop for TakeBack<'_> {
            fn drop(&mut self) {
                lock(self.0).duty = None;
            }
        }
        let duty: *mut (dyn FnMut() + Send + '_) = &raw mut duty;
        // SAFETY: only the lifetime changes. The desk is locked whenever the duty is done, and it is off the desk before the
        // closure behind it ends, also while this unwinds.
        let duty = unsafe { std::mem::transmute::<*mut (dyn FnMut() + Send + '_), Duty>(duty) };
        let mut desk = lock(&self.desk);
        desk.duty = Some(duty);
        let asleep = std::mem::take(&mut desk.asleep);
        drop(desk);
        let take_back = TakeBack(&self.desk);
        if asleep {
            self.thread.unpark();
        }
        let result = run();
        drop(take_back);
        let panic = lock(&self.desk).panic.take();
        panic.map_or(result, |payload| resume_unwind(payload))
    }
}

impl Drop for Attendant {
    fn drop(&mut self) {
        lock(&self.desk).closed = true;
        self.thread.unpark();
    }
}

fn attend(desk: &Mutex<Desk>) {
    let mut idle = 0;
    loop {
        let mut state = lock(desk);
        if state.closed {
            return;
        }
        if let Some(duty) = state.duty {
            idle = 0;
            // SAFETY: a duty on the desk is alive, and nobody else does it.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| unsafe { (*duty)() })) {
                state.duty = None;
                state.panic = Some(payload);
            }
        } else if !state.asleep {
            idle += 1;
            state.asleep = idle > IDLE_TICKS;
        }
        let asleep = state.asleep;
        drop(state);
        if asleep {
            std::thread::park();
        } else {
            std::thread::park_timeout(TICK);
        }
    }
}

/// Where work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On this thread, by one worker. It must not be panicking.
    Here,
    /// On so many threads of their own.
    Away(usize),
}

/// Runs `work` at a place, on each thread with its number there; calls `meanwhile` every now and then, on yet another thread,
/// until all have returned. `work` also says whether its thread can be used again.
///
/// # Panics
/// If `work` panics, with what it panicked with, after all have ended; and if `meanwhile` does.
pub(crate) fn on_threads<R: Send>(
    place: Place,
    work: impl Fn(usize) -> (R, bool) + Sync,
    meanwhile: impl FnMut() + Send,
) -> Vec<R> {
    let attendant = Attendant::take();
    let outcomes = match place {
        Place::Here => vec![attendant.during(meanwhile, || here(|| work(0)))],
        Place::Away(count) => {
            let workers: Vec<Worker> = (0..count).map(|_| Worker::take()).collect();
            let outcomes = attendant.during(meanwhile, || away(&workers, &work));
            // Not before `meanwhile` is over, which may know the threads.
            for (worker, outcome) in workers.into_iter().zip(&outcomes) {
                if matches!(outcome, Ok((_, true))) {
                    worker.keep();
                }
            }
            outcomes
        }
    };
    attendant.keep();
    let results =
        outcomes.into_iter().map(|outcome| outcome.unwrap_or_else(|payload| resume_unwind(payload)).0);
    results.collect()
}

/// Runs `work` on this thread, which is no more panicking afterwards than before.
fn here<R>(work: impl FnOnce() -> R) -> std::thread::Result<R> {
    let outcome = catch_unwind(AssertUnwindSafe(work));
    // Without another thread it stays as it is.
    let _ = forget_abandoned_panics();
    outcome
}

/// Runs `work` on all of the workers.
fn away<R: Send>(workers: &[Worker], work: &(impl Fn(usize) -> R + Sync)) -> Vec<std::thread::Result<R>> {
    let outcomes: Vec<Mutex<Option<std::thread::Result<R>>>> =
        workers.iter().map(|_| Mutex::new(None)).collect();
    let at_work = AllReturn { at_work: AtomicUsize::new(0) };
    for (index, (worker, outcome)) in workers.iter().zip(&outcomes).enumerate() {
        let at_work = &at_work.at_work;
        let caller = std::thread::current();
        let run = move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(index)));
            *lock(outcome) = Some(result);
            at_work.fetch_sub(1, Ordering::Release);
            caller.unpark();
        };
        at_work.fetch_add(1, Ordering::Relaxed);
        let run: Box<dyn FnOnce() + Send + '_> = Box::new(run);
        // SAFETY: only the lifetime changes. What it borrows lives until this function returns, which `AllReturn` delays, also
        // while it unwinds, until `run` has borrowed for the last time.
        worker.give(unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Work>(run) });
    }
    at_work.wait();
    let outcomes = outcomes.into_iter();
    let outcome = |outcome: Mutex<Option<_>>| outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.map(|result| outcome(result).expect("all have returned")).collect()
}

/// Waits, when it is dropped, until nobody is at work.
struct AllReturn {
    at_work: AtomicUsize,
}

impl AllReturn {
    fn wait(&self) {
        while self.at_work.load(Ordering::Acquire) > 0 {
            std::thread::park();
        }
    }
}

impl Drop for AllReturn {
    fn drop(&mut self) {
        self.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current};

    use super::*;

    fn id() -> ThreadId {
        current().id()
    }

    #[test]
    fn threads_are_used_again_unless_they_must_not() {
        assert_eq!(on_threads(Place::Here, |n| ((n, id()), true), || {}), [(0, id())]);
        let once = |usable| on_threads(Place::Away(1), |_| (id(), usable), || {})[0];
        let first = once(true);
        assert_ne!(first, id());
        assert_eq!(once(false), first);
        assert_ne!(once(true), first);
        assert_eq!(on_threads(Place::Away(3), |n| (n, true), || {}), [0, 1, 2]);
    }

    #[test]
    fn a_panic_comes_back_when_all_have_ended() {
        let ended = AtomicUsize::new(0);
        let work = |n: usize| {
            if n == 0 {
                resume_unwind(Box::new("mine"));
            }
            std::thread::sleep(Duration::from_millis(20));
            ended.fetch_add(1, Ordering::Relaxed);
            ((), true)
        };
        let payload = catch_unwind(AssertUnwindSafe(|| on_threads(Place::Away(3), work, || {}))).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"mine"));
        assert_eq!(ended.load(Ordering::Relaxed), 2);
        let payload = catch_unwind(AssertUnwindSafe(|| on_threads(Place::Here, work, || {}))).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"mine"));
    }

    /// Waits on the calling thread until the attendant has looked so many times. Returns who looked.
    fn be_looked_after(times: usize) -> ThreadId {
        let looks = AtomicUsize::new(0);
        let by = Mutex::new(None);
        let wait = |_| {
            while looks.load(Ordering::Acquire) < times {
                std::thread::yield_now();
            }
            ((), true)
        };
        on_threads(Place::Here, wait, || {
            *lock(&by) = Some(id());
            looks.fetch_add(1, Ordering::Release);
        });
        by.into_inner().unwrap().unwrap()
    }

    #[test]
    fn one_attendant_looks_again_and_again_also_after_it_has_slept() {
        let attendant = be_looked_after(3);
        assert_ne!(attendant, id());
        assert_eq!(be_looked_after(1), attendant);
        let asleep = || ATTENDANT.with_borrow(|kept| lock(&kept.as_ref().unwrap().desk).asleep);
        while !asleep() {
            std::thread::sleep(TICK);
        }
        assert_eq!(be_looked_after(2), attendant);
        assert!(!asleep());
    }

    #[test]
    fn a_panic_of_the_attendant_comes_back_and_the_next_duty_is_done() {
        let panicked = AtomicBool::new(false);
        let work = |_| {
            while !panicked.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            ((), true)
        };
        let duty = || {
            panicked.store(true, Ordering::Release);
            resume_unwind(Box::new("its"));
        };
        let payload = catch_unwind(AssertUnwindSafe(|| on_threads(Place::Here, work, duty))).unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"its"));
        be_looked_after(1);
    }
}
