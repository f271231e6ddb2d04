//! The command lines: `caissa check`, `verify`, `replay`, `fmt`, `completions`; `cargo caissa test`, `run`, `replay`.
//!
//! Exit codes: 0 nothing found, 1 a bug, 2 a mistake in the input or the call, 3 diverged, 4 incomplete although that was asked
//! for, 130 interrupted.
#![forbid(unsafe_code)]

mod args;
mod attending;
mod cargo;
mod check;
mod contradictions;
mod explicit;
mod exploring;
mod fmt;
mod interrupt;
mod model;
mod native;
mod replay;
mod verify;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Command, What};
use caissa_native::toolchain::Language;

/// A mistake in the input or the call: what is wrong, and what to do.
#[derive(Debug)]
struct Mistake(String);

impl From<caissa_check::Error> for Mistake {
    fn from(error: caissa_check::Error) -> Mistake {
        Mistake(match error {
            caissa_check::Error::Setting { name, value, expected } => {
                format!("error: --{} is {value}, but must be {expected}\n", name.replace('_', "-"))
            }
            error => format!("error: {error}\n"),
        })
    }
}

/// The command `caissa`.
pub fn caissa() -> ExitCode {
    let result = match Command::parse().what {
        What::Check(args) => check::check(&args),
        What::Verify(args) => verify::verify(&args),
        What::Replay(args) => replay::replay(&args),
        What::Cc(args) => native::compile_in_place(Language::C, &args.arguments),
        What::Cxx(args) => native::compile_in_place(Language::Cxx, &args.arguments),
        What::Doctor => native::doctor(),
        What::Fmt(args) => fmt::format_files(&args),
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Command::command(), "caissa", &mut script);
            // Nobody may be there any more to read it, which is no reason to fail.
            let _ = std::io::stdout().write_all(&script);
            Ok(ExitCode::SUCCESS)
        }
    };
    ended(result)
}

/// The command `cargo caissa`.
pub fn cargo_caissa() -> ExitCode {
    ended(cargo::main())
}

fn ended(result: Result<ExitCode, Mistake>) -> ExitCode {
    result.unwrap_or_else(|Mistake(text)| {
        let _ = std::io::stderr().write_all(text.as_bytes());
        ExitCode::from(2)
    })
}
