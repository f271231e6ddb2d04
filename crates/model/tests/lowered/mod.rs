//! The intermediate representation of a text, as it is printed.

use caissa_model::load;

/// Checks what becomes of a text. The levels and buffers that a model has if it says nothing are left out.
#[track_caller]
pub fn check(text: &str, expected: &str) {
    let program = match load("test.cai", text, &[]) {
        Ok(program) => program,
        Err(diagnostics) => panic!("{diagnostics}"),
    };
    let printed = program.to_string();
    let printed = printed.strip_prefix("levels base;\nbuffer main runs main;\n").unwrap_or(&printed);
    assert_eq!(printed, expected.strip_prefix('\n').unwrap_or(expected), "\n{printed}");
}
