//! What the engines say of a program, in the words of the judge.

use std::sync::Arc;

use caissa_core::{AtCut, Choice, Cost, Ending, Failure, GuideSpec, Job};
use caissa_model::explicit::{self, Delaying, Order, Watched, Wrong};
use caissa_model::{Code, Exec, ExecSettings, load};
use caissa_search::{Bounds, Ingredient, Mix, Next, Replay, Search, Settings, Subject};

use crate::oracle::ast::{Kind, Program};
use crate::oracle::explore::{End, Executions, Reach};

const MAX_STEPS: u32 = 100_000;

/// The delaying schedulers that both engines have.
pub const SCHEDULERS: [(&str, Delaying); 2] =
    [("rr", Delaying::RoundRobin), ("depth-first", Delaying::DepthFirst)];

/// Reads and compiles a program.
pub fn compile(program: &Program) -> Result<Arc<Code>, String> {
    let read = load("random.cai", &program.to_string(), &[]);
    read.map(|program| Arc::new(Code::new(program))).map_err(|diagnostics| diagnostics.render(false))
}

/// The judge's word for a kind of bug.
fn kind(word: &str) -> Kind {
    match word {
        "assertion" => Kind::Assertion,
        "range" => Kind::Range,
        "index" => Kind::Index,
        "division" => Kind::Division,
        "choice" => Kind::NoChoice,
        "unlock" => Kind::Unlock,
        "result" => Kind::NoResult,
        "deadlock" => Kind::Deadlock,
        "final" => Kind::Final,
        other => panic!("the judge knows no such bug: {other}"),
    }
}

fn kind_of(wrong: &Wrong) -> Kind {
    match wrong {
        Wrong::Fault(fault) => kind(fault.kind()),
        Wrong::Deadlock => Kind::Deadlock,
        other => panic!("a program without endless executions cannot do that: {other:?}"),
    }
}

/// How many values a valuation has.
fn size(program: &Program) -> usize {
    program.globals.iter().map(|global| global.len.unwrap_or(1)).sum::<usize>() + program.locks
}

fn exec(code: &Arc<Code>) -> Exec {
    let unfair = ExecSettings { fair_k: 0, classes: false, ..ExecSettings::default() };
    Exec::new(Arc::clone(code), unfair)
}

/// All executions of the stateless search, by their cost. Jobs are run one execution at a time, so that the end of each is seen.
/// Every failing one is replayed.
pub fn stateless(program: &Program, code: &Arc<Code>, cost: Cost, guide: GuideSpec) -> Executions {
    let settings = Settings {
        max_executions: u64::MAX,
        max_steps: MAX_STEPS,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: true,
    };
    let bounds = Ingredient::Bounded(Bounds { cost, guide, max_bound: None, at_cut: AtCut::Stop });
    let mut search = Mix::new(settings, vec![(bounds, 1)]);
    let mut exec = exec(code);
    let size = size(program);
    let mut found = Executions::default();
    loop {
        let (id, mut job) = match search.next() {
            Next::Run(id, job) => (id, job),
            Next::Wait => unreachable!("no job is being run"),
            Next::Done => break,
        };
        let spent = search.progress().bound.expect("it has bounds");
        job.limit.executions = 1;
        let outcome = exec.run(&job);
        let values = exec.globals()[..size].to_vec();
        let end = match exec.ending() {
            Some(Ending::Complete) => End::Terminated(values, false),
            Some(Ending::Discarded) => End::Discarded,
            Some(Ending::Deadlock | Ending::Panicked) => {
                let failure = outcome.failure.as_ref().expect("an execution with a bug has failed");
                match replayed(&mut exec, failure, cost, spent) {
                    Kind::Final => End::Terminated(values, true),
                    kind => End::Bug(kind),
                }
            }
            other => panic!("an execution ends with {other:?}"),
        };
        found.note(&end, spent);
        search.learn(id, outcome);
    }
    for bound in &search.conclude().bounds {
        let tally = found.by_cost.get(&bound.bound).cloned().unwrap_or_default();
        assert_eq!(bound.executions + bound.discarded, tally.all(), "executions of cost {}", bound.bound);
        assert!(bound.complete && bound.pruned == 0 && bound.cut == 0 && bound.step_limited == 0);
    }
    found
}

/// The kind of bug that comes back when a failing execution is replayed.
fn replayed(exec: &mut Exec, failure: &Failure, cost: Cost, spent: u32) -> Kind {
    let replay = replay(exec, &failure.choices, cost, failure.guide.clone(), failure.at_cut);
    assert_eq!(replay.ending, failure.ending, "a finding does not replay");
    assert_eq!(replay.spent, spent, "a replay has another cost");
    kind(replay.bug.expect("a finding does not replay").kind())
}

fn replay(exec: &mut Exec, choices: &[Choice], cost: Cost, guide: GuideSpec, at_cut: AtCut) -> Replay {
    exec.replay(&Job { cost, at_cut, ..Job::single(choices.to_vec(), guide, MAX_STEPS) })
}

/// Everything that the explicit-state engine reaches, with the least cost; it does not say what is discarded.
pub fn census(program: &Program, code: &Code, order: Order, workers: u32) -> Reach {
    let settings =
        explicit::Settings { order, workers, census: true, few_states: 0, ..explicit::Settings::default() };
    let explored = explicit::explore(code, &settings, &Watched::default());
    assert!(explored.complete && explored.found.is_none() && explored.ended.is_none());
    let mut reach = Reach::default();
    for (cost, mut values) in explored.census.terminated {
        values.truncate(size(program));
        reach.note(&End::Terminated(values, false), cost);
    }
    for (cost, wrong) in explored.census.wrong {
        reach.note(&End::Bug(kind_of(&wrong)), cost);
    }
    reach
}

/// The first bug that the explicit-state engine finds, with its cost; its path is replayed by the stateless engine.
pub fn first_bug(code: &Arc<Code>, order: Order) -> Option<(Kind, Option<u32>)> {
    let settings = explicit::Settings { order, ..explicit::Settings::default() };
    let explored = explicit::explore(code, &settings, &Watched::default());
    let Some(found) = &explored.found else {
        assert!(explored.complete && explored.ended.is_none(), "nothing was found, and not all was explored");
        return None;
    };
    // The choices are those of a job without delays; what they cost is known of preemptions only.
    let replay =
        replay(&mut exec(code), &found.choices, Cost::Preemptions, GuideSpec::NonPreemptive, AtCut::Stop);
    let replayed = replay.bug.map(|bug| kind(bug.kind()));
    assert_eq!(replayed, Some(kind_of(&found.wrong)), "a path does not lead to what was found");
    if let (Some(spent), Order::Preemptions(_)) = (found.spent, order) {
        assert_eq!(replay.spent, spent, "a path has another cost than what was found");
    }
    Some((kind_of(&found.wrong), found.spent))
}
