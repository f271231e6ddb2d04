//! Options of native programs.

use crate::building::{built, corpus};
use crate::run::{Run, Scratch, caissa, typed};

#[test]
fn exit_codes_are_bugs_if_asked() {
    let scratch = Scratch::new();
    let program = built(&scratch, "leaves", "#include <stdlib.h>\nint main(void) { exit(3); }\n");
    caissa(&["check", &program]).expect(0, &["verified"]);
    caissa(&["check", &program, "--exit-code"]).expect(1, &["exit code 3", "leaves.c:2"]);
}

#[test]
fn arguments_are_passed_on_and_stand_in_the_replay_line() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#include <string.h>\nint main(int count, char **words) { assert(count == 3); assert(strcmp(words[2], \"two words\") == 0); return 10 / (words[1][0] - 'x'); }\n";
    let program = built(&scratch, "words", text);
    let run = caissa(&["check", &program, "--", "x", "two words"]);
    run.expect(1, &["division by zero"]);
    typed(run.replay_line(), scratch.path()).expect(1, &["division by zero"]);
}

#[test]
fn output_is_shown_if_asked_and_when_replayed() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#include <stdio.h>\nint main(void) { puts(\"here I am\"); fflush(stdout); assert(0); }\n";
    let program = built(&scratch, "talks", text);
    let run = caissa(&["check", &program]);
    run.expect(1, &[]).lacks(&["here I am"]);
    typed(run.replay_line(), scratch.path()).expect(1, &["here I am"]);
    caissa(&["check", &program, "--output"]).expect(1, &["here I am"]);
}

#[test]
fn a_debugger_stops_where_the_bug_shows() {
    let program = corpus().join("c/fail/bluetooth.c").display().to_string();
    let schedule =
        caissa(&["check", &program, "--quiet", "--json"]).json().text("schedule").expect("a bug").to_owned();
    let scratch = Scratch::new();
    let commands = std::fs::File::open(scratch.write("commands", "bt\nquit\n")).expect("it was written");
    let mut replay = crate::run::binary();
    replay.args(["replay", &schedule, &program, "--gdb"]).stdin(commands);
    let run = Run::of(replay.output().expect("caissa runs"));
    run.expect(1, &["request (", "bluetooth.c:41", "fails an assertion"]);
}

#[test]
fn points_decide_what_is_found() {
    let program = corpus().join("c/fail/read_modify_write.c").display().to_string();
    caissa(&["check", &program, "--points", "sync", "--quiet"]).expect(1, &["data race on"]);
    caissa(&["check", &program, "--points", "racy", "--quiet"])
        .expect(1, &["fails an assertion", "which were made scheduling points"]);
    caissa(&["check", &program, "--points", "all", "--no-races", "--quiet"])
        .expect(1, &["fails an assertion"]);
    caissa(&["check", &program, "--no-races", "--quiet"]).expect(0, &["no data races"]);
}

#[test]
fn faults_are_explored_within_their_budget() {
    let program = corpus().join("c/fail/timedwait.c").display().to_string();
    caissa(&["check", &program, "--faults", "0", "--quiet"]).expect(0, &["bounded", "no faults"]);
    caissa(&["check", &program, "--faults", "1", "--quiet"]).expect(1, &["fails an assertion"]);
}

#[test]
fn functions_can_be_sealed() {
    let program = corpus().join("c/fail/bluetooth.c").display().to_string();
    caissa(&["check", &program, "--no-preempt", "request", "--quiet"])
        .expect(0, &["bounded", "no preemption in request"]);
    caissa(&["check", &program, "--preempt-only", "stop", "--quiet"])
        .expect(0, &["bounded", "preemptions only in stop"]);
    caissa(&["check", &program, "--preempt-only", "bluetooth.c", "--quiet"])
        .expect(1, &["fails an assertion"]);
    let unknown = "no function, type, module or file of the program is called so";
    for (option, code) in [("--no-preempt", 1), ("--preempt-only", 0)] {
        caissa(&["check", &program, option, "requests"])
            .expect(code, &[&format!("{option} requests: {unknown}")]);
    }
}

#[test]
fn other_searches_find_it_too() {
    let program = corpus().join("c/fail/bluetooth.c").display().to_string();
    for search in ["delays", "dfs", "random", "pct", "pos", "surw", "contexts"] {
        caissa(&["check", &program, "--search", search, "--quiet"]).expect(1, &["fails an assertion"]);
    }
}
