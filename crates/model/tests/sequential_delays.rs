//! Delays and threads, translated into sequential programs, against what the other engines say of them, on small random programs
//! (POPL 2011, Lemmas 2 to 4; Lal and Reps). What is found is replayed. `CAISSA_AGREE=20` for twenty times as many programs.

use crate::small;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::small::random::{Shape, program};
use crate::small::{Program, compile, times};
use caissa_core::{AtCut, Cost, Ending, GuideSpec, Job};
use caissa_model::explicit::{self, Delaying, Order, Rounds, Watched, Wrong, explore_rounds};
use caissa_model::sequentialize::{Bounds, Covered, Unfit, sequentialize};
use caissa_model::symbolic::ask::{Told, ask};
use caissa_model::symbolic::decide::{Limits, batsat};
use caissa_model::symbolic::play::play;
use caissa_model::symbolic::timeline::{Within, timeline};
use caissa_model::symbolic::unroll::Unwinding;
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::{Bounds as Bounded, Ingredient, Mix, Next, Search, Settings, Subject};

fn covered(bounds: Bounds, limits: bool, observed: bool) -> Covered {
    Covered { bounds, reorder: false, limits, observed }
}

fn exec(code: &Arc<Code>) -> Exec {
    Exec::new(Arc::clone(code), ExecSettings { fair_k: 0, classes: false, ..ExecSettings::default() })
}

/// Whether SAT finds something wrong; that is replayed.
fn by_sat(code: &Arc<Code>, bounds: Bounds, text: &str) -> bool {
    let sequential = sequentialize(code.program(), covered(bounds, true, false)).expect("it fits");
    let most = Unwinding { loops: 4, recursion: 2 };
    let asked = ask(&sequential, &mut batsat(Limits::default()), most, &Limits::default());
    let events = match asked.expect("nobody stops it").told {
        Told::Wrong(events) => events,
        Told::Right => return false,
        Told::RightSoFar(sites) => panic!("{sites:?} in a program without loops\n{text}"),
    };
    let order = match bounds {
        Bounds::Delays(_) => Within::Parts,
        _ => Within::Tasks,
    };
    let order = timeline(&events, order);
    let found = play(code, &order).unwrap_or_else(|why| panic!("{bounds:?}: {why}\n{order:?}\n{text}"));
    let Wrong::Fault(fault) = found.wrong else { panic!("{:?}", found.wrong) };
    let job = Job::single(found.choices, GuideSpec::NonPreemptive, 10_000);
    let replayed = exec(code).replay(&job).bug.map_or("nothing", |bug| bug.kind());
    assert_eq!(replayed, fault.kind(), "{bounds:?}: a finding does not replay\n{text}");
    true
}

/// Whether an execution with so many delays fails, by running all of them. `depth-first-plain` discards those that take a task that waits.
fn by_executions(code: &Arc<Code>, delays: u32) -> bool {
    let settings = Settings {
        max_executions: u64::MAX,
        max_steps: 10_000,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: true,
    };
    let guide = GuideSpec::Delaying("depth-first-plain".to_owned());
    let bounds = Bounded { cost: Cost::Delays, guide, max_bound: Some(delays), at_cut: AtCut::Stop };
    let mut search = Mix::new(settings, vec![(Ingredient::Bounded(bounds), 1)]);
    let mut exec = exec(code);
    loop {
        let (id, mut job) = match search.next() {
            Next::Run(id, job) => (id, job),
            Next::Wait => unreachable!("no job is being run"),
            Next::Done => return false,
        };
        job.limit.executions = 1;
        let outcome = exec.run(&job);
        if exec.ending() == Some(&Ending::Panicked) {
            return true;
        }
        search.learn(id, outcome);
    }
}

fn by_states(code: &Code, delays: u32) -> bool {
    let order = Order::Delays(Delaying::DepthFirst, Some(delays));
    let settings = explicit::Settings { order, ..explicit::Settings::default() };
    let found = explicit::explore(code, &settings, &Watched::default()).found;
    found.is_some_and(|found| matches!(found.wrong, Wrong::Fault(_)))
}

/// The program with a final condition that one valuation of the globals does not meet, for each.
fn with_finals(program: &Program) -> Vec<String> {
    let text = program.to_string();
    let count = program.globals as u32;
    let of = |value: u8| {
        let term = |g: u32| format!("g{g} == {}", value / small::VALUES.pow(g) % small::VALUES);
        let terms: Vec<String> = (0..count).map(term).collect();
        format!("final !({});\n{text}", terms.join(" && "))
    };
    (0..small::VALUES.pow(count)).map(of).collect()
}

#[test]
fn delays_fail_assertions_as_the_scheduler_does() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..1_000 * times() {
        let shape = Shape { one: true, cyclic: false, asserts: true, waits: seed % 2 == 0, data: 0 };
        let text = program(seed, shape).to_string();
        let code = compile(&text);
        for delays in 0..4 {
            let executions = by_executions(&code, delays);
            assert_eq!(
                by_sat(&code, Bounds::Delays(delays), &text),
                executions,
                "seed {seed}, {delays} delays\n{text}"
            );
            if !shape.waits {
                assert_eq!(by_states(&code, delays), executions, "seed {seed}, {delays} delays\n{text}");
            }
            *(if executions { &mut wrong } else { &mut right }) += 1;
        }
    }
    println!("{wrong} wrong, {right} right");
    assert!(wrong >= 100 && right >= 300);
}

#[test]
fn delays_lead_to_the_same_ends() {
    let mut wrong = 0;
    for seed in 0..80 * times() {
        let shape = Shape { one: true, cyclic: false, asserts: false, waits: seed % 2 == 0, data: 0 };
        for text in with_finals(&program(seed, shape)) {
            let code = compile(&text);
            for delays in 0..3 {
                let executions = by_executions(&code, delays);
                assert_eq!(
                    by_sat(&code, Bounds::Delays(delays), &text),
                    executions,
                    "seed {seed}, {delays} delays\n{text}"
                );
                wrong += executions as u32;
            }
        }
    }
    assert!(wrong >= 100);
}

/// The last values of the globals of a sequential program, as the explicit engine finds them.
fn ends(sequential: &caissa_model::ir::Program, count: usize) -> BTreeSet<Vec<i32>> {
    let (mut starts, mut next) = (Vec::new(), 0);
    for global in &sequential.globals {
        if global.name.starts_with("last'g") {
            starts.push(next);
        }
        next += global.size() as usize;
    }
    assert_eq!(starts.len(), count);
    let settings = explicit::Settings { census: true, ..explicit::Settings::default() };
    let explored = explicit::explore(&Code::new(sequential.clone()), &settings, &Watched::default());
    assert!(explored.complete && explored.census.wrong.is_empty());
    let of = |(_, values): &(u32, Vec<i32>)| starts.iter().map(|&start| values[start]).collect();
    explored.census.terminated.iter().map(of).collect()
}

/// Lemmas 2 to 4 by the explicit engine alone: the sequential program ends as the program under the scheduler does.
#[test]
fn the_sequential_program_has_the_ends_of_the_scheduler() {
    let mut all = 0;
    for seed in 0..150 * times() {
        let shape = Shape { one: true, cyclic: false, asserts: false, waits: false, data: 0 };
        let program = program(seed, shape);
        if program.globals > 1 {
            continue;
        }
        let text = program.to_string();
        let code = compile(&text);
        for delays in 0..2 {
            let bounds = Bounds::Delays(delays);
            let sequential = sequentialize(code.program(), covered(bounds, false, true)).expect("it fits");
            let order = Order::Delays(Delaying::DepthFirst, Some(delays));
            let settings = explicit::Settings { order, census: true, ..explicit::Settings::default() };
            let explored = explicit::explore(&code, &settings, &Watched::default());
            let judge: BTreeSet<Vec<i32>> = explored
                .census
                .terminated
                .iter()
                .map(|(_, values)| values[..program.globals].to_vec())
                .collect();
            assert_eq!(
                ends(&sequential, program.globals),
                judge,
                "seed {seed}, {delays} delays\n{text}\n{sequential}"
            );
            all += judge.len();
        }
    }
    assert!(all >= 100, "{all}");
}

/// Threads: buffers that post nothing.
#[test]
fn threads_fail_within_the_same_rounds() {
    let (mut wrong, mut right, mut unfit) = (0, 0, 0);
    for seed in 0..600 * times() {
        let shape = Shape { one: false, cyclic: false, asserts: true, waits: seed % 3 == 0, data: 0 };
        let program = program(seed, shape);
        let text = program.to_string();
        let code = compile(&text);
        if let Err(error) = sequentialize(code.program(), covered(Bounds::Threads(1), true, false)) {
            assert!(matches!(error, Unfit::Posts(_)), "{error}");
            unfit += 1;
            continue;
        }
        for buffers in 1..4 {
            let rounds = Rounds { buffers, tasks: 1, reorder: false };
            let explored = explore_rounds(&code, rounds, &explicit::Settings::default(), &Watched::default());
            let states = explored.found.is_some();
            assert_eq!(
                by_sat(&code, Bounds::Threads(buffers), &text),
                states,
                "seed {seed}, {buffers} rounds\n{text}"
            );
            *(if states { &mut wrong } else { &mut right }) += 1;
        }
    }
    println!("{wrong} wrong, {right} right, {unfit} unfit");
    assert!(wrong >= 30 && right >= 100 && unfit > 0);
}
