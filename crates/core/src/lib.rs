//! The executing side of Caissa: what runs a program under a schedule and reports what came of it.
//!
//! A search (in `caissa-search`) makes [`Job`]s. A front end runs the program; at every [`Op`] it asks the [`Execution`]
//! which task goes on. The execution follows the job's prefix, then its [`Guide`], notes the options that it leaves for
//! later, and returns an [`Outcome`]. Nothing here prints, reads a clock, starts a thread or draws a random number of
//! its own, so it also runs inside another program's process.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod class;
mod execution;
pub mod fair;
mod finding;
pub mod guide;
mod job;
mod liveness;
mod op;
pub mod race;
mod schedule;
mod seen;
mod source;
mod task;
mod trace;
mod walk;

pub use execution::{Execution, Guides, Next};
pub use finding::{
    Blocked, Bug, Checker, DeadlockChecker, Ending, Failure, LivenessChecker, PanicChecker, PanicNote,
    RaceChecker, Word,
};
pub use guide::{Delaying, DelayingObject, Guide, GuideSpec, Point};
pub use job::{AtCut, Choice, Cost, Cut, Job, Limit, Outcome, Record, Scope};
pub use liveness::{Cycle, Repeat};
pub use op::{MemoryOrder, ObjectId, ObjectKind, Op, OpKind, Pending};
pub use race::{DataAccess, Race, Tag};
pub use schedule::{Difference, FrontEnd, Identity, PointSet, Schedule, ScheduleError, Stop};
pub use source::{Code, Place, Source};
pub use task::{TaskId, TaskSet};
pub use trace::{Event, Note, Trace};
