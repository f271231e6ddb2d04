//! What findings in native programs look like.

use crate::building::corpus;
use crate::run::{Scratch, caissa, typed};

#[test]
fn the_bluetooth_driver_fails_with_one_preemption() {
    let program = corpus().join("c/fail/bluetooth.c").display().to_string();
    let run = caissa(&["check", &program, "--quiet"]);
    run.expect(
        1,
        &[
            "T1 (request) fails an assertion at",
            "bluetooth.c:41",
            "The schedule needs 1 preemption; every schedule with fewer was explored and none of them fails.",
            "load stopping = 0",
            "-- preemption: T1 could go on, but T2 runs --",
            "post stopping_event: 0 -> 1",
        ],
    );
    let scratch = Scratch::new();
    let again = typed(run.replay_line(), scratch.path());
    again.expect(1, &["T1 (request) fails an assertion at", "This schedule has 1 preemption."]);
}

#[test]
fn races_are_shown_with_both_stacks() {
    let program = corpus().join("c/fail/memcpy_race.c").display().to_string();
    let run = caissa(&["check", &program, "--quiet", "--points", "sync"]);
    run.expect(1, &["data race on", "and nothing orders the two", " writes it\n  at ", "memcpy_race.c"]);
    run.lacks(&["crates/preload"]);
}

#[test]
fn uses_after_free_say_who_freed_and_who_allocated() {
    let program = corpus().join("c/fail/use_after_free.c").display().to_string();
    let run = caissa(&["check", &program, "--quiet"]);
    run.expect(
        1,
        &[
            "memory that was freed: byte 0 of a block of",
            "It was freed by T0\n  at ",
            "It was allocated by T0\n  at ",
        ],
    );
}

#[test]
fn deadlocks_show_the_cycle_with_names() {
    let program = corpus().join("c/fail/lock_order.c").display().to_string();
    caissa(&["check", &program, "--quiet"])
        .expect(1, &["deadlock: tasks", "wait for each other", "waits to lock"]);
}

#[test]
fn exceptions_are_named() {
    let run = caissa(&[
        "check",
        &corpus().join("cpp/fail/exception_in_thread.cpp").display().to_string(),
        "--cflags",
        "-std=gnu++20",
        "--quiet",
    ]);
    run.expect(1, &["lets an exception escape: std::", ".cpp:"]);
}

#[test]
fn one_object_tells_a_machine() {
    let program = corpus().join("c/fail/bluetooth.c").display().to_string();
    let json = caissa(&["check", &program, "--quiet", "--json"]).json();
    assert_eq!(
        (json.verdict(), json.text("kind"), json.number("bound")),
        ("bug", Some("assertion"), Some(1))
    );
    assert!(json.text("location").is_some_and(|place| place.contains("bluetooth.c:41")));
    assert!(json.text("schedule").is_some_and(|schedule| schedule.starts_with("cai1:n")));
}
