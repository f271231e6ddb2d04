//! Why a check could not be made.

use std::fmt;
use std::path::PathBuf;

use caissa_core::ScheduleError;

/// Why a check could not be made. The messages say what to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A setting has a value that makes no sense.
    Setting {
        /// The setting, by its name in [`Settings`](crate::Settings).
        name: String,
        /// What was given.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// A schedule string could not be read.
    Schedule(ScheduleError),
    /// A schedule was made under other settings.
    OtherSettings(String),
    /// A trace file could not be read or written.
    TraceFile {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// A resume file could not be read or written, or belongs to something else.
    ResumeFile {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        why: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Setting { name, value, expected } => {
                write!(f, "the setting `{name}` is `{value}`, but must be {expected}")
            }
            Error::Schedule(error) => error.fmt(f),
            Error::OtherSettings(difference) => {
                write!(
                    f,
                    "this schedule was made under other settings and means something else here: {difference}"
                )
            }
            Error::TraceFile { path, why } => write!(f, "trace file {}: {why}", path.display()),
            Error::ResumeFile { path, why } => write!(f, "resume file {}: {why}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
