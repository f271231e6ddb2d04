//! Promotion: accesses that race become scheduling points, and the search goes on for what comes of it.

use std::path::PathBuf;
use std::sync::Arc;

use caissa::sync::atomic::{AtomicU32, Ordering::Relaxed};
use caissa::{Builder, Points, Report, Search, Verdict, thread};

use crate::support::racing::Data;

/// Two tasks add to a counter in two accesses; an update is lost if one comes between the other's.
fn lost_update() {
    let data = Arc::new(Data::default());
    let tasks = [0, 1].map(|_| {
        let data = Arc::clone(&data);
        thread::spawn(move || {
            let seen = data.get();
            data.set(seen + 1);
        })
    });
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(data.get(), 2, "an update is lost");
}

/// A task is in a cell and passes points there, which another one meets.
#[test]
fn only_accesses_of_data_are_promoted() {
    let report = Builder::new().preemptions(1).points(Points::Racy).explore(|| {
        let shared = Arc::new((Data::default(), AtomicU32::new(0)));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0.cell().get();
                if shared.1.load(Relaxed) == 3 {
                    shared.0.cell().with_mut(|_| ());
                }
            })
        };
        shared.0.cell().with_mut(|_| {
            (1..4).for_each(|value| shared.1.store(value, Relaxed));
            shared.1.load(Relaxed);
            shared.1.swap(3, Relaxed);
        });
        other.join().unwrap();
    });
    let report = report.unwrap();
    let mut places: Vec<&str> = report.promoted.iter().flatten().map(String::as_str).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 3, "{report}");
}

/// As above, with a flag between: nothing goes wrong, but nothing orders the accesses either.
fn harmless() {
    let shared = Arc::new((Data::default(), AtomicU32::new(0)));
    let tasks = [0, 1].map(|number| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            shared.0.set(number);
            shared.1.fetch_add(1, Relaxed);
        })
    });
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert!(shared.0.get() < 2);
}

/// The first race that is found leads to another one: the value that was read decides what is accessed next.
fn chained() {
    let data = Arc::new([Data::default(), Data::default()]);
    let other = {
        let data = Arc::clone(&data);
        thread::spawn(move || {
            data[0].set(1);
            data[1].set(1);
        })
    };
    let first = data[0].get();
    let second = data[1].get();
    other.join().unwrap();
    assert!(first <= second, "the second was seen and the first was not: {first} {second}");
}

/// Points at which nobody waits: the search ends when the assertion holds everywhere.
fn chained_other_way() {
    let data = Arc::new([Data::default(), Data::default()]);
    let other = {
        let data = Arc::clone(&data);
        thread::spawn(move || {
            data[0].set(1);
            data[1].set(1);
        })
    };
    let second = data[1].get();
    let first = data[0].get();
    other.join().unwrap();
    assert!(second <= first, "stores come in their order");
}

fn explore(builder: Builder, program: impl Fn() + Send + Sync + 'static) -> Report {
    builder.explore(program).unwrap_or_else(|error| panic!("{error}"))
}

fn racy() -> Builder {
    Builder::new().points(Points::Racy)
}

#[track_caller]
fn assert_says(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

#[test]
fn what_comes_of_a_race_is_the_finding_and_the_race_is_named() {
    let report = explore(racy(), lost_update);
    let text = report.to_string();
    let finding = report.finding.expect("an update is lost");
    assert_eq!((report.verdict, finding.bug.kind()), (Verdict::Bug, "panic"), "{text}");
    // As cheap as where every access is a point, and by the same argument.
    let all = explore(Builder::new().points(Points::All).races(false), lost_update);
    let all = all.finding.expect("found there too");
    assert_eq!((finding.spent, finding.minimal), (all.spent, all.minimal));
    assert_eq!((finding.spent, finding.minimal), (1, true));
    assert!(!report.promoted.is_empty());
    assert_says(
        &text,
        &[
            "an update is lost",
            "made scheduling points",
            "read crates/caissa/tests/races/promotion.rs:",
            "write ",
        ],
    );
    // Its schedule says which accesses are points.
    let again = explore(Builder::new().replay(&finding.schedule()), lost_update);
    assert_eq!(again.finding.map(|found| found.bug.kind()), Some("panic"), "{}", finding.schedule());
    // It does not fit a program without them.
    let other = explore(Builder::new().replay(&finding.schedule()), || drop(thread::spawn(|| ())));
    assert_eq!(other.verdict, Verdict::Diverged, "{other}");
}

#[test]
fn a_race_of_which_nothing_comes_is_the_finding() {
    let report = explore(racy(), harmless);
    let text = report.to_string();
    let finding = report.finding.expect("the race");
    assert_eq!((report.verdict, finding.bug.kind()), (Verdict::Bug, "race"), "{text}");
    assert_says(&text, &["data race on cell#", "nothing else was found to go wrong"]);
    // The figures are those of the search for what comes of it.
    let bounds: Vec<_> = report.summary.bounds.iter().map(|bound| (bound.bound, bound.complete)).collect();
    assert_eq!(bounds, [(0, true), (1, true), (2, true)], "{text}");
    let again = explore(Builder::new().replay(&finding.schedule()), harmless);
    assert_eq!(again.finding.map(|found| found.bug.kind()), Some("race"));
}

#[test]
fn further_races_promote_more() {
    let report = explore(racy(), chained);
    let text = report.to_string();
    let finding = report.finding.expect("a consequence");
    assert_eq!(finding.bug.kind(), "panic", "{text}");
    assert!(report.promoted.len() >= 2, "{text}");
    let again = explore(Builder::new().replay(&finding.schedule()), chained);
    assert_eq!(again.verdict, Verdict::Bug);
    let report = explore(racy(), chained_other_way);
    assert_eq!(report.finding.expect("the race").bug.kind(), "race");
}

#[test]
fn racy_finds_what_all_finds_by_every_search() {
    for search in [Search::Auto, Search::Preemptions, Search::Delays, Search::Dfs, Search::Contexts] {
        for program in [lost_update as fn(), harmless, chained, chained_other_way] {
            let settings = || Builder::new().search(search).unbounded().max_executions(20_000);
            let racy = explore(settings().points(Points::Racy), program).finding.expect("at least a race");
            let all = explore(settings().points(Points::All).races(false), program).finding;
            match all {
                Some(all) => {
                    assert!(racy.bug.is_same_as(&all.bug), "{search:?}: {:?} {:?}", racy.bug, all.bug);
                    assert_eq!((racy.spent, racy.cost), (all.spent, all.cost), "{search:?}");
                }
                None => assert_eq!(racy.bug.kind(), "race", "{search:?}"),
            }
        }
    }
}

#[test]
fn samples_find_it_too() {
    for search in [Search::Random, Search::Pct, Search::Pos, Search::Surw] {
        let report = explore(racy().search(search).max_executions(500), lost_update);
        let finding = report.finding.expect("an update is lost");
        assert_eq!(finding.bug.kind(), "panic", "{search:?}");
        let again = explore(Builder::new().replay(&finding.schedule()), lost_update);
        assert_eq!(again.verdict, Verdict::Bug, "{search:?}");
    }
}

#[test]
fn workers_change_nothing() {
    for program in [lost_update as fn(), harmless, chained] {
        let one = explore(racy(), program);
        for workers in [2, 3] {
            let more = explore(racy().workers(workers), program);
            let schedule = |report: &Report| report.finding.as_ref().map(|finding| finding.schedule());
            assert_eq!(schedule(&one), schedule(&more), "{workers}");
            assert_eq!((one.executions(), &one.promoted), (more.executions(), &more.promoted), "{workers}");
        }
    }
}

#[test]
fn with_a_point_before_every_access_races_are_findings_all_the_same() {
    let report = explore(Builder::new().points(Points::All), lost_update);
    assert_says(&report.to_string(), &["data race on cell#", "<- one access", "<- the other: a race"]);
    let finding = report.finding.expect("the race");
    assert_eq!(finding.bug.kind(), "race");
    let again = explore(Builder::new().replay(&finding.schedule()), lost_update);
    assert_eq!(again.finding.map(|found| found.bug.kind()), Some("race"));
    // And each of them is a step.
    assert!(
        finding.trace.events.iter().any(|event| !event.aside && event.op.kind == caissa::OpKind::CellRead)
    );
}

#[test]
fn reduction_is_off_once_something_is_promoted() {
    let report = explore(racy().preemptions(2).reduce(true), lost_update);
    assert_eq!(report.finding.expect("an update is lost").bug.kind(), "panic");
    let (reduced, every) =
        (explore(racy().preemptions(2).reduce(true), harmless), explore(racy().preemptions(2), harmless));
    assert_eq!(reduced.executions(), every.executions());
}

#[test]
fn an_interrupted_search_goes_on_with_its_promoted_places() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("promotion.resume");
    let _ = std::fs::remove_file(&path);
    let whole = explore(racy().preemptions(3), harmless);
    let mut parts = 0;
    let last = loop {
        parts += 1;
        let report = explore(racy().preemptions(3).resume(&path).max_executions(parts * 10), harmless);
        // Whatever is left to do: the race is a bug.
        assert_eq!(report.verdict, Verdict::Bug, "{report}");
        assert_eq!(report.finding.as_ref().map(|finding| finding.bug.kind()), Some("race"));
        if report.resume_file.is_none() {
            break report;
        }
        assert!(parts < 1_000, "{report}");
    };
    assert!(parts > 2, "{parts}");
    assert_eq!(last.executions(), whole.executions());
    assert!(!path.exists());
}

#[test]
fn contradictory_settings_are_refused() {
    let error = racy().races(false).explore(lost_update).unwrap_err().to_string();
    assert_says(&error, &["points", "racy", "`races` is off"]);
}
