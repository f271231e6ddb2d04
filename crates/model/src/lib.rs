//! Models: asynchronous programs with prioritized task-buffers, from their text to verdicts.
#![forbid(unsafe_code)]

pub mod code;
mod diagnostic;
pub mod emit;
mod exec;
pub mod explicit;
mod front_end;
pub mod ir;
mod load;
mod lower;
mod machine;
pub mod sequentialize;
pub mod symbolic;
mod syntax;

pub use code::{Code, Fault};
pub use diagnostic::{Diagnostic, Diagnostics, SHOWN};
pub use exec::{Exec, ExecSettings};
pub use front_end::{Model, ModelWords};
pub use load::{format, format_bytes, load, load_bytes};
pub use syntax::keywords;
