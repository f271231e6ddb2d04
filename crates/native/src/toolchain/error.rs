//! Why a program cannot be compiled, and what to do about it.

use std::fmt;
use std::path::PathBuf;

use super::{Kind, Language, Version, how_to_install};

/// A mistake in the call, in the program or in what is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolchainError {
    /// No compiler is installed.
    NoCompiler {
        /// For this language.
        language: Language,
    },
    /// The compiler that was asked for does not exist.
    NotFound {
        /// How it was called.
        name: String,
        /// For this language.
        language: Language,
    },
    /// The compiler that was asked for is caissa itself.
    Ourselves {
        /// What was asked for.
        words: String,
    },
    /// A compiler cannot be started.
    CannotRun {
        /// Which.
        program: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It is neither gcc nor clang.
    Unknown {
        /// Which.
        program: PathBuf,
        /// Its answer to `--version`.
        said: String,
    },
    /// Its instrumentation does not suffice.
    TooOld {
        /// Which.
        program: PathBuf,
        /// Whose it is.
        kind: Kind,
        /// Its version.
        version: Version,
        /// For this language.
        language: Language,
    },
    /// An argument goes with nothing that caissa does.
    Refused {
        /// The argument.
        argument: String,
        /// Why, and what to do.
        why: &'static str,
    },
    /// There is a quote without its end.
    Quotes {
        /// Where.
        text: String,
    },
    /// There is nothing to compile.
    NoSources,
    /// The compiler has found a mistake in the program.
    Failed {
        /// What was run, as for a shell.
        command: String,
        /// What the compiler says.
        messages: String,
    },
}

impl fmt::Display for ToolchainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolchainError::NoCompiler { language } => {
                let [gcc, clang] = language.compilers();
                let install = how_to_install(language.package(), "");
                write!(
                    f,
                    "there is no {language} compiler: neither {gcc} nor {clang} is on the PATH. Install one: {install}; or name one \
                     with `--cc`"
                )
            }
            ToolchainError::NotFound { name, language } => {
                let [gcc, clang] = language.compilers();
                write!(
                    f,
                    "the {language} compiler `{name}` does not exist, or is no program. Name another one with `--cc` ({gcc}, {clang}), \
                     or install it"
                )
            }
            ToolchainError::Ourselves { words } => write!(
                f,
                "`{words}` is caissa itself, which needs a compiler to call. Name that one: `--cc gcc`, or CAISSA_CC=gcc"
            ),
            ToolchainError::CannotRun { program, why } => {
                write!(f, "{} cannot be run: {why}. Name another compiler with `--cc`", program.display())
            }
            ToolchainError::Unknown { program, said } => write!(
                f,
                "{} is neither gcc nor clang: asked for its version, it says `{said}`. Name one of them with `--cc`",
                program.display()
            ),
            ToolchainError::TooOld { program, kind, version, language } => {
                let [gcc, clang] = [Kind::Gcc, Kind::Clang].map(Kind::oldest);
                let other = language.compilers()[usize::from(*kind == Kind::Gcc)];
                write!(
                    f,
                    "{} is {kind} {version}, which is too old. Use gcc {gcc} or clang {clang}, or later: name one with `--cc`, as \
                     `--cc {other}`",
                    program.display()
                )
            }
            ToolchainError::Refused { argument, why } => write!(f, "`{argument}`: {why}"),
            ToolchainError::Quotes { text } => {
                write!(f, "a quote has no end in `{text}`. Add it, or remove the quote")
            }
            ToolchainError::NoSources => {
                write!(f, "there is nothing to compile. Name a source file: .c, .cc, .cpp, .cxx or .C")
            }
            ToolchainError::Failed { command, messages } => {
                write!(f, "the program does not compile:\n{}\nby: {command}", messages.trim_end())
            }
        }
    }
}

impl std::error::Error for ToolchainError {}
