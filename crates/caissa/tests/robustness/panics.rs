//! Which panics are findings, and which one a report names.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex, mpsc};
use caissa::{Bug, Builder, PanicNote, Report, TaskId, Verdict, thread};

use crate::robustness::OnDrop;

fn explore(f: impl Fn() + Send + Sync + 'static) -> Report {
    Builder::new().explore(f).unwrap()
}

/// The panic that the report names and the one that passed it on; its schedule is replayed and must show the same.
#[track_caller]
fn found(f: impl Fn() + Clone + Send + Sync + 'static) -> (PanicNote, Option<PanicNote>) {
    let report = explore(f.clone());
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    let finding = report.finding.as_ref().expect("a bug has a finding");
    let again = Builder::new().replay(&finding.schedule()).explore(f).unwrap();
    assert_eq!(again.verdict, Verdict::Bug, "{again}");
    assert_eq!(again.finding.expect("a bug has a finding").bug, finding.bug);
    match finding.bug.clone() {
        Bug::Panic { panic, passed_on, .. } => {
            let text = report.to_string();
            let first = text.lines().next().expect("a report has lines");
            assert!(first.contains(&panic.message), "{text}");
            (panic, passed_on)
        }
        other => panic!("not a panic: {other:?}"),
    }
}

#[test]
fn a_panic_that_leaves_the_closure_is_a_bug() {
    let (panic, passed_on) = found(|| panic!("boom"));
    assert_eq!((panic.task, panic.message.as_str()), (TaskId::MAIN, "boom"));
    assert!(panic.source.contains("panics.rs:"), "{panic:?}");
    assert_eq!(passed_on, None);
}

#[test]
fn a_panic_of_a_task_that_is_never_joined_is_a_bug() {
    let (panic, _) = found(|| {
        thread::spawn(|| panic!("boom"));
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
}

#[test]
fn a_panic_that_a_join_has_returned_is_no_bug() {
    let report = explore(|| {
        let payload = thread::spawn(|| panic!("boom")).join().unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"boom"));
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn a_panic_that_a_scoped_join_has_returned_is_no_bug() {
    let report = explore(|| thread::scope(|scope| assert!(scope.spawn(|| panic!("boom")).join().is_err())));
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn a_panic_that_is_caught_is_no_bug() {
    let report = explore(|| {
        thread::spawn(|| catch_unwind(|| panic!("boom")).unwrap_err()).join().unwrap();
        catch_unwind(|| panic!("boom")).unwrap_err();
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}

#[test]
fn every_panic_of_a_task_is_a_bug_if_asked_for() {
    let joined = || {
        let _ = thread::spawn(|| panic!("boom")).join();
    };
    let report = Builder::new().panics_any(true).explore(joined).unwrap();
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    assert!(report.to_string().contains("task T1 panicked at"), "{report}");
}

#[test]
fn the_first_panic_is_named_and_not_the_unwrap_that_passed_it_on() {
    let (panic, passed_on) = found(|| thread::spawn(|| panic!("boom")).join().unwrap());
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
    let passed_on = passed_on.expect("main passed it on");
    assert_eq!(passed_on.task, TaskId::MAIN);
    assert!(passed_on.message.contains("Result::unwrap()"), "{passed_on:?}");
}

#[test]
fn the_first_panic_is_named_and_not_the_expect_that_passed_it_on() {
    let (panic, _) = found(|| thread::spawn(|| panic!("boom")).join().expect("the task ends well"));
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
}

#[test]
fn the_first_panic_is_named_where_its_payload_is_resumed() {
    let (panic, passed_on) = found(|| {
        let Err(payload) = thread::spawn(|| panic!("boom")).join();
        resume_unwind(payload);
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
    assert!(panic.source.contains("panics.rs:"), "{panic:?}");
    assert_eq!(passed_on.expect("main passed it on").task, TaskId::MAIN);
}

#[test]
fn the_first_panic_is_named_through_a_scope() {
    let (panic, _) = found(|| {
        thread::scope(|scope| {
            scope.spawn(|| panic!("boom"));
        });
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
    let (panic, _) = found(|| thread::scope(|scope| scope.spawn(|| panic!("boom")).join().unwrap()));
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
}

#[test]
fn the_first_panic_is_named_through_several_joins() {
    let (panic, _) = found(|| {
        let outer = thread::spawn(|| thread::spawn(|| panic!("boom")).join().unwrap());
        outer.join().unwrap();
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(2), "boom"));
}

#[test]
fn the_first_panic_is_named_and_not_the_poison_that_it_left() {
    let (panic, _) = found(|| {
        let lock = Arc::new(Mutex::new(0));
        {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let _held = lock.lock().unwrap();
                panic!("boom");
            });
        }
        drop(lock.lock().unwrap());
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(1), "boom"));
}

#[test]
fn the_place_of_a_panic_is_known_although_its_unwinding_catches_another() {
    let (panic, _) = found(|| {
        let _guard = OnDrop(|| drop(catch_unwind(|| panic!("inner"))));
        panic!("outer");
    });
    assert_eq!(panic.message, "outer");
    assert!(panic.source.contains("panics.rs:"), "{panic:?}");
}

#[test]
fn the_place_of_a_panic_in_a_scope_is_known_although_its_tasks_catch_others() {
    let (panic, _) = found(|| {
        let ready = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                ready.load(SeqCst);
                drop(catch_unwind(|| panic!("inner")));
            });
            panic!("outer");
        });
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId::MAIN, "outer"));
    assert!(panic.source.contains("panics.rs:"), "{panic:?}");
}

/// A task that holds the mutex and is parked for ever.
fn held_for_ever() -> Arc<Mutex<u32>> {
    let lock = Arc::new(Mutex::new(0));
    let (sender, receiver) = mpsc::channel();
    let holder = Arc::clone(&lock);
    thread::spawn(move || {
        let _held = holder.lock().unwrap();
        sender.send(()).unwrap();
        thread::park();
    });
    receiver.recv().unwrap();
    lock
}

#[test]
fn a_panic_is_the_finding_if_its_unwinding_would_block() {
    let (panic, _) = found(|| {
        let lock = held_for_ever();
        let _guard = OnDrop(|| drop(lock.lock()));
        panic!("boom");
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId::MAIN, "boom"));
    assert!(panic.source.contains("panics.rs:"), "{panic:?}");
}

#[test]
fn a_panic_of_a_task_is_the_finding_if_its_unwinding_would_block() {
    let (panic, _) = found(|| {
        let lock = held_for_ever();
        let other = thread::spawn(move || {
            let _guard = OnDrop(|| drop(lock.lock()));
            panic!("boom");
        });
        let _ = other.join();
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(2), "boom"));
}

#[test]
fn a_resumed_panic_is_the_finding_if_its_unwinding_would_block() {
    let (panic, _) = found(|| {
        let lock = held_for_ever();
        let _guard = OnDrop(|| drop(lock.lock()));
        let Err(payload) = thread::spawn(|| panic!("boom")).join();
        resume_unwind(payload);
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(2), "boom"));
}

#[test]
fn an_unwrapped_join_still_names_the_first_panic_if_its_unwinding_would_block() {
    let (panic, _) = found(|| {
        let lock = held_for_ever();
        let _guard = OnDrop(|| drop(lock.lock()));
        thread::spawn(|| panic!("boom")).join().unwrap();
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId(2), "boom"));
}

#[test]
fn a_panic_is_the_finding_if_its_unwinding_waits_for_a_new_task() {
    let (panic, _) = found(|| {
        let _guard = OnDrop(|| drop(thread::spawn(|| ()).join()));
        panic!("boom");
    });
    assert_eq!((panic.task, panic.message.as_str()), (TaskId::MAIN, "boom"));
}

#[test]
fn a_panic_that_needs_a_preemption_and_blocks_in_drop_is_found_and_made_small() {
    let report = explore(|| {
        let (lock, value) = (Arc::new(Mutex::new(0)), Arc::new(AtomicUsize::new(0)));
        let other = {
            let (lock, value) = (Arc::clone(&lock), Arc::clone(&value));
            thread::spawn(move || {
                let _held = lock.lock().unwrap();
                value.store(1, SeqCst);
                value.store(2, SeqCst);
            })
        };
        let _bystander = thread::spawn(thread::yield_now);
        {
            let _guard = OnDrop(|| drop(lock.lock()));
            // Only ever 1 between the stores, while the other task holds the mutex.
            assert_ne!(value.load(SeqCst), 1);
        }
        other.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Bug, "{report}");
    let finding = report.finding.as_ref().expect("a bug has a finding");
    assert_eq!((finding.spent, finding.minimal), (2, true), "{report}");
    assert!(report.to_string().contains("assertion `left != right` failed"), "{report}");
}

#[test]
fn a_task_may_go_on_after_a_panic_that_it_has_caught() {
    let report = explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let caught = catch_unwind(AssertUnwindSafe(|| {
                    let _held = lock.lock();
                    panic!("boom");
                }));
                assert!(caught.is_err());
                lock.clear_poison();
                *lock.lock().unwrap() += 1;
            })
        };
        other.join().unwrap();
        assert_eq!(*lock.lock().unwrap(), 1);
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}
