//! `caissa verify`: what it answers, what it refuses, and how it ends when it cannot go on.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::corpus::answers::Answers;
use crate::help::options;
use crate::models::{COUNTER, COUNTER_REPAIRED, RACE, WORK};
use crate::resume::interrupted;
use crate::run::{Run, Scratch, caissa, corpus, typed};

/// Two tasks that look before they enter. Small enough for its translation to be explored state by state.
const DOOR: &str = "\
implicit yields;

const ATOMIC = false;

var taken: bool;
var inside: bool;

proc main() {
    post enter();
    post enter();
}

proc enter() {
    if ATOMIC {
        atomic {
            if taken { return; }
            taken := true;
        }
    } else {
        if taken { return; }
        taken := true;
    }
    assert !inside, \"two are inside\";
    inside := true;
}
";

/// It matters which of the tasks is dispatched first.
const ORDER: &str = "\
var done: bool;

proc main() {
    post look();
    post set();
}

proc look() { assert !done, \"it is done too early\"; }

proc set() { done := true; }
";

/// Two threads that post nothing.
const THREADS: &str = "\
buffer first runs one;
buffer second runs two;

var x: bool;
var y: bool;

proc one() {
    x := true;
    zield;
    assert !y;
}

proc two() { y := x; }
";

/// Waits for what never comes.
const SPIN: &str = "var go: bool;\nproc main() { while !go { pause; } }\n";

/// One input in four billion overflows.
const INPUT: &str = "\
const MOST = 0x7fffffff;

var x: int;

proc main() {
    x := choose(0, MOST);
    x := x + 1;
}
";

/// Verifies a model given as text.
fn verify(text: &str, options: &[&str]) -> Run {
    let scratch = Scratch::new();
    let path = scratch.write("model.cai", text);
    caissa(&[&["verify", &path], options].concat())
}

fn answers(text: &str, options: &[&str]) -> Answers {
    Answers::of(&verify(text, &[options, &["--json"]].concat()))
}

/// What the solver has hours of work with, after some quick answers.
fn endless() -> [String; 5] {
    let model = corpus("pass/hardware_software");
    [&model, "--rounds", "9", "--yields", "9"].map(str::to_owned)
}

fn with_endless(options: &[&str]) -> Run {
    let endless = endless();
    let endless: Vec<&str> = endless.iter().map(String::as_str).collect();
    caissa(&[&["verify"], &endless[..], options].concat())
}

#[test]
fn a_bug_is_told_with_what_it_needs_and_comes_back() {
    let scratch = Scratch::new();
    let model = scratch.write("a 'counter'.cai", COUNTER);
    let trace = scratch.file("trace");
    let run = caissa(&["verify", &model, "--set", "TASKS=3", "--trace", &trace]);
    run.expect(
        1,
        &[
            "caissa found a bug: ",
            "an increment is lost",
            "-- preemption: ",
            "the bug needs 1 round of buffers and 2 of tasks: with fewer of either nothing fails.",
            "neither deadlocks nor executions without end are looked for; caissa check does.",
            "Asked 2 questions:\n  1 round of buffers and 1 of tasks: no bug; ",
            "  1 round of buffers and 2 of tasks: a bug; ",
        ],
    );
    assert!(run.replay_line().ends_with("--set TASKS=3"), "{run}");
    typed(run.replay_line(), scratch.path()).expect(1, &["an increment is lost"]);
    caissa(&["replay", &trace, &model, "--set", "TASKS=3"]).expect(1, &["an increment is lost"]);
    let full = caissa(&["verify", &model, "--full"]);
    full.expect(1, &["an increment is lost"]);
    let delays = caissa(&["verify", &model, "--delays", "2"]);
    delays.expect(1, &["the bug needs 1 delay: with fewer nothing fails."]);
    typed(delays.replay_line(), scratch.path()).expect(1, &["an increment is lost"]);
}

#[test]
fn a_bug_beside_a_race_comes_back() {
    let scratch = Scratch::new();
    let model = scratch.write("race.cai", format!("{RACE}\nfinal false, \"always\";\n"));
    let run = caissa(&["verify", &model]);
    run.expect(1, &["always", "data races on plain globals are not looked for; caissa check does."]);
    assert!(run.replay_line().ends_with("--no-races"), "{run}");
    typed(run.replay_line(), scratch.path()).expect(1, &["always"]);
}

#[test]
fn nothing_to_find_is_told_with_its_limits() {
    let run = verify(COUNTER_REPAIRED, &["--yields", "3", "--rounds", "7"]);
    run.expect(
        0,
        &[
            "caissa: bounded: no execution with 1 round of buffers and 3 of tasks fails, whatever is chosen; \
             tasks that have not begun may be put off; neither --loop 16 nor --recursion 8 was met.",
            "Note: more rounds of buffers add nothing: no buffer gives up control.",
        ],
    );
    let alone = "proc main() { }";
    verify(alone, &["--yields", "2", "--rounds", "2"])
        .expect(0, &["Note: more rounds add nothing: ", "nothing left to solve"]);
    let run = verify(alone, &["--yields", "2"]);
    run.expect(0, &["Note: more rounds of tasks add nothing: no task makes way for another."]);
    verify(alone, &[]).expect(0, &["bounded: "]).lacks(&["add nothing"]);
    let run = verify(COUNTER_REPAIRED, &["--delays", "2"]);
    run.expect(0, &["bounded: no execution with at most 2 delays of the scheduler depth-first-plain fails"]);
    let run = verify(SPIN, &["--loop", "3"]);
    run.expect(
        0,
        &[
            "incomplete: ",
            "model.cai:2:15 goes round more often than --loop 3",
            "Note: a loop that goes round until something holds can be an `await`",
        ],
    );
    verify(SPIN, &["--loop", "3", "--complete"]).expect(4, &["incomplete"]);
    let calls = "proc main() { f(9); }\nproc f(n: int) { if n > 0 { f(n - 1); } }\n";
    verify(calls, &["--recursion", "4"])
        .expect(0, &["incomplete: ", "model.cai:2:1 calls or posts itself ", "deeper than --recursion 4"]);
    verify(calls, &["--recursion", "10"]).expect(0, &["bounded: "]);
}

#[test]
fn one_order_of_dispatch_finds_less() {
    verify(ORDER, &[]).expect(1, &["it is done too early"]);
    verify(ORDER, &["--no-reorder"])
        .expect(0, &["bounded: ", "in one order of dispatch, fails"])
        .lacks(&["put off"]);
}

#[test]
fn the_object_says_what_was_asked_and_answered() {
    let bug = answers(COUNTER, &[]);
    assert_eq!((bug.verdict(), bug.report.text("kind")), ("bug", Some("final")));
    let bounds = |answers: &Answers| ["rounds", "yields", "delays"].map(|name| answers.number(name));
    assert_eq!(bounds(&bug), [Some(1), Some(2), None]);
    assert!(["variables", "clauses", "loop", "recursion"].into_iter().all(|name| bug.number(name) > Some(0)));
    assert_eq!(bounds(&answers(COUNTER, &["--delays", "9"])), [None, None, Some(1)]);
    let right = answers(COUNTER_REPAIRED, &["--yields", "3"]);
    assert_eq!((right.verdict(), bounds(&right)), ("bounded", [Some(1), Some(3), None]));
    assert_eq!((right.report.text("schedule"), right.report.number("executions")), (None, None));
    assert_eq!(right.report.text("message"), None);
    // Why it is not more, and the numbers of what is proved.
    let far = answers(SPIN, &["--loop", "3"]);
    assert_eq!((far.verdict(), bounds(&far)), ("incomplete", [None; 3]));
    assert!(far.report.text("message").is_some_and(|why| why.contains("more often than --loop 3")));
    let nothing = answers(SPIN, &["--loop", "2"]);
    assert_eq!((nothing.verdict(), bounds(&nothing)), ("incomplete", [None, None, None]));
}

#[test]
fn bounds_out_of_reach_are_refused() {
    let refused = |options: &[&str], what: &str| {
        verify(COUNTER, options).expect_mistake(&[what]);
    };
    refused(&["--rounds", "0"], "0 is not in 1..=256");
    refused(&["--rounds", "300"], "300 is not in 1..=256");
    refused(&["--yields", "0"], "0 is not in 1..=256");
    refused(&["--delays", "1000"], "1000 is not in 0..=256");
    refused(&["--delays", "-1"], "'-1'");
    refused(&["--loop", "0"], "0 is not in 1..=1000000");
    refused(&["--recursion", "99999"], "99999 is not in 1..=10000");
    refused(&["--memory", "0"], "0 is not in 1..");
    refused(&["--time", "0"], "expected a number of seconds above 0");
    refused(&["--solver-time", "-3"], "--solver-time");
    for other in [&["--rounds", "2"][..], &["--yields", "2"], &["--no-reorder"]] {
        let both = [&["--delays", "1"], other].concat();
        refused(&both, "cannot be used with");
    }
    let array = "var t: [int; 10000];\nproc main() { post p(); post p(); yield; t[1] := 1; }\nproc p() { yield; t[0] := 1; }\n";
    verify(array, &["--yields", "256"])
        .expect_mistake(&["error: with these bounds there would be ", "help: use fewer rounds or delays"]);
}

#[test]
fn delays_are_refused_where_they_mean_nothing() {
    let help = "help: use --rounds and --yields";
    verify(THREADS, &["--delays", "1"]).expect_mistake(&["models with one buffer, and this one has 2", help]);
    let levels = "levels low < high;\nproc main() { }\n";
    verify(levels, &["--delays", "1"]).expect_mistake(&["models with one level, and this one has 2", help]);
    let serial = "levels serial only;\nproc main() { }\n";
    verify(serial, &["--delays", "1"]).expect_mistake(&["level only, which is serial", help]);
}

#[test]
fn what_is_no_model_is_refused() {
    let scratch = Scratch::new();
    let text = scratch.write("model.txt", COUNTER);
    let (missing, directory) = (scratch.file("missing.cai"), scratch.file(""));
    caissa(&["verify", &text]).expect_mistake(&["this is not a model", "names end in .cai"]);
    caissa(&["verify", &missing]).expect_mistake(&["there is no file"]);
    caissa(&["verify", &directory]).expect_mistake(&["is a directory", "help: name the models in it"]);
    caissa(&["verify"]).expect_mistake(&["<TARGET>"]);
    verify("proc main( {", &[]).expect_mistake(&["model.cai:1:12", "1 error"]);
    verify(COUNTER, &["--set", "TASK=1"]).expect_mistake(&["no constant `TASK`"]);
    verify(COUNTER, &["--trace", "/no/such/directory/trace"]).expect_mistake(&["there is no directory"]);
}

#[test]
fn solvers_that_do_not_answer_are_mistakes() {
    verify(COUNTER, &["--solver", "no-such-solver -in"]).expect_mistake(&["cannot start the solver"]);
    verify(COUNTER, &["--solver", ""]).expect_mistake(&["no program is named"]);
    let nothing = "incomplete: no bug was found, but nothing is proved";
    let cases = [
        ("false", "ended without an answer (exit status: 1)"),
        ("true", "ended without an answer"),
        ("yes", "answered `y`, which is no answer in SMT-LIB 2"),
        ("echo nonsense", "answered `nonsense`"),
        ("echo unsat", "the solver `echo unsat` "),
        ("cat", "the solver `cat` answered"),
        ("sleep 100", "did not answer within 1 s"),
    ];
    for (solver, why) in cases {
        let started = Instant::now();
        let run = verify(COUNTER, &["--solver", solver, "--solver-time", "1"]);
        run.expect(2, &[nothing, "the solver gave no answer", "error: ", why]);
        assert!(started.elapsed() < Duration::from_secs(50), "{solver}: it is waited for\n{run}");
    }
}

#[cfg(not(feature = "cadical"))]
#[test]
fn cadical_is_refused_if_it_is_not_built_in() {
    let run = verify(COUNTER, &["--solver", "cadical"]);
    run.expect_mistake(&["built without it", "--features cadical"]);
}

#[test]
fn another_solver_gives_the_same_answers() {
    for text in [COUNTER, COUNTER_REPAIRED, DOOR, ORDER, THREADS] {
        let [ours, theirs] = ["batsat", "z3 -in"].map(|solver| answers(text, &["--solver", solver]));
        assert_eq!(ours.verdict(), theirs.verdict(), "{text}");
        for name in ["rounds", "yields"] {
            assert_eq!(ours.number(name), theirs.number(name), "{name}\n{text}");
        }
    }
}

#[test]
fn budgets_leave_what_is_proved() {
    let proved = "incomplete: no execution with ";
    // A busy machine may need more time to begin.
    let runs =
        ["0.5", "3", "20"].map(|time| move || with_endless(&["--time", time, "--complete", "--quiet"]));
    let run = runs.iter().map(|run| run()).find(|run| run.out.contains(proved));
    let run = run.expect("something is proved in 20 seconds");
    run.expect(4, &["the time was used up (--time).", "Asked "]);
    assert_eq!(run.err, "", "it is quiet");
    let model = corpus("pass/hardware_software");
    let memory = caissa(&["verify", &model, "--memory", "1"]);
    memory.expect(0, &["incomplete: ", "1 MB are not enough (--memory)."]);
    caissa(&["verify", &model, "--memory", "1", "--complete"]).expect(4, &["incomplete"]);
}

#[test]
fn an_interrupt_leaves_what_is_proved() {
    let endless = endless();
    for solver in ["batsat", "z3 -in"] {
        let mut args = vec!["verify"];
        args.extend(endless.iter().map(String::as_str));
        args.extend(["--quiet", "--solver", solver]);
        let run = interrupted(&args, || panic!("it has no end"));
        run.expect(130, &["caissa: incomplete: no ", "it was interrupted."]);
    }
}

#[test]
fn progress_is_shown_where_it_takes_long() {
    let shown = with_endless(&["--time", "5"]);
    shown.expect(0, &["caissa: incomplete"]);
    let line = shown.err.lines().next().unwrap_or_else(|| panic!("no progress:\n{shown}"));
    assert!(line.starts_with("caissa: ") && line.contains(" of tasks, "), "{shown}");
    assert_eq!(verify(COUNTER, &[]).err, "", "what is quick has none");
}

#[test]
fn a_translation_is_a_model_with_the_same_verdict() {
    let models: [(&str, &[&str]); 5] = [
        (DOOR, &["--yields", "1"]),
        (DOOR, &["--yields", "2"]),
        (ORDER, &[]),
        (ORDER, &["--no-reorder"]),
        (THREADS, &["--rounds", "2"]),
    ];
    for (text, options) in models {
        let verdict = verify(text, &[options, &["--quiet"]].concat()).code;
        let emitted = verify(text, &[options, &["--emit", "cai"]].concat());
        let scratch = Scratch::new();
        let path = scratch.write("emitted.cai", &emitted.expect(0, &[]).out);
        caissa(&["check", &path, "--engine", "explicit", "--quiet"]).expect(verdict, &[]);
    }
    let threads = verify(THREADS, &["--emit", "cai", "--translation", "lal-reps"]);
    let scratch = Scratch::new();
    let path = scratch.write("threads.cai", &threads.expect(0, &[]).out);
    caissa(&["check", &path, "--engine", "explicit"]).expect(1, &["caissa found a bug: "]);
    verify(THREADS, &["--emit", "cai", "--translation", "shared"]).expect(0, &["proc "]);
}

#[test]
fn formulas_say_what_verify_says() {
    for (text, options, said) in [
        (COUNTER, &["--yields", "2"], "sat"),
        (COUNTER, &["--yields", "1"], "unsat"),
        (COUNTER_REPAIRED, &["--yields", "2"], "unsat"),
        (COUNTER, &["--delays", "1"], "sat"),
        (COUNTER, &["--delays", "0"], "unsat"),
    ] {
        let emitted = verify(text, &[&options[..], &["--emit", "smt2"]].concat());
        let scratch = Scratch::new();
        let path = scratch.write("formula.smt2", &emitted.expect(0, &["(check-sat)"]).out);
        let z3 = Command::new("z3").arg(path).stdin(Stdio::null()).output().expect("z3 is installed");
        assert_eq!(String::from_utf8_lossy(&z3.stdout).lines().next(), Some(said), "{options:?}\n{text}");
    }
}

#[test]
fn programs_for_other_verifiers_are_not_empty() {
    verify(COUNTER, &["--emit", "bpl"]).expect(0, &["procedure", "assert"]);
    verify(COUNTER, &["--emit", "c"]).expect(0, &["int main"]);
    let help = "help: use --translation rounds";
    verify(COUNTER, &["--emit", "c", "--translation", "lal-reps"])
        .expect_mistake(&["main posts tasks", help]);
    verify(COUNTER, &["--translation", "shared"]).expect_mistake(&["--emit <FORMAT>"]);
    verify(COUNTER, &["--emit", "pdf"]).expect_mistake(&["cai, bpl, smt2, c"]);
}

#[test]
fn arithmetic_wraps_around_unless_it_may_not() {
    verify(INPUT, &[]).expect(0, &["bounded"]);
    verify(INPUT, &["--overflow", "--set", "MOST=1000"]).expect(0, &["bounded"]);
    caissa(&["verify", &corpus("pass/midpoint"), "--overflow"]).expect(0, &["bounded"]);
    let scratch = Scratch::new();
    let model = scratch.write("input.cai", INPUT);
    let run = caissa(&["verify", &model, "--overflow"]);
    run.expect(1, &["arithmetic overflows: the result does not fit in 32 bits"]);
    typed(run.replay_line(), scratch.path()).expect(1, &["arithmetic overflows"]);
    let sum = scratch.write("sum.cai", "var x: int = 0x7fffffff;\nproc main() { x := x + 1; }\n");
    for engine in ["stateless", "explicit"] {
        caissa(&["check", &sum, "--engine", engine]).expect(0, &["verified"]);
        let run = caissa(&["check", &sum, "--engine", engine, "--overflow"]);
        run.expect(1, &["sum.cai:2:15: arithmetic overflows"]);
        typed(run.replay_line(), scratch.path()).expect(1, &["arithmetic overflows"]);
    }
}

#[test]
fn a_model_with_nothing_to_schedule_is_one_question() {
    verify("proc main() { }\n", &["--rounds", "256", "--yields", "256"]).expect(0, &["Asked 1 question:"]);
    verify("proc main() { assert false; }\n", &[]).expect(1, &["the least there is."]);
    verify(WORK, &["--set", "TASKS=1", "--set", "STEPS=1"]).expect(0, &["bounded"]);
}

#[test]
fn every_option_of_it_is_tried() {
    let tests = include_str!("verify.rs");
    let options = options("verify");
    assert!(options.len() > 15, "{options:?}");
    for option in options.iter().filter(|option| *option != "--help") {
        assert!(tests.contains(&format!("\"{option}\"")), "{option} is not tried");
    }
}
