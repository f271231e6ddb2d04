//! Models: asynchronous programs with prioritized task-buffers, from their text to verdicts.
#![forbid(unsafe_code)]

mod diagnostic;
pub mod ir;
mod load;
mod lower;
mod syntax;

pub use diagnostic::{Diagnostic, Diagnostics, SHOWN};
pub use load::{load, load_bytes};
