//! Mistakes in how the library is used: each is noticed, and its message says what to do.

mod environment;
mod replaying;
mod settings;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicUsize as StdAtomicUsize;
use std::sync::{Mutex as StdMutex, OnceLock};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex, RwLock, mpsc};
use caissa::{Builder, Error, Misuse, Verdict, thread};

/// The mistake that a check of this closure reports; its message must have these words and the place of the mistake.
#[track_caller]
fn misused(words: &[&str], f: impl Fn() + Send + Sync + 'static) -> Misuse {
    match Builder::new().explore(f) {
        Err(Error::Misuse(misuse)) => {
            let text = misuse.to_string();
            for word in words {
                assert!(text.contains(word), "`{word}` is missing in: {text}");
            }
            misuse
        }
        Err(error) => panic!("another error: {error}"),
        Ok(report) => panic!("no error: {report}"),
    }
}

fn ignore<T>(_: T) {}

#[track_caller]
fn is_fine(f: impl Fn() + Send + Sync + 'static) {
    let report = Builder::new().explore(f).unwrap();
    assert!(matches!(report.verdict, Verdict::Verified | Verdict::Bounded), "{report}");
}

// ---- objects of another execution ----

const OTHER: [&str; 4] = ["misuse.rs:", "another execution", "inside the closure", "static"];
const CHANGED: [&str; 5] =
    ["misuse.rs:", "an earlier execution has changed it", "same state", "local of the closure", "std's type"];

#[test]
fn a_mutex_kept_from_an_earlier_execution() {
    static KEPT: OnceLock<Arc<Mutex<u32>>> = OnceLock::new();
    let misuse = misused(&CHANGED, || {
        *KEPT.get_or_init(|| Arc::new(Mutex::new(0))).lock().unwrap() += 1;
    });
    assert!(misuse.to_string().starts_with("the mutex used at"), "{misuse}");
}

#[test]
fn a_sender_kept_from_an_earlier_execution() {
    static KEPT: StdMutex<Option<mpsc::Sender<u32>>> = StdMutex::new(None);
    misused(&OTHER, || {
        let (sender, receiver) = mpsc::channel();
        let kept = KEPT.lock().unwrap().replace(sender);
        if let Some(kept) = kept {
            let _ = kept.send(1);
        }
        drop(receiver);
    });
}

#[test]
fn a_receiver_kept_from_an_earlier_execution() {
    static KEPT: StdMutex<Option<mpsc::Receiver<u32>>> = StdMutex::new(None);
    misused(&OTHER, || {
        let (sender, receiver) = mpsc::channel();
        sender.send(1).unwrap();
        let kept = KEPT.lock().unwrap().replace(receiver);
        if let Some(kept) = kept {
            let _ = kept.try_recv();
        }
    });
}

#[test]
fn a_join_handle_kept_from_an_earlier_execution() {
    static KEPT: StdMutex<Option<thread::JoinHandle<u32>>> = StdMutex::new(None);
    let misuse = misused(&OTHER, || {
        let kept = KEPT.lock().unwrap().replace(thread::spawn(|| 1));
        if let Some(kept) = kept {
            let _ = kept.join();
        }
    });
    assert!(misuse.to_string().starts_with("the task used at"), "{misuse}");
}

#[test]
fn a_thread_kept_from_an_earlier_execution() {
    static KEPT: StdMutex<Option<thread::Thread>> = StdMutex::new(None);
    misused(&OTHER, || {
        let kept = KEPT.lock().unwrap().replace(thread::current());
        if let Some(kept) = kept {
            kept.unpark();
        }
    });
}

#[test]
fn what_is_kept_from_an_execution_may_be_dropped_in_another() {
    type Kept = (mpsc::Sender<u32>, mpsc::Receiver<u32>, thread::JoinHandle<()>, Arc<Mutex<u32>>);
    static KEPT: StdMutex<Option<Kept>> = StdMutex::new(None);
    is_fine(|| {
        let (sender, receiver) = mpsc::channel();
        sender.send(1).unwrap();
        let kept = (sender, receiver, thread::spawn(|| ()), Arc::new(Mutex::new(0)));
        let before = KEPT.lock().unwrap().replace(kept);
        drop(before);
    });
    drop(KEPT.lock().unwrap().take());
}

#[test]
fn what_is_kept_from_an_execution_cannot_be_used_after_the_check() {
    let kept = std::sync::Arc::new(StdMutex::new(None));
    let keep = std::sync::Arc::clone(&kept);
    is_fine(move || *keep.lock().unwrap() = Some((mpsc::channel::<u32>(), thread::spawn(|| ()))));
    let ((sender, _receiver), task) = kept.lock().unwrap().take().unwrap();
    let uses: [Box<dyn FnOnce()>; 2] =
        [Box::new(move || ignore(sender.send(1))), Box::new(move || ignore(task.join()))];
    for usage in uses {
        let payload = catch_unwind(AssertUnwindSafe(usage)).unwrap_err();
        let text = payload.downcast_ref::<String>().expect("a message");
        assert!(OTHER.iter().all(|word| text.contains(word)), "{text}");
    }
}

// ---- state that outlives an execution ----

#[test]
fn a_static_mutex_that_an_execution_changed() {
    static COUNT: Mutex<u32> = Mutex::new(0);
    misused(&CHANGED, || *COUNT.lock().unwrap() += 1);
}

#[test]
fn a_static_rwlock_that_an_execution_changed() {
    static COUNT: RwLock<u32> = RwLock::new(0);
    misused(&CHANGED, || *COUNT.write().unwrap() += 1);
}

#[test]
fn a_static_atomic_that_an_execution_changed() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let misuse = misused(&CHANGED, || {
        COUNT.fetch_add(1, SeqCst);
    });
    assert!(matches!(misuse, Misuse::Changed { .. }), "{misuse:?}");
}

#[test]
fn a_static_that_only_some_schedules_change() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    misused(&CHANGED, || {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.store(1, SeqCst))
        };
        COUNT.load(SeqCst);
        if flag.load(SeqCst) == 1 {
            COUNT.store(7, SeqCst);
        }
        other.join().unwrap();
    });
}

#[test]
fn poison_lasts_for_one_execution() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    let report = Builder::new()
        .explore(|| {
            assert!(!LOCK.is_poisoned(), "an execution met the poison of another");
            let other = thread::spawn(|| {
                let _held = LOCK.lock();
                panic!("boom");
            });
            let _ = other.join();
            assert!(LOCK.is_poisoned());
        })
        .unwrap();
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn an_assertion_that_fails_under_a_static_lock_is_shown() {
    static LOCK: Mutex<u32> = Mutex::new(0);
    let report = Builder::new().explore(|| assert_eq!(*LOCK.lock().unwrap(), 1, "not one")).unwrap();
    assert!(report.to_string().contains("not one"), "{report}");
}

#[test]
fn a_captured_mutex_that_an_execution_changed() {
    let captured = Arc::new(Mutex::new(0));
    misused(&["if the closure captures it, make it inside"], move || *captured.lock().unwrap() += 1);
}

#[test]
fn statics_that_no_execution_changes_are_fine() {
    static LIMIT: Mutex<u32> = Mutex::new(3);
    static NUMBER: AtomicUsize = AtomicUsize::new(4);
    static TABLE: RwLock<[u32; 2]> = RwLock::new([5, 6]);
    let program = || {
        let other = thread::spawn(|| *LIMIT.lock().unwrap() as usize + NUMBER.load(SeqCst));
        let (limit, entry) = (*LIMIT.lock().unwrap(), TABLE.read().unwrap()[1]);
        assert!(limit < entry);
        assert_eq!(other.join().unwrap(), 7);
    };
    is_fine(program);
    // Between two checks they may change.
    *LIMIT.lock().unwrap() = 2;
    NUMBER.store(5, SeqCst);
    is_fine(program);
}

#[test]
fn a_static_atomic_that_is_restored_is_fine() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    is_fine(|| {
        COUNT.fetch_add(1, SeqCst);
        COUNT.fetch_sub(1, SeqCst);
    });
}

#[test]
fn an_atomic_may_be_changed_through_a_unique_reference_between_checks() {
    let mut shared = Arc::new(AtomicUsize::new(0));
    for number in 1..3 {
        let captured = Arc::clone(&shared);
        is_fine(move || assert_eq!(captured.load(SeqCst), number - 1));
        *Arc::get_mut(&mut shared).expect("the check is over").get_mut() = number;
    }
}

#[test]
fn std_types_may_collect_results_over_all_executions() {
    let executions = std::sync::Arc::new(StdAtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&executions);
    is_fine(move || {
        counted.fetch_add(1, SeqCst);
    });
    assert!(executions.load(SeqCst) > 0);
}

// ---- threads and objects from outside ----

/// What a real thread inside a check is told when it uses this.
fn told_a_real_thread(usage: impl Fn(&Mutex<u32>, &AtomicUsize) + Send + Sync + Copy + 'static) -> String {
    let told = std::sync::Arc::new(StdMutex::new(String::new()));
    let tell = std::sync::Arc::clone(&told);
    let report = Builder::new().explore(move || {
        let (lock, number) = (Mutex::new(0), AtomicUsize::new(0));
        drop(lock.lock().unwrap());
        number.load(SeqCst);
        std::thread::scope(|scope| {
            let real = scope.spawn(|| {
                let payload = catch_unwind(AssertUnwindSafe(|| usage(&lock, &number))).unwrap_err();
                payload.downcast_ref::<String>().expect("a message").clone()
            });
            *tell.lock().unwrap() = real.join().unwrap();
        });
        assert!(!lock.is_poisoned());
    });
    let text = told.lock().unwrap().clone();
    assert_eq!(report.unwrap_err().to_string(), text, "the check is told the same");
    for word in
        ["misuse.rs:", "a check that is running", "caissa::thread::spawn", "not with `std::thread::spawn`"]
    {
        assert!(text.contains(word), "{text}");
    }
    text
}

#[test]
fn a_mutex_used_from_a_real_thread_while_a_check_runs() {
    let text = told_a_real_thread(|lock, _| drop(lock.lock()));
    assert!(text.starts_with("the mutex used at"), "{text}");
    told_a_real_thread(|lock, _| drop(lock.try_lock()));
}

#[test]
fn an_atomic_used_from_a_real_thread_while_a_check_runs() {
    let text = told_a_real_thread(|_, number| number.store(1, SeqCst));
    assert!(text.starts_with("the atomic used at"), "{text}");
    told_a_real_thread(|_, number| ignore(number.compare_exchange(0, 1, SeqCst, SeqCst)));
}

#[test]
fn a_mutex_that_a_real_thread_holds() {
    let lock = Arc::new(Mutex::new(0));
    let held = lock.lock().unwrap();
    let inside = Arc::clone(&lock);
    let words = ["misuse.rs:", "a thread that the check does not control", "caissa::thread::spawn"];
    let misuse = misused(&words, move || drop(inside.lock()));
    assert!(matches!(misuse, Misuse::HeldOutside { .. }), "{misuse:?}");
    drop(held);
}

#[test]
fn a_static_shared_by_two_workers() {
    static SHARED: AtomicUsize = AtomicUsize::new(0);
    // The first execution is slow enough for the other worker to come upon the static as well.
    let error = Builder::new().workers(2).explore(|| {
        let tasks: Vec<_> = (0..4).map(|_| thread::spawn(|| SHARED.load(SeqCst))).collect();
        std::thread::sleep(std::time::Duration::from_millis(1));
        tasks.into_iter().for_each(|task| ignore(task.join().unwrap()));
    });
    let text = error.unwrap_err().to_string();
    for word in ["misuse.rs:", "another worker", "inside the closure", "one worker"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_channel_made_outside_and_used_inside() {
    let words =
        ["the channel used at", "misuse.rs:", "made outside the check", "inside the closure", "std's"];
    let (sender, receiver) = mpsc::channel::<u32>();
    let sender = StdMutex::new(sender);
    let misuse = misused(&words, move || ignore(sender.lock().unwrap().send(1)));
    assert!(matches!(misuse, Misuse::MadeOutside { .. }), "{misuse:?}");
    let receiver = StdMutex::new(receiver);
    misused(&words, move || ignore(receiver.lock().unwrap().recv()));
    let (sender, _receiver) = mpsc::sync_channel::<u32>(1);
    misused(&words, move || ignore(sender.send(1)));
}

// ---- checks and choices ----

#[test]
fn a_check_inside_a_check() {
    let words = ["inside a check", "Take the inner one out", "already explored"];
    assert_eq!(misused(&words, || caissa::check(|| ())), Misuse::NestedCheck);
    let in_a_task = || drop(thread::spawn(|| drop(Builder::new().explore(|| ()))).join());
    assert_eq!(misused(&words, in_a_task), Misuse::NestedCheck);
}

#[test]
fn nothing_to_choose_from() {
    let words = ["choose(0)", "misuse.rs:", "at least 1"];
    misused(&words, || ignore(caissa::choose(0)));
    let outside = catch_unwind(|| caissa::choose(0)).unwrap_err();
    let text = outside.downcast_ref::<String>().expect("a message");
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn more_to_choose_from_than_there_are_numbers() {
    let misuse = misused(&["misuse.rs:"], || ignore(caissa::choose(usize::MAX)));
    assert!(!misuse.to_string().contains("choose(0)"), "{misuse}");
}

#[test]
fn a_check_after_a_mistake_works() {
    misused(&["choose(0)"], || ignore(caissa::choose(0)));
    is_fine(|| assert!(caissa::choose(2) < 2));
}

// ---- programs that do not do the same every time ----

#[track_caller]
fn diverges(f: impl Fn() + Send + Sync + 'static) {
    let report = Builder::new().explore(f).unwrap();
    assert_eq!(report.verdict, Verdict::Diverged, "{report}");
    let text = report.to_string();
    for word in ["diverged", "step", "random numbers", "HashMap"] {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
    assert!(!text.contains("..") && !text.contains("at the bug"), "{text}");
}

#[test]
fn a_closure_that_does_something_else_at_every_run() {
    static RUNS: StdAtomicUsize = StdAtomicUsize::new(0);
    diverges(|| {
        for _ in 0..RUNS.fetch_add(1, SeqCst) {
            thread::yield_now();
        }
    });
}

#[test]
fn a_closure_that_does_another_operation_at_the_same_place() {
    static RUNS: StdAtomicUsize = StdAtomicUsize::new(0);
    let report = Builder::new().explore(|| {
        let number = AtomicUsize::new(0);
        match RUNS.fetch_add(1, SeqCst) % 2 {
            0 => number.store(1, SeqCst),
            _ => drop(number.load(SeqCst)),
        }
    });
    let text = report.unwrap().to_string();
    for word in
        ["at step 0", "`T0 store atomic#0`", "the first time", "`T0 load atomic#0`", "the second time"]
    {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_closure_that_does_something_else_after_many_runs() {
    static RUNS: StdAtomicUsize = StdAtomicUsize::new(0);
    diverges(|| {
        let other = thread::spawn(|| {
            thread::yield_now();
            thread::yield_now();
        });
        if RUNS.fetch_add(1, SeqCst) < 5 {
            thread::yield_now();
            thread::yield_now();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_closure_that_fails_only_once() {
    static RUNS: StdAtomicUsize = StdAtomicUsize::new(0);
    diverges(|| {
        let other = thread::spawn(thread::yield_now);
        thread::yield_now();
        assert_ne!(RUNS.fetch_add(1, SeqCst), 3, "fails once");
        other.join().unwrap();
    });
}
