//! The smallest front end there can be, and everything that it gets from a check. `adders.rs` is how to plug one in.

mod adders;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use caissa_check::{Check, Error, Report, Search, Settings, read_schedule};
use caissa_search::{Stopped, Verdict};

use adders::Adders;
use adders::Statement::{Add, Expect, Join, Load, Spawn, Store};

/// Two tasks that add 1 to a counter; `adder` is how.
fn adders(count: u32, adder: &[adders::Statement]) -> Adders {
    let mut main = vec![Spawn; count as usize];
    main.extend((1..=count).map(Join));
    main.push(Expect(count));
    Adders { main, adder: adder.to_vec(), interrupt: None, unsteady: false }
}

fn lost_update() -> Adders {
    adders(2, &[Load, Store])
}

fn settings() -> Settings {
    Settings { faults: 0, progress: Duration::ZERO, ..Settings::default() }
}

fn check(program: Adders, settings: Settings) -> Report {
    Check::new(program, settings).unwrap().search().unwrap()
}

/// Everything but the time that it took.
fn json(report: &Report) -> String {
    let text = report.to_json();
    let (before, after) = text.split_once("\"seconds\":").expect("it has seconds");
    let (seconds, after) = after.split_once(',').expect("it goes on");
    assert!(seconds.parse::<f64>().unwrap() > 0.0, "{text}");
    format!("{before}{after}")
}

/// A file of its own for each test.
fn file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_bug_is_found_made_small_and_reported() {
    let report = check(lost_update(), Settings { search: Search::Preemptions, ..settings() });
    assert_eq!(
        report.to_string(),
        "\
caissa found a bug: assertion failed at adders.toy:5:5 in task T0 (main): counter == 2.
The schedule needs 1 preemption; every schedule with fewer was explored and none of them fails.

  step  T0 (main)         T1 (adder)             T2 (adder)             where
     0  spawn T1                                                        adders.toy:1
     1  spawn T2                                                        adders.toy:2
     2                    load counter = 0                              adders.toy:101
        -- preemption: T1 could go on, but T2 runs --
     3                                           load counter = 0       adders.toy:101
     4                                           store counter: 0 -> 1  adders.toy:102
     5                                           end                    (spawned at adders.toy:103)
     6                    store counter: 1 -> 1                         adders.toy:102
     7                    end                                           (spawned at adders.toy:103)
     8  join T1                                                         adders.toy:3
     9  join T2                                                         adders.toy:4
    10  load counter = 1                                                adders.toy:5
        -- T0 fails --

To replay exactly this: toy replay 'cai1:ms10Zhaelz1BqS132Xf3CH5B' adders.toy
`--full` shows every step.
Explored 5 executions:
  0 preemptions: 3 executions, 2 new classes
  1 preemption: 2 executions, 1 new class (stopped at the bug)
"
    );
    assert_eq!(
        json(&report),
        "{\"verdict\":\"bug\",\"kind\":\"assertion\",\"bound\":1,\"executions\":5,\"classes\":3,\"states\":null,\"steps\":59,\
         \"schedule\":\"cai1:ms10Zhaelz1BqS132Xf3CH5B\",\"location\":\"adders.toy:5:5\",\"message\":\"counter == 2\"}"
    );
}

#[test]
fn the_fixed_program_is_verified() {
    let report = check(adders(2, &[Add]), Settings { search: Search::Dfs, ..settings() });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    assert!(report.to_string().contains("assuming sequential consistency and no faults (`--faults` = 0)."));
    assert!(json(&report).starts_with("{\"verdict\":\"verified\",\"kind\":null,\"bound\":null,"), "{report}");
}

#[test]
fn a_bound_that_is_too_small_is_named() {
    let bounded = Settings { search: Search::Preemptions, bound: Some(Some(0)), ..settings() };
    let report = check(lost_update(), bounded);
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
    assert!(
        report.to_string().contains("no bug with at most 0 preemptions; if there is one it needs at least 1")
    );
    assert!(json(&report).starts_with("{\"verdict\":\"bounded\",\"kind\":null,\"bound\":0,"), "{report}");
}

/// Also those of a check that ends before anybody has looked how far it is.
#[test]
fn all_executions_are_added_up() {
    let count = std::sync::Arc::default();
    for runs in [1, 2] {
        let settings = Settings { count: Some(std::sync::Arc::clone(&count)), ..settings() };
        let report = check(adders(2, &[Add]), settings);
        assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), runs * report.executions(), "{report}");
    }
}

#[test]
fn every_search_finds_it_with_any_number_of_workers() {
    for (name, search) in Search::ALL {
        let settings = || Settings { search, seed: 3, ..settings() };
        let one = check(lost_update(), settings());
        assert_eq!(one.verdict, Verdict::Bug, "{name}: {one}");
        assert_eq!(one.finding.as_ref().unwrap().preemptions, 1, "{name}: {one}");
        let three = check(lost_update(), Settings { workers: 3, ..settings() });
        assert_eq!(json(&one), json(&three), "{name}");
    }
}

/// The first execution of two tasks that add 1 to a counter 30 times each, and store what nobody has changed, takes 66 steps.
#[test]
fn the_limit_of_steps_grows_if_the_first_execution_ends_with_more() {
    let limited = |steps, grown| {
        let program = adders(2, &[Add; 30]);
        let program = adders::Adders { main: program.main[..4].to_vec(), ..program };
        let settings = Settings {
            search: Search::Preemptions,
            bound: Some(Some(0)),
            max_steps: steps,
            max_steps_grown: grown,
            ..settings()
        };
        check(program, settings)
    };
    for (steps, grown) in [(100, None), (20, Some(100)), (20, Some(1_000)), (2, Some(100))] {
        let report = limited(steps, grown);
        assert_eq!(report.verdict, Verdict::Bounded, "{steps}, {grown:?}: {report}");
        assert_eq!(json(&report), json(&limited(100, None)), "{steps}, {grown:?}");
    }
    for grown in [None, Some(20), Some(60)] {
        let report = limited(20, grown);
        assert_eq!((report.verdict, report.summary.step_limited()), (Verdict::Incomplete, 2), "{grown:?}");
        assert_eq!(json(&report), json(&limited(20, None)), "{grown:?}");
    }
}

/// What fails beyond the limit is found.
#[test]
fn the_limit_of_steps_grows_if_the_first_execution_fails_with_more() {
    let program = adders(2, &[Add; 30]);
    let limited = |grown| {
        let settings =
            Settings { search: Search::Preemptions, max_steps: 20, max_steps_grown: grown, ..settings() };
        check(program.clone(), settings)
    };
    assert_eq!(limited(None).verdict, Verdict::Incomplete);
    let report = limited(Some(100));
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    assert!(json(&report).ends_with("\"message\":\"counter == 2\"}"), "{report}");
}

#[test]
fn a_schedule_and_a_trace_file_replay_it() {
    let path = file("replays.trace");
    let found = check(lost_update(), Settings { trace_file: Some(path.clone()), ..settings() });
    let schedule = found.finding.unwrap().schedule();
    for given in [schedule.as_str(), path.to_str().unwrap()] {
        let (schedule, file) = read_schedule(given).unwrap();
        let replay =
            |program| Check::new(program, settings()).unwrap().replay(&schedule, file.as_deref()).unwrap();
        let report = replay(lost_update());
        assert_eq!(report.verdict, Verdict::Bug, "{report}");
        let message = "\"location\":\"adders.toy:5:5\",\"message\":\"counter == 2\"}";
        assert!(report.to_json().ends_with(message), "{}", report.to_json());
        let changed = replay(adders(2, &[Load, Load, Store])).to_string();
        assert!(changed.contains("does not follow this schedule"), "{changed}");
        let how = if file.is_some() {
            "the program now does `T2 load atomic#0"
        } else {
            "A trace file (`--trace`)"
        };
        assert!(changed.contains(how), "{changed}");
    }
}

#[test]
fn a_schedule_of_another_kind_of_program_or_of_other_settings_is_refused() {
    let found = check(lost_update(), settings()).finding.unwrap().schedule();
    let (schedule, _) = read_schedule(&found).unwrap();
    let replay = |schedule: &caissa_core::Schedule, settings| {
        let report = Check::new(lost_update(), settings).unwrap().replay(schedule, None);
        report.unwrap_err().to_string()
    };
    let mut of_rust = schedule.clone();
    of_rust.identity.front_end = caissa_core::FrontEnd::Rust;
    let error = replay(&of_rust, settings());
    assert!(error.contains("a Rust test (front end `r`), not a model (`m`)"), "{error}");
    let error = replay(&schedule, Settings { fair: Some(false), ..settings() });
    assert!(error.contains("fairness with k = 1, here no fairness (`--fair` and `--fair-k`)"), "{error}");
}

#[test]
fn a_search_whose_budget_has_ended_goes_on_from_its_file() {
    let path = file("goes-on.resume");
    let three = || adders(3, &[Load, Add]);
    let settings = |max_executions| Settings {
        search: Search::Dfs,
        max_executions,
        resume: Some(path.clone()),
        ..settings()
    };
    let whole = check(three(), Settings { resume: None, ..settings(None) });
    assert_eq!(whole.verdict, Verdict::Verified, "{whole}");
    let mut budget = 0;
    let last = loop {
        budget += 700;
        let report = check(three(), settings(Some(budget)));
        if report.verdict != Verdict::Incomplete {
            break report;
        }
        assert_eq!(report.executions(), budget, "{report}");
        assert_eq!(report.resume_file.as_deref(), Some(path.as_path()));
        assert!(report.to_string().contains("the budget `--max-executions` was used up"), "{report}");
        let other = Check::new(three(), Settings { max_steps: 7, ..settings(None) }).unwrap().search();
        assert!(matches!(other, Err(Error::ResumeFile { .. })), "{other:?}");
    };
    assert!(budget > 700, "{last}");
    assert_eq!(json(&last), json(&whole));
    assert!(!path.exists());
}

/// Nobody waits for the end of its search.
fn endless_search() -> Adders {
    adders(6, &[Load, Add])
}

#[test]
fn an_interrupt_ends_a_search_and_leaves_its_file() {
    static INTERRUPT: AtomicBool = AtomicBool::new(true);
    let path = file("interrupted.resume");
    let settings = Settings { search: Search::Dfs, resume: Some(path.clone()), ..settings() };
    let report = check(Adders { interrupt: Some(&INTERRUPT), ..endless_search() }, settings);
    assert_eq!(report.summary.stopped, Some(Stopped::Interrupted), "{report}");
    assert!(report.to_string().contains("but it was interrupted."), "{report}");
    assert_eq!(report.resume_file, Some(path));
}

#[test]
fn a_budget_of_time_ends_a_search() {
    let settings = Settings { search: Search::Dfs, time: Some(Duration::from_nanos(1)), ..settings() };
    let report = check(endless_search(), settings);
    assert_eq!(report.summary.stopped, Some(Stopped::Time), "{report}");
    assert!(report.to_string().contains("the budget `--time` was used up"), "{report}");
}

#[test]
fn an_execution_that_is_cut_off_is_shown() {
    let report = check(lost_update(), Settings { max_steps: 3, ..settings() });
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
    let text = report.to_string();
    assert!(text.contains("cut off after `--max-steps` = 3 steps; a bug beyond"), "{text}");
    assert!(text.contains("task T1 (adder) is about to store counter at adders.toy:102:5"), "{text}");
    assert!(text.contains("To look at it: toy replay 'cai1:m"), "{text}");
}

#[test]
fn a_program_that_does_not_do_the_same_twice_is_noticed() {
    let steady = adders(1, &[Add]);
    let program = Adders { main: steady.main[..2].to_vec(), unsteady: true, ..steady };
    let report = check(program, settings());
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
    let text = report.to_string();
    assert!(text.contains("Look for a switch called unsteady"), "{text}");
    assert!(json(&report).contains("\"message\":\"the program was run twice"), "{text}");
}

#[test]
fn a_failure_that_does_not_come_again_is_shown() {
    let report = check(Adders { unsteady: true, ..lost_update() }, settings());
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
    assert!(report.finding.as_ref().is_some_and(|finding| !finding.confirmed), "{report}");
    let text = report.to_string();
    for words in
        ["a bug: assertion failed at adders.toy:5:5", "It cannot be replayed: the program was run twice"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("toy replay"), "{text}");
    let expected = "\"schedule\":null,\"location\":\"adders.toy:5:5\",\"message\":\"counter == 2\"";
    assert!(json(&report).contains(expected), "{text}");
}

#[test]
fn a_setting_that_makes_no_sense_is_refused() {
    let refused = Check::new(lost_update(), Settings { workers: 0, ..settings() });
    let Err(error) = refused else { panic!("it would run nothing") };
    assert!(error.to_string().starts_with("the setting `workers` is `0`, but must be at least 1"), "{error}");
}
