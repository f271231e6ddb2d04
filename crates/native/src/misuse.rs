//! Why a native program could not be checked.

use std::fmt;
use std::path::PathBuf;

/// Why a check could not be made, and what to do.
#[derive(Clone, Debug)]
pub enum NativeError {
    /// A mistake in the settings, or a file that cannot be used.
    Check(String),
    /// The program could not be started.
    NotStarted {
        /// Which.
        program: PathBuf,
        /// Why.
        error: String,
    },
    /// The program did not say that it is under control.
    NoHandshake {
        /// Which.
        program: PathBuf,
        /// How it ended, if it has.
        ended: String,
    },
    /// It was built with another version of the runtime.
    OtherVersion(PathBuf),
    /// The runtime refuses to run it so.
    Refused(String),
    /// It does what cannot be controlled.
    Misused {
        /// What, with the name of the task.
        what: String,
        /// The places on its stack, the innermost first.
        stack: Vec<String>,
    },
    /// The process that runs executions is gone.
    Died(String),
    /// The user has interrupted it, and an execution that the answer hangs on did not end.
    Interrupted,
    /// Something of the system's failed.
    System(String),
}

impl fmt::Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NativeError::Check(text) => f.write_str(text),
            NativeError::NotStarted { program, error } => {
                write!(f, "{} cannot be started: {error}", program.display())
            }
            NativeError::NoHandshake { program, ended } => {
                let program = program.display();
                write!(
                    f,
                    "{program} did not come under control{ended}\nhelp: build it with `caissa cc` or `caissa c++` (as in `make CC=\"caissa cc\"`), or give \
                     `caissa check` its source. Static executables cannot be checked, nor those whose loader ignores its libraries."
                )
            }
            NativeError::OtherVersion(program) => {
                write!(
                    f,
                    "{} was built with another version of caissa\nhelp: build it again",
                    program.display()
                )
            }
            NativeError::Refused(why) => {
                write!(f, "the program cannot be run like this: {why}\nhelp: try --mode fork")
            }
            NativeError::Misused { what, stack } => {
                write!(f, "{what}")?;
                stack.iter().try_for_each(|place| write!(f, "\n  at {place}"))?;
                write!(f, "\nhelp: docs/native.md says what can be under control, and what cannot")
            }
            NativeError::Died(how) => write!(f, "the process that runs executions is gone{how}"),
            NativeError::Interrupted => {
                write!(f, "interrupted, in the course of an execution that did not come to its end")
            }
            NativeError::System(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for NativeError {}

impl From<caissa_check::Error> for NativeError {
    fn from(error: caissa_check::Error) -> NativeError {
        NativeError::Check(error.to_string())
    }
}
