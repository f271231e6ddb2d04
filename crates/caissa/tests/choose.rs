//! `choose`: a choice of data that is explored and costs nothing.

use crate::support::types_outcomes::{assert_says, explored, finding};
use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Bug, Builder, Note, Verdict, choose, thread};

#[test]
fn outside_a_check_it_is_zero() {
    assert_eq!((choose(1), choose(100)), (0, 0));
}

#[test]
fn each_value_comes_exactly_once() {
    for n in [1, 2, 5] {
        let explored = explored(move || choose(n));
        assert_eq!(explored.outcomes, (0..n).collect());
        assert_eq!((explored.executions, explored.classes), (n as u64, n as u64));
    }
}

#[test]
fn choices_multiply_and_may_depend_on_each_other() {
    let independent = explored(|| (choose(2), choose(3)));
    assert_eq!((independent.outcomes.len(), independent.executions), (6, 6));
    let dependent = explored(|| {
        let first = choose(3);
        (first, choose(first + 1))
    });
    assert_eq!(dependent.outcomes, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)].into());
    assert_eq!(dependent.executions, 6);
}

/// Main loads; the other task stores what it chose and ends: 3 merges for each of two values.
#[test]
fn choices_combine_with_schedules() {
    let explored = explored(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let chosen = choose(2) + 1;
        let other = {
            let value = Arc::clone(&value);
            thread::spawn(move || value.store(chosen, SeqCst))
        };
        let read = value.load(SeqCst);
        other.join().unwrap();
        (chosen, read)
    });
    assert_eq!(explored.outcomes, [(1, 0), (1, 1), (2, 0), (2, 2)].into());
    assert_eq!((explored.executions, explored.classes), (6, 4));
}

#[test]
fn a_choice_of_another_task_is_explored_too() {
    let explored = explored(|| {
        let value = Arc::new(AtomicUsize::new(0));
        let other = {
            let value = Arc::clone(&value);
            thread::spawn(move || {
                value.store(1, SeqCst);
                value.store(2 + choose(2), SeqCst);
            })
        };
        let read = value.load(SeqCst);
        other.join().unwrap();
        (read, value.load(SeqCst))
    });
    assert_eq!(explored.outcomes, [(0, 2), (0, 3), (1, 2), (1, 3), (2, 2), (3, 3)].into());
}

/// A new task may choose before it has done anything else.
#[test]
fn a_task_can_begin_with_a_choice() {
    let explored = explored(|| {
        let value = AtomicUsize::new(0);
        thread::scope(|scope| {
            let tasks = [1, 10].map(|unit| {
                let value = &value;
                scope.spawn(move || value.fetch_add(unit * (1 + choose(2)), SeqCst))
            });
            tasks.map(|task| task.join().unwrap())
        })
    });
    assert_eq!(explored.outcomes, [[0, 1], [0, 2], [10, 0], [20, 0]].into());
    assert_eq!(explored.classes, 8);
}

#[test]
fn choices_cost_no_preemption() {
    let report = Builder::new().preemptions(0).explore(|| assert_ne!(choose(4), 3)).unwrap();
    assert_eq!((report.verdict, report.finding.unwrap().spent), (Verdict::Bug, 0));
}

#[test]
fn the_chosen_value_is_in_the_report() {
    let (found, text) = finding(|| assert!(choose(3) < 2, "two is bad"));
    let Bug::Panic { panic, .. } = &found.bug else { panic!("{text}") };
    assert_eq!(panic.message, "two is bad");
    assert_eq!(found.trace.events[0].note, Note::Chose { value: 2, count: 3 });
    assert_says(&text, &["choose 2 of 0..3", "two is bad", "choose.rs"]);
}

#[test]
fn there_must_be_something_to_choose_from() {
    let error = Builder::new().explore(|| _ = choose(0)).unwrap_err().to_string();
    assert_says(&error, &["choose(0)", "choose.rs", "at least 1"]);
    assert!(std::panic::catch_unwind(|| choose(0)).is_err());
}
