//! Settings of native programs beside those of every check.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use caissa_wire::Mode;

/// How executions are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeSetting {
    /// In one process as long as that will do, in copies else.
    Auto,
    /// As said.
    Only(Mode),
}

/// How a program is run.
#[derive(Clone, Debug)]
pub struct NativeSettings {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// How executions are run.
    pub mode: ModeSetting,
    /// How long a program may not get on before it is stopped.
    pub hang: Duration,
    /// Megabytes that the program may allocate in an execution.
    pub heap: u64,
    /// Accesses of data that a task may do between two points.
    pub patience: u64,
    /// Whether an exit with another code than 0 is a bug.
    pub exit_fails: bool,
    /// Whether the program's output is let through.
    pub output: bool,
    /// Whether the program is written in Rust.
    pub rust: bool,
    /// Whether atomic accesses of Rust's library that are nobody else's business are points as well; for testing that they need not be.
    pub all_atomics: bool,
    /// Whether the program is a harness that runs tests on threads of their own: executions begin with the first of these.
    pub harness: bool,
    /// The directory that it is run in, if not this one.
    pub directory: Option<PathBuf>,
    /// What its environment has besides.
    pub environment: Vec<(OsString, OsString)>,
    /// The processors of its workers begin with this one.
    pub processor: u32,
    /// Whether a debugger is started where something goes wrong; for a single execution.
    pub debugger: bool,
    /// Functions, classes or files in which tasks are not preempted.
    pub no_preempt: Vec<String>,
    /// Those outside of which they are not.
    pub preempt_only: Vec<String>,
}

impl NativeSettings {
    /// The defaults, for a program.
    pub fn new(program: PathBuf) -> NativeSettings {
        NativeSettings {
            program,
            arguments: Vec::new(),
            mode: ModeSetting::Auto,
            hang: Duration::from_secs(10),
            heap: 1024,
            patience: 50_000_000,
            exit_fails: false,
            output: false,
            rust: false,
            all_atomics: false,
            harness: false,
            directory: None,
            environment: Vec::new(),
            processor: 0,
            debugger: false,
            no_preempt: Vec::new(),
            preempt_only: Vec::new(),
        }
    }
}
