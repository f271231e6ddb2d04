//! Levels count: what they protect is not protected for a search that ignores them (2012 paper, third experiment).

use std::path::Path;
use std::sync::Arc;

use caissa_core::{AtCut, Cost, GuideSpec};
use caissa_model::explicit::{Order, Settings as Exploring, Watched, explore};
use caissa_model::{Code, Exec, ExecSettings, load};
use caissa_search::{Bounds, Found, Ingredient, Limits, Mix, Settings, Workers, minimise};

const MAX_STEPS: u32 = 20_000;

/// The kind of the first bug within two preemptions.
fn kind_of_bug(file: &str, ignore_levels: bool) -> Option<&'static str> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/model").join(file);
    let text = std::fs::read_to_string(path).expect("it is in the corpus");
    let program = load(file, &text, &[]).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let settings = ExecSettings { ignore_levels, ..ExecSettings::default() };
    let mut exec = Exec::new(Arc::new(Code::new(program)), settings);
    let settings = Settings {
        max_executions: 100_000,
        max_steps: MAX_STEPS,
        max_memory: None,
        faults: 0,
        reduce: false,
        keep_going: false,
    };
    let bounds = Bounds {
        cost: Cost::Preemptions,
        guide: GuideSpec::NonPreemptive,
        max_bound: Some(2),
        at_cut: AtCut::Stop,
    };
    let workers = Workers::new(Mix::new(settings, vec![(Ingredient::Bounded(bounds), 1)]));
    workers.work(&mut exec);
    let summary = workers.into_search().conclude();
    let (_, failure) = summary.failure.as_ref()?;
    let limits = Limits { max_steps: MAX_STEPS, faults: 0, attempts: 1 };
    match minimise(&mut exec, failure, Cost::Preemptions, limits) {
        Found::Bug(minimised) => Some(minimised.bug.kind()),
        Found::Diverged(_) => panic!("{file}: a finding does not replay"),
    }
}

#[test]
fn without_levels_a_race_is_reported_that_is_none() {
    assert_eq!(kind_of_bug("pass/hardware_software.cai", true), Some("race"));
    assert_eq!(kind_of_bug("pass/hardware_software.cai", false), None);
}

#[test]
fn without_levels_the_false_race_hides_the_bug() {
    assert_eq!(kind_of_bug("fail/hardware_software.cai", true), Some("race"));
    assert_eq!(kind_of_bug("fail/hardware_software.cai", false), Some("assertion"));
}

/// What tasks of a low level do is known from before, when one of a high level is in the middle of something; and who has posted that one waits, so
/// that no task is active.
#[test]
fn tasks_whose_steps_are_known_wait_for_higher_levels() {
    let text = "levels low < high; var last: 0..9; var done: bool;
        proc main() { for i in 1..3 { post below() at low; } yield; post above() at high; await done; }
        proc below() { yield; last := 1; yield; last := 2; }
        proc above() { last := 7; yield; assert last == 7; done := true; }";
    let program = load("a.cai", text, &[]).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
    let code = Code::new(program);
    let of = |settings: Exploring| {
        let explored = explore(&code, &settings, &Watched::default());
        assert!(explored.complete && explored.found.is_none(), "{settings:?}: {:?}", explored.found);
        (explored.states, explored.transitions)
    };
    let judged = of(Exploring { interprets: true, ..Exploring::default() });
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        for workers in [1, 2] {
            assert_eq!(of(Exploring { order, workers, few_states: 0, ..Exploring::default() }), judged);
        }
    }
}
