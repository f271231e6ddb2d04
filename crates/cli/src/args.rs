//! The command line: commands and options, with their help.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use caissa_native::ModeSetting;
use clap::builder::RangedI64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde::{Deserialize, Serialize};

/// Finds, explains and replays concurrency bugs
#[derive(Debug, Parser)]
#[command(name = "caissa", version, max_term_width = 100)]
pub struct Command {
    /// What to do.
    #[command(subcommand)]
    pub what: What,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Checks a program or a model: explores its schedules in order of increasing cost, or all states of a model
    ///
    /// Exit codes: 0 nothing found, 1 a bug, 2 a mistake in the input or the call, 3 diverged, 4 incomplete
    /// although --complete was given, 130 interrupted.
    Check(Check),
    /// Verifies a model: all its schedules within rounds or delays, and all its inputs, by a solver
    ///
    /// The model becomes a sequential program, and that a formula. Bounds grow from the smallest ones to those that are given; the first
    /// bug is reported with the bounds that it needs. Exit codes as for check.
    Verify(Verify),
    /// Replays a schedule (cai1:...) or a trace file and shows what it does
    Replay(Replay),
    /// Compiles C in a compiler's place, so that the program can be checked: make CC="caissa cc"
    #[command(disable_help_flag = true)]
    Cc(Compiler),
    /// Compiles C++ in a compiler's place: make CXX="caissa c++"
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(Compiler),
    /// Says what this machine lacks for checking native programs, and how to get it
    Doctor,
    /// Formats models in place
    Fmt(Fmt),
    /// Prints a completion script for a shell
    Completions {
        /// For which shell.
        shell: Shell,
    },
}

/// Which executions are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Search {
    /// Preemption bounds first, then other searches beside them; all states if the engine is explicit.
    Auto,
    /// By increasing number of preemptions.
    Preemptions,
    /// By increasing number of delays of a delaying scheduler.
    Delays,
    /// By increasing number of context switches.
    Contexts,
    /// By increasing number of steps.
    Depth,
    /// Every schedule, depth first.
    Dfs,
    /// Every state, breadth first (explicit engine).
    Bfs,
    /// Random walks.
    Random,
    /// Probabilistic concurrency testing.
    Pct,
    /// Partial order sampling.
    Pos,
    /// Selectively uniform random walks.
    Surw,
}

impl Search {
    /// Its name on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().expect("none is hidden").get_name().to_owned()
    }
}

/// How a model is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Execution after execution; nothing is kept but choices.
    Stateless,
    /// State after state; each is kept and expanded once.
    Explicit,
}

/// A delaying scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// Round-robin.
    Rr,
    /// Depth-first, skipping blocked tasks.
    DepthFirst,
    /// Depth-first; executions that take a blocked task are discarded.
    DepthFirstPlain,
}

/// Which accesses of data are scheduling points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Points {
    /// None; only operations that synchronise.
    Sync,
    /// Those that race, once that was found.
    Racy,
    /// All.
    All,
}

/// How executions of a native program are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// In one process if that will do, else in copies of it.
    Auto,
    /// Each in a copy of the process.
    Fork,
    /// All in one process, whose memory is put back before each.
    Inproc,
    /// Each in a process of its own, with threads of the system.
    Os,
}

impl Points {
    /// The setting.
    pub fn setting(self) -> caissa_check::Points {
        match self {
            Points::Sync => caissa_check::Points::Sync,
            Points::Racy => caissa_check::Points::Racy,
            Points::All => caissa_check::Points::All,
        }
    }
}

impl Mode {
    /// The setting.
    pub fn setting(self) -> ModeSetting {
        match self {
            Mode::Auto => ModeSetting::Auto,
            Mode::Fork => ModeSetting::Only(caissa_native::Mode::Fork),
            Mode::Inproc => ModeSetting::Only(caissa_native::Mode::InProcess),
            Mode::Os => ModeSetting::Only(caissa_native::Mode::Os),
        }
    }
}

impl Scheduler {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Scheduler::Rr => "rr",
            Scheduler::DepthFirst => "depth-first",
            Scheduler::DepthFirstPlain => "depth-first-plain",
        }
    }
}

/// What a native program is, and how it is run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Native programs")]
pub struct Native {
    /// How executions are run [default: auto]
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// Flags for the compiler of a source file, as in --cflags "-O2 -DBUG"
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    /// The compiler of a source file [default: $CC or $CXX, gcc, clang]
    #[arg(long, value_name = "COMPILER")]
    pub cc: Option<String>,
    /// How long a program may not come to a scheduling point [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub hang: Option<Duration>,
    /// Megabytes that the program may allocate in an execution [default: 1024]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=32_768))]
    pub heap: Option<u64>,
    /// Takes an exit with another code than 0 for a bug
    #[arg(long)]
    pub exit_code: bool,
    /// Shows what the program prints, in all its executions
    #[arg(long)]
    pub output: bool,
}

/// `caissa cc` and `caissa c++`.
#[derive(Clone, Debug, Args)]
pub struct Compiler {
    /// What the compiler is to do
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// `caissa check`.
#[derive(Clone, Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Check {
    /// The model (.cai), the source of a program (.c, .cc, .cpp), or a program that was built with caissa cc
    pub target: PathBuf,
    /// Arguments for the program, after --
    #[arg(last = true)]
    pub arguments: Vec<OsString>,
    #[command(flatten)]
    pub native: Native,
    /// Which accesses of data are scheduling points of a native program [default: racy]
    #[arg(long, value_enum, help_heading = "Native programs")]
    pub points: Option<Points>,
    /// Explores so many faults in an execution of a native program: early timeouts, wake-ups for no reason [default: 1]
    #[arg(long, value_name = "N", help_heading = "Native programs")]
    pub faults: Option<u32>,
    /// Does not preempt threads in this function, class or source file; can be given several times
    #[arg(long, value_name = "NAME", help_heading = "Native programs")]
    pub no_preempt: Vec<String>,
    /// Does not preempt threads outside of this function, class or source file; can be given several times
    #[arg(long, value_name = "NAME", help_heading = "Native programs")]
    pub preempt_only: Vec<String>,
    /// Which executions are run
    #[arg(long, value_enum, default_value = "auto")]
    pub search: Search,
    /// The largest bound of the search [default: 2; contexts 4, depth 20; none if the engine is explicit]
    #[arg(long, value_name = "N")]
    pub bound: Option<u32>,
    /// How the model is run
    #[arg(long, value_enum, default_value = "stateless")]
    pub engine: Engine,
    /// The delaying scheduler of --search delays [default: rr]
    #[arg(long, value_enum)]
    pub scheduler: Option<Scheduler>,
    /// Explores only executions with so many rounds of buffers (explicit engine)
    #[arg(long, value_name = "K1", value_parser = at_least_1())]
    pub rounds: Option<u32>,
    /// Explores only executions with so many rounds of tasks (explicit engine)
    #[arg(long, value_name = "K2", value_parser = at_least_1())]
    pub yields: Option<u32>,
    /// With --rounds and --yields: explores one order of dispatch, not all
    #[arg(long)]
    pub no_reorder: bool,
    /// Shows the shortest way to a bug, however many preemptions it has (explicit engine)
    #[arg(long)]
    pub shortest: bool,
    /// Keeps fingerprints of 64 bits instead of states (explicit engine, breadth first)
    #[arg(long)]
    pub compact: bool,
    /// Sets a constant of the model; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub sets: Vec<(String, String)>,
    /// Takes arithmetic that overflows for a bug; else it wraps around
    #[arg(long)]
    pub overflow: bool,
    /// Stops after so many executions, or expanded states if the engine is explicit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// Stops after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Stops when so many megabytes are used; the explicit engine after 4096 if nothing is said, and in any case at 63 GiB of states
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
    /// Cuts executions off after so many steps
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = at_least_1())]
    pub max_steps: u32,
    /// Works with so many threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: u32,
    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// The depth of the bugs that --search pct is to hit
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = at_least_1())]
    pub pct_depth: u32,
    /// Does not schedule fairly; livelocks are not looked for then
    #[arg(long)]
    pub no_fair: bool,
    /// Lets only every K-th pause of a task count for fairness
    #[arg(long, value_name = "K", value_parser = at_least_1(), conflicts_with = "no_fair")]
    pub fair_k: Option<u32>,
    /// Does not look for data races
    #[arg(long)]
    pub no_races: bool,
    /// Goes on after a bug, to count all executions
    #[arg(long)]
    pub keep_going: bool,
    /// Takes an incomplete search for a failure (exit code 4)
    #[arg(long)]
    pub complete: bool,
    /// Shows every step of a finding
    #[arg(long)]
    pub full: bool,
    /// Prints one JSON object instead of a report
    #[arg(long)]
    pub json: bool,
    /// Writes the trace of a finding to a file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Saves the search to a file, and goes on from it if it is there
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Shows no progress
    #[arg(long)]
    pub quiet: bool,
}

/// What a model is translated into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A model that is sequential; `caissa check` takes it.
    Cai,
    /// Boogie.
    Bpl,
    /// SMT-LIB 2.
    Smt2,
    /// C for C verifiers.
    C,
}

/// How schedules are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Translation {
    /// Rounds of buffers and tasks, or delays.
    Rounds,
    /// Rounds of a fixed set of threads (Lal and Reps): buffers that post nothing.
    LalReps,
    /// Buffers and levels by shared variables, to be compared with; it may find more than there is.
    Shared,
}

/// `caissa verify`.
#[derive(Clone, Debug, Args)]
#[command(allow_negative_numbers = true)]
pub struct Verify {
    /// The model, a .cai file
    pub target: PathBuf,
    /// Covers schedules with up to so many rounds of buffers [default: 2]
    #[arg(long, value_name = "K1", value_parser = rounds(), conflicts_with = "delays")]
    pub rounds: Option<u32>,
    /// Covers schedules with up to so many rounds of the tasks of a level [default: 2]
    #[arg(long, value_name = "K2", value_parser = rounds(), conflicts_with = "delays")]
    pub yields: Option<u32>,
    /// Covers schedules with up to so many delays of the scheduler depth-first-plain (one buffer, one level)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(0..=MOST_ROUNDS))]
    pub delays: Option<u32>,
    /// Follows loops for up to so many rounds
    #[arg(long = "loop", value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub loops: u32,
    /// Follows procedures that call or post themselves up to so deep
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub recursion: u32,
    /// Covers one order of dispatch: tasks that have not begun are not put off
    #[arg(long, conflicts_with = "delays")]
    pub no_reorder: bool,
    /// Takes arithmetic that overflows for a bug; else it wraps around
    #[arg(long)]
    pub overflow: bool,
    /// The solver: batsat, cadical if it was built in, or the command of one that reads SMT-LIB 2, as in "z3 -in"
    #[arg(long, value_name = "SOLVER", default_value = "batsat")]
    pub solver: String,
    /// Gives up on a solver that has not answered a question after so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub solver_time: Duration,
    /// Prints what the model is translated into, for the largest bounds (smt2: with --loop and --recursion followed to their ends), and asks nothing
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub emit: Option<Format>,
    /// With --emit: how schedules are encoded
    #[arg(long, value_enum, default_value = "rounds", requires = "emit")]
    pub translation: Translation,
    /// Sets a constant of the model; can be given several times
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub sets: Vec<(String, String)>,
    /// Stops after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Stops when a question needs so many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
    /// Takes an incomplete answer for a failure (exit code 4)
    #[arg(long)]
    pub complete: bool,
    /// Shows every step of a finding
    #[arg(long)]
    pub full: bool,
    /// Prints one JSON object instead of a report
    #[arg(long)]
    pub json: bool,
    /// Writes the trace of a finding to a file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Shows no progress
    #[arg(long)]
    pub quiet: bool,
}

/// More rounds or delays than this make formulas that no solver answers.
const MOST_ROUNDS: i64 = 256;

fn rounds() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=MOST_ROUNDS)
}

/// `caissa replay`.
#[derive(Clone, Debug, Args)]
pub struct Replay {
    /// The schedule, cai1:..., or a trace file
    pub schedule: String,
    /// The model, or the program or its source
    pub target: PathBuf,
    /// Arguments for the program, after --
    #[arg(last = true)]
    pub arguments: Vec<OsString>,
    #[command(flatten)]
    pub native: Native,
    /// Starts a debugger that stops where the bug shows
    #[arg(long, help_heading = "Native programs")]
    pub gdb: bool,
    /// Sets a constant of the model, as it was when the schedule was found
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    pub sets: Vec<(String, String)>,
    /// Takes arithmetic that overflows for a bug, as when the schedule was found
    #[arg(long)]
    pub overflow: bool,
    /// Cuts the execution off after so many steps
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = at_least_1())]
    pub max_steps: u32,
    /// Does not look for data races
    #[arg(long)]
    pub no_races: bool,
    /// Shows every step
    #[arg(long)]
    pub full: bool,
    /// Prints one JSON object instead of a report
    #[arg(long)]
    pub json: bool,
    /// Writes the trace to a file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// `caissa fmt`.
#[derive(Clone, Debug, Args)]
pub struct Fmt {
    /// The models
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Changes nothing; says which files are not formatted, and fails if there is one
    #[arg(long)]
    pub check: bool,
}

pub(crate) fn at_least_1() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..)
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| "expected a number of seconds above 0, as in --time 60 or --time 0.5".to_owned())
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE, as in --set N=4".to_owned()),
    }
}
