//! Native programs as users have them: the real binary, real compilers, the programs of the corpus.

#[path = "../command_line/corpus/expectation.rs"]
mod expectation;
// Not all of these is used here.
#[allow(dead_code)]
#[path = "../command_line/json.rs"]
mod json;
#[allow(dead_code)]
#[path = "../command_line/run.rs"]
mod run;

mod agreement;
mod building;
mod corpus;
mod files;
mod misbehaving;
mod modes;
mod options;
mod project;
mod reports;
mod subtle;
mod threads;
mod unseen;
