//! Prints programs: for people who look into a translation, and for tests that compare.

use std::fmt;

use super::Program;

pub(super) fn program(program: &Program, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    writeln!(f, "// {}", program.source.name)
}
