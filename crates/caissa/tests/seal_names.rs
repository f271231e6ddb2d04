//! Preemption sealing by the names of functions and modules. By guards: seal.rs.
//!
//! Paths are known from debug information or, without it, from symbols; with line tables only they are not. Every test says what it
//! expects in either case.

use crate::support::child;
use std::path::PathBuf;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Error, Report, Search, Verdict, thread};

/// What the tasks do. An update that is lost if its task is left in the middle.
mod work {
    use super::{Arc, AtomicUsize, SeqCst};

    #[inline(never)]
    pub fn add(number: &AtomicUsize) -> usize {
        let seen = number.load(SeqCst);
        number.store(seen + 1, SeqCst);
        seen
    }

    /// Inlined: told by debug information alone.
    #[inline(always)]
    pub fn add_inlined(number: &AtomicUsize) -> usize {
        add_by_parts(number)
    }

    #[inline(never)]
    fn add_by_parts(number: &AtomicUsize) -> usize {
        let seen = number.load(SeqCst);
        number.store(seen + 1, SeqCst);
        seen
    }

    pub trait Add {
        fn add(&self) -> usize;
    }

    pub struct Adder<T>(pub Arc<AtomicUsize>, pub T);

    impl<T: Copy> Adder<T> {
        #[inline(never)]
        pub fn add_to(&self) -> (usize, T) {
            let add = || {
                let seen = self.0.load(SeqCst);
                self.0.store(seen + 1, SeqCst);
                seen
            };
            (add(), self.1)
        }
    }

    impl<T: Copy> Add for Adder<T> {
        #[inline(never)]
        fn add(&self) -> usize {
            let seen = self.0.load(SeqCst);
            self.0.store(seen + 1, SeqCst);
            seen
        }
    }
}

use work::{Add as _, Adder};

/// Whether backtraces tell paths in this build.
fn paths_are_known() -> bool {
    #[inline(never)]
    fn text() -> String {
        std::backtrace::Backtrace::force_capture().to_string()
    }
    text().contains("seal_names::paths_are_known")
}

fn explore(builder: Builder, f: impl Fn() + Send + Sync + 'static) -> Report {
    builder.explore(f).unwrap_or_else(|error| panic!("{error}"))
}

fn dfs() -> Builder {
    Builder::new().search(Search::Dfs)
}

/// Two tasks add once each, by `add`.
fn twice(add: fn(&Arc<AtomicUsize>)) -> impl Fn() + Send + Sync + 'static {
    move || {
        let number = Arc::new(AtomicUsize::new(0));
        let task = || {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                add(&number);
                // Not the last act of the closure.
                number.load(SeqCst)
            })
        };
        let tasks = [task(), task()];
        tasks.into_iter().for_each(|task| _ = task.join().unwrap());
        assert_eq!(number.load(SeqCst), 2);
    }
}

/// A path, and what calls the function there.
type Way = (&'static str, fn(&Arc<AtomicUsize>));

const WAYS: [Way; 4] = [
    ("seal_names::work::add", |number| assert!(work::add(number) < 2)),
    ("seal_names::work::add_by_parts", |number| assert!(work::add_inlined(number) < 2)),
    ("seal_names::work::Adder::add_to", |number| assert!(Adder(Arc::clone(number), 3u8).add_to().0 < 2)),
    ("seal_names::work::Add::add", |number| assert!(Adder(Arc::clone(number), ()).add() < 2)),
];

/// What is not known is not sealed, and said.
#[track_caller]
fn expect_unmet(report: &Report, name: &str) {
    let text = report.to_string();
    let note = format!("no task came to a point in anything called `{name}`");
    assert!(text.contains("Note: no_preempt: ") || text.contains("Note: preempt_only: "), "{text}");
    assert!(text.contains(&note), "{text}");
}

#[test]
fn functions_and_modules_are_sealed_by_their_paths() {
    for (path, add) in WAYS {
        assert_eq!(explore(dfs(), twice(add)).verdict, Verdict::Bug, "{path}");
        for path in [path, "seal_names::work", "seal_names"] {
            let report = explore(dfs().no_preempt(path), twice(add));
            if !paths_are_known() {
                assert!(report.to_string().contains("built with line tables only"), "{report}");
                continue;
            }
            assert_eq!(report.verdict, Verdict::Bounded, "{path}: {report}");
            let words = format!("no preemption in `{path}`");
            assert_eq!(report.sealed(), Some(words.as_str()));
            assert!(!report.to_string().contains("Note: "), "{report}");
        }
    }
}

#[test]
fn a_method_of_a_trait_is_known_by_its_type_too() {
    if !paths_are_known() {
        return;
    }
    let add = WAYS[3].1;
    for path in ["seal_names::work::Adder", "seal_names::work::Adder<T>::add"] {
        let report = explore(dfs().no_preempt(path), twice(add));
        assert_eq!(report.verdict, Verdict::Bounded, "{path}: {report}");
    }
}

#[test]
fn a_function_that_was_inlined_is_told_by_debug_information() {
    let path = "seal_names::work::add_inlined";
    let report = explore(dfs().no_preempt(path), twice(WAYS[1].1));
    match report.verdict {
        Verdict::Bounded => assert!(report.sealed().is_some()),
        // Built without.
        _ => expect_unmet(&report, path),
    }
}

#[test]
fn names_that_are_not_met_are_noted() {
    for path in ["seal_names::wrk", "seal_names::work::Adder::get", "work", "seal_name", "other::work::add"] {
        let report = explore(dfs().no_preempt(path), twice(WAYS[0].1));
        assert_eq!(report.verdict, Verdict::Bug);
        expect_unmet(&report, path);
    }
    // Everything is sealed then.
    let report = explore(dfs().preempt_only("seal_names::wrk"), twice(WAYS[0].1));
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
    expect_unmet(&report, "seal_names::wrk");
    // What is met by one execution alone, and only where no other task is enabled, is met.
    if paths_are_known() {
        let report = explore(dfs().no_preempt("seal_names::work"), || {
            work::add(&AtomicUsize::new(0));
        });
        assert_eq!(report.verdict, Verdict::Verified, "nothing was left out: {report}");
        assert!(!report.to_string().contains("Note: no_preempt"), "{report}");
    }
}

/// The first task goes wrong if it is left in `add`, the second one if it is left in `add_to`.
fn both_ways() {
    let number = Arc::new(AtomicUsize::new(0));
    let task = |add: fn(&Arc<AtomicUsize>)| {
        let number = Arc::clone(&number);
        thread::spawn(move || {
            add(&number);
            number.load(SeqCst)
        })
    };
    let tasks = [task(WAYS[0].1), task(WAYS[2].1)];
    tasks.into_iter().for_each(|task| _ = task.join().unwrap());
    assert_eq!(number.load(SeqCst), 2);
}

#[test]
fn preemptions_only_in_what_is_named() {
    if !paths_are_known() {
        return;
    }
    let paths = ["seal_names::work::add", "seal_names::work::Adder", "seal_names::both_ways"];
    let verdict = |builder: Builder| explore(builder, both_ways).verdict;
    // Left in either the update is lost.
    for path in &paths[..2] {
        let report = explore(dfs().preempt_only(path), both_ways);
        assert_eq!(report.verdict, Verdict::Bug, "{path}: {report}");
        // One task was left, in what is named.
        let finding = report.finding.unwrap();
        let preempted: Vec<u32> =
            finding.trace.events.iter().filter_map(|e| e.preempts).map(|task| task.0).collect();
        assert!(
            !preempted.is_empty() && preempted.iter().all(|&task| task == 1 + (path != &paths[0]) as u32)
        );
        let again = explore(Builder::new().replay(&finding.schedule()), both_ways);
        assert_eq!(again.finding.unwrap().trace, finding.trace);
    }
    assert_eq!(verdict(dfs().preempt_only(paths[0]).preempt_only(paths[1])), Verdict::Bug);
    assert_eq!(verdict(dfs().preempt_only(paths[0]).no_preempt(paths[0])), Verdict::Bounded);
    assert_eq!(verdict(dfs().no_preempt(paths[0])), Verdict::Bug);
    let report = explore(dfs().no_preempt(paths[0]).no_preempt(paths[1]), both_ways);
    assert_eq!(report.verdict, Verdict::Bounded);
    assert_eq!(
        report.sealed(),
        Some("no preemption in `seal_names::work::add` or `seal_names::work::Adder`")
    );
    // In the closures of the tasks, outside of what they call: nowhere between load and store.
    let outside = dfs().preempt_only(paths[2]).no_preempt("seal_names::work");
    let report = explore(outside, both_ways);
    assert_eq!(report.verdict, Verdict::Bounded, "{report}");
    let words = "no preemption in `seal_names::work` and preemptions only in `seal_names::both_ways`";
    assert_eq!(report.sealed(), Some(words));
}

#[test]
fn every_search_and_scheduler_keeps_to_the_names() {
    if !paths_are_known() {
        return;
    }
    let program = || twice(WAYS[0].1);
    for (name, search) in Search::ALL {
        let builder = Builder::new().search(search).unbounded();
        let unsealed = explore(builder.clone(), program());
        assert_eq!(unsealed.verdict, Verdict::Bug, "{name}");
        let sealed = explore(builder.no_preempt("seal_names::work").max_executions(2_000), program());
        assert!(matches!(sealed.verdict, Verdict::Bounded | Verdict::Incomplete), "{name}: {sealed}");
        // A finding that was made elsewhere replays under the seals.
        let schedule = unsealed.finding.unwrap().schedule();
        let replayed = explore(Builder::new().no_preempt("seal_names::work").replay(&schedule), program());
        assert_eq!(replayed.verdict, Verdict::Bug, "{name}: {replayed}");
    }
    for scheduler in ["depth-first", "depth-first-plain"] {
        let builder = Builder::new().search(Search::Delays).scheduler(scheduler).unbounded();
        let sealed = explore(builder.no_preempt("seal_names::work"), program());
        assert_eq!(sealed.verdict, Verdict::Bounded, "{scheduler}: {sealed}");
    }
    let two = explore(dfs().workers(2).no_preempt("seal_names::work"), program());
    let one = explore(dfs().no_preempt("seal_names::work"), program());
    assert_eq!((two.verdict, two.executions()), (one.verdict, one.executions()));
}

#[test]
fn what_is_no_path_is_refused() {
    let refused = |builder: Builder, words: &[&str]| {
        let error = builder.explore(|| ()).unwrap_err();
        assert!(matches!(error, Error::Setting { .. }), "{error:?}");
        for word in words {
            assert!(error.to_string().contains(word), "`{word}` is missing in: {error}");
        }
    };
    for path in ["", "crate::queue", "my-crate", "a::*", "a::"] {
        let given = format!("is `{path}`");
        refused(
            Builder::new().no_preempt("a").no_preempt(path),
            &["`no_preempt`", &given, "`my_crate::queue`"],
        );
        refused(Builder::new().preempt_only(path), &["`preempt_only`", &given]);
    }
    for builder in [Builder::new().no_preempt("a"), Builder::new().preempt_only("a")] {
        refused(
            builder.reduce(true),
            &["`reduce` is `on`", "off where `no_preempt` or `preempt_only` is set"],
        );
    }
}

#[test]
fn the_environment_names_them_too() {
    let run = |environment: &[(&str, &str)]| {
        child::run("seal_names::the_environment_names_them_too", environment, || {
            let builder = dfs().no_preempt("seal_names::nothing");
            match builder.explore(twice(WAYS[0].1)) {
                Ok(report) => println!("{report}"),
                Err(error) => println!("refused: {error}"),
            }
        })
    };
    run(&[]).expect(0, &["caissa found a bug", "anything called `seal_names::nothing`"]);
    let sealed = run(&[("CAISSA_NO_PREEMPT", "seal_names::work , seal_names::other")]);
    sealed.expect(0, &["anything called `seal_names::other`"]);
    sealed.expect_none(&["seal_names::nothing"]);
    let only = run(&[("CAISSA_PREEMPT_ONLY", "seal_names::work::add"), ("CAISSA_NO_PREEMPT", "none")]);
    only.expect_none(&["seal_names::nothing"]);
    if paths_are_known() {
        sealed.expect(0, &["no preemption in `seal_names::work` or `seal_names::other`"]);
        only.expect(0, &["caissa found a bug"]);
    }
    run(&[("CAISSA_PREEMPT_ONLY", "a,,b")]).expect(0, &["refused", "`preempt_only` is ``"]);
}

#[test]
fn a_resume_file_of_other_seals_is_refused() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("seal_names.resume");
    let _ = std::fs::remove_file(&path);
    let builder = || Builder::new().preemptions(3).no_preempt("seal_names::nothing").resume(&path);
    let ordinary = || {
        let number = Arc::new(AtomicUsize::new(0));
        let tasks = [(); 2].map(|()| {
            let number = Arc::clone(&number);
            thread::spawn(move || (0..3).for_each(|_| _ = number.fetch_add(1, SeqCst)))
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    let first = explore(builder().max_executions(9), ordinary);
    assert_eq!(first.verdict, Verdict::Incomplete);
    for (other, name) in
        [(builder().no_preempt("a"), "no_preempt"), (builder().preempt_only("a"), "preempt_only")]
    {
        let error = other.explore(ordinary).unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}` is ")) && error.contains("another search"), "{error}");
    }
    assert_eq!(explore(builder(), ordinary).verdict, Verdict::Bounded);
}
