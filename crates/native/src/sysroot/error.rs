//! Why std cannot be instrumented, and what to do about it. Each message can stand after "std is not instrumented: ".

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::TARGET;

/// Something that is missing, or that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SysrootError {
    /// There is no `rustc`, or it cannot be run.
    NoRustc {
        /// How it is called.
        program: String,
        /// What the system, or rustup, says.
        why: String,
    },
    /// What is called so does not answer as `rustc` does.
    NotRustc {
        /// Which program.
        program: PathBuf,
        /// Its answer.
        said: String,
    },
    /// The toolchain compiles for another system.
    OtherTarget {
        /// For which.
        host: String,
    },
    /// The toolchain has no std.
    NoStd {
        /// Where it was looked for.
        directory: PathBuf,
        /// Which of its libraries is missing.
        library: &'static str,
    },
    /// The toolchain has no linker of its own.
    NoLinker {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A library has machine code only.
    NoBitcode {
        /// Which.
        library: String,
    },
    /// A library is not what it should be.
    Library {
        /// Which.
        library: String,
        /// What is wrong.
        why: String,
    },
    /// LLVM could not do its part.
    Llvm {
        /// With this library.
        library: String,
        /// How the linker that it is in ended.
        ended: String,
        /// What it said, the first lines of it.
        said: String,
    },
    /// The sysroot was made, but a program that was compiled with it does not do what it should.
    Trial {
        /// What happened.
        what: &'static str,
        /// What the compiler or the program said.
        said: String,
    },
    /// There is no runtime to link with.
    Runtime(String),
    /// A file cannot be written or read.
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
}

impl SysrootError {
    pub(super) fn file(path: &Path, error: &io::Error) -> SysrootError {
        SysrootError::File { path: path.to_owned(), why: error.to_string() }
    }

    /// What can be done, where there is something.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            SysrootError::NoRustc { .. } => "Install Rust as https://rustup.rs says".to_owned(),
            SysrootError::NotRustc { .. } => "Let RUSTC name rustc itself, or unset it".to_owned(),
            SysrootError::NoStd { .. } => format!("Install it: `rustup target add {TARGET}`"),
            SysrootError::NoLinker { .. } | SysrootError::NoBitcode { .. } => {
                "Use a toolchain of the Rust project, which https://rustup.rs installs; those of distributions can lack it"
                    .to_owned()
            }
            SysrootError::Library { .. } => {
                "Install the toolchain again: `rustup toolchain uninstall`, then `install`".to_owned()
            }
            SysrootError::File { .. } => {
                "Set XDG_CACHE_HOME to a directory that can be written to and has some 30 MB of room".to_owned()
            }
            SysrootError::OtherTarget { .. }
            | SysrootError::Llvm { .. }
            | SysrootError::Trial { .. }
            | SysrootError::Runtime(_) => return None,
        };
        Some(help)
    }

    /// What is wrong, without what to do about it.
    pub fn problem(&self) -> String {
        match self {
            SysrootError::NoRustc { program, why } => format!("`{program}` cannot be run: {why}"),
            SysrootError::NotRustc { program, said } => {
                format!("{} does not answer as rustc does: it says `{said}`", program.display())
            }
            SysrootError::OtherTarget { host } => {
                format!("the toolchain is one for {host}, and programs can be checked on {TARGET} only")
            }
            SysrootError::NoStd { directory, library } => {
                format!("the toolchain has no library `{library}` for {TARGET}, in {}", directory.display())
            }
            SysrootError::NoLinker { path } => {
                format!("the toolchain has no rust-lld, which would do it: {} does not exist", path.display())
            }
            SysrootError::NoBitcode { library } => format!("the toolchain's {library} carries no bitcode"),
            SysrootError::Library { library, why } => {
                format!("the toolchain's {library} cannot be read: {why}")
            }
            SysrootError::Llvm { library, ended, said } => {
                format!("rust-lld {ended} when it was given {library}{}", below(said))
            }
            SysrootError::Trial { what, said } => {
                format!("a program that tries it out {what}{}", below(said))
            }
            SysrootError::Runtime(why) => why.clone(),
            SysrootError::File { path, why } => format!("{}: {why}", path.display()),
        }
    }
}

/// What another program said, below what we say.
fn below(said: &str) -> String {
    match said.trim_end() {
        "" => String::new(),
        said => format!(":\n{said}"),
    }
}

impl fmt::Display for SysrootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem())?;
        self.help().map_or(Ok(()), |help| write!(f, "\nhelp: {help}"))
    }
}

impl std::error::Error for SysrootError {}
