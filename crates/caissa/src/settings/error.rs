//! Why a check could not be made.

use std::fmt;
use std::path::PathBuf;

use caissa_core::ScheduleError;

use crate::rt::Misuse;

/// Why a check could not be made. The messages say what to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A setting has a value that makes no sense.
    Setting {
        /// The setting, as the builder or the environment calls it.
        name: String,
        /// What was given.
        value: String,
        /// What is expected.
        expected: String,
    },
    /// The environment has a `CAISSA_` variable that means nothing.
    UnknownVariable {
        /// The variable.
        name: String,
        /// Those that mean something, without `CAISSA_`.
        known: String,
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
    /// The program was built with `panic = "abort"`.
    PanicsAbort,
    /// The library was used in a way that makes the check meaningless.
    Misuse(Misuse),
}

impl From<caissa_check::Error> for Error {
    fn from(error: caissa_check::Error) -> Error {
        use caissa_check::Error as Common;
        match error {
            Common::Setting { name, value, expected } => Error::Setting { name, value, expected },
            Common::Schedule(error) => Error::Schedule(error),
            Common::OtherSettings(difference) => Error::OtherSettings(difference),
            Common::TraceFile { path, why } => Error::TraceFile { path, why },
            Common::ResumeFile { path, why } => Error::ResumeFile { path, why },
        }
    }
}

impl Error {
    /// The same as every front end has it.
    fn common(&self) -> Option<caissa_check::Error> {
        use caissa_check::Error as Common;
        Some(match self.clone() {
            Error::Setting { name, value, expected } => Common::Setting { name, value, expected },
            Error::Schedule(error) => Common::Schedule(error),
            Error::OtherSettings(difference) => Common::OtherSettings(difference),
            Error::TraceFile { path, why } => Common::TraceFile { path, why },
            Error::ResumeFile { path, why } => Common::ResumeFile { path, why },
            Error::UnknownVariable { .. } | Error::PanicsAbort | Error::Misuse(_) => return None,
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownVariable { name, known } => {
                write!(f, "the environment variable {name} is not known; after `CAISSA_` may come {known}")
            }
            Error::PanicsAbort => f.write_str(
                "this program was built with `panic = \"abort\"`, and executions that end early have to be unwound. Build it with \
                 `panic = \"unwind\"`, the default",
            ),
            Error::Misuse(misuse) => misuse.fmt(f),
            shared => shared.common().expect("every front end has it").fmt(f),
        }
    }
}

impl std::error::Error for Error {}
