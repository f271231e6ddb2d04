//! `cargo caissa`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    caissa_cli::cargo_caissa()
}
