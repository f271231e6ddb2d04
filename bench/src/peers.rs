//! `bench peers`: Caissa beside shuttle, loom and bare std, and what is claimed of the comparison. See README.md.

use crate::checkers::{Checker, Done};
use crate::cpu;
use crate::figures::{Claim, Figures, short};
use crate::json::Json;
use crate::machine::Machine;
use crate::micro;
use crate::observer::Classes;
use crate::programs::{PROGRAMS, Program};
use crate::section::{Cell, Row, Section, interleaved, print_claims, said};
use crate::stacks;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Measurements of each thing; the tables show the median.
    pub rounds: usize,
    /// The executions of a measurement are divided by this.
    pub divisor: u64,
}

impl Extent {
    pub const FULL: Extent = Extent { rounds: 9, divisor: 1 };
    /// To see that everything works; the figures mean little.
    pub const QUICK: Extent = Extent { rounds: 1, divisor: 20 };
}

/// A checker on a program, with what it did the last time it was measured.
struct Run {
    program: &'static Program,
    checker: Checker,
    done: Done,
    figures: Figures,
}

/// Measures every checker on every program that it can run, in interleaved rounds.
fn measure(
    extent: Extent,
    pairs: &[(&'static Program, Checker)],
    measure: impl Fn(&'static Program, Checker) -> (f64, Done),
) -> Vec<Run> {
    let done: Vec<std::cell::Cell<Done>> = pairs.iter().map(|_| std::cell::Cell::default()).collect();
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for (&(program, checker), last) in pairs.iter().zip(&done) {
        let measure = &measure;
        cells.push(Cell::new(format!("{}, {}", program.name, checker.name()), move || {
            let (value, done) = measure(program, checker);
            last.set(done);
            value
        }));
    }
    interleaved(extent.rounds, &mut cells);
    let figures: Vec<Figures> = cells.into_iter().map(|cell| cell.figures).collect();
    let runs = pairs.iter().zip(done).zip(figures);
    runs.map(|((&(program, checker), done), figures)| Run { program, checker, done: done.get(), figures })
        .collect()
}

fn pairs(programs: &[&str], checkers: &[Checker]) -> Vec<(&'static Program, Checker)> {
    let programs = programs.iter().map(|name| Program::named(name));
    let all = programs.flat_map(|program| checkers.iter().map(move |&checker| (program, checker)));
    all.filter(|(program, checker)| checker.can_run(program)).collect()
}

fn figures_of<'r>(runs: &'r [Run], program: &Program, checker: Checker) -> Option<&'r Figures> {
    let found = runs.iter().find(|run| run.program.name == program.name && run.checker == checker);
    found.map(|run| &run.figures)
}

fn rows(runs: &[Run]) -> Vec<Row> {
    let row = |run: &Run| {
        let Done { executions, checks, tree, steps, classes } = run.done;
        let mut facts = vec![("executions", executions)];
        facts.extend((checks > 1).then_some(("checks", checks)));
        facts.extend(tree.map(|tree| ("executions in the whole tree", tree)));
        facts.extend((steps > 0).then(|| ("steps per execution", steps / executions)));
        facts.extend((classes > 0).then_some(("classes", classes)));
        let figures = run.figures.clone();
        Row { program: run.program.name.into(), checker: run.checker.name().into(), figures, facts }
    };
    runs.iter().map(row).collect()
}

/// Claims that `ours` is so many times `other` on every program that both ran; `less` if what is measured is a cost.
fn claims(
    runs: &[Run],
    what: &str,
    ours: Checker,
    other: Checker,
    less: bool,
    floor: f64,
    goal: Option<f64>,
) -> Vec<Claim> {
    let mut claims = Vec::new();
    for program in &PROGRAMS {
        let both = figures_of(runs, program, ours).zip(figures_of(runs, program, other));
        if let Some((ours, theirs)) = both {
            let ratio = if less { theirs.over(ours) } else { ours.over(theirs) };
            let what = format!("{}: {what} {}", program.short(), other.name());
            claims.push(Claim::at_least(what, ratio, floor, goal));
        }
    }
    claims
}

/// Executions per CPU second, of a fixed number of executions.
fn per_second(divisor: u64, program: &Program, checker: Checker) -> (f64, Done) {
    let wanted = (checker.executions() / divisor).max(1);
    let before = cpu::of_process();
    let done = checker.run(program, wanted);
    (done.executions as f64 / (cpu::of_process() - before), done)
}

fn speed(extent: Extent) -> Section {
    use Checker::*;
    let checkers = [CaissaDfs, CaissaDfsNoClasses, ShuttleDfs, Loom, Threads, Body];
    let runs = measure(extent, &pairs(&["a", "b", "e", "h4", "h6"], &checkers), |program, checker| {
        per_second(extent.divisor, program, checker)
    });
    let mut all =
        claims(&runs, "executions per CPU second against", CaissaDfs, ShuttleDfs, false, 6.0, Some(12.0));
    all.extend(claims(&runs, "executions per CPU second against", CaissaDfs, Loom, false, 40.0, Some(100.0)));
    Section {
        name: "Depth-first search",
        unit: "executions per CPU s",
        rows: rows(&runs),
        claims: all,
        remarks: Vec::new(),
    }
}

fn random(extent: Extent) -> Section {
    use Checker::*;
    let programs = ["a", "b", "e", "h4", "h6"];
    let runs = measure(extent, &pairs(&programs, &[CaissaRandom, ShuttleRandom]), |program, checker| {
        per_second(extent.divisor, program, checker)
    });
    let all = claims(
        &runs,
        "executions per CPU second against",
        CaissaRandom,
        ShuttleRandom,
        false,
        4.0,
        Some(10.0),
    );
    Section {
        name: "Random search",
        unit: "executions per CPU s",
        rows: rows(&runs),
        claims: all,
        remarks: Vec::new(),
    }
}

/// Milliseconds of CPU time for one check to its end; small ones are run again and again for as long as a clock needs.
fn whole(divisor: u64, program: &Program, checker: Checker) -> (f64, Done) {
    let start = cpu::of_process();
    let done = checker.check(program, u64::MAX);
    let first = cpu::of_process() - start;
    // As many more as fill 0.3 s.
    let more = ((0.3 / divisor as f64 / first) as u64).min(3_000);
    if more == 0 {
        return (first * 1e3, done);
    }
    let before = cpu::of_process();
    for _ in 0..more {
        checker.check(program, u64::MAX);
    }
    ((cpu::of_process() - before) * 1e3 / more as f64, done)
}

fn exhaust(extent: Extent) -> Section {
    use Checker::*;
    let checkers = [CaissaDfsReduce, CaissaDfs, ShuttleDfs, Loom];
    let runs = measure(extent, &pairs(&["a", "b"], &checkers), |program, checker| {
        whole(extent.divisor, program, checker)
    });
    let mut all =
        claims(&runs, "less CPU time for everything than", CaissaDfsReduce, ShuttleDfs, true, 50.0, None);
    all.extend(claims(&runs, "less CPU time for everything than", CaissaDfsReduce, Loom, true, 50.0, None));
    Section {
        name: "Everything, without a bound",
        unit: "CPU ms",
        rows: rows(&runs),
        claims: all,
        remarks: Vec::new(),
    }
}

fn bound2(extent: Extent) -> Section {
    use Checker::*;
    let programs = ["b", "e", "h4"];
    let runs = measure(
        extent,
        &pairs(&programs, &[CaissaBound2Reduce, CaissaBound2, LoomBound2]),
        |program, checker| whole(extent.divisor, program, checker),
    );
    let mut all =
        claims(&runs, "less CPU time at bound 2 than", CaissaBound2Reduce, LoomBound2, true, 10.0, None);
    let mut remarks = Vec::new();
    for program in programs.map(Program::named) {
        said(&format!("classes of {}", program.name));
        let [ours, theirs] = [CaissaBound2Reduce, LoomBound2].map(|checker| checker.classes(program));
        let common = ours.in_common(&theirs);
        let each = |checker, classes: &Classes| {
            let ms = figures_of(&runs, program, checker).expect("both were measured").median();
            short(ms * 1e3 / classes.len() as f64)
        };
        remarks.push(format!(
            "Classes of {} at bound 2: caissa {}, loom {} of which {common} are among caissa's; {} of loom's executions had a \
             load of an old value and are in no class. CPU time for each class covered: caissa {} us, loom {} us.",
            program.name,
            ours.len(),
            theirs.len(),
            theirs.stale,
            each(CaissaBound2Reduce, &ours),
            each(LoomBound2, &theirs),
        ));
        let [mut ratio, mut count] = [Figures::default(), Figures::default()];
        ratio.push(ours.len() as f64);
        count.push(theirs.len() as f64);
        let what = format!("{}: classes covered at bound 2, against loom", program.short());
        all.push(Claim::at_least(what, ratio.over(&count), 1.0, None));
    }
    said("");
    Section { name: "Preemption bound 2", unit: "CPU ms", rows: rows(&runs), claims: all, remarks }
}

/// Measures everything and prints it.
pub fn run(extent: Extent, json: bool) {
    let machine = Machine::this();
    let parts: [fn(Extent) -> Section; 6] =
        [speed, random, exhaust, bound2, |extent| micro::section(extent.rounds), |_| stacks::section()];
    let sections = parts.map(|part| part(extent));
    if json {
        let object = Json::Object(vec![
            ("machine", machine.json()),
            ("rounds", (extent.rounds as u64).into()),
            ("divisor", extent.divisor.into()),
            ("sections", Json::List(sections.iter().map(Section::json).collect())),
        ]);
        println!("{object}");
    } else {
        print!("{machine}");
        println!("rounds: {}", extent.rounds);
        if extent.divisor > 1 {
            println!(
                "each measurement is {} times as short as it should be: these figures mean little",
                extent.divisor
            );
        }
        sections.iter().for_each(Section::print);
        print_claims(sections.iter().flat_map(|section| &section.claims));
    }
}

/// Runs one checker on one program, once, for a profiler.
pub fn one(program: &Program, checker: Checker, executions: u64) {
    let before = cpu::of_process();
    let done = checker.run(program, executions);
    let seconds = cpu::of_process() - before;
    println!(
        "{}, {}: {} executions, {} checks, {} steps, {:.0} executions per CPU s",
        program.name,
        checker.name(),
        done.executions,
        done.checks,
        done.steps,
        done.executions as f64 / seconds
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: &str, checker: Checker, value: f64) -> Run {
        let mut figures = Figures::default();
        figures.push(value);
        Run { program: Program::named(program), checker, done: Done::default(), figures }
    }

    #[test]
    fn more_speed_and_less_time_are_both_a_larger_ratio() {
        let runs = [run("a", Checker::CaissaDfs, 600.0), run("a", Checker::ShuttleDfs, 100.0)];
        let speed =
            &claims(&runs, "speed against", Checker::CaissaDfs, Checker::ShuttleDfs, false, 6.0, None)[0];
        assert_eq!((speed.measured.median(), speed.met()), (6.0, true));
        assert_eq!(speed.what, "a: speed against shuttle-dfs");
        let time = &claims(&runs, "time", Checker::ShuttleDfs, Checker::CaissaDfs, true, 6.5, None)[0];
        assert_eq!((time.measured.median(), time.met()), (6.0, false));
    }

    #[test]
    fn nothing_is_claimed_of_what_was_not_run() {
        let runs = [run("h6", Checker::CaissaDfs, 1.0)];
        assert!(claims(&runs, "x", Checker::CaissaDfs, Checker::Loom, false, 1.0, None).is_empty());
        assert_eq!(pairs(&["h6"], &[Checker::CaissaDfs, Checker::Loom]).len(), 1);
    }

    #[test]
    fn a_small_check_is_timed_over_many() {
        let (ms, done) = whole(100, Program::named("a"), Checker::CaissaDfs);
        assert_eq!(done.executions, 703);
        assert!(ms > 0.0);
    }
}
