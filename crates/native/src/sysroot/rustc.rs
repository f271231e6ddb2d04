//! The Rust toolchain that a directory's crates are compiled with.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::SysrootError;
use crate::toolchain::Environment;

/// A `rustc`, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustToolchain {
    /// The program, as it is run.
    pub rustc: PathBuf,
    /// Where its libraries are.
    pub sysroot: PathBuf,
    /// Its version: `1.95.0`, `1.97.0-nightly`.
    pub release: String,
    /// The commit that it was built from; `unknown` in some distributions.
    pub commit_hash: String,
    /// What it runs on, and compiles for if it is not told otherwise.
    pub host: String,
    /// The version of its LLVM.
    pub llvm: String,
}

impl RustToolchain {
    /// The toolchain that is used in a directory: what `RUSTC` names, or else `rustc`, which rustup makes depend on the directory.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(directory: &Path) -> Result<RustToolchain, SysrootError> {
        RustToolchain::find_in(directory, &Environment::of_this_process())
    }

    pub(crate) fn find_in(
        directory: &Path,
        environment: &Environment,
    ) -> Result<RustToolchain, SysrootError> {
        let name = environment.variable("RUSTC").unwrap_or("rustc");
        let missing = |why: &str| SysrootError::NoRustc { program: name.to_owned(), why: why.to_owned() };
        let rustc = environment.find(name).ok_or_else(|| missing("there is no such program"))?;
        // It is run elsewhere. A link is not followed: by the name that it is called by, rustup knows what it should be.
        let rustc = std::path::absolute(&rustc).unwrap_or(rustc);
        let ask = |arguments: &[&str]| {
            let mut command = Command::new(&rustc);
            command.args(arguments).current_dir(directory).stdin(Stdio::null());
            let output = command.output().map_err(|error| missing(&error.to_string()))?;
            match output.status.success() {
                true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
                false => Err(missing(String::from_utf8_lossy(&output.stderr).trim_end())),
            }
        };
        let said = ask(&["-vV"])?;
        let sysroot = ask(&["--print", "sysroot"])?;
        RustToolchain::read(&rustc, &said, sysroot.trim_end()).ok_or_else(|| {
            let said = said.lines().next().unwrap_or("").to_owned();
            SysrootError::NotRustc { program: rustc.clone(), said }
        })
    }

    fn read(rustc: &Path, said: &str, sysroot: &str) -> Option<RustToolchain> {
        let field = |name: &str| {
            let mut pairs = said.lines().filter_map(|line| line.split_once(": "));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value.trim().to_owned())
        };
        Some(RustToolchain {
            rustc: rustc.to_owned(),
            sysroot: PathBuf::from(sysroot),
            release: field("release")?,
            commit_hash: field("commit-hash")?,
            host: field("host")?,
            llvm: field("LLVM version")?,
        })
    }

    /// What tells it from others, as part of a file's name.
    pub(super) fn key(&self) -> String {
        let is_known =
            self.commit_hash.len() >= 12 && self.commit_hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        match is_known {
            true => self.commit_hash[..12].to_owned(),
            false => {
                let versions = format!("{}-llvm-{}", self.release, self.llvm);
                versions.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-', "_")
            }
        }
    }
}
