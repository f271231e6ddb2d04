//! A naive judge of the model engines.
//!
//! It has a program type, an evaluator and a semantics of its own and uses nothing but std: no parser, no intermediate
//! representation, no engine. Everything here is meant to be checked by reading against the papers; where a rule of a paper is
//! transcribed, the module names the paper and the figure.
//!
//! - `ast`: the programs; `text` prints them as the language of models; `write` is short for making them by hand.
//! - `eval`: expressions, with every value that a choice may take.
//! - `config` and `fig4`: Fig. 4 of the 2012 paper, corrected; `rules`: a small program for each of its rules.
//! - `explore`: everything that is reachable, with minimal preemptions, and all executions by their preemptions.
//! - `implicit`: implicit yields, written out; `first_yields`: points that may be left out.
//! - `popl11` and `schedulers`: the 2011 semantics of one buffer and one level, with the bag and the delaying schedulers.
//! - `random`: acyclic programs from a seed; `sketch` and `expressions`: what they are made of.
//!
//! Not covered: enums, records, arrays of locals, plain globals (and so data races), and everything that has no end.

#![allow(dead_code)]

pub mod ast;
pub mod config;
pub mod eval;
pub mod explore;
pub mod expressions;
pub mod fig4;
pub mod first_yields;
pub mod implicit;
pub mod popl11;
pub mod random;
pub mod rules;
pub mod schedulers;
pub mod sketch;
pub mod text;
pub mod write;
