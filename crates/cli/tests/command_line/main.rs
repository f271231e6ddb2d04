//! The command `caissa` as its users have it: the real binary, its exit codes, its output, its files.

mod budgets;
mod completions;
mod contradictions;
mod engines;
#[path = "../corpus/expectation.rs"]
#[allow(dead_code, reason = "the test of the corpus uses the rest")]
mod expectation;
mod faults;
#[path = "../corpus/files.rs"]
mod files;
mod format;
mod help;
mod json;
mod large;
mod mistakes;
mod models;
mod options;
mod pipes;
mod readme;
mod replay;
mod reports;
mod resume;
mod run;
mod workers;
