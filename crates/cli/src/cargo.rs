//! `cargo caissa`: a crate's own tests, or its program, built by cargo and explored.
//!
//! Cargo builds them with flags that bring them under control ([`project`], [`build`]), into a directory of their own, so that nothing that the user has built is built
//! again. Each test executable is asked for its tests ([`listing`]), and each test is explored by itself ([`explore`]), several at the same time ([`pool`]). A program is
//! built and started by `cargo run`, with ourselves as what runs it ([`run`]).

mod args;
mod build;
mod config;
mod doctests;
mod explore;
mod libtest;
mod listing;
mod output;
mod pool;
mod printed;
mod project;
mod replay;
mod run;
mod settings;
mod test;
mod words;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;

use crate::Mistake;
use words::Words;

const HELP: &str = "\
Explores the schedules of a crate's own tests, or of its program

Usage: cargo caissa test [OPTIONS] [OPTIONS OF CARGO TEST] [FILTER] [-- FILTERS AND OPTIONS OF THE TESTS]
       cargo caissa run [OPTIONS] [OPTIONS OF CARGO RUN] [-- ARGUMENTS OF THE PROGRAM]
       cargo caissa replay [OPTIONS] NAME SCHEDULE [OPTIONS OF CARGO TEST]

Commands:
  test    Explores the schedules of a crate's own tests, each by itself
  run     Explores the schedules of a program of a crate
  replay  Replays a schedule of a test and shows what it does
  help    Prints this help; `cargo caissa test --help` lists the options of a command

Options:
  -h, --help     Print help
  -V, --version  Print version
";

/// The command `cargo caissa`.
pub fn main() -> Result<ExitCode, Mistake> {
    let mut words = std::env::args_os().skip(1).peekable();
    // Cargo names the command that it was asked for.
    words.next_if(|word| word == "caissa");
    let Some(command) = words.next() else {
        return Err(Mistake(format!("error: what is to be done?\n\n{HELP}")));
    };
    match &*command.to_string_lossy() {
        "test" | "t" => {
            let (options, words) = split::<args::Test>(words, false)?;
            test::test(&options, words)
        }
        "run" | "r" => {
            let (options, words) = split::<args::Run>(words, true)?;
            run::run(&options, words)
        }
        "replay" => {
            let (options, words) = split::<args::Replay>(words, false)?;
            replay::replay(&options, words)
        }
        run::RUNNER => run::from_cargo(words),
        run::EXPLORE => run::explore(words),
        printed::PRINTED => printed::print(),
        "help" | "--help" | "-h" => {
            match words.next().and_then(|word| word.into_string().ok()).as_deref() {
                Some("test") => drop(parse::<args::Test>(vec!["--help".into()])),
                Some("run") => drop(parse::<args::Run>(vec!["--help".into()])),
                Some("replay") => drop(parse::<args::Replay>(vec!["--help".into()])),
                _ => print(HELP),
            }
            Ok(ExitCode::SUCCESS)
        }
        "--version" | "-V" => {
            print(concat!("cargo-caissa ", env!("CARGO_PKG_VERSION"), "\n"));
            Ok(ExitCode::SUCCESS)
        }
        "bench" => Err(Mistake("error: benchmarks are not explored\nhelp: cargo caissa test\n".to_owned())),
        other => Err(Mistake(format!("error: there is no command `{other}`\n\n{HELP}"))),
    }
}

/// Prints to standard output. Nobody may be there any more to read it, which is no reason to fail.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Takes a command line apart, and reads our own options.
fn split<T: Parser>(words: impl Iterator<Item = OsString>, runs: bool) -> Result<(T, Words), Mistake> {
    let words = Words::split(words, &T::command(), runs);
    words.refuse_mistyped(&T::command())?;
    Ok((parse(words.ours.clone()), words))
}

/// Reads our own options. Ends the process if it has to be said how.
fn parse<T: Parser>(ours: Vec<OsString>) -> T {
    let name = OsString::from(T::command().get_name());
    T::try_parse_from(std::iter::once(name).chain(ours)).unwrap_or_else(|error| error.exit())
}

/// Refuses searches that there are none of for programs, and options that would be ignored.
fn refuse(options: &args::Exploring) -> Result<(), Mistake> {
    use crate::args::Search;
    let refused = |what: &str, help: &str| Err(Mistake(format!("error: {what}\nhelp: {help}\n")));
    match options.search {
        Some(Search::Bfs) => return refused("--search bfs is for models", "use --search dfs"),
        Some(Search::Dfs | Search::Random | Search::Pct | Search::Pos | Search::Surw)
            if options.bound.is_some() =>
        {
            return refused(
                "this search has no bound",
                "leave --bound out, or use --search preemptions, delays, contexts or depth",
            );
        }
        _ => {}
    }
    if options.scheduler.is_some() && options.search != Some(Search::Delays) {
        return refused("--scheduler is that of --search delays", "add --search delays, or leave it out");
    }
    Ok(())
}
