//! Leaving out equivalent executions: programs in which a rule once left out too much. Random programs: `differential.rs` and
//! `meetings.rs`; the corpus: `corpus.rs` and `async_corpus.rs`.

use std::collections::BTreeSet;

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

/// Whoever drops the handle of a task that has ended drops its result, in the step before.
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
        let handle = thread::spawn(move || left);
        thread::spawn(|| {});
        drop(handle);
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
    // Between the load and the drop there is no point.
    let expected = BTreeSet::from([(0, false), (1, false), (1, true)]);
    assert_eq!(explore(false), expected);
    assert_eq!(explore(true), expected);
}
