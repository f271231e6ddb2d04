//! Measures Caissa beside shuttle, loom and bare std on programs of the corpus. See README.md.

mod cargo;
mod checkers;
mod coverage;
mod cpu;
mod crates;
mod figures;
mod json;
mod machine;
mod micro;
mod models;
mod native;
mod observer;
mod overhead;
mod peers;
mod programs;
mod sampling;
mod section;
mod stacks;
mod symbolic;

use checkers::Checker;
use models::{Searcher, Subject};
use peers::Extent;
use programs::{PROGRAMS, Program};

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Peers { extent: Extent, json: bool },
    Overhead { extent: Extent, json: bool },
    Models { extent: Extent, json: bool },
    Sampling { quick: bool, json: bool },
    Coverage { quick: bool, json: bool },
    Symbolic { extent: Extent, json: bool },
    Native { extent: Extent, json: bool },
    Cargo { extent: Extent, json: bool, tool: Option<String> },
    Corpus(symbolic::Part),
    Crates(crates::Wanted),
    Ask { figure: &'static symbolic::Figure, size: u32 },
    Exhaust { searcher: Searcher, model: &'static Subject, quick: bool },
    One { checker: Checker, program: &'static str, executions: u64 },
    Help,
}

fn usage() -> String {
    let checkers: Vec<&str> = Checker::ALL.iter().map(|(name, _)| *name).collect();
    let programs: Vec<&str> = PROGRAMS.iter().map(Program::short).collect();
    format!(
        "usage: cargo run --release -p bench -- COMMAND\n\
         \n\
         peers [--json] [--rounds N] [--quick]   compare with shuttle, loom and std; takes some minutes\n\
         overhead [--json] [--rounds N] [--quick] what fairness, clocks and classes cost\n\
         models [--json] [--rounds N] [--quick]  exhaust models beside Spin and stateright; takes some minutes\n\
         native [--json] [--rounds N] [--quick]  the ways in which native programs are run; takes a minute\n\
         cargo [--json] [--rounds N] [--quick] [--tool CARGO-CAISSA]  tests under cargo caissa beside the library; some minutes\n\
         sampling [--json] [--quick]             how often random, pct, pos and surw hit bugs of known kinds\n\
         coverage [--json] [--quick]             states that the fair search comes to, of all there are\n\
         symbolic [--json] [--rounds N] [--quick] the symbolic engine on two families of models, beside Boogie; some minutes\n\
         symbolic --corpus [--only NAME] [--seconds N]  its verdicts on the corpus beside Boogie's; up to an hour\n\
         crates [--tool CARGO-CAISSA] [NAME...]  cargo caissa test over well-known crates; writes docs/crates.md, up to an hour\n\
         one CHECKER PROGRAM [EXECUTIONS]        run one checker on one program once, for a profiler\n\
         exhaust SEARCHER MODEL [--quick]        exhaust one model once, for a profiler\n\
         ask FIGURE N                            ask the symbolic engine about one model once, for a profiler\n\
         help                                    print this\n\
         \n\
         CHECKER: {}\n\
         PROGRAM: {}\n\
         SEARCHER: {}\n\
         MODEL: {}\n\
         FIGURE: {}\n",
        checkers.join(", "),
        programs.join(", "),
        Searcher::ALL.map(Searcher::name).join(", "),
        models::SUBJECTS.map(|model| model.name).join(", "),
        symbolic::FIGURES.map(|figure| figure.name).join(", ")
    )
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    let number = text.replace('_', "").parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("`{text}` is not a number of {what}"))
}

fn parse(arguments: &[&str]) -> Result<Command, String> {
    match arguments {
        ["help" | "--help" | "-h"] => Ok(Command::Help),
        ["symbolic", "--corpus", options @ ..] => corpus(options),
        ["crates", options @ ..] => wanted_crates(options),
        [command @ ("peers" | "overhead" | "models" | "symbolic" | "native" | "cargo"), options @ ..] => {
            let full = match *command {
                "models" => models::FULL,
                "symbolic" | "native" | "cargo" => symbolic::FULL,
                _ => Extent::FULL,
            };
            let (mut extent, mut json, mut tool) = (full, false, None);
            let mut options = options.iter();
            while let Some(option) = options.next() {
                match *option {
                    "--json" => json = true,
                    "--quick" => extent = Extent::QUICK,
                    "--rounds" => {
                        let rounds = options.next().ok_or("--rounds needs a number")?;
                        extent.rounds = number(rounds, "rounds")? as usize;
                    }
                    "--tool" if *command == "cargo" => {
                        tool = Some((*options.next().ok_or("--tool needs a path")?).to_owned());
                    }
                    other => return Err(format!("`{command}` has no option `{other}`")),
                }
            }
            Ok(match *command {
                "peers" => Command::Peers { extent, json },
                "models" => Command::Models { extent, json },
                "symbolic" => Command::Symbolic { extent, json },
                "native" => Command::Native { extent, json },
                "cargo" => Command::Cargo { extent, json, tool },
                _ => Command::Overhead { extent, json },
            })
        }
        [command @ ("sampling" | "coverage"), options @ ..] => {
            if let Some(other) = options.iter().find(|option| !["--json", "--quick"].contains(*option)) {
                return Err(format!("`{command}` has no option `{other}`"));
            }
            let (quick, json) = (options.contains(&"--quick"), options.contains(&"--json"));
            Ok(match *command {
                "sampling" => Command::Sampling { quick, json },
                _ => Command::Coverage { quick, json },
            })
        }
        ["exhaust", searcher, model, rest @ ..] if matches!(rest, [] | ["--quick"]) => {
            let searcher = Searcher::named(searcher).ok_or(format!("there is no searcher `{searcher}`"))?;
            let model = Subject::named(model).ok_or(format!("there is no model `{model}`"))?;
            Ok(Command::Exhaust { searcher, model, quick: !rest.is_empty() })
        }
        ["exhaust", ..] => Err("`exhaust` needs a searcher and a model, and may have `--quick`".to_owned()),
        ["ask", figure, size] => {
            let figure = symbolic::Figure::named(figure).ok_or(format!("there is no figure `{figure}`"))?;
            Ok(Command::Ask { figure, size: number(size, "turns")? as u32 })
        }
        ["ask", ..] => Err("`ask` needs a figure and a number of turns".to_owned()),
        ["one", checker, program, rest @ ..] if rest.len() <= 1 => {
            let known = Checker::ALL.iter().find(|(name, _)| name == checker);
            let checker = known.ok_or_else(|| format!("there is no checker `{checker}`"))?.1;
            let known = PROGRAMS.iter().find(|known| known.short() == *program);
            let program = known.ok_or_else(|| format!("there is no program `{program}`"))?;
            if !checker.can_run(program) {
                return Err(format!(
                    "{} cannot run {}: it has too many threads",
                    checker.name(),
                    program.name
                ));
            }
            let executions = rest.first().map(|text| number(text, "executions")).transpose()?;
            let executions = executions.unwrap_or(checker.executions());
            Ok(Command::One { checker, program: program.short(), executions })
        }
        ["one", ..] => {
            Err("`one` needs a checker and a program, and may have a number of executions".to_owned())
        }
        [] => Err("what shall be measured?".to_owned()),
        [other, ..] => Err(format!("there is no command `{other}`")),
    }
}

/// The options of `symbolic --corpus`.
fn corpus(options: &[&str]) -> Result<Command, String> {
    let mut part = symbolic::Part { only: Vec::new(), seconds: 60 };
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match *option {
            "--only" => part.only.push((*options.next().ok_or("--only needs a name")?).to_owned()),
            "--seconds" => {
                let seconds = options.next().ok_or("--seconds needs a number")?;
                part.seconds = number(seconds, "seconds")?;
            }
            other => return Err(format!("`symbolic --corpus` has no option `{other}`")),
        }
    }
    Ok(Command::Corpus(part))
}

/// The options of `crates`.
fn wanted_crates(options: &[&str]) -> Result<Command, String> {
    let mut wanted = crates::Wanted::default();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        if *option == "--tool" {
            wanted.tool = Some((*options.next().ok_or("--tool needs a path")?).to_owned());
        } else if option.starts_with('-') {
            return Err(format!("`crates` has no option `{option}`"));
        } else {
            let known = crates::Subject::named(option).ok_or(format!("there is no crate `{option}`"))?;
            wanted.only.push(known.name);
        }
    }
    Ok(Command::Crates(wanted))
}

/// Ends with a message if something could not be done.
fn done(result: Result<(), String>) {
    if let Err(error) = result {
        eprintln!("bench: {error}");
        std::process::exit(1);
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match parse(&arguments) {
        Ok(Command::Peers { extent, json }) => peers::run(extent, json),
        Ok(Command::Overhead { extent, json }) => overhead::run(extent, json),
        Ok(Command::Models { extent, json }) => models::run(extent, json),
        Ok(Command::Exhaust { searcher, model, quick }) => {
            done(models::exhaust(searcher, model, quick));
        }
        Ok(Command::Symbolic { extent, json }) => symbolic::run(extent, json),
        Ok(Command::Native { extent, json }) => done(native::run(extent, json)),
        Ok(Command::Cargo { extent, json, tool }) => done(cargo::run(extent, json, tool)),
        Ok(Command::Crates(wanted)) => done(crates::run(&wanted)),
        Ok(Command::Corpus(part)) => done(symbolic::corpus(&part)),
        Ok(Command::Ask { figure, size }) => done(symbolic::ask(figure, size)),
        Ok(Command::Sampling { quick, json }) => sampling::run(quick, json),
        Ok(Command::Coverage { quick, json }) => coverage::run(quick, json),
        Ok(Command::One { checker, program, executions }) => {
            peers::one(Program::named(program), checker, executions);
        }
        Ok(Command::Help) => print!("{}", usage()),
        Err(message) => {
            eprintln!("bench: {message}\n\n{}", usage());
            std::process::exit(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood() {
        let peers = |rounds, divisor, json| Ok(Command::Peers { extent: Extent { rounds, divisor }, json });
        assert_eq!(parse(&["peers"]), peers(Extent::FULL.rounds, 1, false));
        assert_eq!(parse(&["peers", "--json", "--rounds", "7"]), peers(7, 1, true));
        assert_eq!(parse(&["peers", "--quick"]), peers(1, Extent::QUICK.divisor, false));
        let overhead = Command::Overhead { extent: Extent::QUICK, json: true };
        assert_eq!(parse(&["overhead", "--quick", "--json"]), Ok(overhead));
        assert_eq!(parse(&["models"]), Ok(Command::Models { extent: models::FULL, json: false }));
        let exhaust =
            |quick| Command::Exhaust { searcher: Searcher::Stateright, model: &models::SUBJECTS[1], quick };
        assert_eq!(parse(&["exhaust", "stateright", "peterson"]), Ok(exhaust(false)));
        assert_eq!(parse(&["exhaust", "stateright", "peterson", "--quick"]), Ok(exhaust(true)));
        assert_eq!(parse(&["sampling", "--quick"]), Ok(Command::Sampling { quick: true, json: false }));
        assert_eq!(parse(&["coverage", "--json"]), Ok(Command::Coverage { quick: false, json: true }));
        let symbolic = Command::Symbolic { extent: symbolic::FULL, json: true };
        assert_eq!(parse(&["symbolic", "--json"]), Ok(symbolic));
        let cargo = Command::Cargo { extent: Extent::QUICK, json: false, tool: Some("/bin/x".to_owned()) };
        assert_eq!(parse(&["cargo", "--quick", "--tool", "/bin/x"]), Ok(cargo));
        let part = symbolic::Part { only: vec!["driver".to_owned()], seconds: 5 };
        assert_eq!(
            parse(&["symbolic", "--corpus", "--seconds", "5", "--only", "driver"]),
            Ok(Command::Corpus(part))
        );
        let wanted = crates::Wanted { only: vec!["bus"], tool: Some("/bin/x".to_owned()) };
        assert_eq!(parse(&["crates", "--tool", "/bin/x", "bus"]), Ok(Command::Crates(wanted)));
        let ask = Command::Ask { figure: &symbolic::FIGURES[1], size: 4 };
        assert_eq!(parse(&["ask", "figure10", "4"]), Ok(ask));
        let one = |executions| Ok(Command::One { checker: Checker::CaissaDfs, program: "e", executions });
        assert_eq!(parse(&["one", "caissa-dfs", "e"]), one(300_000));
        assert_eq!(parse(&["one", "caissa-dfs", "e", "5_000"]), one(5_000));
        assert_eq!(parse(&["--help"]), Ok(Command::Help));
    }

    #[test]
    fn mistakes_are_named() {
        for (arguments, message) in [
            (&[][..], "what shall be measured?"),
            (&["pears"], "there is no command `pears`"),
            (&["peers", "--jsn"], "`peers` has no option `--jsn`"),
            (&["peers", "--rounds"], "--rounds needs a number"),
            (&["native", "--tool", "x"], "`native` has no option `--tool`"),
            (&["peers", "--rounds", "0"], "`0` is not a number of rounds"),
            (&["sampling", "--rounds"], "`sampling` has no option `--rounds`"),
            (&["coverage", "--bound"], "`coverage` has no option `--bound`"),
            (&["exhaust", "spin"], "`exhaust` needs a searcher and a model, and may have `--quick`"),
            (&["exhaust", "zing", "peterson"], "there is no searcher `zing`"),
            (&["exhaust", "spin", "bakery"], "there is no model `bakery`"),
            (&["symbolic", "--corpus", "--json"], "`symbolic --corpus` has no option `--json`"),
            (&["crates", "--json"], "`crates` has no option `--json`"),
            (&["crates", "buss"], "there is no crate `buss`"),
            (&["ask", "figure9"], "`ask` needs a figure and a number of turns"),
            (&["ask", "figure8", "1"], "there is no figure `figure8`"),
            (&["one", "caissa"], "`one` needs a checker and a program, and may have a number of executions"),
            (&["one", "caissa", "e"], "there is no checker `caissa`"),
            (&["one", "loom", "z"], "there is no program `z`"),
            (&["one", "loom", "h6"], "loom cannot run h6 rmw_6x10: it has too many threads"),
            (&["one", "loom", "a", "many"], "`many` is not a number of executions"),
        ] {
            assert_eq!(parse(arguments), Err(message.to_owned()), "{arguments:?}");
        }
    }
}
