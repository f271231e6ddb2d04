//! `bench models`: time and memory to exhaust the states of models, beside Spin's compiled verifier and stateright. See README.md.
//!
//! All count the same states: a model is written in each language so that control stands at the same places, those before
//! a shared access. Each search runs in a process of its own, which is measured from outside.

mod caissa;
mod child;
mod filesystem;
mod peterson;
mod philosophers;
mod spin;
mod stateright;
mod subject;

use std::process::Command;

use crate::figures::{Claim, Figures};
use crate::json::Json;
use crate::machine::Machine;
use crate::peers::Extent;
use crate::section::{Row, Section, print_claims, said};
use child::Spent;
use spin::Verifier;
use subject::{Exhausted, Size};

pub use subject::{SUBJECTS, Subject};

/// How much is measured, unless something else is said.
pub const FULL: Extent = Extent { rounds: 5, divisor: 1 };

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searcher {
    /// Our explicit engine with so many workers.
    Caissa(u32),
    Spin,
    Stateright,
}

impl Searcher {
    pub const ALL: [Searcher; 4] =
        [Searcher::Caissa(1), Searcher::Caissa(2), Searcher::Spin, Searcher::Stateright];

    pub fn name(self) -> &'static str {
        match self {
            Searcher::Caissa(1) => "caissa",
            Searcher::Caissa(_) => "caissa-2-workers",
            Searcher::Spin => "spin",
            Searcher::Stateright => "stateright",
        }
    }

    pub fn named(name: &str) -> Option<Searcher> {
        Searcher::ALL.into_iter().find(|searcher| searcher.name() == name)
    }
}

/// Runs one search here, once: for a profiler, and in the processes that are measured.
pub fn exhaust(searcher: Searcher, subject: &Subject, quick: bool) -> Result<(), String> {
    let size = subject.size(quick);
    let exhausted = match searcher {
        Searcher::Caissa(workers) => caissa::explicit(subject, size.sets, workers)?,
        Searcher::Spin => {
            spin::versions()?;
            Verifier::build(subject, size)?.run()?.0
        }
        Searcher::Stateright => stateright::run(subject, size),
    };
    println!("{}", exhausted.line());
    Ok(())
}

/// A searcher on a model, with all that was measured.
struct Run {
    subject: &'static Subject,
    size: &'static Size,
    searcher: Searcher,
    /// Spin's verifiers are compiled once and not measured.
    verifier: Option<Verifier>,
    last: Exhausted,
    /// In bytes, of the process, at the last time.
    peak: u64,
    cpu: Figures,
    wall: Figures,
}

impl Run {
    fn new(subject: &'static Subject, searcher: Searcher, quick: bool) -> Result<Run, String> {
        let size = subject.size(quick);
        let verifier = match searcher {
            Searcher::Spin => Some(Verifier::build(subject, size)?),
            _ => None,
        };
        let (last, peak) = (Exhausted::default(), 0);
        let (cpu, wall) = (Figures::default(), Figures::default());
        Ok(Run { subject, size, searcher, verifier, last, peak, cpu, wall })
    }

    fn search(&self, quick: bool) -> Result<(Exhausted, Spent), String> {
        if let Some(verifier) = &self.verifier {
            return verifier.run();
        }
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(this);
        command.args(["exhaust", self.searcher.name(), self.subject.name]);
        let spent = child::run(command.args(quick.then_some("--quick")))?;
        let exhausted = Exhausted::parse(&spent.output);
        Ok((exhausted.ok_or_else(|| format!("`{}` says nothing", spent.output))?, spent))
    }

    fn measure(&mut self, quick: bool) -> Result<(), String> {
        let (exhausted, spent) = self.search(quick)?;
        let own = if matches!(self.searcher, Searcher::Caissa(_)) { caissa::BEFORE_MAIN } else { 0 };
        let name = self.searcher.name();
        assert_eq!(exhausted.states, self.size.states + own, "states of {} by {name}", self.subject.name);
        (self.last, self.peak) = (exhausted, spent.peak);
        self.cpu.push(spent.cpu);
        self.wall.push(exhausted.seconds);
        Ok(())
    }

    fn row(&self, figures: Figures) -> Row {
        let states = self.last.states;
        let mut facts = vec![("states", states), ("transitions", self.last.transitions)];
        if self.last.bytes > 0 {
            facts.push(("bytes stored per state", self.last.bytes / states));
        }
        facts.push(("bytes per state in all", self.peak / states));
        let program = format!("{} {}", self.subject.name, self.size);
        Row { program, checker: self.searcher.name().to_owned(), figures, facts }
    }

    /// States per second, from seconds.
    fn speed(&self, seconds: &Figures) -> Figures {
        seconds.each(|seconds| self.last.states as f64 / seconds)
    }
}

/// All searches that can be run, with remarks about those that cannot.
fn runs(quick: bool) -> (Vec<Run>, Vec<String>) {
    let (mut runs, mut remarks) = (Vec::new(), Vec::new());
    let spin = spin::versions();
    let has_spin = spin.is_ok();
    remarks.push(spin.unwrap_or_else(|missing| missing));
    for subject in &SUBJECTS {
        for searcher in Searcher::ALL {
            if searcher == Searcher::Spin && !has_spin {
                continue;
            }
            said(&format!("{}: {}", subject.name, searcher.name()));
            match Run::new(subject, searcher, quick) {
                Ok(run) => runs.push(run),
                Err(error) => remarks.push(format!("{}: {}: {error}", subject.name, searcher.name())),
            }
        }
    }
    (runs, remarks)
}

/// Measures everything once, then everything again. What fails is left out, with a remark.
fn measure(extent: Extent) -> (Vec<Run>, Vec<String>) {
    let quick = extent.divisor > 1;
    let (mut runs, mut remarks) = runs(quick);
    for round in 1..=extent.rounds {
        runs.retain_mut(|run| {
            let (subject, searcher) = (run.subject.name, run.searcher.name());
            said(&format!("round {round} of {}: {subject}, {searcher}", extent.rounds));
            run.measure(quick)
                .map_err(|error| remarks.push(format!("{subject}: {searcher}: {}", error.trim_end())))
                .is_ok()
        });
    }
    said("");
    (runs, remarks)
}

fn find<'r>(runs: &'r [Run], subject: &Subject, searcher: Searcher) -> Option<&'r Run> {
    runs.iter().find(|run| run.subject.name == subject.name && run.searcher == searcher)
}

/// What is claimed of one core: speed against both, and memory against Spin's.
fn one_core(runs: &[Run]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for subject in &SUBJECTS {
        let Some(ours) = find(runs, subject, Searcher::Caissa(1)) else { continue };
        for (peer, floor) in [(Searcher::Spin, 0.5), (Searcher::Stateright, 3.0)] {
            let Some(other) = find(runs, subject, peer) else { continue };
            let what = format!("{}: states per CPU second against {}", subject.name, peer.name());
            let speed = ours.speed(&ours.cpu).over(&other.speed(&other.cpu));
            claims.push(Claim::at_least(what, speed, floor, None));
        }
        let Some(spin) = find(runs, subject, Searcher::Spin) else { continue };
        let mut bytes = Figures::default();
        bytes.push(ours.last.bytes as f64 / spin.last.bytes as f64);
        let what = format!("{}: bytes stored per state against spin, without its hash table", subject.name);
        claims.push(Claim::at_most(what, bytes, 1.0, None));
    }
    claims
}

/// What is claimed of two workers: less time on the clock.
fn two_workers(runs: &[Run]) -> Vec<Claim> {
    let claim = |subject: &Subject| {
        let one = find(runs, subject, Searcher::Caissa(1))?;
        let two = find(runs, subject, Searcher::Caissa(2))?;
        let what = format!("{}: two workers against one, on the clock", subject.name);
        Some(Claim::at_least(what, one.wall.over(&two.wall), 1.7, None))
    };
    SUBJECTS.iter().filter_map(claim).collect()
}

fn sections(runs: &[Run], remarks: Vec<String>) -> [Section; 2] {
    let alone = runs.iter().filter(|run| run.searcher != Searcher::Caissa(2));
    let together = runs.iter().filter(|run| matches!(run.searcher, Searcher::Caissa(_)));
    [
        Section {
            name: "Models, everything, one core",
            unit: "states per CPU s",
            rows: alone.map(|run| run.row(run.speed(&run.cpu))).collect(),
            claims: one_core(runs),
            remarks,
        },
        Section {
            name: "Models, one worker and two",
            unit: "states per s",
            rows: together.map(|run| run.row(run.speed(&run.wall))).collect(),
            claims: two_workers(runs),
            remarks: Vec::new(),
        },
    ]
}

/// Measures everything and prints it.
pub fn run(extent: Extent, json: bool) {
    let machine = Machine::this();
    let (runs, remarks) = measure(extent);
    let sections = sections(&runs, remarks);
    if json {
        println!(
            "{}",
            Json::Object(vec![
                ("machine", machine.json()),
                ("rounds", (extent.rounds as u64).into()),
                ("quick", (extent.divisor > 1).into()),
                ("sections", Json::List(sections.iter().map(Section::json).collect())),
            ])
        );
    } else {
        print!("{machine}");
        println!("rounds: {}", extent.rounds);
        if extent.divisor > 1 {
            println!("the models are small: these figures mean little");
        }
        sections.iter().for_each(Section::print);
        print_claims(sections.iter().flat_map(|section| &section.claims));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(searcher: Searcher, seconds: f64, bytes: u64) -> Run {
        let mut run = Run::new(&SUBJECTS[0], searcher, true).expect("nothing has to be built");
        run.last = Exhausted { states: 100, transitions: 300, seconds, bytes };
        run.cpu.push(seconds);
        run.wall.push(seconds);
        run.peak = 5_000;
        run
    }

    #[test]
    fn speed_and_memory_and_workers_are_compared_the_right_way_round() {
        let runs = [run(Searcher::Caissa(1), 2.0, 1_000), run(Searcher::Caissa(2), 1.0, 1_000)];
        let runs: Vec<Run> = runs.into_iter().chain([run(Searcher::Stateright, 8.0, 0)]).collect();
        let [alone, together] = sections(&runs, Vec::new());
        let measured = |section: &Section| section.claims[0].measured.median();
        assert_eq!((alone.claims.len(), measured(&alone), alone.claims[0].met()), (1, 4.0, true));
        assert_eq!((together.claims.len(), measured(&together), together.claims[0].met()), (1, 2.0, true));
        assert_eq!(alone.rows.len(), 2);
        assert_eq!(alone.rows[0].figures.median(), 50.0);
        assert!(alone.rows[0].facts.contains(&("bytes stored per state", 10)));
        assert!(alone.rows[1].facts.contains(&("bytes per state in all", 50)));
    }

    #[test]
    fn searchers_have_names() {
        for searcher in Searcher::ALL {
            assert_eq!(Searcher::named(searcher.name()), Some(searcher));
        }
        assert_eq!(Searcher::named("zing"), None);
    }
}
