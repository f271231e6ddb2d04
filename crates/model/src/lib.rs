//! Models: asynchronous programs with prioritized task-buffers, from their text to verdicts.
#![forbid(unsafe_code)]

pub mod code;
pub mod ir;
mod machine;

pub use code::{Code, Fault};
