//! The machine that is looked at: its files and its programs. Tests make up others.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::toolchain::{Environment, Package, how_to_install};

/// A machine.
pub(super) struct Machine {
    /// Where its files are.
    pub(super) root: PathBuf,
    /// Where its programs are looked for.
    pub(super) environment: Environment,
    /// What its programs are compiled for: operating system and processor.
    pub(super) target: (&'static str, &'static str),
}

impl Machine {
    pub(super) fn this() -> Machine {
        Machine {
            root: PathBuf::from("/"),
            environment: Environment::of_this_process(),
            target: (std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// The bytes of a file, if it can be read.
    pub(super) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.root.join(path)).ok()
    }

    /// The text of a file, if it can be read.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.bytes(path).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// Runs a program, if it exists.
    pub(super) fn run<S: AsRef<OsStr>>(&self, program: &str, arguments: &[S]) -> Option<Ran> {
        let path = self.environment.find(program)?;
        let mut command = Command::new(&path);
        command.args(arguments).env("LC_ALL", "C").stdin(Stdio::null());
        let output = command.output().ok()?;
        let said = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
        let line = String::from_utf8_lossy(said).lines().next().unwrap_or("").trim().to_owned();
        Some(Ran { path, is_success: output.status.success(), line })
    }

    /// How a package is installed here.
    pub(super) fn how_to_install(&self, package: Package) -> String {
        let os_release = self.text("etc/os-release").or_else(|| self.text("usr/lib/os-release"));
        format!("Install it: {}", how_to_install(package, &os_release.unwrap_or_default()))
    }
}

/// What a program did.
pub(super) struct Ran {
    pub(super) path: PathBuf,
    pub(super) is_success: bool,
    /// The first line of what it printed.
    pub(super) line: String,
}
