//! Prints the intermediate representation of a model, or what is wrong with it: `cargo run --example print -- FILE [NAME=VALUE ...]`.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(name) = args.next() else {
        eprintln!("usage: print FILE [NAME=VALUE ...]");
        return ExitCode::from(2);
    };
    let sets: Vec<(String, String)> = args
        .filter_map(|set| set.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())))
        .collect();
    let bytes = match std::fs::read(&name) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("cannot read {name}: {error}");
            return ExitCode::from(2);
        }
    };
    match caissa_model::load_bytes(&name, &bytes, &sets) {
        Ok(program) => {
            let text = program.to_string();
            match std::io::stdout().write_all(text.as_bytes()) {
                Ok(()) => ExitCode::SUCCESS,
                // Whoever reads has seen enough.
                Err(_) => ExitCode::FAILURE,
            }
        }
        Err(diagnostics) => {
            eprint!("{}", diagnostics.render(false));
            ExitCode::from(2)
        }
    }
}
