//! Caissa finds, explains and replays concurrency bugs.
//!
//! A test is a closure. [`check`] runs it again and again, each time under a schedule that it controls, in order of
//! increasing preemptions, until it finds a bug or has covered every schedule within the bound. Inside the closure use
//! [`sync`], [`thread`], [`time`] and [`hint`] where you would use std's modules of the same name; everything else stays as it is.
//!
//! ```
//! use caissa::sync::Arc;
//! use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
//! use caissa::thread;
//!
//! caissa::check(|| {
//!     let counter = Arc::new(AtomicUsize::new(0));
//!     let other = {
//!         let counter = Arc::clone(&counter);
//!         thread::spawn(move || counter.fetch_add(1, SeqCst))
//!     };
//!     counter.fetch_add(1, SeqCst);
//!     other.join().unwrap();
//!     assert_eq!(counter.load(SeqCst), 2);
//! });
//! ```
//!
//! Had each task read the counter and written it back in two steps, the check would have panicked with a report: what
//! went wrong, the steps that led there in a column for each task, and a line that replays exactly that schedule.
//!
//! A check that passes has a bound: by default, no schedule with at most two preemptions fails. [`Builder`] sets other
//! bounds, other searches and budgets; [`Builder::explore`] returns the [`Report`] instead of panicking.
//!
//! What holds the closure to one behaviour per schedule is up to it: it must not depend on time, random numbers or
//! addresses, and every execution must start from the same state. Caissa notices when it does not, and says so.

pub mod cell;
mod check;
pub mod future;
pub mod hint;
mod rt;
mod seal;
mod settings;
mod state;
pub mod sync;
pub mod thread;
mod threads;
pub mod time;

pub use caissa_check::{CutOff, Divergence, Finding, Report};
pub use caissa_core::guide::{DepthFirst, RoundRobin, SkippingDepthFirst};
pub use caissa_core::{
    Blocked, Bug, Cost, Cycle, DataAccess, Delaying, Event, Note, Op, OpKind, PanicNote, Repeat, Schedule,
    TaskId, TaskSet, Trace,
};
pub use caissa_search::{BoundSummary, Finder, Policy, Sampled, Side, Stopped, Summary, Verdict};
pub use check::{check, replay};
pub use rt::Misuse;
pub use rt::monitor::{EXIT_CRASH, EXIT_STACK_OVERFLOW, EXIT_STUCK};
pub use seal::{NoPreempt, PreemptOnly, no_preempt, preempt_only};
pub use settings::{Builder, Error, Points, Search};
pub use state::state;

/// A value below `n`: a choice that the check explores like any other, at no cost. Outside a check it is 0.
///
/// # Panics
/// If `n` is 0.
#[track_caller]
pub fn choose(n: usize) -> usize {
    let source = std::panic::Location::caller();
    match rt::current() {
        Some(rt) => match u32::try_from(n) {
            Ok(0) | Err(_) => rt.misuse(Misuse::NothingToChoose { count: n, source }),
            Ok(n) => rt.choose(n, source) as usize,
        },
        None => {
            assert!(n > 0, "{}", Misuse::NothingToChoose { count: n, source });
            0
        }
    }
}
