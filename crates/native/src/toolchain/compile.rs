//! Compiling the sources that a user names to a program that can be checked.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::arguments::Words;
use super::reading::{self, Reading};
use super::{Compiler, Language, ToolchainError, command};

impl Compiler {
    /// Compiles and links sources, with flags as a user writes them to a shell. `-O1` unless they have a level; the language's standard is the
    /// compiler's default. Returns the compiler's warnings.
    ///
    /// # Errors
    /// If a flag cannot be used, or the program does not compile: then the error has the compiler's messages.
    pub fn compile(
        &self,
        sources: &[PathBuf],
        flags: &str,
        output: &Path,
        runtime_dir: &Path,
    ) -> Result<String, ToolchainError> {
        if sources.is_empty() {
            return Err(ToolchainError::NoSources);
        }
        let split = shlex::split(flags).ok_or_else(|| ToolchainError::Quotes { text: flags.to_owned() })?;
        let flags: Vec<OsString> = split.into_iter().map(OsString::from).collect();
        let mut arguments = self.inputs(sources);
        if !examine(&flags)?.has_level {
            arguments.push("-O1".into());
        }
        // Behind the sources: a linker takes from a library what files before it need.
        arguments.extend(flags);
        arguments.extend(["-o".into(), plain_path(output)]);
        self.run(&self.wrap(&arguments, runtime_dir)?)
    }

    /// The sources, each in its own language: a C++ compiler takes everything for C++.
    fn inputs(&self, sources: &[PathBuf]) -> Vec<OsString> {
        let mut words = Vec::new();
        for source in sources {
            let is_foreign = self.language == Language::Cxx && Language::of(source) == Some(Language::C);
            if is_foreign {
                words.extend(["-x".into(), "c".into()]);
            }
            words.push(plain_path(source));
            if is_foreign {
                words.extend(["-x".into(), "none".into()]);
            }
        }
        words
    }

    fn run(&self, words: &[OsString]) -> Result<String, ToolchainError> {
        let output = command(words).output().map_err(|error| ToolchainError::CannotRun {
            program: self.program.clone(),
            why: error.to_string(),
        })?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(messages);
        }
        let messages = if messages.trim().is_empty() { output.status.to_string() } else { messages };
        Err(ToolchainError::Failed { command: shown(words), messages })
    }
}

/// Reads flags that must not decide what comes out, and where.
fn examine(flags: &[OsString]) -> Result<Reading, ToolchainError> {
    let reading = reading::read(&mut Words::read(flags))?;
    match &reading.decides_output {
        Some(argument) => Err(ToolchainError::Refused {
            argument: argument.clone(),
            why: "caissa makes an executable of its own of the sources. Leave it out of `--cflags`, or build the program with `caissa cc` \
                  and check that",
        }),
        None => Ok(reading),
    }
}

/// A path that cannot be taken for something else.
fn plain_path(path: &Path) -> OsString {
    let is_odd = matches!(path.as_os_str().as_encoded_bytes().first(), Some(b'-' | b'@'));
    if is_odd { Path::new(".").join(path).into_os_string() } else { path.as_os_str().to_owned() }
}

/// A command line that can be given to a shell.
fn shown(words: &[OsString]) -> String {
    let quoted = words.iter().map(|word| {
        let word = word.to_string_lossy();
        shlex::try_quote(&word).map_or_else(|_| word.clone().into_owned(), |quoted| quoted.into_owned())
    });
    quoted.collect::<Vec<String>>().join(" ")
}
