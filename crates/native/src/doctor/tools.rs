//! Which programs are there.

use std::path::Path;

use crate::sysroot::{self, RustToolchain, SysrootError};
use crate::toolchain::{Compiler, Language, Package, ToolchainError};

use super::machine::Machine;
use super::{Finding, State};

/// Whether a program's addresses can be the same in every run.
pub(super) fn fixed_addresses(machine: &Machine) -> State {
    match machine.run("setarch", &["x86_64", "-R", "true"]) {
        Some(ran) if ran.is_success => State::Ok("address randomisation can be switched off".to_owned()),
        Some(ran) => State::degraded(
            format!("address randomisation cannot be switched off ({}), so that runs can differ", ran.line),
            "In a container, allow the system call `personality`: `docker run --security-opt seccomp=unconfined`",
        ),
        None => State::degraded(
            "it is not known whether address randomisation can be switched off, for there is no `setarch` to try it with",
            machine.how_to_install(Package::UtilLinux),
        ),
    }
}

/// For each language one compiler is enough.
pub(super) fn compilers(machine: &Machine) -> Vec<Finding> {
    let [gcc, clang] = ["gcc", "clang"].map(|name| find(machine, Language::C, name));
    let [gxx, clangxx] = ["g++", "clang++"].map(|name| find(machine, Language::Cxx, name));
    let (any_c, any_cxx) = (gcc.is_ok() || clang.is_ok(), gxx.is_ok() || clangxx.is_ok());
    let state = |found, any, language, package| compiler(machine, found, any, language, package);
    vec![
        Finding { name: "gcc", state: state(gcc, any_c, Language::C, Package::Gcc) },
        Finding { name: "g++", state: state(gxx, any_cxx, Language::Cxx, Package::Gxx) },
        Finding { name: "clang", state: state(clang, any_c, Language::C, Package::Clang) },
        Finding { name: "clang++", state: state(clangxx, any_cxx, Language::Cxx, Package::Clang) },
    ]
}

fn find(machine: &Machine, language: Language, name: &str) -> Result<Compiler, ToolchainError> {
    Compiler::find_in(language, Some(name), &machine.environment)
}

fn compiler(
    machine: &Machine,
    found: Result<Compiler, ToolchainError>,
    is_another_there: bool,
    language: Language,
    package: Package,
) -> State {
    let (problem, remedy) = match found {
        Ok(compiler) => {
            return State::Ok(format!("{} ({})", compiler.version(), compiler.program().display()));
        }
        Err(ToolchainError::NotFound { .. }) => ("not installed".to_owned(), machine.how_to_install(package)),
        Err(error) => (error.to_string(), machine.how_to_install(package)),
    };
    match is_another_there {
        true => State::degraded(format!("{problem}; the other {language} compiler is used"), remedy),
        false => State::missing(format!("There is no compiler for {language} programs: {problem}. {remedy}")),
    }
}

pub(super) fn debugger(machine: &Machine) -> Finding {
    let state = match said(machine, "gdb") {
        Some(said) => State::Ok(said),
        None => State::degraded(
            "not installed, so that a failing schedule cannot be looked at in a debugger",
            machine.how_to_install(Package::Gdb),
        ),
    };
    Finding { name: "gdb", state }
}

/// What Rust programs take; C and C++ need none of it.
pub(super) fn rust(machine: &Machine) -> Vec<Finding> {
    let state = |name: &str| match said(machine, name) {
        Some(said) => State::Ok(said),
        None => State::degraded(
            "not installed, so that Rust programs cannot be checked",
            "Install Rust as https://rustup.rs says",
        ),
    };
    vec![
        Finding { name: "cargo", state: state("cargo") },
        Finding { name: "rustc", state: state("rustc") },
        Finding { name: "rust std", state: rust_std(machine) },
    ]
}

/// Whether std can be instrumented. It is only looked at what that takes; nothing is made.
fn rust_std(machine: &Machine) -> State {
    let found = RustToolchain::find_in(Path::new("."), &machine.environment).and_then(|toolchain| {
        sysroot::can_be_instrumented(&toolchain)?;
        Ok(format!("can be instrumented, by LLVM {} ({})", toolchain.llvm, toolchain.sysroot.display()))
    });
    let degraded = |error: &SysrootError| {
        let help = error.help().unwrap_or_else(|| "Use another toolchain for Rust programs".to_owned());
        let what = "std cannot be instrumented, so that what it puts in order can look like a data race";
        State::degraded(format!("{what}: {}", error.problem()), help)
    };
    found.map_or_else(|error| degraded(&error), State::Ok)
}

/// A program's answer to `--version`, with where it is.
fn said(machine: &Machine, name: &str) -> Option<String> {
    let ran = machine.run(name, &["--version"]).filter(|ran| ran.is_success)?;
    Some(format!("{} ({})", ran.line, ran.path.display()))
}
