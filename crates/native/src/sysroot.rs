//! Rust's standard library, instrumented for data races: a sysroot for `rustc --sysroot`, on stable toolchains and without std's sources.
//!
//! What is generic in std is compiled, and so instrumented, with the program. The rest is not, and the order that it makes between threads
//! is lost: what `OnceLock`, `Barrier` and channels protect looks like a data race. But the libraries that a toolchain ships carry LLVM's bitcode
//! beside the machine code, and its linker, rust-lld, is one that compiles bitcode and runs passes that it is told. So each library is taken
//! apart (`archive`), its bitcode goes through LLVM's own passes for data races (`instrument`) and it is put together again, in a directory
//! where all else is links into the toolchain (`layout`). This is done once for each toolchain and kept (`kept`), if a program that is
//! compiled with it runs (`trial`).
//!
//! What stays as it is: `compiler_builtins`, for it has the functions that hooks are made of; what only prints backtraces (`gimli`,
//! `addr2line` and their like), unwinds, or asks for the processor's features, for no order between threads comes from there; and std as a
//! shared library, for programs that ask for it by `-Cprefer-dynamic`. The new libraries carry no bitcode, so that link-time optimisation
//! cannot use them; [`flags`] switches it off.

mod archive;
mod error;
mod instrument;
mod kept;
mod layout;
mod rustc;
#[cfg(test)]
mod tests;
mod trial;

use std::path::{Path, PathBuf};

use crate::runtime;

pub use error::SysrootError;
use kept::Kept;
use layout::Source;
pub use rustc::RustToolchain;

/// The target that programs are checked on.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The libraries whose code is instrumented. Of these, `std` and `test` make order between threads; `core`, `alloc` and `hashbrown` read and
/// write on behalf of programs.
const INSTRUMENTED: [&str; 5] = ["std", "test", "core", "alloc", "hashbrown"];

/// Changes with everything that a sysroot is made by, so that older ones are not used.
const VERSION: u32 = 1;

/// A sysroot with instrumented libraries for a toolchain. It is made if it is not there, which takes some seconds; `say` is told what
/// users may wonder about meanwhile.
///
/// # Errors
/// If it cannot be made. Programs can then be compiled with std as it is.
pub fn instrumented(toolchain: &RustToolchain, say: &mut dyn FnMut(&str)) -> Result<PathBuf, SysrootError> {
    instrumented_in(&runtime::cache(), toolchain, say)
}

/// Whether the toolchain has what it takes to make one.
///
/// # Errors
/// If it does not: what is missing.
pub fn can_be_instrumented(toolchain: &RustToolchain) -> Result<(), SysrootError> {
    Source::of(toolchain).map(drop)
}

fn instrumented_in(
    cache: &Path,
    toolchain: &RustToolchain,
    say: &mut dyn FnMut(&str),
) -> Result<PathBuf, SysrootError> {
    let source = Source::of(toolchain)?;
    let kept = Kept { cache, name: format!("sysroot-{}-{VERSION}", toolchain.key()) };
    kept.get(say, |directory, say| {
        say("Rust's standard library is being instrumented, once for this toolchain: it takes some seconds");
        let made = layout::make(&source, directory, say)?;
        trial::run(toolchain, directory)?;
        Ok(made)
    })
}

/// What `rustc` is told, so that a crate is instrumented and linked to the runtime in the directory `runtime`, with std from `sysroot` if
/// there is one.
///
/// The passes are LLVM's; rustc runs them after its own, once, at every level of optimisation. `forceattrs` gives every function the attribute
/// that the others look for. Link-time optimisation, which a profile may ask for, would come after that, and needs what the libraries of
/// `sysroot` have not got: it is switched off, for the program as for its dependencies.
pub fn flags(sysroot: Option<&Path>, runtime: &Path) -> Vec<String> {
    let runtime = runtime.display();
    let sysroot = sysroot.map(|sysroot| format!("--sysroot={}", sysroot.display()));
    let passes = ["forceattrs", "tsan-module", "tsan"].map(|pass| format!("-Cpasses={pass}"));
    let rest = [
        "-Cllvm-args=-force-attribute=sanitize_thread".to_owned(),
        // Names that tell types, by which the library's own values are known.
        "-Csymbol-mangling-version=v0".to_owned(),
        // It would make system calls by instructions of its own, which nobody sees.
        "--cfg=rustix_use_libc".to_owned(),
        "-Clto=off".to_owned(),
        "-Clinker-plugin-lto=no".to_owned(),
        format!("-Lnative={runtime}"),
        // Before libc, whose functions it stands in for; a library among the linker's arguments would come last.
        "-ldylib=caissa_rt".to_owned(),
        format!("-Clink-arg=-Wl,-rpath,{runtime}"),
    ];
    sysroot.into_iter().chain(passes).chain(rest).collect()
}
