//! Bounds and storage of the explicit engine on small programs that need not end: least costs are those of a naive judge and of the
//! stateless engine; what is counted does not depend on workers, orders, storage or on what is looked up. `CAISSA_AGREE=20` for twenty times as many programs.

use crate::small;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::small::graph::least;
use crate::small::random::{Shape, program};
use crate::small::{compile, times};
use caissa_core::{AtCut, Cost, GuideSpec};
use caissa_model::explicit::{self, Delaying, Explored, Order, Watched, Wrong};
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::{Bounds, Found, Ingredient, Limits, Mix, Settings, Workers, minimise};

const MAX_STEPS: u32 = 60;

fn kind(wrong: &Wrong) -> &'static str {
    match wrong {
        Wrong::Fault(fault) => fault.kind(),
        Wrong::Deadlock => "deadlock",
        Wrong::Spins => "spins",
        Wrong::GoodSamaritan | Wrong::Livelock => "endless",
    }
}

fn explore(code: &Code, settings: explicit::Settings) -> Explored {
    let settings = explicit::Settings { liveness: false, max_states: 20_000, ..settings };
    explicit::explore(code, &settings, &Watched::default())
}

fn census(code: &Code, order: Order) -> Explored {
    explore(code, explicit::Settings { order, census: true, ..explicit::Settings::default() })
}

/// What went wrong, with the least cost of each kind.
fn bugs(explored: &Explored) -> BTreeMap<&'static str, u32> {
    let mut least = BTreeMap::new();
    for (cost, wrong) in &explored.census.wrong {
        let known: &mut u32 = least.entry(kind(wrong)).or_insert(*cost);
        *known = (*known).min(*cost);
    }
    least
}

#[test]
fn preemptions_are_those_of_the_judge() {
    let mut found = 0;
    for seed in 0..600 * times() {
        let shape = Shape { one: false, cyclic: seed % 3 > 0, asserts: true, waits: true, data: 0 };
        let program = program(seed, shape);
        let Some(judge) = least(&program) else { continue };
        let text = program.to_string();
        let explored = census(&compile(&text), Order::Preemptions(None));
        assert!(explored.complete, "seed {seed}:\n{text}");
        let mut own = bugs(&explored);
        let mut expected = judge.bugs.clone();
        if text.contains("havoc") {
            // A loop of choices is a cycle of states, not one without points.
            own.remove("spins");
            expected.remove("spins");
        }
        found += expected.len();
        assert_eq!(own, expected, "seed {seed}:\n{text}");
        let mut finals: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for (cost, values) in &explored.census.terminated {
            let values = values[..program.globals].iter().map(|&value| value as u8).collect();
            let known = finals.entry(values).or_insert(*cost);
            *known = (*known).min(*cost);
        }
        assert_eq!(finals, judge.finals, "seed {seed}:\n{text}");
    }
    assert!(found >= 200, "{found}");
}

/// The stateless engine's first bug and its cost, and the bounds that it has explored without cutting anything off.
fn stateless(code: &Arc<Code>, cost: Cost, guide: GuideSpec) -> (Option<(&'static str, u32)>, Option<u32>) {
    let unfair = ExecSettings { fair_k: 0, classes: false, ..ExecSettings::default() };
    let mut exec = Exec::new(Arc::clone(code), unfair);
    let settings = Settings {
        max_executions: 500,
        max_steps: MAX_STEPS,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: false,
    };
    let bounds = Bounds { cost, guide, max_bound: Some(4), at_cut: AtCut::Stop };
    let workers = Workers::new(Mix::new(settings, vec![(Ingredient::Bounded(bounds), 1)]));
    workers.work(&mut exec);
    let summary = workers.into_search().conclude();
    let done = summary.bounds.iter().take_while(|bound| bound.complete && bound.step_limited == 0);
    let done = done.map(|bound| bound.bound).last();
    let bug = summary.failure.as_ref().map(|(_, failure)| {
        let limits = Limits { max_steps: MAX_STEPS, faults: 0, attempts: 0 };
        match minimise(&mut exec, failure, cost, limits) {
            Found::Bug(minimised) => (minimised.bug.kind(), minimised.replay.spent),
            Found::Diverged(_) => panic!("a finding does not replay"),
        }
    });
    (bug, done)
}

#[test]
fn costs_are_those_of_the_stateless_engine() {
    let (rr, depth) = (Delaying::RoundRobin, Delaying::DepthFirst);
    let searches = [
        (Cost::Delays, GuideSpec::Delaying("rr".to_owned()), Order::Delays(rr, Some(4)), true),
        (Cost::Delays, GuideSpec::Delaying("depth-first".to_owned()), Order::Delays(depth, Some(4)), true),
        (Cost::Preemptions, GuideSpec::NonPreemptive, Order::Preemptions(Some(4)), false),
    ];
    let mut found = 0;
    for seed in 0..150 * times() {
        for (cost, guide, order, one) in &searches {
            let shape = Shape { one: *one, cyclic: true, asserts: true, waits: true, data: 0 };
            let program = program(seed, shape);
            if least(&program).is_none() {
                continue;
            }
            let text = program.to_string();
            let code = compile(&text);
            let explored = census(&code, *order);
            if explored.ended.is_some() || explored.long {
                continue;
            }
            let cheapest = bugs(&explored).values().min().copied();
            let (bug, done) = stateless(&code, *cost, guide.clone());
            if let Some((kind, spent)) = bug
                && kind != "good-samaritan"
            {
                found += 1;
                assert!(
                    cheapest.is_some_and(|cost| cost <= spent),
                    "seed {seed}, {order:?}: {bug:?}\n{text}"
                );
            }
            if let (Some(least), Some(done)) = (cheapest, done) {
                let missed = least <= done && bug.is_none_or(|(_, spent)| spent > least);
                assert!(!missed, "seed {seed}, {order:?}: {least} against {bug:?}\n{text}");
            }
        }
    }
    assert!(found >= 50, "{found}");
}

#[test]
fn counts_do_not_depend_on_workers_orders_storage_or_what_is_looked_up() {
    let default = explicit::Settings::default;
    for seed in 0..200 * times() {
        let shape = Shape { one: seed % 2 == 0, cyclic: seed % 3 > 0, asserts: false, waits: true, data: 0 };
        let program = program(seed, shape);
        if least(&program).is_none() {
            continue;
        }
        let text = program.to_string();
        let code = compile(&text);
        let whole = explore(&code, default());
        if whole.found.is_some() || whole.ended.is_some() || whole.long {
            continue;
        }
        let same = |what: &str, other: Explored| {
            let (states, transitions) = (other.states, other.transitions);
            assert_eq!(
                (states, transitions),
                (whole.states, whole.transitions),
                "seed {seed}, {what}:\n{text}"
            );
            assert!(other.complete, "seed {seed}, {what}:\n{text}");
        };
        same("interpreted", explore(&code, explicit::Settings { interprets: true, ..default() }));
        same("compact", explore(&code, explicit::Settings { compact: true, ..default() }));
        same("depth first", explore(&code, explicit::Settings { order: Order::DepthFirst, ..default() }));
        same(
            "compact, two workers",
            explore(&code, explicit::Settings { compact: true, workers: 2, few_states: 0, ..default() }),
        );
        same("two workers", explore(&code, explicit::Settings { workers: 2, few_states: 0, ..default() }));
        let backwards = compile(&small::Program { backwards: true, ..program }.to_string());
        same("backwards", explore(&backwards, default()));
        let mut orders = vec![Order::Preemptions(Some(3))];
        if shape.one {
            orders.extend([Delaying::RoundRobin, Delaying::DepthFirst].map(|by| Order::Delays(by, Some(3))));
        }
        for order in orders {
            let one = explore(&code, explicit::Settings { order, ..default() });
            for workers in [2, 3, 5] {
                let more = explore(&code, explicit::Settings { order, workers, few_states: 0, ..default() });
                assert_eq!(one.bounds, more.bounds, "seed {seed}, {order:?}, {workers} workers:\n{text}");
            }
            let interpreted = explore(&code, explicit::Settings { order, interprets: true, ..default() });
            assert_eq!(one.bounds, interpreted.bounds, "seed {seed}, {order:?}, interpreted:\n{text}");
            let other = explore(&backwards, explicit::Settings { order, ..default() });
            assert_eq!(one.bounds, other.bounds, "seed {seed}, {order:?}, backwards:\n{text}");
        }
    }
}
