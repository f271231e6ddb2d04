//! The options of `cargo caissa`, with their help. All others of a command line are cargo's ([`words`](super::words)).

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser};

use crate::args::{Mode, Points, Scheduler, Search, at_least_1, seconds};

/// `cargo caissa test`.
///
/// Options of cargo test are handed to it; the tests are built in a directory of their own (target/caissa). Exit codes: 0 nothing found, 1 a bug, 2 a
/// mistake or a failed build, 3 a test is not deterministic, 4 something is incomplete although --complete was given, 130 interrupted.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "cargo caissa test",
    about = "Explores the schedules of a crate's own tests, each by itself",
    override_usage = "cargo caissa test [OPTIONS] [OPTIONS OF CARGO TEST] [FILTER] [-- FILTERS AND OPTIONS OF THE TESTS]",
    after_help = "After --: FILTERS, --exact, --skip FILTER, --ignored, --include-ignored, --list, --quiet, --nocapture, --test-threads N, --color WHEN, \
                  --format pretty|terse.\nDefaults can be set in caissa.toml or Cargo.toml: docs/cargo.md.",
    max_term_width = 100
)]
pub struct Test {
    #[command(flatten)]
    pub exploring: Exploring,
    /// Stops after so many seconds; tests that have not begun by then are not run
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub total_time: Option<Duration>,
    /// Explores so many tests at the same time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub test_workers: Option<u32>,
    /// Writes the traces of findings into a directory, one file for each test
    #[arg(long, value_name = "DIR")]
    pub trace: Option<PathBuf>,
    /// Prints one JSON object for each test, and one for all of them
    #[arg(long)]
    pub json: bool,
}

/// `cargo caissa run`.
///
/// Options of cargo run are handed to it. A program that ends with another code than 0, as a panic makes it, is a bug. Exit codes: 0 nothing found, 1 a
/// bug, 2 a mistake or a failed build, 3 diverged, 4 incomplete although --complete was given, 130 interrupted.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "cargo caissa run",
    about = "Explores the schedules of a program of a crate",
    override_usage = "cargo caissa run [OPTIONS] [OPTIONS OF CARGO RUN] [-- ARGUMENTS OF THE PROGRAM]",
    max_term_width = 100
)]
pub struct Run {
    #[command(flatten)]
    pub exploring: Exploring,
    /// Replays a schedule (cai1:...) or a trace file instead
    #[arg(long, value_name = "SCHEDULE")]
    pub replay: Option<String>,
    /// With --replay: starts a debugger that stops where the bug shows
    #[arg(long, requires = "replay")]
    pub gdb: bool,
    /// Takes no exit code for a bug
    #[arg(long)]
    pub any_exit_code: bool,
    /// Shows what the program prints, in all its executions
    #[arg(long)]
    pub output: bool,
    /// Writes the trace of a finding to a file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Prints one JSON object instead of a report
    #[arg(long)]
    pub json: bool,
}

/// `cargo caissa replay`.
///
/// The test is built as `cargo caissa test` builds it: with the same options of cargo test.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "cargo caissa replay",
    about = "Replays a schedule of a test and shows what it does",
    override_usage = "cargo caissa replay [OPTIONS] NAME SCHEDULE [OPTIONS OF CARGO TEST]",
    after_help = "NAME is the test as the summary prints it, SCHEDULE is cai1:... or a trace file. If several targets have such a test, choose by -p, --lib, \
                  --bin or --test.",
    max_term_width = 100
)]
pub struct Replay {
    #[command(flatten)]
    pub running: Running,
    /// Starts a debugger that stops where the bug shows
    #[arg(long)]
    pub gdb: bool,
    /// Writes the trace to a file
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Prints one JSON object instead of a report
    #[arg(long)]
    pub json: bool,
}

/// How a program is built and run, whatever is made of it.
#[derive(Clone, Debug, Default, Args)]
pub struct Running {
    /// How executions are run [default: auto]
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// How long a program may not come to a scheduling point [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub hang: Option<Duration>,
    /// Megabytes that the program may allocate in an execution [default: 1024]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=32_768))]
    pub heap: Option<u64>,
    /// Cuts executions off after so many steps [default: 200000, or up to 5000000 if the first one needs more]
    #[arg(long, value_name = "N", value_parser = at_least_1())]
    pub max_steps: Option<u32>,
    /// Does not look for data races
    #[arg(long)]
    pub no_races: bool,
    /// Links the standard library as it is: what goes on in it is not seen, and races are only told of
    #[arg(long)]
    pub plain_std: bool,
    /// Also has scheduling points before atomic accesses that are private to the standard library; for testing that they need none
    #[arg(long, hide = true)]
    pub all_atomics: bool,
    /// Shows every step of a finding
    #[arg(long)]
    pub full: bool,
}

/// Which executions are run, and how far.
#[derive(Clone, Debug, Args)]
pub struct Exploring {
    /// Which executions are run [default: auto]
    #[arg(long, value_enum)]
    pub search: Option<Search>,
    /// The largest bound of the search [default: 2; contexts 4, depth 20]
    #[arg(long, value_name = "N")]
    pub bound: Option<u32>,
    /// The delaying scheduler of --search delays [default: rr]
    #[arg(long, value_enum)]
    pub scheduler: Option<Scheduler>,
    /// Stops after so many executions [default for each test: 2000, if there is no --time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// Stops after so many seconds [default for each test: 10, if there is no --max-executions]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub time: Option<Duration>,
    /// Works on one program with so many threads [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// The seed of random choices [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The depth of the bugs that --search pct is to hit [default: 3]
    #[arg(long, value_name = "N", value_parser = at_least_1())]
    pub pct_depth: Option<u32>,
    /// Explores so many faults in an execution: early timeouts, wake-ups for no reason [default: 0]
    #[arg(long, value_name = "N")]
    pub faults: Option<u32>,
    /// Does not schedule fairly; livelocks are not looked for then
    #[arg(long)]
    pub no_fair: bool,
    /// Lets only every K-th pause of a task count for fairness
    #[arg(long, value_name = "K", value_parser = at_least_1(), conflicts_with = "no_fair")]
    pub fair_k: Option<u32>,
    /// Which accesses of data are scheduling points [default: sync]
    #[arg(long, value_enum)]
    pub points: Option<Points>,
    /// Does not preempt threads in this function, type or source file; can be given several times
    #[arg(long, value_name = "NAME")]
    pub no_preempt: Vec<String>,
    /// Does not preempt threads outside of this function, type or source file; can be given several times
    #[arg(long, value_name = "NAME")]
    pub preempt_only: Vec<String>,
    /// Goes on after a bug, to count all executions
    #[arg(long)]
    pub keep_going: bool,
    /// Takes an incomplete search for a failure (exit code 4)
    #[arg(long)]
    pub complete: bool,
    #[command(flatten)]
    pub running: Running,
}
