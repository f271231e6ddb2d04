//! The state hook: what it counts, that it changes nothing, and what it must not do.

use std::path::Path;
use std::sync::atomic::AtomicU64 as StdAtomicU64;
use std::sync::atomic::AtomicUsize as StdAtomicUsize;
use std::sync::{Mutex as StdMutex, TryLockError};

use caissa::cell::UnsafeCell;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Condvar, Mutex, OnceLock, RwLock, mpsc};
use caissa::{Builder, Error, Misuse, Report, Search, Verdict, thread};

/// How many additions each task has done, where no step is needed to write it down.
type Places = Arc<Vec<StdAtomicUsize>>;

fn add(tasks: usize, times: usize, counter: &Arc<AtomicUsize>, places: &Places) {
    let handles: Vec<_> = (0..tasks)
        .map(|me| {
            let (counter, places) = (Arc::clone(counter), Arc::clone(places));
            thread::spawn(move || {
                for done in 1..=times {
                    counter.fetch_add(1, SeqCst);
                    places[me].store(done, SeqCst);
                }
            })
        })
        .collect();
    handles.into_iter().for_each(|task| task.join().unwrap());
}

/// Tasks that each add so many times; a state is how far each of them is.
fn additions(tasks: usize, times: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let counter = Arc::new(AtomicUsize::new(0));
        let places: Places = Arc::new((0..tasks).map(|_| StdAtomicUsize::new(0)).collect());
        let (seen, shown) = (Arc::clone(&counter), Arc::clone(&places));
        caissa::state(move || {
            let places: Vec<usize> = shown.iter().map(|place| place.load(SeqCst)).collect();
            assert_eq!(seen.load(SeqCst), places.iter().sum());
            places
        });
        add(tasks, times, &counter, &places);
    }
}

fn explore(builder: Builder, f: impl Fn() + Send + Sync + 'static) -> Report {
    builder.explore(f).unwrap()
}

fn dfs() -> Builder {
    Builder::new().search(Search::Dfs)
}

// ---- what is counted ----

#[test]
fn every_state_is_counted_once() {
    for (tasks, times, states) in [(1, 5, 6), (2, 3, 16), (3, 2, 27)] {
        let report = explore(dfs(), additions(tasks, times));
        assert_eq!(report.verdict, Verdict::Verified, "{report}");
        assert_eq!(report.states(), Some(states), "{report}");
    }
}

#[test]
fn states_are_shown_by_bound() {
    let report = explore(Builder::new().preemptions(1), additions(2, 2));
    let new: Vec<u64> = report.summary.bounds.iter().map(|bound| bound.new_states).collect();
    // Without preemptions one task has not begun or has ended whenever the other is on its way.
    assert_eq!((new, report.states()), (vec![8, 1], Some(9)), "{report}");
    let text = report.to_string();
    assert!(text.contains(", 8 new states\n") && text.contains(", 1 new state\n"), "{text}");
    assert!(text.contains("executions, 9 states:\n"), "{text}");
}

#[test]
fn without_a_hook_there_are_no_states() {
    let report = explore(dfs(), || add(2, 2, &Arc::default(), &Arc::new(vec![0.into(), 0.into()])));
    assert_eq!(report.states(), None);
    assert!(!report.to_string().contains("state"), "{report}");
}

#[test]
fn outside_a_check_it_does_nothing() {
    caissa::state(|| panic!("called") as u32);
}

#[test]
fn several_hooks_are_one_state() {
    let report = explore(dfs(), || {
        let places: Places = Arc::new(vec![0.into(), 0.into()]);
        for task in 0..2 {
            let places = Arc::clone(&places);
            caissa::state(move || places[task].load(SeqCst));
        }
        add(2, 3, &Arc::default(), &places);
    });
    assert_eq!(report.states(), Some(16), "{report}");
}

/// Each hook counts from where it was set, and only in the execution that has set it.
#[test]
fn a_hook_counts_from_where_it_is_set() {
    let report = explore(dfs(), || {
        let counter = Arc::new(AtomicUsize::new(0));
        (0..10).for_each(|_| _ = counter.fetch_add(1, SeqCst));
        let shown = Arc::clone(&counter);
        caissa::state(move || shown.load(SeqCst));
        (0..3).for_each(|_| _ = counter.fetch_add(1, SeqCst));
    });
    assert_eq!(report.states(), Some(4), "{report}");
}

/// A point that nobody else could use is one all the same: nothing is coasted through, by no search.
#[test]
fn it_is_called_at_every_point_and_at_the_end() {
    static CALLS: StdAtomicU64 = StdAtomicU64::new(0);
    let alone = || {
        caissa::state(|| _ = CALLS.fetch_add(1, SeqCst));
        let counter = AtomicUsize::new(0);
        (0..10).for_each(|_| _ = counter.fetch_add(1, SeqCst));
        assert_eq!(caissa::choose(1), 0);
    };
    let searches =
        [Search::Dfs, Search::Preemptions, Search::Delays, Search::Random, Search::Pct, Search::Surw];
    for search in searches {
        CALLS.store(0, SeqCst);
        let report = explore(Builder::new().search(search).max_executions(1), alone);
        // Ten accesses, a choice, the task's end, and twice what comes after it. The first execution is run twice before.
        assert_eq!((report.executions(), CALLS.load(SeqCst)), (1, 3 * 14), "{search:?}");
        assert_eq!(report.states(), Some(1));
    }
}

/// Between the steps of async tasks too: wake-ups, polls and looks are points.
#[test]
fn async_tasks_have_states() {
    use caissa::future::{block_on, spawn, sync::Mutex};
    let report = explore(dfs().faults(0), || {
        let places: Places = Arc::new(vec![0.into(), 0.into()]);
        let shown = Arc::clone(&places);
        caissa::state(move || (shown[0].load(SeqCst), shown[1].load(SeqCst)));
        let mutex = Arc::new(Mutex::new(()));
        let tasks: Vec<_> = (0..2)
            .map(|me| {
                let (mutex, places) = (Arc::clone(&mutex), Arc::clone(&places));
                spawn(async move {
                    let _guard = mutex.lock().await;
                    places[me].store(1, SeqCst);
                    caissa::future::yield_now().await;
                    places[me].store(2, SeqCst);
                })
            })
            .collect();
        block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
    });
    // Whoever is at 1 holds the lock, and the other one has not begun or is done.
    assert_eq!((report.verdict, report.states()), (Verdict::Verified, Some(8)), "{report}");
}

#[test]
fn states_at_the_end_of_executions_that_do_not_complete_count() {
    let report = explore(dfs(), || {
        let place = Arc::new(StdAtomicUsize::new(0));
        let shown = Arc::clone(&place);
        caissa::state(move || shown.load(SeqCst));
        let counter = AtomicUsize::new(0);
        counter.store(1, SeqCst);
        place.store(1, SeqCst);
        if caissa::choose(2) == 1 {
            place.store(2, SeqCst);
            panic!("the closure panics");
        }
        place.store(3, SeqCst);
        thread::park();
    });
    assert_eq!((report.verdict, report.states()), (Verdict::Bug, Some(3)), "{report}");
    let after = explore(dfs().keep_going(true), || {
        let place = Arc::new(StdAtomicUsize::new(0));
        let shown = Arc::clone(&place);
        caissa::state(move || shown.load(SeqCst));
        if caissa::choose(2) == 1 {
            place.store(1, SeqCst);
            panic!("the closure panics");
        }
    });
    assert_eq!(after.states(), Some(2), "{after}");
}

#[test]
fn what_replays_and_minimising_see_does_not_count() {
    let lost_update = || {
        let counter = Arc::new(AtomicUsize::new(0));
        let shown = Arc::clone(&counter);
        caissa::state(move || shown.load(SeqCst));
        let other = Arc::clone(&counter);
        let task = thread::spawn(move || other.fetch_add(1, SeqCst));
        counter.store(counter.load(SeqCst) + 1, SeqCst);
        task.join().unwrap();
        assert_eq!(counter.load(SeqCst), 2);
    };
    let found = explore(Builder::new(), lost_update);
    assert_eq!((found.verdict, found.states()), (Verdict::Bug, Some(3)), "{found}");
    let unminimised = explore(Builder::new().minimise(0), lost_update);
    assert_eq!(unminimised.summary.bounds, found.summary.bounds);
    let again = explore(Builder::new().replay(&found.finding.unwrap().schedule()), lost_update);
    assert_eq!((again.verdict, again.states()), (Verdict::Bug, None), "{again}");
}

// ---- the same count, however the search goes ----

#[test]
fn workers_and_reduction_do_not_change_the_count() {
    let new = Builder::new;
    let contexts = new().search(Search::Contexts).bound(5);
    let searches = [new().preemptions(2), dfs(), new(), new().delays(3), contexts];
    for (index, search) in searches.into_iter().enumerate() {
        let one = explore(search.clone(), additions(3, 2));
        let two = explore(search.clone().workers(2), additions(3, 2));
        assert_eq!((one.states(), &one.summary.bounds), (two.states(), &two.summary.bounds));
        if index < 3 {
            let reduced = explore(search.reduce(true), additions(3, 2));
            assert_eq!((one.states(), &one.summary.bounds), (reduced.states(), &reduced.summary.bounds));
        }
    }
    // The program can be reduced as long as nobody looks.
    let program = || add(3, 2, &Arc::default(), &Arc::new(vec![0.into(), 0.into(), 0.into()]));
    assert!(explore(dfs().reduce(true), program).executions() < explore(dfs(), program).executions());
}

#[test]
fn an_interrupted_search_comes_to_the_same_count() {
    let random = Builder::new().search(Search::Random).max_executions(5_000);
    for (name, search) in [("preemptions", Builder::new().preemptions(3)), ("dfs", dfs()), ("random", random)]
    {
        let whole = explore(search.clone(), additions(3, 2));
        for workers in [1, 2] {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("states-{name}-{workers}.resume"));
            let _ = std::fs::remove_file(&file);
            let search = search.clone().workers(workers).resume(&file);
            for part in 1..4 {
                let budget = whole.executions() * part / 4;
                let report = explore(search.clone().max_executions(budget), additions(3, 2));
                assert!(report.summary.stopped.is_some(), "{report}");
            }
            let last = explore(search.max_executions(whole.executions()), additions(3, 2));
            assert_eq!(last.states(), whole.states(), "{name}, {workers}: {last}");
            assert_eq!(last.summary.bounds, whole.summary.bounds, "{name}, {workers}");
            let _ = std::fs::remove_file(&file);
        }
    }
}

// ---- looking changes nothing ----

/// Uses everything that a hook may look at; shows it or not.
fn busy(shows: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        let number = Arc::new(AtomicUsize::new(0));
        let mutex = Arc::new(Mutex::new(0));
        let rwlock = Arc::new(RwLock::new(0));
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        if shows {
            let (number, mutex, rwlock) = (Arc::clone(&number), Arc::clone(&mutex), Arc::clone(&rwlock));
            let cell = Arc::clone(&cell);
            caissa::state(move || {
                let locked = mutex.try_lock().ok().map(|guard| *guard);
                let free = mutex.try_lock().is_ok();
                assert_eq!(locked.is_some(), free);
                let read = rwlock.try_read().ok().map(|guard| (*guard, rwlock.try_read().is_ok()));
                let written = rwlock.try_write().is_ok();
                (number.load(SeqCst), locked, read, written, cell.read(), format!("{mutex:?}"))
            });
        }
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                let (number, mutex, rwlock) = (Arc::clone(&number), Arc::clone(&mutex), Arc::clone(&rwlock));
                let cell = Arc::clone(&cell);
                thread::spawn(move || {
                    {
                        let mut guard = mutex.lock().unwrap();
                        *guard += number.fetch_add(1, SeqCst);
                        cell.add(1);
                    }
                    let seen = *rwlock.read().unwrap();
                    if let Ok(mut guard) = rwlock.try_write() {
                        *guard = seen + 1;
                    }
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert!(*rwlock.read().unwrap() < 2);
    }
}

struct Shared(UnsafeCell<usize>);

// SAFETY: its users hold a lock when they write, and hooks run while no task does.
unsafe impl Sync for Shared {}

impl Shared {
    fn add(&self, n: usize) {
        // SAFETY: as said.
        self.0.with_mut(|value| unsafe { *value += n });
    }

    fn read(&self) -> usize {
        // SAFETY: as said.
        self.0.with(|value| unsafe { *value })
    }
}

#[test]
fn looking_is_no_step_and_leaves_no_mark() {
    let plain = |report: &Report| {
        let mut bounds = report.summary.bounds.clone();
        bounds.iter_mut().for_each(|bound| bound.new_states = 0);
        let found = report.finding.as_ref().map(|found| (found.schedule(), format!("{:?}", found.trace)));
        (report.verdict, bounds, report.summary.steps, found)
    };
    for search in [Builder::new().preemptions(2), Builder::new().delays(2), dfs()] {
        let search = search.keep_going(true).max_executions(20_000);
        let (shown, hidden) = (explore(search.clone(), busy(true)), explore(search, busy(false)));
        assert_eq!(plain(&shown), plain(&hidden));
        assert!(shown.states() > Some(20), "{shown}");
    }
    let (shown, hidden) = (explore(Builder::new(), busy(true)), explore(Builder::new(), busy(false)));
    assert_eq!((shown.verdict, plain(&shown).3), (Verdict::Bug, plain(&hidden).3));
    let schedule = shown.finding.unwrap().schedule();
    assert_eq!(explore(Builder::new().replay(&schedule), busy(true)).verdict, Verdict::Bug);
}

/// What a hook sees of a lock is what a task would see: held, poisoned, used or not yet.
#[test]
fn hooks_see_locks_as_they_are() {
    static SEEN: StdMutex<Vec<&str>> = StdMutex::new(Vec::new());
    SEEN.lock().unwrap().clear();
    let report = explore(dfs(), || {
        let mutex = Arc::new(Mutex::new(0));
        let shown = Arc::clone(&mutex);
        caissa::state(move || {
            let sees = match shown.try_lock() {
                Ok(_) => "free",
                Err(TryLockError::WouldBlock) => "held",
                Err(TryLockError::Poisoned(_)) => "poisoned",
            };
            SEEN.lock().unwrap().push(sees);
            sees
        });
        let other = Arc::clone(&mutex);
        let task = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("poison");
        });
        assert!(task.join().is_err());
        assert!(mutex.is_poisoned());
    });
    assert_eq!((report.verdict, report.states()), (Verdict::Verified, Some(2)), "{report}");
    // Nobody else runs while a task unwinds, so that the lock is held is never seen.
    let seen = SEEN.lock().unwrap();
    assert!(seen.contains(&"free") && seen.contains(&"poisoned") && !seen.contains(&"held"));
}

// ---- mistakes ----

#[track_caller]
fn misused(words: &[&str], f: impl Fn() + Send + Sync + 'static) -> Misuse {
    match Builder::new().explore(f) {
        Err(Error::Misuse(misuse)) => {
            let text = misuse.to_string();
            for word in words.iter().chain(&["given to `caissa::state` at ", "tests/states.rs:"]) {
                assert!(text.contains(word), "`{word}` is missing in: {text}");
            }
            misuse
        }
        Err(error) => panic!("another error: {error}"),
        Ok(report) => panic!("no error: {report}"),
    }
}

/// A hook that does something with these once the program is under way.
#[track_caller]
fn acts(words: &[&str], act: impl Fn(&AtomicUsize, &Mutex<usize>) + Send + Sync + Copy + 'static) {
    for late in [false, true] {
        let misuse = misused(words, move || {
            let (number, mutex) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(0)));
            let shown = (Arc::clone(&number), Arc::clone(&mutex));
            caissa::state(move || {
                if !late || shown.0.load(SeqCst) == 2 {
                    act(&shown.0, &shown.1)
                }
            });
            let other = Arc::clone(&number);
            let task = thread::spawn(move || other.fetch_add(1, SeqCst));
            number.fetch_add(1, SeqCst);
            *mutex.lock().unwrap() += 1;
            task.join().unwrap();
        });
        assert!(matches!(misuse, Misuse::StateHookActs { .. } | Misuse::StateHookPanicked { .. }));
    }
}

const ONLY_LOOK: &str = "It may only look";

#[test]
fn a_hook_must_not_write() {
    acts(&["writes to an atomic at", ONLY_LOOK], |number, _| number.store(7, SeqCst));
    acts(&["writes to an atomic at", ONLY_LOOK], |number, _| _ = number.fetch_add(0, SeqCst));
    acts(&["borrows mutably what a lock guards", ONLY_LOOK], |_, mutex| {
        if let Ok(mut guard) = mutex.try_lock() {
            *guard += 1;
        }
    });
    misused(&["writes to a cell at", ONLY_LOOK], || {
        let cell = Arc::new(Shared(UnsafeCell::new(0)));
        caissa::state(move || cell.add(1));
    });
}

#[test]
fn a_hook_must_not_do_what_tasks_do() {
    let words = ["does what only tasks do", ONLY_LOOK];
    acts(&words, |_, _| _ = thread::spawn(|| ()));
    acts(&words, |_, _| thread::yield_now());
    acts(&words, |_, _| thread::park());
    acts(&words, |_, _| _ = caissa::choose(2));
    acts(&words, |_, _| Condvar::new().notify_all());
    acts(&words, |_, _| drop(mpsc::channel::<u32>()));
    acts(&words, |_, _| _ = OnceLock::<u32>::new().get());
    acts(&words, |_, _| caissa::state(|| 0));
    acts(&words, |_, _| caissa::check(|| ()));
    // Also if it does not let itself be stopped.
    acts(&words, |_, _| _ = std::panic::catch_unwind(thread::yield_now));
}

#[test]
fn a_hook_must_not_wait() {
    let holds = |looks: fn(&Mutex<usize>) -> bool| {
        move || {
            let mutex = Arc::new(Mutex::new(0));
            let shown = Arc::clone(&mutex);
            caissa::state(move || looks(&shown));
            let _guard = mutex.lock().unwrap();
        }
    };
    misused(&["waits at", "for a mutex that a task holds", ONLY_LOOK], holds(|mutex| mutex.lock().is_ok()));
    let report = explore(Builder::new(), holds(|mutex| mutex.try_lock().is_ok()));
    assert_eq!((report.verdict, report.states()), (Verdict::Verified, Some(2)), "{report}");
}

#[test]
fn a_hook_must_not_keep_a_guard() {
    acts(&["keeps a guard of a lock", ONLY_LOOK], |_, mutex| std::mem::forget(mutex.try_lock()));
}

#[test]
fn a_panic_of_a_hook_is_not_a_bug_of_the_program() {
    acts(&["panicked at", "tests/states.rs:", "out of its depth"], |_, _| panic!("out of its depth"));
    acts(&["panicked at", "boom"], |_, mutex| {
        // Its destructor finds no lock that could be poisoned.
        let _guard = mutex.try_lock();
        panic!("boom");
    });
}
