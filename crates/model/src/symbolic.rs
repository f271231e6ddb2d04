//! The symbolic engine: does a sequential program go wrong, for any choice of values?
//!
//! `unroll` follows the program along all paths at once, calls inlined, loops and recursion as far as bounds allow, and computes terms (`term`); `decide`
//! asks a solver about them: SAT over gates (`blast`), or any SMT-LIB solver over a pipe (`pipe`, `smtlib`).

pub mod ask;
mod blast;
pub mod decide;
pub mod pipe;
pub mod play;
pub mod smtlib;
pub mod term;
pub mod timeline;
pub mod unroll;
