//! The command line: `caissa check`, `replay`, `fmt`, `completions`.
//!
//! Exit codes: 0 nothing found, 1 a bug, 2 a mistake in the input or the call, 3 diverged, 4 incomplete although that was asked
//! for, 130 interrupted.
#![forbid(unsafe_code)]

mod args;
mod check;
mod explicit;
mod fmt;
mod interrupt;
mod model;
mod replay;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Command, What};

/// A mistake in the input or the call: what is wrong, and what to do.
#[derive(Debug)]
struct Mistake(String);

impl From<caissa_check::Error> for Mistake {
    fn from(error: caissa_check::Error) -> Mistake {
        Mistake(format!("error: {error}\n"))
    }
}

fn main() -> ExitCode {
    let result = match Command::parse().what {
        What::Check(args) => check::check(&args),
        What::Replay(args) => replay::replay(&args),
        What::Fmt(args) => fmt::format_files(&args),
        What::Completions { shell } => {
            clap_complete::generate(shell, &mut Command::command(), "caissa", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|Mistake(text)| {
        eprint!("{text}");
        ExitCode::from(2)
    })
}
