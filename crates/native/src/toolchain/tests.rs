//! The toolchain with the real gcc and clang, and a library in the runtime's place that counts what it is told.

mod compile;
mod find;
mod stub;
mod wrap;

use super::*;

/// Both compilers for a language.
fn compilers(language: Language) -> [Compiler; 2] {
    language
        .compilers()
        .map(|name| Compiler::find(language, Some(name)).expect("both compilers are needed to test"))
}

/// Arguments as a shell would pass them.
fn arguments(text: &str) -> Vec<OsString> {
    shlex::split(text).expect("quotes in pairs").into_iter().map(OsString::from).collect()
}
