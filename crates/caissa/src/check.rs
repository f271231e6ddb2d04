//! Checks of closures: what users call. The check itself is caissa-check's; [`library`] is its front end.

mod again;
mod interrupt;
mod library;
mod watching;
mod words;

use std::cell::Cell;
use std::panic::Location;
use std::sync::Arc;

use caissa_check::{Check, Report, read_schedule, say};
use caissa_search::Verdict;

use self::library::Library;
use crate::rt::sealing::Seals;
use crate::rt::{self, Misuse};
use crate::settings::{Builder, Error};

/// Checks a closure with the default settings: explores its schedules in order of increasing preemptions, and those of larger
/// programs also in other ways ([`Search::Auto`](crate::Search::Auto)).
///
/// A panic hook that the program sets after the first check hides from reports where tasks panicked; a task that calls
/// `std::process::exit` ends the process without a word from here.
///
/// # Panics
/// If a bug is found, with a report and the line that replays it; if the program does not behave the same way under
/// the same schedule; and if the library is used in a way that makes the check meaningless.
#[track_caller]
pub fn check<F>(f: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().check(f);
}

/// Replays a schedule of a closure and panics with the report if it shows a bug.
///
/// # Panics
/// Also if the schedule cannot be read, or the program does not follow it.
#[track_caller]
pub fn replay<F>(schedule: &str, f: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().replay(schedule).check(f);
}

impl Builder {
    /// Checks a closure.
    ///
    /// # Panics
    /// As [`check`].
    #[track_caller]
    pub fn check<F>(self, f: F)
    where
        F: Fn() + Send + Sync + 'static,
    {
        match self.explore(f) {
            Err(error) => panic!("caissa: {error}"),
            Ok(report) => match report.verdict {
                Verdict::Bug | Verdict::Diverged => panic!("{report}"),
                Verdict::Incomplete if report.must_be_complete() => panic!("{report}"),
                Verdict::Incomplete | Verdict::Verified | Verdict::Bounded => say(format_args!("{report}")),
            },
        }
    }

    /// Explores a closure and returns what came of it; a bug is not an error here.
    ///
    /// # Errors
    /// If a setting makes no sense, or the library is used in a way that makes the check meaningless.
    #[track_caller]
    pub fn explore<F>(self, f: F) -> Result<Report, Error>
    where
        F: Fn() + Send + Sync + 'static,
    {
        explore(self, Arc::new(f), Location::caller())
    }
}

/// As [`Builder::explore`]. Programs have many closures: what is not generic is compiled once.
fn explore(
    builder: Builder,
    f: Arc<dyn Fn() + Send + Sync>,
    source: &'static Location<'static>,
) -> Result<Report, Error> {
    if let Some(rt) = rt::current() {
        rt.misuse(Misuse::NestedCheck);
    }
    if cfg!(panic = "abort") {
        return Err(Error::PanicsAbort);
    }
    let builder = builder.with_environment()?;
    builder.validate()?;
    let seals = builder.seals()?;
    let number = CHECKS.with(|checks| checks.replace(checks.get() + 1) + 1);
    let settings = builder.settings.clone();
    let schedule = builder.replay.as_deref().map(read_schedule).transpose();
    let asked = builder.check_number.is_none_or(|n| n == number);
    let library = |seals| Library::new(builder, f, source, number, seals);
    // A schedule says by itself where tasks are left.
    match schedule?.filter(|_| asked) {
        Some((schedule, file)) => {
            Check::new(library(Seals::ignored()), settings)?.replay(&schedule, file.as_deref())
        }
        None => Check::new(library(seals), settings)?.search(),
    }
}

thread_local! {
    /// How many checks this thread has begun. A test that makes several has to say which one a schedule belongs to.
    static CHECKS: Cell<u32> = const { Cell::new(0) };
}
