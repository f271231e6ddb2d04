//! Compilers: which there are, how they instrument a program, and how they link it to our runtime.
//!
//! Programs are compiled with the compiler's own `-fsanitize=thread`, and linked to `libcaissa_rt.so` where the compiler would take its
//! libtsan. [`Compiler::wrap`] does that to any command line, for build systems; [`Compiler::compile`] to sources named on our own.
//!
//! What instrumentation does not reach: assembler, libraries that were compiled otherwise, and with gcc what a program asks for by
//! `__builtin_memcpy` and its like, which gcc turns into instructions without a hook.

mod arguments;
mod compile;
mod environment;
mod error;
mod flags;
mod install;
mod reading;
#[cfg(test)]
mod tests;
mod version;
mod wrap;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use environment::Environment;
pub use error::ToolchainError;
pub(crate) use install::{Package, how_to_install};
pub use version::Version;

/// The name of our runtime in a link: `libcaissa_rt.so`.
const RUNTIME: &str = "caissa_rt";

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

impl Language {
    /// The language of a source file, by its name.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cc" | "cpp" | "cxx" | "C" => Some(Language::Cxx),
            _ => None,
        }
    }

    /// The compilers that are looked for, best first.
    fn compilers(self) -> [&'static str; 2] {
        match self {
            Language::C => ["gcc", "clang"],
            Language::Cxx => ["g++", "clang++"],
        }
    }

    /// Variables that name a compiler. Ours can name one where the usual one names us.
    fn variables(self) -> [&'static str; 2] {
        match self {
            Language::C => ["CAISSA_CC", "CC"],
            Language::Cxx => ["CAISSA_CXX", "CXX"],
        }
    }

    fn package(self) -> Package {
        match self {
            Language::C => Package::Gcc,
            Language::Cxx => Package::Gxx,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::C => "C",
            Language::Cxx => "C++",
        })
    }
}

/// Whose compiler it is, which decides its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// GNU.
    Gcc,
    /// LLVM.
    Clang,
}

impl Kind {
    /// Before it, instrumentation lacks what the runtime relies on.
    fn oldest(self) -> Version {
        match self {
            Kind::Gcc => Version::new(12, 0, 0),
            Kind::Clang => Version::new(14, 0, 0),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Gcc => "gcc",
            Kind::Clang => "clang",
        })
    }
}

/// A compiler that can instrument programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    language: Language,
    kind: Kind,
    version: Version,
    program: PathBuf,
    /// What was asked for besides: `ccache gcc`, `gcc -m64`.
    arguments: Vec<OsString>,
}

impl Compiler {
    /// The compiler to use: the one that is asked for, the one that `CAISSA_CC` or `CC` (for C++ `CAISSA_CXX` or `CXX`) names, or the first
    /// on the `PATH` that can be used. Where a variable names caissa itself, as for a build system, it is passed over.
    ///
    /// # Errors
    /// If there is none, or the one that was asked for is unknown or too old.
    pub fn find(language: Language, asked: Option<&str>) -> Result<Compiler, ToolchainError> {
        Compiler::find_in(language, asked, &Environment::of_this_process())
    }

    pub(crate) fn find_in(
        language: Language,
        asked: Option<&str>,
        environment: &Environment,
    ) -> Result<Compiler, ToolchainError> {
        if let Some(asked) = asked {
            return Compiler::named(language, asked, environment);
        }
        for variable in language.variables() {
            if let Some(value) = environment.variable(variable)
                && !environment.names_us(value)
            {
                return Compiler::named(language, value, environment);
            }
        }
        let found = language.compilers().map(|name| Compiler::named(language, name, environment));
        let mut unfit = None;
        for result in found {
            match result {
                Ok(compiler) => return Ok(compiler),
                Err(ToolchainError::NotFound { .. }) => {}
                Err(error) => unfit = unfit.or(Some(error)),
            }
        }
        Err(unfit.unwrap_or(ToolchainError::NoCompiler { language }))
    }

    /// The compiler that a user's words name: a program, perhaps with arguments.
    fn named(language: Language, words: &str, environment: &Environment) -> Result<Compiler, ToolchainError> {
        if environment.names_us(words) {
            return Err(ToolchainError::Ourselves { words: words.to_owned() });
        }
        let split = shlex::split(words).ok_or_else(|| ToolchainError::Quotes { text: words.to_owned() })?;
        let Some((name, arguments)) = split.split_first() else {
            return Err(ToolchainError::NoCompiler { language });
        };
        let twin = version::spelling_for(language, name).and_then(|name| environment.find(&name));
        let program = twin.or_else(|| environment.find(name));
        let program = program.ok_or_else(|| ToolchainError::NotFound { name: name.clone(), language })?;
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let (kind, version) = version::ask(&program, &arguments)?;
        if version < kind.oldest() {
            return Err(ToolchainError::TooOld { program, kind, version, language });
        }
        Ok(Compiler { language, kind, version, program, arguments })
    }

    /// What it compiles by itself. Each compiler knows both languages, but links only its own.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whose it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Which one.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The program, as it is run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The words that every command line of it begins with.
    fn words(&self) -> Vec<OsString> {
        let program = std::iter::once(self.program.clone().into_os_string());
        program.chain(self.arguments.iter().cloned()).collect()
    }
}

/// A command of which the first word is the program.
fn command(words: &[OsString]) -> Command {
    let (program, arguments) = words.split_first().expect("a command has a program");
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
