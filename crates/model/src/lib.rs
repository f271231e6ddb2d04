//! Models: asynchronous programs with prioritized task-buffers, from their text to verdicts.
#![forbid(unsafe_code)]

pub mod code;
mod diagnostic;
mod exec;
pub mod explicit;
pub mod ir;
mod load;
mod lower;
mod machine;
mod syntax;

pub use code::{Code, Fault};
pub use diagnostic::{Diagnostic, Diagnostics, SHOWN};
pub use exec::{Exec, ExecSettings};
pub use load::{format, load, load_bytes};
