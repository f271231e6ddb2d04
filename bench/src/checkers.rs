//! The checkers, each brought to run executions of a program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use caissa::{Builder, Search, Verdict};

use crate::observer::{self, Classes};
use crate::programs::Program;

/// What a checker did for one measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    pub executions: u64,
    /// How often the checker was started: again and again while its tree is smaller than the executions wanted.
    pub checks: u64,
    /// Executions of the first check, if it ran its whole tree within the executions wanted.
    pub tree: Option<u64>,
    /// Steps of all executions; 0 if the checker does not say.
    pub steps: u64,
    /// Classes by the checker's own count, of one check that ran to its end; 0 if it does not count them.
    pub classes: u64,
}

/// A way to run a program again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checker {
    CaissaDfs,
    CaissaDfsNoClasses,
    CaissaBound2,
    /// Depth-first, without executions that are equivalent to others.
    CaissaDfsReduce,
    CaissaBound2Reduce,
    CaissaRandom,
    ShuttleDfs,
    ShuttleRandom,
    Loom,
    LoomBound2,
    /// std's types and threads: nothing is explored.
    Threads,
    /// std's types, tasks run where they are spawned: nothing is explored, nothing is switched.
    Body,
}

use Checker::*;

/// Seeds the random searches.
const SEED: u64 = 0x0ca1_55a0;

impl Checker {
    pub const ALL: [(&'static str, Checker); 12] = [
        ("caissa-dfs", CaissaDfs),
        ("caissa-dfs-no-classes", CaissaDfsNoClasses),
        ("caissa-bound2", CaissaBound2),
        ("caissa-dfs-reduce", CaissaDfsReduce),
        ("caissa-bound2-reduce", CaissaBound2Reduce),
        ("caissa-random", CaissaRandom),
        ("shuttle-dfs", ShuttleDfs),
        ("shuttle-random", ShuttleRandom),
        ("loom", Loom),
        ("loom-bound2", LoomBound2),
        ("threads", Threads),
        ("body", Body),
    ];

    pub fn name(self) -> &'static str {
        let named = Checker::ALL.iter().find(|(_, checker)| *checker == self);
        named.expect("every checker has a name").0
    }

    /// How many executions make one measurement: fewer for slower checkers.
    pub fn executions(self) -> u64 {
        match self {
            CaissaDfs | CaissaDfsNoClasses | CaissaDfsReduce | CaissaBound2 | CaissaBound2Reduce
            | CaissaRandom => 300_000,
            ShuttleDfs | ShuttleRandom => 50_000,
            Loom | LoomBound2 => 5_000,
            Threads => 2_000,
            Body => 1_000_000,
        }
    }

    pub fn can_run(self, program: &Program) -> bool {
        program.loom.is_some() || !matches!(self, Loom | LoomBound2)
    }

    /// Runs exactly `wanted` executions of a program, in as many checks as it takes.
    pub fn run(self, program: &Program, wanted: u64) -> Done {
        let mut done = Done::default();
        while done.executions < wanted {
            let before = done.executions;
            let check = self.check(program, wanted - before);
            done.executions += check.executions;
            done.steps += check.steps;
            if done.checks == 0 && done.executions < wanted {
                done.tree = Some(done.executions);
            }
            done.checks += 1;
            assert!(done.executions > before, "{} ran no execution of {}", self.name(), program.name);
        }
        done
    }

    /// One check, to its end or up to a number of executions.
    pub fn check(self, program: &Program, limit: u64) -> Done {
        match self {
            CaissaDfs | CaissaDfsNoClasses | CaissaDfsReduce | CaissaBound2 | CaissaBound2Reduce
            | CaissaRandom => check_caissa(self.caissa().expect("it is caissa"), limit, program.caissa),
            ShuttleDfs => {
                let limit = usize::try_from(limit).ok().filter(|&limit| limit < usize::MAX);
                check_shuttle(shuttle::scheduler::DfsScheduler::new(limit, false), program.shuttle)
            }
            ShuttleRandom => {
                let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(SEED, limit as usize);
                check_shuttle(scheduler, program.shuttle)
            }
            Loom | LoomBound2 => check_loom(self, limit, program.loom.expect("loom can run it")),
            Threads => again(program.threads, limit),
            Body => again(program.body, limit),
        }
    }

    /// The classes that a check to its end covers.
    pub fn classes(self, program: &Program) -> Classes {
        let classes = Arc::new(Mutex::new(Classes::default()));
        let (caissa, loom) = (program.caissa_observed, program.loom_observed);
        let seen = Arc::clone(&classes);
        match self.caissa() {
            Some(builder) => {
                check_caissa(builder, u64::MAX, move || observer::execution(caissa, &seen));
            }
            None => {
                let program = loom.expect("loom can run it");
                check_loom(self, u64::MAX, move || observer::execution(program, &seen));
            }
        }
        std::mem::take(&mut *classes.lock().expect("no execution panicked"))
    }

    /// Caissa's settings for this search.
    fn caissa(self) -> Option<Builder> {
        match self {
            CaissaDfs => Some(Builder::new().search(Search::Dfs)),
            CaissaDfsNoClasses => Some(Builder::new().search(Search::Dfs).classes(false)),
            CaissaBound2 => Some(Builder::new().preemptions(2)),
            CaissaDfsReduce => Some(Builder::new().search(Search::Dfs).reduce(true)),
            CaissaBound2Reduce => Some(Builder::new().preemptions(2).reduce(true)),
            CaissaRandom => Some(Builder::new().search(Search::Random).seed(SEED)),
            _ => None,
        }
    }
}

fn check_caissa(builder: Builder, limit: u64, program: impl Fn() + Send + Sync + 'static) -> Done {
    let report = builder
        .max_executions(limit)
        .progress(Duration::ZERO)
        .explore(program)
        .expect("the settings make sense");
    assert!(
        matches!(report.verdict, Verdict::Verified | Verdict::Bounded | Verdict::Incomplete),
        "a program of corpus/rust/pass fails: {report}"
    );
    Done {
        executions: report.executions(),
        steps: report.summary.steps,
        classes: report.summary.classes(),
        ..Done::default()
    }
}

fn check_shuttle<S: shuttle::scheduler::Scheduler + 'static>(scheduler: S, program: fn()) -> Done {
    let runner = shuttle::Runner::new(scheduler, shuttle::Config::new());
    Done { executions: runner.run(program) as u64, ..Done::default() }
}

fn check_loom(checker: Checker, limit: u64, program: impl Fn() + Send + Sync + 'static) -> Done {
    let executions = Arc::new(AtomicU64::new(0));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = (checker == LoomBound2).then_some(2);
    // Loom looks at its limit only at a checkpoint, and there before it runs the execution of that number.
    let limit = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
    builder.checkpoint_interval = limit;
    builder.max_permutations = Some(limit);
    let counter = Arc::clone(&executions);
    builder.check(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        program();
    });
    Done { executions: executions.load(Ordering::Relaxed), ..Done::default() }
}

fn again(program: fn(), times: u64) -> Done {
    (0..times).for_each(|_| program());
    Done { executions: times, ..Done::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runs_as_many_executions_as_wanted() {
        for (name, checker) in Checker::ALL {
            for program in ["a", "h6"].map(Program::named) {
                if checker.can_run(program) {
                    let done = checker.run(program, 150);
                    assert_eq!(done.executions, 150, "{name} on {}", program.name);
                }
            }
        }
        assert!(!Loom.can_run(Program::named("h6")));
    }

    #[test]
    fn small_trees_are_run_whole_and_again() {
        let a = Program::named("a");
        let done = CaissaDfs.run(a, 1500);
        assert_eq!((done.tree, done.checks), (Some(703), 3));
        assert_eq!(Loom.run(a, 200).tree, Some(105));
    }

    /// Caissa's own count of classes, by hashes of dependence while the program runs, and the observer's, from outside.
    #[test]
    fn the_observer_counts_the_classes_that_caissa_counts() {
        for name in ["a", "b", "e"] {
            let program = Program::named(name);
            for [checker, reduced] in [[CaissaDfs, CaissaDfsReduce], [CaissaBound2, CaissaBound2Reduce]] {
                let own = checker.check(program, u64::MAX).classes;
                let seen = checker.classes(program);
                assert_eq!(seen.len(), own, "{name} under {}", checker.name());
                // What is left out is equivalent to what is not.
                let reduced = reduced.classes(program);
                assert_eq!((reduced.len(), reduced.in_common(&seen)), (own, own), "{name}, reduced");
            }
        }
        assert_eq!(CaissaDfs.classes(Program::named("b")).len(), 90);
    }

    /// Without a bound loom covers every class: the observer sees the same ones under both.
    #[test]
    fn the_observer_sees_the_same_classes_under_loom() {
        for name in ["a", "e"] {
            let program = Program::named(name);
            let (caissa, loom) = (CaissaDfs.classes(program), Loom.classes(program));
            assert_eq!((loom.len(), loom.in_common(&caissa)), (caissa.len(), caissa.len()), "{name}");
        }
    }
}
