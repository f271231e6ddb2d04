//! `thread`: as std's outside a check; inside, tasks whose ends, panics and tokens are explored.

use std::time::Duration;

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Bug, Builder, OpKind, TaskId, Verdict, thread};

like_std! { join_returns_the_result_or_the_panic -> (u32, String, u32, bool) {
    let value = thread::spawn(|| 7).join().unwrap();
    let text = thread::spawn(move || panic!("told {value}")).join().map(|()| 0).unwrap_err();
    let any = thread::spawn(|| std::panic::panic_any(5_u32)).join().map(|()| 0).unwrap_err();
    let panicking = thread::spawn(thread::panicking).join().unwrap();
    (value, text.downcast_ref::<String>().unwrap().clone(), *any.downcast_ref().unwrap(), panicking)
} }

like_std! { a_builder_names_its_thread -> Vec<Option<String>> {
    let name = || thread::current().name().map(str::to_owned);
    let named = thread::Builder::new().name("worker".to_owned()).stack_size(1 << 18).spawn(name).unwrap();
    let plain = thread::Builder::new().spawn(name).unwrap();
    let outside = [named.thread().name().map(str::to_owned), plain.thread().name().map(str::to_owned)];
    let inside = [named.join().unwrap(), plain.join().unwrap()];
    [outside, inside].concat()
} }

like_std! { every_thread_has_its_id -> Vec<bool> {
    let me = thread::current().id();
    let others = [(); 2].map(|()| thread::spawn(|| thread::current().id()));
    let known = others.each_ref().map(|other| other.thread().id());
    let own = others.map(|other| other.join().unwrap());
    vec![known == own, own[0] != own[1], own[0] != me, thread::current().id() == me]
} }

like_std! { an_unpark_before_the_park_is_kept_and_not_counted -> bool {
    let me = thread::current();
    me.unpark();
    me.unpark();
    thread::park();
    let other = thread::spawn(move || me.unpark());
    thread::park();
    other.join().is_ok()
} }

like_std! { is_finished_after_the_end_and_yields -> (bool, String) {
    let task = thread::spawn(|| ());
    while !task.is_finished() {
        if true {
            break;
        }
    }
    thread::yield_now();
    let shown = format!("{task:?}");
    (task.join().is_ok(), shown)
} }

#[test]
fn threads_outside_a_check_are_real() {
    let me = std::thread::current().id();
    assert_ne!(thread::spawn(|| std::thread::current().id()).join().unwrap(), me);
    let waits = thread::spawn(|| {
        thread::park();
        thread::current().id()
    });
    waits.thread().unpark();
    let id = waits.thread().id();
    assert_eq!(waits.join().unwrap(), id);
    let ends = thread::spawn(|| ());
    while !ends.is_finished() {
        thread::yield_now();
    }
    ends.join().unwrap();
}

#[test]
fn the_task_of_the_closure_is_called_main() {
    let seen = outcomes(|| thread::current().name().map(str::to_owned));
    assert_eq!(seen, [Some("main".to_owned())].into());
}

/// Main loads once and the other task stores and ends: three merges, of which two are one class each.
#[test]
fn a_task_may_run_before_or_after_what_follows_its_spawn() {
    let explored = explored(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let other = {
            let value = Arc::clone(&value);
            thread::spawn(move || value.store(1, SeqCst))
        };
        let seen = value.load(SeqCst);
        other.join().unwrap();
        seen
    });
    assert_eq!(explored.outcomes, [0, 1].into());
    assert_eq!((explored.executions, explored.classes), (3, 2));
}

#[test]
fn a_join_waits_for_everything_the_task_did() {
    let seen = outcomes(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let other = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                value.store(1, SeqCst);
                value.store(2, SeqCst);
            })
        };
        other.join().unwrap();
        value.load(SeqCst)
    });
    assert_eq!(seen, [2].into());
}

#[test]
fn is_finished_is_seen_both_ways_and_is_final() {
    let seen = outcomes(|| {
        let other = thread::spawn(|| ());
        let before = [other.is_finished(), other.is_finished()];
        other.join().unwrap();
        before
    });
    assert_eq!(seen, [[false, false], [false, true], [true, true]].into());
}

#[test]
fn tasks_that_nobody_joins_run_to_their_end() {
    static ENDED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let report = Builder::new()
        .explore(|| {
            let value = Arc::new(AtomicUsize::new(0));
            thread::spawn(move || {
                value.store(1, SeqCst);
                ENDED.fetch_add(1, SeqCst);
            });
        })
        .unwrap();
    assert_eq!(report.verdict, Verdict::Verified);
    // The first execution is run twice before the search, to see whether it repeats itself.
    assert_eq!(ENDED.load(SeqCst) as u64, report.executions() + 2);
}

#[test]
fn tokens_are_not_counted_and_not_lost() {
    let seen = outcomes(|| {
        let turns = Arc::new(Mutex::new(0));
        let parked = {
            let turns = Arc::clone(&turns);
            thread::spawn(move || {
                while *turns.lock().unwrap() < 1 {
                    thread::park();
                }
                *turns.lock().unwrap()
            })
        };
        parked.thread().unpark();
        *turns.lock().unwrap() += 1;
        parked.thread().unpark();
        parked.join().unwrap()
    });
    assert_eq!(seen, [1].into());
}

/// Two tokens may arrive before the first park, and then count as one.
#[test]
fn two_unparks_can_become_one() {
    let (found, text) = finding(|| {
        let parked = thread::spawn(|| {
            thread::park();
            thread::park();
        });
        parked.thread().unpark();
        parked.thread().unpark();
        parked.join().unwrap();
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| (b.task, b.op.kind)).collect();
    assert_eq!(waits, [(TaskId(0), OpKind::Join), (TaskId(1), OpKind::Park)]);
    assert_eq!((&cycle[..], found.spent), (&[][..], 0));
    assert_says(&text, &["can never go on", "T1 is parked and nobody unparks it", "T1 never ends"]);
}

#[test]
fn a_panic_that_nobody_joins_is_a_bug_and_one_that_is_consumed_is_not() {
    assert_eq!(outcomes(|| thread::spawn(|| panic!("consumed")).join().is_err()), [true].into());
    let (found, text) = finding(|| drop(thread::spawn(|| panic!("left alone"))));
    let Bug::Panic { panic, passed_on, blocked } = &found.bug else { panic!("{text}") };
    assert_eq!((panic.task, &panic.message[..], passed_on), (TaskId(1), "left alone", &None));
    assert!(blocked.is_empty());
    assert_says(&text, &["task T1 panicked at", "left alone", "thread.rs"]);
}

#[test]
fn the_report_names_the_first_panic_and_who_passed_it_on() {
    let (found, text) = finding(|| {
        thread::spawn(|| panic!("the first")).join().unwrap();
    });
    let Bug::Panic { panic, passed_on, .. } = &found.bug else { panic!("{text}") };
    assert_eq!((panic.task, &panic.message[..]), (TaskId(1), "the first"));
    assert_eq!(passed_on.as_ref().map(|note| note.task), Some(TaskId::MAIN));
    assert_says(&text, &["task T1 panicked at", "the first", "It was passed on: task T0 (main) panicked at"]);
}

/// Nothing is started any more while a task unwinds; the panic stays what went wrong.
#[test]
fn a_destructor_that_spawns_and_joins_does_not_hide_the_panic() {
    struct Joins;
    impl Drop for Joins {
        fn drop(&mut self) {
            let _ = thread::spawn(|| ()).join();
        }
    }
    let (found, text) = finding(|| {
        let _joins = Joins;
        panic!("the first");
    });
    let Bug::Panic { panic, .. } = &found.bug else { panic!("{text}") };
    assert_eq!((panic.task, &panic.message[..]), (TaskId::MAIN, "the first"));
}

#[test]
fn names_stand_in_the_report() {
    let (found, text) = finding(|| {
        let mutex = Arc::new(Mutex::new(()));
        let held = mutex.lock().unwrap();
        let other = {
            let mutex = Arc::clone(&mutex);
            let builder = thread::Builder::new().name("collector".to_owned());
            builder.spawn(move || drop(mutex.lock().unwrap())).unwrap()
        };
        other.join().unwrap();
        drop(held);
    });
    assert_eq!(found.task_names, [None, Some("collector".to_owned())]);
    assert_says(&text, &["T0 (main)", "T1 (collector)"]);
}

/// Which child is the third task depends on the schedule; the names are those of the schedule that is shown, not of another one that
/// was tried while it was made small.
#[test]
fn names_are_those_of_the_execution_that_is_shown() {
    let (found, text) = finding(|| {
        let turns = Arc::new(AtomicUsize::new(0));
        let parent = |child: &'static str, forbidden: usize| {
            let turns = Arc::clone(&turns);
            thread::spawn(move || {
                let builder = thread::Builder::new().name(child.to_owned());
                let child = builder.spawn(|| ()).unwrap();
                assert_ne!(turns.fetch_add(1, SeqCst), forbidden);
                child.join().unwrap();
            })
        };
        let parents = [parent("left", usize::MAX), parent("right", 0)];
        parents.into_iter().for_each(|parent| parent.join().unwrap());
    });
    let first = found.trace.events.iter().find(|event| event.task != TaskId::MAIN).unwrap();
    assert_eq!((first.task, first.op.kind), (TaskId(2), OpKind::Spawn), "{text}");
    assert_eq!(found.task_names[3].as_deref(), Some("right"), "{text}");
}

#[test]
fn detached_tasks_that_wait_for_ever_are_a_bug_unless_allowed() {
    let detached = || drop(thread::spawn(thread::park));
    let (found, text) = finding(detached);
    let Bug::Deadlock { blocked, .. } = &found.bug else { panic!("{text}") };
    assert_eq!((blocked.len(), blocked[0].task), (1, TaskId(1)));
    let report = Builder::new().allow_detached(true).explore(detached).unwrap();
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

/// The result of a task that nobody joins is dropped by the task or by the owner of the handle, whoever is last.
#[test]
fn an_unwanted_result_goes_with_its_last_owner() {
    struct AddsWhenDropped(Arc<AtomicUsize>);
    impl Drop for AddsWhenDropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    let seen = outcomes(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let inside = Arc::clone(&counter);
        drop(thread::spawn(move || AddsWhenDropped(inside)));
        counter.load(SeqCst)
    });
    assert_eq!(seen, [0, 1].into());
}

#[test]
fn the_machine_has_as_many_processors_as_we_say() {
    assert_eq!(outcomes(|| thread::available_parallelism().unwrap()), [thread::PARALLELISM].into());
    assert_eq!(thread::PARALLELISM.get(), 2);
    let outside = thread::available_parallelism().unwrap();
    assert_eq!(outside, std::thread::available_parallelism().unwrap());
}

like_std! { a_task_may_borrow_unchecked -> (u32, bool, Option<String>) {
    let number = 5;
    let builder = thread::Builder::new().name("borrows".into());
    // SAFETY: it is joined before what it borrows is gone.
    let handle = unsafe { builder.spawn_unchecked(|| number + 1) }.unwrap();
    let name = handle.thread().name().map(str::to_owned);
    // SAFETY: as above.
    let failed = unsafe { thread::Builder::new().spawn_unchecked::<_, ()>(|| panic!("{number}")) }.unwrap();
    (handle.join().unwrap(), failed.join().is_err(), name)
} }

#[test]
fn an_unchecked_task_comes_before_or_after() {
    let seen = outcomes(|| {
        let number = AtomicUsize::new(0);
        // SAFETY: it is joined below, and an execution of this test has no other end.
        let handle = unsafe { thread::Builder::new().spawn_unchecked(|| number.fetch_add(1, SeqCst)) };
        let mine = number.fetch_add(1, SeqCst);
        (mine, handle.unwrap().join().unwrap())
    });
    assert_eq!(seen, [(0, 1), (1, 0)].into());
}

/// Sleeping is a yield: others come before or after, whatever the times are.
#[test]
fn others_come_while_a_task_sleeps_or_not() {
    let seen = outcomes(|| {
        let number = Arc::new(AtomicUsize::new(0));
        let other = {
            let number = Arc::clone(&number);
            thread::spawn(move || {
                thread::sleep(Duration::from_secs(1));
                number.store(1, SeqCst);
            })
        };
        thread::sleep(Duration::from_millis(1));
        let seen = number.load(SeqCst);
        other.join().unwrap();
        seen
    });
    assert_eq!(seen, [0, 1].into());
}
