//! What a check does when the program under test leaves its control, panics, unwinds or is large.
//!
//! Behaviours that end the process are tested in a process of their own.

mod calling_thread;
mod panics;
mod unwinding;
mod workers;

use crate::support::child;
use std::time::Duration;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, EXIT_CRASH, EXIT_STACK_OVERFLOW, EXIT_STUCK, Verdict, thread};

/// Runs a closure when it is dropped.
pub(crate) struct OnDrop<F: FnMut()>(pub(crate) F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A patience that tests can wait for.
const PATIENCE: Duration = Duration::from_millis(300);

/// What to do is said in every message about a stuck task.
const STUCK_ADVICE: [&str; 4] = ["scheduling point", "std lock", "yield_now", "CAISSA_WATCHDOG"];

// ---- tasks that leave our control ----

#[test]
fn a_std_mutex_held_across_a_switch_is_reported_as_stuck() {
    let ended = child::run("robustness::a_std_mutex_held_across_a_switch_is_reported_as_stuck", &[], || {
        Builder::new().watchdog(PATIENCE).check(|| {
            let outside = Arc::new(std::sync::Mutex::new(()));
            let other = {
                let outside = Arc::clone(&outside);
                thread::spawn(move || {
                    thread::yield_now();
                    drop(outside.lock());
                })
            };
            let held = outside.lock();
            thread::yield_now();
            drop(held);
            other.join().unwrap();
        });
    });
    ended.expect(EXIT_STUCK, &STUCK_ADVICE);
    ended.expect(
        EXIT_STUCK,
        &["task T1 has not come back", "preemption: T0 could go on, but T1 runs", "CAISSA_REPLAY=cai1:"],
    );
    ended.expect(EXIT_STUCK, &["T0 is about to", "robustness.rs:", "T1 is running"]);
}

#[test]
fn a_real_sleep_longer_than_the_watchdog_is_reported_as_stuck() {
    let ended =
        child::run("robustness::a_real_sleep_longer_than_the_watchdog_is_reported_as_stuck", &[], || {
            Builder::new().watchdog(PATIENCE).check(|| {
                let sleeper = thread::spawn(|| std::thread::sleep(Duration::from_secs(60)));
                sleeper.join().unwrap();
            });
        });
    ended.expect(EXIT_STUCK, &STUCK_ADVICE);
    ended.expect(EXIT_STUCK, &["task T1", "0.3 s", "std::thread::sleep", "CAISSA_REPLAY=cai1:"]);
}

#[test]
fn an_endless_local_loop_is_reported_as_stuck() {
    let ended = child::run("robustness::an_endless_local_loop_is_reported_as_stuck", &[], || {
        Builder::new().watchdog(PATIENCE).check(|| {
            let seen = Arc::new(AtomicUsize::new(0));
            let other = {
                let seen = Arc::clone(&seen);
                thread::spawn(move || seen.store(1, SeqCst))
            };
            if seen.load(SeqCst) == 1 {
                loop {
                    std::hint::spin_loop();
                }
            }
            other.join().unwrap();
        });
    });
    ended.expect(EXIT_STUCK, &STUCK_ADVICE);
    ended.expect(
        EXIT_STUCK,
        &[
            "task T0",
            "loops",
            "preemption: T0 could go on, but T1 runs",
            "CAISSA_REPLAY=cai1:",
            "T1 has ended",
        ],
    );
}

#[test]
fn the_watchdog_is_set_from_the_environment() {
    let name = "robustness::the_watchdog_is_set_from_the_environment";
    let ended = child::run(name, &[("CAISSA_WATCHDOG", "0.2")], || {
        caissa::check(|| std::thread::sleep(Duration::from_secs(60)));
    });
    ended.expect(EXIT_STUCK, &["task T0", "0.2 s"]);
}

#[test]
fn slow_but_progressing_tasks_are_not_taken_for_stuck() {
    let ended = child::run("robustness::slow_but_progressing_tasks_are_not_taken_for_stuck", &[], || {
        let report = Builder::new()
            .watchdog(PATIENCE)
            .explore(|| {
                for _ in 0..25 {
                    std::thread::sleep(PATIENCE / 12);
                    thread::yield_now();
                }
            })
            .unwrap();
        assert_eq!((report.verdict, report.executions()), (Verdict::Verified, 1));
        println!("one execution");
    });
    ended.expect(0, &["one execution"]);
}

#[test]
fn a_worker_that_waits_for_another_is_not_taken_for_stuck() {
    let ended = child::run("robustness::a_worker_that_waits_for_another_is_not_taken_for_stuck", &[], || {
        let report = Builder::new()
            .workers(2)
            .preemptions(0)
            .watchdog(PATIENCE)
            .explore(|| {
                let tasks: Vec<_> = (0..4).map(|_| thread::spawn(thread::yield_now)).collect();
                std::thread::sleep(PATIENCE / 6);
                tasks.into_iter().for_each(|task| task.join().unwrap());
            })
            .unwrap();
        assert_eq!(report.verdict, Verdict::Bounded);
        println!("to the end");
    });
    ended.expect(0, &["to the end"]);
}

/// Each call takes about as much of the stack as a busy function does in a build without optimisation.
#[inline(never)]
fn nested(depth: usize, at_the_bottom: &dyn Fn()) -> usize {
    if depth == 0 {
        at_the_bottom();
        return 0;
    }
    let mut locals = [1u8; 400];
    let locals = std::hint::black_box(&mut locals);
    nested(depth - 1, at_the_bottom) + usize::from(locals[0])
}

#[test]
fn an_overflow_of_a_tasks_stack_is_reported_as_such() {
    let ended = child::run("robustness::an_overflow_of_a_tasks_stack_is_reported_as_such", &[], || {
        caissa::check(|| {
            thread::spawn(|| nested(usize::MAX, &|| ())).join().unwrap();
        });
    });
    let words = ["task T1", "overflowed its stack of 8388608 bytes", "stack_size", "CAISSA_STACK_SIZE"];
    ended.expect(EXIT_STACK_OVERFLOW, &words);
    ended.expect(EXIT_STACK_OVERFLOW, &["CAISSA_REPLAY=cai1:", "T0 is about to spawn"]);
    ended.expect_none(&["memory that it must not", "panic"]);
}

#[test]
fn an_overflow_shows_the_switches_that_led_to_it() {
    let name = "robustness::an_overflow_shows_the_switches_that_led_to_it";
    let ended = child::run(name, &[("CAISSA_STACK_SIZE", "65_536")], || {
        caissa::check(|| {
            let seen = Arc::new(AtomicUsize::new(0));
            let other = {
                let seen = Arc::clone(&seen);
                thread::spawn(move || seen.store(1, SeqCst))
            };
            if seen.load(SeqCst) == 1 {
                nested(usize::MAX, &|| ());
            }
            other.join().unwrap();
        });
    });
    let words =
        ["task T0", "stack of 65536 bytes", "preemption: T0 could go on, but T1 runs", "CAISSA_REPLAY=cai1:"];
    ended.expect(EXIT_STACK_OVERFLOW, &words);
}

#[test]
fn a_panic_in_drop_while_a_task_unwinds_its_own_shows_the_schedule() {
    let ended = child::run(
        "robustness::a_panic_in_drop_while_a_task_unwinds_its_own_shows_the_schedule",
        &[],
        || {
            caissa::check(|| {
                let seen = Arc::new(AtomicUsize::new(0));
                let other = {
                    let seen = Arc::clone(&seen);
                    thread::spawn(move || seen.store(1, SeqCst))
                };
                if seen.load(SeqCst) == 1 {
                    let _guard = OnDrop(|| panic!("the second panic"));
                    panic!("the first panic");
                }
                other.join().unwrap();
            });
        },
    );
    ended.expect(EXIT_CRASH, &["task T0 has aborted the process", "destructor", "the second panic"]);
    ended.expect(
        EXIT_CRASH,
        &["preemption: T0 could go on, but T1 runs", "CAISSA_REPLAY=cai1:", "T1 has ended", "robustness.rs:"],
    );
}

#[test]
fn a_panic_in_drop_while_an_execution_is_aborted_shows_the_schedule() {
    let ended = child::run(
        "robustness::a_panic_in_drop_while_an_execution_is_aborted_shows_the_schedule",
        &[],
        || {
            caissa::check(|| {
                thread::spawn(|| {
                    let _guard = OnDrop(|| panic!("the panic in drop"));
                    thread::park();
                })
                .join()
                .unwrap();
            });
        },
    );
    ended.expect(EXIT_CRASH, &["task T1 has aborted the process", "destructor", "the panic in drop"]);
    ended.expect(EXIT_CRASH, &["CAISSA_REPLAY=cai1:", "T0 is about to join T1"]);
}

// ---- large programs ----

fn many_tasks(count: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let sum = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..count)
            .map(|number| {
                let sum = Arc::clone(&sum);
                thread::spawn(move || {
                    sum.fetch_add(number, SeqCst);
                    number
                })
            })
            .collect();
        let joined: usize = tasks.into_iter().map(|task| task.join().unwrap()).sum();
        assert_eq!(joined, sum.load(SeqCst));
    }
}

#[test]
fn sixty_four_tasks_work_by_default() {
    let report = Builder::new().max_executions(200).explore(many_tasks(64)).unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Incomplete, 200));
    let report = Builder::new().delays(1).explore(many_tasks(64)).unwrap();
    assert_eq!((report.verdict, report.bound()), (Verdict::Bounded, Some(1)), "{report}");
}

#[test]
fn two_hundred_tasks_work_by_default() {
    let report = Builder::new().max_executions(50).explore(many_tasks(200)).unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Incomplete, 50));
    let report = Builder::new().delays(0).explore(many_tasks(200)).unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Bounded, 1), "{report}");
}

#[test]
fn ten_thousand_nested_calls_work_by_default() {
    let report = Builder::new()
        .explore(|| {
            let other = thread::spawn(|| nested(10_000, &thread::yield_now));
            assert_eq!(nested(10_000, &thread::yield_now), 10_000);
            assert_eq!(other.join().unwrap(), 10_000);
        })
        .unwrap();
    assert!(matches!(report.verdict, Verdict::Verified | Verdict::Bounded), "{report}");
}

fn many_steps() {
    let other = thread::spawn(|| (0..50_000).for_each(|_| thread::yield_now()));
    (0..50_000).for_each(|_| thread::yield_now());
    other.join().unwrap();
}

#[test]
fn a_hundred_thousand_steps_work_if_max_steps_allows_them() {
    let report = Builder::new().max_steps(200_000).preemptions(0).explore(many_steps).unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Bounded, 1), "{report}");
    assert!(report.summary.longest > 100_000, "{report:?}");
    let alone = || (0..100_000).for_each(|_| thread::yield_now());
    let report = Builder::new().max_steps(200_000).explore(alone).unwrap();
    assert_eq!((report.verdict, report.executions()), (Verdict::Verified, 1), "{report}");
}

#[test]
fn an_execution_that_meets_the_limit_of_steps_names_the_setting() {
    let report = Builder::new().preemptions(0).explore(many_steps).unwrap();
    assert_eq!(report.verdict, Verdict::Incomplete, "{report}");
    assert_eq!(report.summary.step_limited(), report.executions());
    let text = report.to_string();
    for word in ["incomplete", "`max_steps` = 20000", "CAISSA_MAX_STEPS", "Raise the limit"] {
        assert!(text.contains(word), "{text}");
    }
}
