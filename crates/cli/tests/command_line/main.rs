//! The command `caissa` as its users have it: the real binary, its exit codes, its output, its files.

mod budgets;
mod completions;
mod contradictions;
mod corpus;
mod engines;
mod faults;
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
mod verify;
mod workers;
