//! `caissa cc` in a compiler's place: any command line of a build system, so that what it makes is instrumented and linked to our runtime.
//!
//! Questions (`--version`, `-print-search-dirs`, `-v`) are passed on as they are. Everything else gets what its last step takes: the flags that
//! instrument where something is compiled, the runtime where something is linked, executable or shared library.

use std::ffi::OsString;
use std::path::Path;

use super::arguments::Words;
use super::reading::{self, Reading, Stop};
use super::{Compiler, Kind, ToolchainError};

impl Compiler {
    /// The command line, program first, that `caissa cc ARGUMENTS...` runs.
    ///
    /// # Errors
    /// If an argument makes it impossible to check what comes out: another sanitizer, a statically linked program.
    pub fn wrap(&self, arguments: &[OsString], runtime_dir: &Path) -> Result<Vec<OsString>, ToolchainError> {
        let mut wrapped = self.words();
        let mut words = Words::read(arguments);
        let reading = reading::read(&mut words)?;
        // A part of clang that is called by its own name gets the flags that clang has given it.
        let is_part = arguments.first().is_some_and(|first| first == "-cc1" || first == "-cc1as");
        if is_part || !reading.has_input {
            wrapped.extend_from_slice(arguments);
            return Ok(wrapped);
        }
        let links = reading.stop == Stop::Linked && !reading.is_partial;
        if links {
            refuse_unlinkable(&reading)?;
            wrapped.extend(self.link_flags(runtime_dir));
        }
        let (arguments, after) = words.kept();
        wrapped.extend(arguments);
        // Behind what was given, since the last of several flags decides.
        if reading.has_source {
            wrapped.extend(self.flags_for(&reading)?.into_iter().map(OsString::from));
        }
        wrapped.extend(after);
        Ok(wrapped)
    }

    fn flags_for(&self, reading: &Reading) -> Result<Vec<&'static str>, ToolchainError> {
        match (reading.stop, &reading.apart) {
            (Stop::Preprocessed, _) => Ok(Compiler::preprocess_flags()),
            (Stop::Compiled, _) if reading.preprocesses => Ok(self.compile_flags()),
            (Stop::Compiled, _) => Ok(self.preprocessed_flags()),
            (Stop::Linked, Some(argument)) if self.kind == Kind::Gcc => Err(ToolchainError::Refused {
                argument: argument.clone(),
                why: "gcc cannot compile that and link it in one go without its own runtime. Compile it first, with `-c`, and link it then",
            }),
            (Stop::Linked, _) => Ok(self.compile_and_link_flags(reading.preprocesses)),
        }
    }
}

fn refuse_unlinkable(reading: &Reading) -> Result<(), ToolchainError> {
    match &reading.unlinkable {
        Some((argument, why)) => Err(ToolchainError::Refused { argument: argument.clone(), why }),
        None => Ok(()),
    }
}
