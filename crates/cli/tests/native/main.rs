//! Native programs as users have them: the real binary, real compilers, the programs of the corpus.

#[path = "../command_line/corpus/expectation.rs"]
mod expectation;
#[path = "../command_line/json.rs"]
mod json;
#[path = "../command_line/run.rs"]
mod run;

mod building;
mod corpus;
mod misbehaving;
mod modes;
mod options;
mod project;
mod reports;
