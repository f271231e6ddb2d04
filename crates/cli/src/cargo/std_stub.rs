//! Stands in for `caissa_native::sysroot`, which instruments the standard library, until that is there. It has the same shape.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A toolchain of Rust's.
#[derive(Clone, Debug)]
pub struct RustToolchain {
    /// `x86_64-unknown-linux-gnu`
    pub host: String,
    /// Where it is installed.
    pub sysroot: PathBuf,
}

/// Why there is no instrumented standard library.
#[derive(Debug)]
pub struct SysrootError(String);

impl std::fmt::Display for SysrootError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl RustToolchain {
    /// The one that is used in a directory.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(directory: &Path) -> Result<RustToolchain, SysrootError> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let ask = |words: &[&str]| {
            let output = Command::new(&rustc).args(words).current_dir(directory).output();
            let output = output.map_err(|error| SysrootError(format!("rustc cannot be run: {error}")))?;
            String::from_utf8(output.stdout)
                .map_err(|_| SysrootError("rustc answers what is no text".to_owned()))
        };
        let version = ask(&["-vV"])?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.ok_or_else(|| SysrootError("rustc does not say what it is for".to_owned()))?;
        let sysroot = ask(&["--print", "sysroot"])?;
        Ok(RustToolchain { host: host.to_owned(), sysroot: PathBuf::from(sysroot.trim()) })
    }
}

/// The instrumented standard library of a toolchain.
///
/// # Errors
/// If there is none.
pub fn instrumented(_toolchain: &RustToolchain, _say: &mut dyn FnMut(&str)) -> Result<PathBuf, SysrootError> {
    let path = PathBuf::from("/tmp/e8/sysroot");
    if path.exists() { Ok(path) } else { Err(SysrootError(format!("there is no {}", path.display()))) }
}

/// The flags that rustc needs.
pub fn flags(sysroot: Option<&Path>, runtime: &Path) -> Vec<String> {
    let mut flags: Vec<String> =
        sysroot.map(|sysroot| format!("--sysroot={}", sysroot.display())).into_iter().collect();
    flags.extend(["-Cpasses=forceattrs", "-Cpasses=tsan-module", "-Cpasses=tsan"].map(str::to_owned));
    flags.push("-Cllvm-args=-force-attribute=sanitize_thread".to_owned());
    let runtime = runtime.display();
    flags.extend([
        format!("-Lnative={runtime}"),
        "-ldylib=caissa_rt".to_owned(),
        format!("-Clink-arg=-Wl,-rpath,{runtime}"),
    ]);
    flags
}
