//! A check from beginning to end, for any front end: search, confirm, minimise, report.
//!
//! A front end knows how to run its programs under a schedule ([`Subject`](caissa_search::Subject)) and what to call things ([`FrontEnd`], [`Words`]). A
//! [`Check`] does the rest, the same for all of them: it looks whether the program does the same twice, lets workers search, minds
//! budgets, interrupts and resume files, says how far it is, replays what fails and makes it small, and returns a [`Report`], which is
//! data, text and JSON.
//!
//! `tests/toy` is the smallest front end, and shows how to plug one in.
#![forbid(unsafe_code)]

mod check;
mod front_end;
mod progress;
mod report;
mod resume;
mod settings;
mod tending;
mod threads;
mod words;

pub use check::{Answered, Check, StatesExplored, say};
pub use front_end::{Broken, FrontEnd, Interrupts, Reliance, Sealing, Terms};
pub use report::{Answers, CutOff, Divergence, Finding, Report, describe_lost};
pub use settings::{Error, Points, Search, Settings, read_schedule};
pub use tending::Tending;
pub use threads::on_threads;
pub use words::{Assumed, Words};
