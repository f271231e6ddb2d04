//! What reports of models say: who the tasks are, what ended, what pauses.

use crate::models::{COUNTER, COUNTER_REPAIRED, DEVICE, POLITE};
use crate::run::{Run, Scratch, caissa, check, typed};

/// The report, without the names of directories.
fn shown(run: &Run) -> String {
    let directory = run.out.split_whitespace().find_map(|word| word.strip_suffix("/model.cai"));
    directory.map_or(run.out.clone(), |directory| run.out.replace(&format!("{directory}/"), ""))
}

#[test]
fn a_report_has_the_whole_story() {
    let run = check(COUNTER, &["--search", "preemptions"]);
    let text = shown(run.expect(1, &[]));
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let expected = [
        "The schedule needs 1 preemption; every schedule with fewer was explored and none of them fails.",
        "-- preemption: T1 could go on, but T2 runs --",
        "-- all tasks have ended --",
        "Explored 3 executions:",
        "0 preemptions: 2 executions, 2 new classes",
        "1 preemption: 1 execution, 1 new class (stopped at the bug)",
    ];
    for line in expected {
        assert!(lines.contains(&line), "no `{line}` in:\n{text}");
    }
    assert!(
        text.contains("the condition at ") && text.contains(":7:1 does not hold: an increment is lost."),
        "{text}"
    );
    assert!(!text.contains("fails --"), "no task fails where a final condition does not hold:\n{text}");
}

#[test]
fn many_tasks_share_a_column_and_are_listed_above_it() {
    let run = check(COUNTER, &["--set", "TASKS=5"]);
    let text = shown(run.expect(1, &[]));
    assert!(text.contains("\n  T0: main()\n  T1 to T5: increment()\n\n  step  task: operation "), "{text}");
    assert!(text.contains("  T1: var seen: int = counter  [counter = 0, seen = 0]"), "{text}");
    let names = "proc main() { post a(); post b(); post a(); post b(); post c(1); await false; }\n\
                 proc a() { skip; } proc b() { skip; } proc c(n: int) { skip; }";
    let text = shown(check(names, &[]).expect(1, &["deadlock"]));
    assert!(text.contains("  T1, T3: a()\n  T2, T4: b()\n  T5: c(1)\n"), "{text}");
    // Each has a column of its own, which names it.
    let text = shown(check(COUNTER, &[]).expect(1, &[]));
    assert!(text.contains("T1 (increment())") && !text.contains("T1: "), "{text}");
}

#[test]
fn a_round_of_one_step_is_one_step() {
    let waits = "var go: bool;\nproc main() { while !go { pause; } }\n";
    let run = check(waits, &["--engine", "explicit"]);
    run.expect(
        1,
        &["the one step of a round was then repeated (pumped)", "-- step 0 was taken 20000 times;"],
    );
    let run = check(POLITE, &["--engine", "explicit"]);
    run.expect(1, &["the 8 steps of a round were then repeated (pumped)", "-- steps 2 to 9 were taken "]);
}

#[test]
fn models_pause() {
    let run = check(POLITE, &[]);
    run.expect(
        0,
        &["Note: tasks pause. Fairness rules out some schedules in which a task pauses more than once;"],
    );
    let yields = "var go: bool;\nproc main() { while !go { yield; } }\n";
    let run = check(yields, &[]);
    run.expect(
        1,
        &["loops for ever without pausing", "A loop that waits should say so: put `pause;` into it."],
    );
    let run = check("proc main() { while true { skip; } }", &[]);
    run.expect(
        1,
        &["runs for ever without a scheduling point, in the loop at", "If it waits, put `pause;` into it."],
    );
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let run = check(DEVICE, &[]);
    run.expect(
        1,
        &["deadlock: task T0 (consumer()) can never go on.", "waits at ", ":13:9: await ready > 0"],
    );
    let locks = "implicit yields;\nvar a: lock;\nvar b: lock;\nproc main() { post left(); post right(); }\n\
                 proc left() { lock a; lock b; unlock b; unlock a; }\n\
                 proc right() { lock b; lock a; unlock a; unlock b; }\n";
    let run = check(locks, &[]);
    run.expect(
        1,
        &["deadlock: tasks T1 (left()) and T2 (right()) wait for each other.", "held by task T2 (right())"],
    );
}

#[test]
fn a_clean_bill_says_what_was_explored() {
    let run = check(COUNTER_REPAIRED, &["--search", "preemptions"]);
    run.expect(0, &["caissa: verified: every schedule was explored", "Explored 2 executions:"]);
    let run = check(COUNTER_REPAIRED, &["--engine", "explicit"]);
    run.expect(0, &["caissa: verified: every schedule was explored", "every schedule, breadth first: "]);
}

#[test]
fn many_tasks_that_wait_are_not_all_listed() {
    let scratch = Scratch::new();
    let posts = "proc main() { for i in 1..100 { post more(); } }\nproc more() { post more(); }";
    let path = scratch.write("model.cai", posts);
    let run = caissa(&["check", &path, "--max-steps", "10", "--max-executions", "1"]);
    run.expect(0, &["is about to do `post more()`", "  and 50 more tasks"]);
    let again = run.out.lines().find_map(|line| line.strip_prefix("To look at it: ")).expect("a command");
    let full = typed(&format!("{again} --full --max-steps 10"), scratch.path());
    full.expect(0, &["is about to do `post more()`", "  task T100 (more()) is about to "]);
    assert!(!full.out.contains("more tasks"), "{full}");
}

#[test]
fn many_tasks_in_a_deadlock_are_not_all_listed() {
    let queue = "var go: bool;\nproc main() { for i in 1..200 { post wait(); } }\nproc wait() { await go; }";
    for engine in ["stateless", "explicit"] {
        let run = check(queue, &["--engine", engine]);
        let first = "deadlock: tasks T1 (wait()), T2 (wait()), T3 (wait()), T4 (wait()), T5 (wait()) and 195 others can never go on.";
        run.expect(1, &[first, "  task T50 (wait()) waits at ", "  and 150 more tasks\n"]);
        assert!(!run.out.contains("task T51 "));
        let full = check(queue, &["--engine", engine, "--full"]);
        full.expect(1, &[first, "  task T50 (wait()) waits at ", "  task T200 (wait()) waits at "]);
    }
    // Two that wait for each other are not lost among them.
    let locks = "var a: lock;\nvar b: lock;\nvar held: 0..2;\n\
                 proc main() { for i in 1..200 { post wait(); } post left(); post right(); }\n\
                 proc wait() { await held == 2; lock a; unlock a; }\n\
                 proc left() { lock a; held := held + 1; await held == 2; lock b; }\n\
                 proc right() { lock b; held := held + 1; await held == 2; lock a; }\n";
    let wait = "deadlock: tasks T201 (left()) and T202 (right()) wait for each other.";
    check(locks, &[]).expect(1, &[wait, "held by task T202 (right())", "  and 152 more tasks\n"]);
}
