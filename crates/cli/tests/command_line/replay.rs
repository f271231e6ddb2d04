//! `caissa replay`: every finding comes back by the line that its report prints, or by its trace file.

use std::fs;

use crate::corpus::expectation::expectations;
use crate::corpus::files;
use crate::json::Json;
use crate::models::{CHOICES, COUNTER, DEVICE, POLITE, RACE};
use crate::run::{Run, Scratch, caissa, check, typed};

/// What is wrong and where, without the figures of a search.
fn finding(json: &Json) -> [Option<&str>; 4] {
    ["verdict", "kind", "location", "message"].map(|name| json.text(name))
}

/// Checks a model with these options, twice, and follows the line that is printed. Returns the report.
#[track_caller]
fn replays(path: &str, options: &[&str]) -> Run {
    let run = caissa(&[&["check", path], options].concat());
    run.expect(1, &["caissa found a bug: "]);
    let searched = caissa(&[&["check", path, "--json"], options].concat()).expect(1, &[]).json();
    let directory = Scratch::new();
    let line = run.replay_line();
    let again = typed(&format!("{line} --json"), directory.path());
    let replayed = again.expect(1, &[]).json();
    assert_eq!(finding(&searched), finding(&replayed), "{options:?} {line}\n{run}");
    assert_eq!(searched.text("schedule"), replayed.text("schedule"), "{run}");
    run
}

#[test]
fn every_finding_of_the_corpus_comes_back_by_its_line() {
    let mut count = 0;
    for model in files::models() {
        let path = model.path.to_str().expect("paths of the corpus are UTF-8");
        for expectation in expectations(&model.name, &model.text) {
            if expectation.result.verdict == "bug" {
                let options: Vec<&str> = expectation.options.iter().map(String::as_str).collect();
                replays(path, &options);
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count} findings");
}

#[test]
fn findings_come_back_with_their_constants_choices_and_interrupts() {
    let scratch = Scratch::new();
    let counter = scratch.write("a 'counter'.cai", COUNTER);
    let (choices, device) = (scratch.write("choices.cai", CHOICES), scratch.write("device.cai", DEVICE));
    for engine in ["stateless", "explicit"] {
        let run = replays(&counter, &["--engine", engine, "--set", "TASKS=3"]);
        assert!(run.replay_line().ends_with("--set TASKS=3"), "{run}");
        replays(&counter, &["--engine", engine, "--set", "TASKS = 4"]);
        replays(&choices, &["--engine", engine]);
        replays(&device, &["--engine", engine, "--set", "ITEMS=3"]);
    }
    for search in ["delays", "contexts", "depth", "dfs", "random", "pct", "pos", "surw"] {
        replays(&choices, &["--search", search]);
    }
    replays(&choices, &["--engine", "explicit", "--yields", "2"]);
    replays(&choices, &["--engine", "explicit", "--shortest"]);
}

#[test]
fn executions_without_end_come_back() {
    let scratch = Scratch::new();
    let polite = scratch.write("polite.cai", POLITE);
    replays(&polite, &["--bound", "3"]);
    replays(&polite, &["--engine", "explicit"]);
    replays(&polite, &["--engine", "explicit", "--search", "dfs"]);
    // Fewer steps than a round has.
    replays(&polite, &["--engine", "explicit", "--max-steps", "5"]);
    let waits = scratch.write("waits.cai", "var go: bool;\nproc main() { while !go { pause; } }\n");
    let samaritan = scratch.write("yields.cai", "var go: bool;\nproc main() { while !go { yield; } }\n");
    for engine in ["stateless", "explicit"] {
        replays(&waits, &["--engine", engine]).expect(1, &["livelock: task T0 (main()) goes round for ever"]);
        replays(&samaritan, &["--engine", engine]).expect(1, &["good-samaritan violation: task T0 (main())"]);
    }
}

#[test]
fn findings_deeper_than_the_limit_of_steps_come_back() {
    let scratch = Scratch::new();
    let text = "\
implicit yields;
const N = 12000;
var x: 0..N;
proc main() { post up(); post other(); }
proc up() { while x < N { x := x + 1; } assert x == 0, \"the end\"; }
proc other() { x := x; }
";
    let deep = scratch.write("deep.cai", text);
    let run = replays(&deep, &["--engine", "explicit"]);
    run.expect(1, &["the end"]);
    let round = "const N = 12000;\nvar x: 0..N;\n\
                 proc main() { while true { x := 0; while x < N { x := x + 1; pause; } } }\n";
    let run = replays(&scratch.write("round.cai", round), &["--engine", "explicit"]);
    run.expect(1, &["the 12000 steps of a round were then repeated"]);
}

#[test]
fn a_finding_beside_a_race_comes_back_as_it_was() {
    let scratch = Scratch::new();
    let race = scratch.write("race.cai", RACE);
    replays(&race, &[]).expect(1, &["data race on data"]);
    for options in [&["--no-races"][..], &["--engine", "explicit"]] {
        let run = replays(&race, options);
        assert!(run.expect(1, &["an increment is lost"]).replay_line().ends_with(" --no-races"), "{run}");
    }
}

#[test]
fn a_trace_file_is_replayed_and_written_again() {
    let scratch = Scratch::new();
    let (model, trace) = (scratch.write("m.cai", CHOICES), scratch.file("finding.trace"));
    let searched = caissa(&["check", &model, "--json", "--trace", &trace]).expect(1, &[]).json();
    let copy = scratch.file("copy.trace");
    let run = caissa(&["replay", &trace, &model, "--trace", &copy, "--json"]);
    assert_eq!(finding(&run.expect(1, &[]).json()), finding(&searched));
    let events = |path: &str| {
        let text = fs::read_to_string(path).expect("the trace is there");
        text.lines().filter(|line| !line.starts_with("summary")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(events(&trace), events(&copy));
    assert!(events(&trace).len() > 8);
}

#[test]
fn a_replay_shows_the_schedule_and_every_step_if_asked() {
    let scratch = Scratch::new();
    let long = "var x: int;\nproc main() { for i in 1..30 { x := i; } assert x == 0; }\n";
    let model = scratch.write("m.cai", long);
    let run = replays(&model, &[]);
    let short = typed(run.replay_line(), scratch.path());
    short.expect(1, &["This schedule has 0 preemptions.", "more steps of T0"]);
    let full = typed(&format!("{} --full", run.replay_line()), scratch.path());
    assert!(!full.expect(1, &["x := i  [x: 14 -> 15]"]).out.contains("more steps"), "{full}");
}

#[test]
fn what_was_cut_off_is_followed_further() {
    let scratch = Scratch::new();
    let text =
        "var x: int;\nproc main() { while x < 200 { x := x + 1; yield; } assert x == 0, \"the end\"; }\n";
    let model = scratch.write("m.cai", text);
    let run = caissa(&["check", &model, "--max-steps", "50"]);
    run.expect(0, &["incomplete: 1 execution was cut off after `--max-steps` = 50 steps"]);
    let line = run.out.lines().find_map(|line| line.strip_prefix("To look at it: ")).expect("a line");
    typed(line, scratch.path()).expect(1, &["the end"]);
    let short = typed(&format!("{line} --max-steps 100"), scratch.path());
    short.expect(0, &["replayed as far as step 100 (`--max-steps`) and shows no bug up to there"]);
}

#[test]
fn schedules_of_other_programs_diverge() {
    let scratch = Scratch::new();
    let (model, other) = (scratch.write("m.cai", COUNTER), scratch.write("other.cai", POLITE));
    let trace = scratch.file("finding.trace");
    let json = caissa(&["check", &model, "--json", "--trace", &trace]).expect(1, &[]).json();
    let schedule = json.text("schedule").expect("a finding has one");
    let run = caissa(&["replay", schedule, &other]);
    run.expect(3, &["diverged: the program does not follow this schedule", "Search again"]);
    let run = caissa(&["replay", &trace, &other, "--json"]);
    let diverged = run.expect(3, &[]).json();
    assert_eq!(diverged.verdict(), "diverged");
    assert!(diverged.text("message").is_some_and(|message| message.contains("The trace has `T")), "{run}");
    caissa(&["replay", schedule, &model, "--set", "TASKS=3"]).expect(3, &["diverged"]);
    let repaired = scratch.write("repaired.cai", COUNTER.replace("== TASKS", ">= 1"));
    let run = caissa(&["replay", schedule, &repaired]);
    run.expect(0, &["the schedule was replayed to its end and shows no bug."]);
}

#[test]
fn what_is_no_schedule_is_refused() {
    let scratch = Scratch::new();
    let model = scratch.write("m.cai", COUNTER);
    let json = check(COUNTER, &["--json"]).json();
    let schedule = json.text("schedule").expect("a finding has one");
    let replay = |text: &str| caissa(&["replay", text, &model]);
    replay("nonsense")
        .expect_mistake(&["neither a schedule, which begins with `cai1:`, nor the path of a trace file"]);
    replay("cai1:").expect_mistake(&["this schedule is damaged", "Copy the whole word"]);
    replay(&schedule[..schedule.len() - 1]).expect_mistake(&["this schedule is damaged"]);
    replay(&format!("{schedule}0")).expect_mistake(&["this schedule is damaged"]);
    replay(&schedule.replace("cai1:", "cai9:")).expect_mistake(&["error: "]);
    replay(&model).expect_mistake(&["is not a trace file: its first line should be `caissa-trace 1`"]);
    replay(scratch.path().to_str().expect("it is UTF-8")).expect_mistake(&["trace file"]);
    let damaged = scratch.write("damaged.trace", "caissa-trace 1\nschedule\tcai1:ms1\n");
    replay(&damaged).expect_mistake(&["damaged"]);
}
