//! Executions without end: the explicit engine against a naive judge of small programs that need not end, and against the stateless
//! engine. More programs than usual: `CAISSA_AGREE=20 cargo test -p caissa-model liveness` for twenty times as many.

use crate::small;
use std::sync::Arc;

use crate::small::graph::{Judged, judge};
use crate::small::random::Shape;
use crate::small::{compile, times};
use caissa_core::{AtCut, Cost, GuideSpec, Job, Repeat};
use caissa_model::explicit::{self, Explored, Order, Watched, Wrong};
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::{Bounds, Ingredient, Limits, Mix, Settings, Subject, Workers, minimise};

const MAX_STEPS: u32 = 2_000;

const CYCLIC: Shape = Shape { one: false, cyclic: true, asserts: false, waits: true, data: 0 };

fn explore(code: &Code, order: Order) -> Explored {
    let settings = explicit::Settings { order, ..explicit::Settings::default() };
    explicit::explore(code, &settings, &Watched::default())
}

/// The kind of bug that comes back when the stateless engine follows what the explicit one has found.
fn replayed(code: &Arc<Code>, explored: &Explored) -> Option<&'static str> {
    let found = explored.found.as_ref()?;
    let known_fair = found.repeat.is_some();
    let settings = ExecSettings { fair_k: 0, known_fair, ..ExecSettings::default() };
    let job = Job {
        repeat: found.repeat.map(|(from, to)| Repeat { from, to }),
        ..Job::single(found.choices.clone(), GuideSpec::NonPreemptive, MAX_STEPS)
    };
    let replay = Exec::new(Arc::clone(code), settings).replay(&job);
    Some(replay.bug.map_or("nothing", |bug| bug.kind()))
}

fn kind(wrong: &Wrong) -> &'static str {
    match wrong {
        Wrong::Fault(fault) => fault.kind(),
        Wrong::Deadlock => "deadlock",
        Wrong::Spins | Wrong::GoodSamaritan => "good-samaritan",
        Wrong::Livelock => "livelock",
    }
}

/// What the explicit engine is to find.
fn expected(judged: &Judged) -> Vec<&'static str> {
    let bugs = [("deadlock", judged.deadlock), ("unlock", judged.unlock), ("good-samaritan", judged.spins)];
    let bugs: Vec<_> = bugs.into_iter().filter_map(|(kind, found)| found.then_some(kind)).collect();
    match judged {
        // A loop of choices without points is a cycle of states too, found with the others.
        _ if !bugs.is_empty() && !judged.livelock => bugs,
        Judged { livelock: true, .. } if !bugs.is_empty() => [bugs, vec!["livelock"]].concat(),
        Judged { livelock: true, .. } => vec!["livelock"],
        Judged { good_samaritan: true, .. } => vec!["good-samaritan"],
        _ => vec!["nothing"],
    }
}

/// What a fair search of the stateless engine finds within two preemptions; not all that there is.
fn stateless(code: &Arc<Code>, text: &str) -> Option<&'static str> {
    let mut exec = Exec::new(Arc::clone(code), ExecSettings::default());
    let settings = Settings {
        max_executions: 200,
        max_steps: MAX_STEPS,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: false,
    };
    let guide = GuideSpec::NonPreemptive;
    let bounds = Bounds { cost: Cost::Preemptions, guide, max_bound: Some(2), at_cut: AtCut::Stop };
    let workers = Workers::new(Mix::new(settings, vec![(Ingredient::Bounded(bounds), 1)]));
    workers.work(&mut exec);
    let summary = workers.into_search().conclude();
    let (_, failure) = summary.failure.as_ref()?;
    let limits = Limits { max_steps: MAX_STEPS, faults: 0, attempts: 20 };
    match minimise(&mut exec, failure, Cost::Preemptions, limits) {
        caissa_search::Found::Bug(minimised) => Some(minimised.bug.kind()),
        caissa_search::Found::Diverged(_) => panic!("a finding does not replay:\n{text}"),
    }
}

#[test]
fn endless_executions_are_those_of_the_judge() {
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..400 * times() {
        let program = small::random::program(seed, CYCLIC);
        let Some(judged) = judge(&program) else {
            *counts.entry("too large").or_insert(0) += 1;
            continue;
        };
        let text = program.to_string();
        let code = compile(&text);
        let explored = explore(&code, Order::BreadthFirst);
        let found = explored.found.as_ref().map_or("nothing", |found| kind(&found.wrong));
        let expected = expected(&judged);
        assert!(expected.contains(&found), "seed {seed}: {found}, the judge: {judged:?}\n{text}");
        assert!(explored.found.is_some() || explored.liveness && explored.complete, "seed {seed}:\n{text}");
        if let Some(replayed) = replayed(&code, &explored) {
            assert_eq!(replayed, found, "seed {seed}: a finding does not replay\n{text}");
        }
        *counts.entry(found).or_insert(0) += 1;
        if seed % 4 != 0 {
            continue;
        }
        match stateless(&code, &text) {
            Some("livelock") => {
                assert!(judged.livelock, "seed {seed}: a livelock, the judge: {judged:?}\n{text}");
                *counts.entry("stateless livelock").or_insert(0) += 1;
            }
            Some("good-samaritan") => {
                let known = judged.good_samaritan || judged.spins;
                assert!(known, "seed {seed}: good-samaritan, the judge: {judged:?}\n{text}");
                *counts.entry("stateless good-samaritan").or_insert(0) += 1;
            }
            Some(other) => {
                assert!(expected.contains(&other), "seed {seed}: {other}, the judge: {judged:?}\n{text}")
            }
            None => {}
        }
    }
    println!("{counts:?}");
    assert!(counts["livelock"] >= 20 && counts["good-samaritan"] >= 20 && counts["nothing"] >= 20);
}

/// Both engines, with a small number of steps: what each says.
fn say(text: &str) -> [&'static str; 2] {
    let code = compile(text);
    let explored = explore(&code, Order::BreadthFirst);
    let found = explored.found.as_ref().map_or("nothing", |found| kind(&found.wrong));
    assert_eq!(replayed(&code, &explored).unwrap_or("nothing"), found, "{text}");
    [found, stateless(&code, text).unwrap_or("nothing")]
}

#[test]
fn points_that_do_nothing_do_not_hide_a_loop_without_points() {
    let serial = "levels serial base;\nproc main() { while true { yield; } }";
    assert_eq!(say(serial), ["good-samaritan"; 2]);
    assert_eq!(say("proc main() { while true { zield; } }"), ["good-samaritan"; 2]);
    assert_eq!(say("proc main() { for i in 1..3 { zield; } }"), ["nothing"; 2]);
}

#[test]
fn a_loop_that_posts_without_points_is_given_up() {
    let text = "proc main() { while true { post f(); } }\nproc f() { skip; }";
    assert_eq!(say(text), ["nothing"; 2]);
    assert!(explore(&compile(text), Order::BreadthFirst).long);
}

#[test]
fn tasks_that_end_and_are_posted_again_are_neither() {
    // In the first one the task that ends is never seen to be able to go on: it interrupts.
    let interrupts =
        "levels low < high;\nproc main() { while true { post h() at high; pause; } }\nproc h() { skip; }";
    assert_eq!(say(interrupts), ["nothing"; 2]);
    let waits = "var x: bool;\nproc main() { while true { post h(); await x; x := false; } }\nproc h() { x := true; }";
    assert_eq!(say(waits), ["nothing"; 2]);
    let ended = "var x: bool;\nproc main() { post h(); while !x { pause; } while true { pause; } }\nproc h() { x := true; }";
    assert_eq!(say(ended), ["livelock"; 2]);
}

#[test]
fn a_round_may_begin_with_the_first_task() {
    assert_eq!(say("proc main() { yield; while true { yield; } }"), ["good-samaritan"; 2]);
    assert_eq!(say("proc main() { while true { pause; } }"), ["livelock"; 2]);
}

#[test]
fn loops_of_choices_are_explored_by_their_states() {
    // Seven values forty times: more ways than can be counted, and eight states of the loop.
    let text = "var x: 0..7;\nproc main() { for i in 1..40 { x := choose(1, 7); } assert x != 0; }";
    assert_eq!(explore(&compile(text), Order::BreadthFirst).found.map(|found| kind(&found.wrong)), None);
    let fails = text.replace("x != 0", "x != 7");
    let (code, fails) = (compile(&fails), fails);
    for order in [Order::BreadthFirst, Order::DepthFirst, Order::Preemptions(None)] {
        let explored = explore(&code, order);
        assert_eq!(replayed(&code, &explored), Some("assertion"), "{order:?}\n{fails}");
    }
}
