//! The machine: what tasks do from point to point (`run`), and which task may go on at a point (`rules`, Fig. 4 of the 2012 paper).
//!
//! Engines differ in how they keep tasks. [`Config`](rules::Config) holds handles, whose meaning is the engine's.

mod numbered;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod segment;
pub(crate) mod task;

#[cfg(test)]
mod tests;

pub(crate) use numbered::{Beside, Numbered};
pub(crate) use rules::{Config, Scope, Tasks};
pub(crate) use run::{Globals, Stop, Watch};
pub(crate) use segment::{End, Ran, Running, TaskSpace, run_in_every_way};
pub(crate) use task::{Listed, Task};
