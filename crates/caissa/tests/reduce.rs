//! Leaving out equivalent executions: programs in which a rule once left out too much. Random programs: `differential.rs` and
//! `meetings.rs`; the corpus: `corpus.rs` and `async_corpus.rs`.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Search, Verdict, thread};

/// A choice that costs something is not planned in place of a free one that leads to the same prefix.
#[test]
fn what_is_cheaper_is_kept() {
    let program = || {
        let number = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&number);
        let outer = thread::spawn(move || {
            thread::spawn(move || {
                other.store(2, SeqCst);
                other.fetch_add(1, SeqCst)
            })
        });
        let first = number.load(SeqCst);
        number.store(1, SeqCst);
        let second = outer.join().unwrap().join().unwrap();
        assert!((first, second, number.load(SeqCst)) != (0, 1, 2));
    };
    for reduce in [false, true] {
        let report = Builder::new().search(Search::Preemptions).reduce(reduce).explore(program).unwrap();
        assert_eq!(report.verdict, Verdict::Bug, "{report}");
    }
}

/// Whoever drops the handle of a task that has ended drops its result.
#[test]
fn dropping_a_handle_may_drop_a_result() {
    struct Locks(Arc<Mutex<()>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let program = || {
        let mutex = Arc::new(Mutex::new(()));
        let held = mutex.lock().unwrap();
        let left = Locks(Arc::clone(&mutex));
        drop(thread::spawn(move || left));
        drop(held);
    };
    for reduce in [false, true] {
        let report = Builder::new().search(Search::Dfs).reduce(reduce).explore(program).unwrap();
        assert_eq!(report.verdict, Verdict::Bug, "{report}");
    }
}

/// That nobody asks whether a task has ended is relied on until somebody does, however late; then the search begins again.
#[test]
fn an_end_may_be_asked_for_late() {
    let explore = |reduce, workers| {
        let seen = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let inside = std::sync::Arc::clone(&seen);
        let program = move || {
            let number = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&number);
            let task = thread::spawn(move || other.store(1, SeqCst));
            let first = number.load(SeqCst);
            // Only where the other task has run, which the first executions do not show.
            let ended = (first == 1).then(|| task.is_finished());
            task.join().unwrap();
            inside.lock().unwrap().insert((first, ended));
        };
        let search = Builder::new().search(Search::Dfs).reduce(reduce).workers(workers);
        let report = search.explore(program).unwrap();
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        (report.summary.classes(), seen)
    };
    let expected = BTreeSet::from([(0, None), (1, Some(false)), (1, Some(true))]);
    for workers in [1, 2] {
        assert_eq!(explore(false, workers), (3, expected.clone()));
        assert_eq!(explore(true, workers), (3, expected.clone()));
    }
}

/// Ends that nobody asks for are not branched over: one execution for each order of the two additions.
#[test]
fn ends_that_nobody_asks_for_make_no_executions() {
    let program = || {
        let number = Arc::new(AtomicUsize::new(0));
        let tasks = [0, 1].map(|_| {
            let number = Arc::clone(&number);
            thread::spawn(move || _ = number.fetch_add(1, SeqCst))
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    let report = Builder::new().search(Search::Dfs).reduce(true).explore(program).unwrap();
    assert_eq!((report.executions(), report.summary.classes()), (2, 2), "{report}");
}

/// Whether a task has ended decides who drops its result, if nobody joins it.
#[test]
fn an_end_is_seen_by_who_drops_the_result() {
    struct Tells(std::sync::Arc<std::sync::Mutex<Option<bool>>>);
    impl Drop for Tells {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = Some(thread::current().name() == Some("it"));
        }
    }
    let explore = |reduce| {
        let seen = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
        let inside = std::sync::Arc::clone(&seen);
        let program = move || {
            let number = Arc::new(AtomicUsize::new(0));
            let (other, by_itself) = (Arc::clone(&number), std::sync::Arc::default());
            let tells = Tells(std::sync::Arc::clone(&by_itself));
            let body = move || {
                other.store(1, SeqCst);
                tells
            };
            let task = thread::Builder::new().name("it".to_owned()).spawn(body).unwrap();
            let first = number.load(SeqCst);
            drop(task);
            let by_main = by_itself.lock().unwrap().is_some();
            inside.lock().unwrap().insert((first, by_main));
        };
        let report = Builder::new().search(Search::Dfs).reduce(reduce).explore(program).unwrap();
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        std::mem::take(&mut *seen.lock().unwrap())
    };
    let expected = BTreeSet::from([(0, false), (0, true), (1, false), (1, true)]);
    assert_eq!(explore(false), expected);
    assert_eq!(explore(true), expected);
}

/// Runs a closure when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn is_named(name: &str) -> bool {
    thread::current().name() == Some(name)
}

#[track_caller]
fn is_found_by_every_search(program: fn()) {
    let bounded = |bound| Builder::new().search(Search::Preemptions).bound(bound);
    for search in [bounded(2), bounded(9), Builder::new(), Builder::new().search(Search::Dfs)] {
        for reduce in [false, true] {
            let report = search.clone().reduce(reduce).explore(program).unwrap();
            assert_eq!(report.verdict, Verdict::Bug, "reduced: {reduce}\n{report}");
        }
    }
}

/// An end at which a task drops its result is another step than one that leaves it to others.
#[test]
fn who_drops_a_result_makes_a_class() {
    type Seen = std::collections::BTreeMap<String, usize>;
    // What each task saw, by its name; executions that are left out half-way are there too.
    let explore = |reduce| {
        let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::<Seen>::new()));
        let inside = std::sync::Arc::clone(&seen);
        let program = move || {
            inside.lock().unwrap().push(Seen::new());
            let number = Arc::new(AtomicUsize::new(0));
            let add = |by: &'static str| {
                let (number, seen) = (Arc::clone(&number), std::sync::Arc::clone(&inside));
                move || {
                    let old = number.fetch_add(10, SeqCst);
                    let me = thread::current().name().unwrap_or_default().to_owned();
                    seen.lock().unwrap().last_mut().unwrap().insert(format!("{me}, {by}"), old);
                }
            };
            let tasks = ["first", "second"].map(|name| {
                let result = OnDrop(add(name));
                thread::Builder::new().name(name.to_owned()).spawn(move || result).unwrap()
            });
            let _last = OnDrop(add("last"));
            drop(tasks);
        };
        let report = Builder::new().search(Search::Dfs).reduce(reduce).explore(program).unwrap();
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        let seen: BTreeSet<Seen> = seen.lock().unwrap().drain(..).collect();
        (report.summary.classes(), seen)
    };
    let (all, fewer) = (explore(false), explore(true));
    assert_eq!(fewer.0, all.0);
    assert_eq!(all.1.difference(&fewer.1).next(), None);
}

/// A task without handle drops its result at its end, and what that does can be seen.
#[test]
fn an_end_that_drops_a_handle_is_seen() {
    is_found_by_every_search(|| {
        let body = || thread::spawn(|| OnDrop(|| assert!(!is_named("outer"))));
        drop(thread::Builder::new().name("outer".to_owned()).spawn(body).unwrap());
    });
}

/// What a task does while it unwinds has no point and is part of the step before, here a spawn.
#[test]
fn a_spawn_before_a_panic_does_not_commute() {
    is_found_by_every_search(|| {
        let number = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&number);
        let task = thread::spawn(move || assert_ne!(other.load(SeqCst), 0));
        let unwinds = AssertUnwindSafe(|| {
            let _stores = OnDrop(|| number.store(1, SeqCst));
            thread::spawn(|| {});
            resume_unwind(Box::new(()));
        });
        catch_unwind(unwinds).unwrap_err();
        drop(task);
    });
}

/// As above, a store, which then touches more than its object.
#[test]
fn a_store_before_a_panic_touches_more() {
    is_found_by_every_search(|| {
        let [a, x, y, z] = [0; 4].map(|_| Arc::new(AtomicUsize::new(0)));
        let (also_a, also_x, also_z) = (Arc::clone(&a), Arc::clone(&x), Arc::clone(&z));
        let left = thread::spawn(move || {
            also_a.store(1, SeqCst);
            let seen = also_x.load(SeqCst);
            also_z.store(1, SeqCst);
            seen
        });
        let other = thread::spawn(move || {
            let first = a.load(SeqCst);
            let unwinds = AssertUnwindSafe(|| {
                let _stores = OnDrop(|| x.store(1, SeqCst));
                y.store(1, SeqCst);
                resume_unwind(Box::new(()));
            });
            catch_unwind(unwinds).unwrap_err();
            (first, z.load(SeqCst))
        });
        let (seen, (first, last)) = (left.join().unwrap(), other.join().unwrap());
        assert!((first, seen, last) != (1, 1, 1));
    });
}

/// A failure of a search that has left out too much is reported all the same, though nothing is claimed of cheaper ones.
#[test]
fn a_failure_is_not_lost_when_the_search_begins_again() {
    let program = || {
        let number = Arc::new(AtomicUsize::new(0));
        let tasks = [0; 3].map(|_| {
            let number = Arc::clone(&number);
            thread::spawn(move || [0; 2].map(|_| number.fetch_add(1, SeqCst)))
        });
        if (number.load(SeqCst), number.load(SeqCst)) == (3, 5) {
            assert!(tasks[0].is_finished() && number.load(SeqCst) == 7, "found");
        }
        tasks.into_iter().for_each(|task| drop(task.join()));
    };
    for keep_going in [false, true] {
        for workers in [1, 2] {
            let search = Builder::new().search(Search::Dfs).reduce(true).keep_going(keep_going);
            let report = search.max_executions(1_000).workers(workers).explore(program).unwrap();
            assert_eq!(report.verdict, Verdict::Bug, "{report}");
        }
    }
}

/// In a search that goes on from a file in parts.
#[test]
fn what_was_left_out_too_much_is_not_gone_on_from() {
    let program = || {
        let number = Arc::new(AtomicUsize::new(0));
        let tasks = [0, 1, 2].map(|me| {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                let seen = number.fetch_add(1, SeqCst);
                let unwinds = AssertUnwindSafe(|| {
                    let _adds = OnDrop(|| _ = number.fetch_add(1, SeqCst));
                    resume_unwind(Box::new(()));
                });
                // Only in late executions, when others were left out and the file was written.
                (me == 0 && seen == 2).then(|| catch_unwind(unwinds).unwrap_err());
            })
        });
        number.load(SeqCst);
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    let search = Builder::new().search(Search::Dfs);
    let whole = search.clone().explore(program).unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("left-out.resume");
    let _ = std::fs::remove_file(&path);
    let search = search.reduce(true).resume(&path);
    let mut runs = 0;
    let last = loop {
        runs += 1;
        // The first part ends before anybody unwinds.
        let budget = if runs == 1 { 2 } else { runs * 1_000 };
        let report = search.clone().max_executions(budget).explore(program).unwrap();
        if report.summary.stopped.is_none() {
            break report;
        }
    };
    assert!(runs > 3, "{last}");
    assert_eq!((last.verdict, last.summary.classes()), (whole.verdict, whole.summary.classes()), "{last}");
}
