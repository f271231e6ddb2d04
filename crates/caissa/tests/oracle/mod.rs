//! A brute-force oracle: the judge that the tester is compared with.
//!
//! It knows abstract programs over a few objects, runs them step by step, and enumerates their
//! executions without any reduction. It shares no code with the tester and uses nothing but std.
//! Everything here is meant to be checked by reading; where a paper defines a notion, the module that
//! transcribes it names the paper and the section.
//!
//! - `program`: the abstract programs, and the rules that make one well-formed.
//! - `interpret`: one step of a program, forwards and backwards.
//! - `meeting`: condition variables, barriers and channels, as `interpret` uses them.
//! - `explore`: all interleavings.
//! - `cost`: preemptions and contexts.
//! - `schedulers`: the delaying schedulers; `delays`: all executions within a number of delays.
//! - `classes`: executions up to the order of independent steps.
//! - `summary`: counts, outcomes and classes per cost, for every measure.
//! - `random`: small well-formed programs from a seed; `ends`: which tasks have the ends of a channel.

#![allow(dead_code)]

pub mod classes;
pub mod cost;
pub mod delays;
pub mod ends;
pub mod explore;
pub mod interpret;
pub mod meeting;
pub mod program;
pub mod random;
pub mod schedulers;
pub mod summary;
