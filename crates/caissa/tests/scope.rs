//! `thread::scope`: tasks that borrow; as std's outside a check, explored inside.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::types_outcomes::{assert_says, explored, finding, outcomes};
use caissa::sync::Mutex;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Bug, OpKind, TaskId, thread};

like_std! { tasks_borrow_and_return -> (Vec<u32>, u32, Option<String>) {
    let mut numbers = vec![1, 2, 3];
    let (mut left, right) = (0, 10);
    let (sum, name) = thread::scope(|scope| {
        scope.spawn(|| numbers.push(4));
        let sums = scope.spawn(|| right + 1);
        let named = thread::Builder::new().name("named".to_owned());
        let named = named.spawn_scoped(scope, || thread::current().name().map(str::to_owned)).unwrap();
        left += 5;
        (sums.join().unwrap(), named.join().unwrap())
    });
    (numbers, left + sum, name)
} }

like_std! { tasks_of_a_scope_spawn_further_ones -> u32 {
    let total = sync::Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            scope.spawn(|| *total.lock().unwrap() += 1);
            *total.lock().unwrap() += 10;
        });
    });
    total.into_inner().unwrap()
} }

like_std! { scopes_nest -> u32 {
    let mut total = 0;
    thread::scope(|outer| {
        outer.spawn(|| total = thread::scope(|inner| inner.spawn(|| 3).join().unwrap() + 1));
    });
    total
} }

like_std! { a_panic_that_was_joined_does_not_leave_the_scope -> (bool, u32) {
    thread::scope(|scope| {
        let fails = scope.spawn(|| panic!("joined"));
        let lasts = scope.spawn(|| 3);
        (fails.join().is_err(), lasts.join().unwrap())
    })
} }

like_std! { a_panic_that_was_not_joined_leaves_the_scope -> String {
    let payload = catch_unwind(|| thread::scope(|scope| drop(scope.spawn(|| panic!("not joined"))))).unwrap_err();
    payload.downcast_ref::<&str>().unwrap().to_string()
} }

like_std! { the_scopes_own_panic_comes_first_and_it_still_waits -> (String, u32) {
    let done = sync::Mutex::new(0);
    let payload = catch_unwind(AssertUnwindSafe(|| {
        thread::scope(|scope| {
            scope.spawn(|| *done.lock().unwrap() += 1);
            panic!("the scope itself");
        })
    }));
    let message = payload.map(|()| "").unwrap_err().downcast_ref::<&str>().unwrap().to_string();
    (message, done.into_inner().unwrap())
} }

like_std! { handles_know_their_task -> (Option<String>, bool, String) {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("scoped".to_owned());
        let task = builder.spawn_scoped(scope, || thread::current().id()).unwrap();
        let (name, id) = (task.thread().name().map(str::to_owned), task.thread().id());
        let shown = format!("{task:?}");
        (name, task.join().unwrap() == id, shown)
    })
} }

#[test]
fn threads_outside_a_check_borrow_too() {
    let counter = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| _ = counter.fetch_add(1, SeqCst)));
        }
        let ends = scope.spawn(|| ());
        while !ends.is_finished() {
            thread::yield_now();
        }
    });
    assert_eq!(counter.into_inner(), 400);
}

#[test]
fn the_scope_waits_for_all_of_its_tasks() {
    let explored = explored(|| {
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for name in ["a", "b"] {
                let order = &order;
                scope.spawn(move || order.lock().unwrap().push(name));
            }
        });
        order.into_inner().unwrap()
    });
    assert_eq!(explored.outcomes, [vec!["a", "b"], vec!["b", "a"]].into());
    assert_eq!(explored.classes, 2);
}

#[test]
fn a_scoped_task_is_seen_finished_and_not() {
    let seen = outcomes(|| {
        thread::scope(|scope| {
            let task = scope.spawn(|| ());
            task.is_finished()
        })
    });
    assert_eq!(seen, [false, true].into());
}

#[test]
fn the_report_names_the_task_that_panicked() {
    let (found, text) = finding(|| {
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("fails".to_owned());
            builder.spawn_scoped(scope, || panic!("inside the scope")).unwrap();
        });
    });
    let Bug::Panic { panic, passed_on, .. } = &found.bug else { panic!("{text}") };
    assert_eq!((panic.task, &panic.message[..]), (TaskId(1), "inside the scope"));
    let passed_on = passed_on.as_ref().map(|note| (note.task, &note.message[..]));
    assert_eq!(passed_on, Some((TaskId::MAIN, "a scoped thread panicked")));
    assert_says(&text, &["task T1 (fails) panicked at", "inside the scope", "a scoped thread panicked"]);
}

/// The guard lives until the closure of the scope returns, and then the scope waits: that is fine. Kept beyond, it is not.
#[test]
fn a_scope_that_ends_under_a_lock_its_task_wants_is_a_cycle() {
    let (found, text) = finding(|| {
        let mutex = Mutex::new(());
        let held = mutex.lock().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| drop(mutex.lock().unwrap()));
        });
        drop(held);
    });
    let Bug::Deadlock { blocked, cycle } = &found.bug else { panic!("{text}") };
    let waits: Vec<_> = blocked.iter().map(|b| b.op.kind).collect();
    assert_eq!(waits, [OpKind::ScopeEnd, OpKind::Lock]);
    assert_eq!(cycle, &[TaskId(0), TaskId(1)]);
    assert_says(&text, &["waits for the tasks of its scope to end", "wait for each other"]);
    let seen = outcomes(|| {
        let mutex = Mutex::new(());
        thread::scope(|scope| {
            let _held = mutex.lock().unwrap();
            scope.spawn(|| drop(mutex.lock().unwrap()));
        });
    });
    assert_eq!(seen, [()].into());
}

/// An execution that fails is unwound while scoped tasks still borrow from their parent.
#[test]
fn borrowed_values_outlive_the_tasks_of_a_failing_execution() {
    struct Witness<'a>(&'a str);
    impl Drop for Witness<'_> {
        fn drop(&mut self) {
            assert_eq!(self.0, "borrowed");
        }
    }
    let (_, text) = finding(|| {
        let text = String::from("borrowed");
        thread::scope(|scope| {
            scope.spawn(|| {
                let _witness = Witness(&text);
                thread::park();
            });
            thread::park();
        });
    });
    assert_says(
        &text,
        &["deadlock: tasks T0 (main) and T1 can never go on", "is parked and nobody unparks it"],
    );
}
