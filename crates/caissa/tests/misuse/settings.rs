//! Settings that make no sense are refused with the setting, its value and what is expected.

use std::time::Duration;

use caissa::{Builder, Error, Search, thread};

#[track_caller]
fn refused(builder: Builder, words: &[&str]) {
    let error = builder.explore(|| ()).unwrap_err();
    assert!(matches!(error, Error::Setting { .. }), "{error:?}");
    let text = error.to_string();
    for word in words {
        assert!(text.contains(word), "`{word}` is missing in: {text}");
    }
}

#[test]
fn zero_budgets() {
    let why = "nothing would be run";
    refused(Builder::new().max_executions(0), &["`max_executions` is `0`", "at least 1", why]);
    refused(Builder::new().max_steps(0), &["`max_steps` is `0`", "at least 1", why]);
    refused(Builder::new().workers(0), &["`workers` is `0`", "at least 1", why]);
    refused(Builder::new().memory(0), &["`memory` is `0`", "at least 1", why]);
    refused(Builder::new().pct_depth(0), &["`pct_depth` is `0`", "at least 1"]);
    refused(Builder::new().time(Duration::ZERO), &["`time` is `0`", "more than 0 seconds", why]);
}

#[test]
fn a_watchdog_too_quick_for_healthy_tasks() {
    let words = ["`watchdog` is `1ms`", "at least 0.1 seconds", "healthy tasks"];
    refused(Builder::new().watchdog(Duration::from_millis(1)), &words);
}

#[test]
fn stacks_too_small() {
    refused(Builder::new().stack_size(4096), &["`stack_size` is `4096`", "at least 16384 bytes"]);
}

#[test]
fn stacks_that_the_system_cannot_make() {
    let no_stack = |size: usize, program: fn()| {
        let text = Builder::new().stack_size(size).explore(program).unwrap_err().to_string();
        assert!(text.contains("`stack_size`") && text.contains(&size.to_string()), "{text}");
    };
    no_stack(1 << 60, || ());
    // Some tasks get theirs.
    no_stack(1 << 45, || (0..8).for_each(|_| drop(thread::spawn(thread::park))));
}

#[test]
fn too_many_workers() {
    refused(Builder::new().workers(1000), &["`workers` is `1000`", "at most 256"]);
}

#[test]
fn an_unknown_scheduler() {
    let delays = Builder::new().search(Search::Delays);
    let words =
        ["`scheduler` is `fifo`", "rr", "depth-first", "depth-first-plain", "mine", "register_scheduler"];
    refused(delays.register_scheduler("mine", caissa::RoundRobin::default).scheduler("fifo"), &words);
}

#[test]
fn check_panics_with_the_same_words() {
    let payload = std::panic::catch_unwind(|| Builder::new().workers(0).check(|| ())).unwrap_err();
    let text = payload.downcast_ref::<String>().expect("a message");
    assert!(text.starts_with("caissa: ") && text.contains("`workers` is `0`"), "{text}");
}
