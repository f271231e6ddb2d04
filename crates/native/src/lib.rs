//! Native programs: unmodified C and C++ under Caissa's control.
//!
//! [`Native`] is the front end. A program is compiled with its compiler's own instrumentation for data races and linked with our runtime in the
//! place of its library; the [`runtime`] is carried in this crate. `program` starts it and asks it to run jobs, [`places`] turns
//! addresses into places of its source.

pub mod doctor;
mod front_end;
mod misuse;
mod names;
pub mod places;
mod private;
mod process;
mod program;
pub mod runtime;
#[cfg(test)]
mod scratch;
mod settings;
pub mod symbols;
pub mod sysroot;
pub mod toolchain;
mod unseen;
mod words;

pub use caissa_wire::Mode;
pub use front_end::Native;
pub use misuse::NativeError;
pub use settings::{ModeSetting, NativeSettings};
pub use words::{NativeWords, RustWords};
