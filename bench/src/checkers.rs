//! The checkers, each brought to run a wanted number of executions of a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use caissa::{Builder, Search, Verdict};

use crate::programs::Program;

/// What a checker did for one measurement.
#[derive(Clone, Copy, Default)]
pub struct Done {
    pub executions: u64,
    /// How often the checker was started: again and again while its tree is smaller than the executions wanted.
    pub checks: u64,
    /// Executions of the first check, if it ran its whole tree within the executions wanted.
    pub tree: Option<u64>,
    /// Steps of all executions; 0 if the checker does not say.
    pub steps: u64,
}

/// A way to explore a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Checker {
    CaissaDfs { classes: bool },
    CaissaBound2 { classes: bool },
    ShuttleDfs,
    Loom,
}

impl Checker {
    pub const ALL: [Checker; 6] = [
        Checker::CaissaDfs { classes: true },
        Checker::CaissaDfs { classes: false },
        Checker::CaissaBound2 { classes: true },
        Checker::CaissaBound2 { classes: false },
        Checker::ShuttleDfs,
        Checker::Loom,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Checker::CaissaDfs { classes: true } => "caissa dfs",
            Checker::CaissaDfs { classes: false } => "caissa dfs, no classes",
            Checker::CaissaBound2 { classes: true } => "caissa bound 2",
            Checker::CaissaBound2 { classes: false } => "caissa bound 2, no classes",
            Checker::ShuttleDfs => "shuttle dfs",
            Checker::Loom => "loom",
        }
    }

    pub fn is_caissa(self) -> bool {
        matches!(self, Checker::CaissaDfs { .. } | Checker::CaissaBound2 { .. })
    }

    /// How many executions make one measurement: fewer for slower checkers.
    pub fn executions(self) -> u64 {
        match self {
            Checker::CaissaDfs { .. } | Checker::CaissaBound2 { .. } => 300_000,
            Checker::ShuttleDfs => 50_000,
            Checker::Loom => 5_000,
        }
    }

    /// Runs exactly `wanted` executions of a program.
    pub fn run(self, program: &Program, wanted: u64) -> Done {
        let mut done = Done::default();
        while done.executions < wanted {
            let budget = wanted - done.executions;
            let before = done.executions;
            match self {
                Checker::CaissaDfs { classes } => run_caissa(
                    program,
                    Builder::new().search(Search::Dfs).classes(classes),
                    budget,
                    &mut done,
                ),
                Checker::CaissaBound2 { classes } => {
                    run_caissa(program, Builder::new().preemptions(2).classes(classes), budget, &mut done)
                }
                Checker::ShuttleDfs => run_shuttle(program, budget, &mut done),
                Checker::Loom => run_loom(program, budget, &mut done),
            }
            if done.checks == 0 && done.executions < wanted {
                done.tree = Some(done.executions);
            }
            done.checks += 1;
            assert!(done.executions > before, "{} ran no execution of {}", self.name(), program.name);
        }
        done
    }
}

fn run_caissa(program: &Program, builder: Builder, budget: u64, done: &mut Done) {
    let report = builder
        .max_executions(budget)
        .progress(Duration::ZERO)
        .explore(program.caissa)
        .expect("the settings make sense");
    assert!(
        matches!(report.verdict, Verdict::Verified | Verdict::Bounded | Verdict::Incomplete),
        "a program of corpus/rust/pass fails: {report}"
    );
    done.executions += report.executions();
    done.steps += report.summary.steps;
}

fn run_shuttle(program: &Program, budget: u64, done: &mut Done) {
    let scheduler = shuttle::scheduler::DfsScheduler::new(Some(budget as usize), false);
    let runner = shuttle::Runner::new(scheduler, shuttle::Config::new());
    done.executions += runner.run(program.shuttle) as u64;
}

fn run_loom(program: &Program, budget: u64, done: &mut Done) {
    let executions = Arc::new(AtomicU64::new(0));
    let mut builder = loom::model::Builder::new();
    // Loom looks at its limit only at a checkpoint, and there before it runs the execution of that number.
    builder.checkpoint_interval = budget as usize + 1;
    builder.max_permutations = Some(budget as usize + 1);
    let counter = Arc::clone(&executions);
    let run = program.loom;
    builder.check(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        run();
    });
    done.executions += executions.load(Ordering::Relaxed);
}
