//! Leaving out equivalent executions: programs in which a rule once left out too much. Random programs: `differential.rs` and
//! `meetings.rs`; the corpus: `corpus.rs` and `async_corpus.rs`.

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
