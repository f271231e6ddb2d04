//! Executions per CPU second of Caissa, shuttle and loom on programs of the corpus. See README.md.
//!
//! `cargo run --release` measures everything. `cargo run --release -- CHECKER PROGRAM [EXECUTIONS]` runs one checker on
//! one program once, for a profiler; names may be cut short at the end.

mod checkers;
mod programs;

use checkers::{Checker, Done};
use programs::{PROGRAMS, Program};

/// Measurements of each checker on each program; the table shows the median.
const REPEATS: usize = 5;

/// CPU seconds of this process so far, all threads together.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours and lives through the call.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the system has a clock of CPU time");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// One measurement.
#[derive(Clone, Copy)]
struct Measured {
    done: Done,
    per_second: f64,
}

fn measure(checker: Checker, program: &Program, executions: u64) -> Measured {
    let before = cpu_seconds();
    let done = checker.run(program, executions);
    let seconds = cpu_seconds() - before;
    Measured { done, per_second: done.executions as f64 / seconds }
}

/// What one cell of the table needs, from all repeats.
struct Cell {
    checker: Checker,
    repeats: Vec<Measured>,
}

impl Cell {
    fn speeds(&self) -> Vec<f64> {
        let mut speeds: Vec<f64> = self.repeats.iter().map(|measured| measured.per_second).collect();
        speeds.sort_by(f64::total_cmp);
        speeds
    }

    fn median(&self) -> f64 {
        let speeds = self.speeds();
        speeds[speeds.len() / 2]
    }
}

fn measure_all() -> Vec<(&'static Program, Vec<Cell>)> {
    let mut table: Vec<(&Program, Vec<Cell>)> = PROGRAMS
        .iter()
        .map(|program| {
            let cells = Checker::ALL.map(|checker| Cell { checker, repeats: Vec::new() });
            (program, cells.into())
        })
        .collect();
    for repeat in 1..=REPEATS {
        for (program, cells) in &mut table {
            for cell in cells {
                eprint!("\rrepeat {repeat} of {REPEATS}: {}, {}{:30}", program.name, cell.checker.name(), "");
                cell.repeats.push(measure(cell.checker, program, cell.checker.executions()));
            }
        }
    }
    eprintln!();
    table
}

fn print(table: &[(&Program, Vec<Cell>)]) {
    println!(
        "| program | checker | executions | checks | whole tree | CPU ms for it | steps per execution | executions per CPU s | lowest..highest | caissa/shuttle | caissa/loom |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (program, cells) in table {
        let median = |wanted: Checker| cells.iter().find(|cell| cell.checker == wanted).map(Cell::median);
        let (shuttle, loom) = (median(Checker::ShuttleDfs), median(Checker::Loom));
        for cell in cells {
            let speeds = cell.speeds();
            let done = cell.repeats[0].done;
            let (mut steps, mut ratios) = ("-".to_owned(), ["-".to_owned(), "-".to_owned()]);
            if cell.checker.is_caissa() {
                steps = format!("{:.1}", done.steps as f64 / done.executions as f64);
                ratios = [shuttle, loom].map(|other| {
                    other.map_or("-".to_owned(), |other| format!("{:.1}", cell.median() / other))
                });
            }
            let [tree, ms] = match done.tree {
                Some(tree) => [tree.to_string(), format!("{:.2}", tree as f64 / cell.median() * 1e3)],
                None => ["not reached".to_owned(), "-".to_owned()],
            };
            println!(
                "| {} | {} | {} | {} | {tree} | {ms} | {steps} | {:.0} | {:.0}..{:.0} | {} | {} |",
                program.name,
                cell.checker.name(),
                done.executions,
                done.checks,
                cell.median(),
                speeds[0],
                speeds[speeds.len() - 1],
                ratios[0],
                ratios[1],
            );
        }
    }
}

/// Runs one checker on one program, once.
fn one(arguments: &[String]) -> Result<(), String> {
    let [checker, program, rest @ ..] = arguments else {
        return Err("give a checker and a program, or nothing to measure all".to_owned());
    };
    let checker = *Checker::ALL
        .iter()
        .find(|known| known.name().starts_with(checker.as_str()))
        .ok_or_else(|| format!("there is no checker `{checker}`"))?;
    let program = PROGRAMS
        .iter()
        .find(|known| known.name.starts_with(program.as_str()))
        .ok_or_else(|| format!("there is no program `{program}`"))?;
    let executions = match rest.first() {
        Some(number) => number.parse().map_err(|_| format!("`{number}` is not a number of executions"))?,
        None => checker.executions(),
    };
    let Measured { done, per_second } = measure(checker, program, executions);
    println!(
        "{}, {}: {} executions, {} checks, {} steps, {per_second:.0} executions per CPU s",
        program.name,
        checker.name(),
        done.executions,
        done.checks,
        done.steps
    );
    Ok(())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        print(&measure_all());
    } else if let Err(message) = one(&arguments) {
        eprintln!("{message}");
        std::process::exit(2);
    }
}
