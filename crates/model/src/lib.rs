//! Models: asynchronous programs with prioritized task-buffers, from their text to verdicts.
#![forbid(unsafe_code)]

pub mod code;
mod exec;
pub mod explicit;
pub mod ir;
mod machine;

pub use code::{Code, Fault};
pub use exec::{Exec, ExecSettings};
