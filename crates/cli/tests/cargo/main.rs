//! `cargo caissa` as users have it: the real binary, real cargo, small crates.
//!
//! All tests share what cargo has built: in the directory for temporary files of this package, where the next run finds it again.

#[allow(dead_code)]
#[path = "../command_line/json.rs"]
mod json;
// Not all of it is used here.
#[allow(dead_code)]
#[path = "../command_line/run.rs"]
mod run;

mod agreement;
mod building;
mod choosing;
mod corpus;
mod failures;
mod in_place;
mod interrupting;
mod library;
mod misbehaving;
mod mistakes;
mod programs;
mod project;
mod replaying;
mod results;
mod workspaces;
