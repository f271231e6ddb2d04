//! `caissa check --engine explicit`.

use std::time::Instant;

use caissa_check::{Check, Report, Settings, StatesExplored};
use caissa_core::{AtCut, Ending, Failure, GuideSpec, Repeat};
use caissa_model::Model;
use caissa_model::explicit::{self, Delaying, Explored, Found, Order, Rounds, Wrong};
use caissa_search::Verdict;

use crate::Mistake;
use crate::args::{self, Scheduler, Search};
use crate::exploring::explore;

/// Steps behind the last choice of a finding, and at least so many of one that has no end.
const SOME_STEPS: u32 = 20_000;
/// Rounds of a finding that has no end.
const SOME_ROUNDS: u32 = 8;
/// What goes round has to be a good share of all that is done; if it is not, it is followed for so many times as long, so often.
const LONGER: [u32; 3] = [1, 8, 64];
/// Steps that may be spent on making a finding smaller.
const MINIMISING: u32 = 2_000_000;

/// Explores the states of a model.
pub fn check(mut model: Model, args: &args::Check, checked: Settings) -> Result<Report, Mistake> {
    let (order, rounds) = (order(args), rounds(args));
    let started = Instant::now();
    let explicit = explicit::Settings {
        order,
        workers: args.workers,
        memory: checked.memory.unwrap_or(explicit::Settings::default().memory),
        max_states: args.max_executions.unwrap_or(u64::MAX),
        compact: args.compact,
        // That needs every state as it is.
        liveness: !args.no_fair && !args.compact,
        ..explicit::Settings::default()
    };
    let (explored, stopped) = explore(&model, &explicit, rounds, checked.time, args.quiet);
    let bounds = match order {
        Order::BreadthFirst | Order::DepthFirst => {
            let all = explored.found.is_none() && explored.ended.is_none() && !explored.long;
            vec![(0, explored.states, all)]
        }
        _ => explored.bounds.iter().map(|bound| (bound.bound, bound.states, bound.complete)).collect(),
    };
    // It does not look for races; an execution that it has found may well have one.
    let races = checked.races && !model.has_plain();
    let found = explored.found.as_ref();
    let states = StatesExplored {
        bounds,
        transitions: explored.transitions,
        complete: explored.complete,
        cut_off: explored.long,
        stopped,
        failure: found.map(|found| failure(found, order, &checked)),
        notes: notes(&model, &explored, &explicit, rounds),
        within: rounds.map(within),
    };
    // Its schedules are no fair scheduler's.
    let endless = found.is_some_and(|found| found.repeat.is_some());
    model.settings.known_fair = endless;
    let attempts = MINIMISING / found.map_or(0, last_step).saturating_add(1_000);
    let minimise = if args.shortest { 1 } else { checked.minimise.min(attempts).max(1) };
    let checked = Settings { fair: Some(false), fair_k: None, races, minimise, ..checked };
    let mut report = None;
    for longer in LONGER {
        let max_steps = found.map_or(checked.max_steps, |found| steps(found, &checked, longer));
        let settings = Settings { max_steps, ..checked.clone() };
        let examined = Check::new(model.clone(), settings)?.report_states(states.clone())?;
        let is_confirmed = examined.verdict != Verdict::Diverged;
        report = Some(examined);
        if is_confirmed || !endless {
            break;
        }
    }
    let mut report = report.expect("it was examined at least once");
    report.elapsed = started.elapsed();
    Ok(report)
}

/// What was found, as a search would have found it, with the bound.
fn failure(found: &Found, order: Order, checked: &Settings) -> (Failure, u32) {
    // What a schedule costs in delays only its scheduler can say.
    let guide = match order {
        Order::Delays(..) => GuideSpec::Delaying(checked.scheduler.clone()),
        _ => GuideSpec::NonPreemptive,
    };
    let failure = Failure {
        choices: found.choices.clone(),
        guide,
        at_cut: AtCut::Stop,
        ending: match found.wrong {
            Wrong::Deadlock => Ending::Deadlock,
            Wrong::Livelock | Wrong::GoodSamaritan => Ending::StepLimit,
            Wrong::Fault(_) | Wrong::Spins => Ending::Panicked,
        },
        step: 0,
        repeat: found.repeat.map(|(from, to)| Repeat { from, to }),
    };
    (failure, found.spent.unwrap_or(0))
}

/// The step of the last choice.
fn last_step(found: &Found) -> u32 {
    found.choices.last().map_or(0, |choice| choice.step)
}

/// The limit of steps that shows a finding to its end: states can be as deep as they like.
fn steps(found: &Found, checked: &Settings, longer: u32) -> u32 {
    let least = match found.repeat {
        Some((from, to)) => {
            let round = (to - from).saturating_mul(SOME_ROUNDS);
            to.saturating_mul(2).saturating_add(round).max(SOME_STEPS).saturating_mul(longer)
        }
        None => last_step(found).saturating_add(SOME_STEPS),
    };
    checked.max_steps.max(least)
}

fn order(args: &args::Check) -> Order {
    match args.search {
        Search::Dfs => Order::DepthFirst,
        Search::Preemptions => Order::Preemptions(args.bound),
        Search::Delays => match args.scheduler {
            Some(Scheduler::DepthFirst) => Order::Delays(Delaying::DepthFirst, args.bound),
            _ => Order::Delays(Delaying::RoundRobin, args.bound),
        },
        // The others were refused.
        _ => Order::BreadthFirst,
    }
}

/// The rounds that were asked for.
fn rounds(args: &args::Check) -> Option<Rounds> {
    let asked = args.rounds.is_some() || args.yields.is_some();
    let (buffers, tasks) = (args.rounds.unwrap_or(1), args.yields.unwrap_or(1));
    asked.then_some(Rounds { buffers, tasks, reorder: !args.no_reorder })
}

/// What executions within rounds have.
fn within(rounds: Rounds) -> String {
    let Rounds { buffers, tasks, reorder } = rounds;
    let noun = if buffers == 1 { "round" } else { "rounds" };
    let order = if reorder { "" } else { ", in one order of dispatch" };
    format!("{buffers} {noun} of buffers and {tasks} of tasks{order}")
}

/// What is to be said beside the verdict.
fn notes(
    model: &Model,
    explored: &Explored,
    settings: &explicit::Settings,
    rounds: Option<Rounds>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if settings.workers > 1 && (rounds.is_some() || settings.order == Order::DepthFirst) {
        notes.push(
            "this was explored by one worker: --workers is of use breadth first and under bounds.".to_owned(),
        );
    }
    if rounds.is_some() {
        notes.push("within rounds neither deadlocks nor executions without end are looked for.".to_owned());
    }
    if explored.long {
        notes.push(
            "some task runs for very long without a point; what comes after that was not looked at."
                .to_owned(),
        );
    }
    if settings.compact && rounds.is_none() {
        let odds = explicit::collision_odds(explored.states);
        notes.push(format!(
            "fingerprints were kept instead of states: the odds that some state was taken for another one and left out are about \
             {odds:.0e}. Executions without end were not looked for."
        ));
    }
    if explored.found.is_none() && !explored.complete && settings.liveness && rounds.is_none() {
        notes.push(
            "executions without end are looked for only where all states are explored; --engine stateless finds them under bounds."
                .to_owned(),
        );
    }
    if explored.found.is_none() && !settings.liveness && !settings.compact && rounds.is_none() {
        notes.push("executions without end were not looked for (--no-fair).".to_owned());
    }
    if explored.found.is_none() && explored.complete && settings.liveness && !explored.liveness {
        notes.push(
            "executions without end were not looked for: there are more than 64 tasks at a time.".to_owned(),
        );
    }
    if model.has_plain() {
        notes.push(
            "data races on plain globals are not looked for by this engine; --engine stateless does."
                .to_owned(),
        );
    }
    notes
}
