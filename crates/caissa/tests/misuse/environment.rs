//! `CAISSA_*` variables override the builder; bad values are refused. Each in a process of its own.

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, thread};

use crate::support::child::{self, Ended};

/// The exit code of a test that panicked.
const PANICKED: i32 = 101;

/// Passes. Two tasks with three accesses each.
fn counters() {
    let number = Arc::new(AtomicUsize::new(0));
    let other = {
        let number = Arc::clone(&number);
        thread::spawn(move || (0..3).for_each(|_| number.store(1, SeqCst)))
    };
    (0..3).for_each(|_| number.store(2, SeqCst));
    other.join().unwrap();
}

/// Fails with one preemption.
fn lost_update() {
    let number = Arc::new(AtomicUsize::new(0));
    let other = {
        let number = Arc::clone(&number);
        thread::spawn(move || number.fetch_add(1, SeqCst))
    };
    let own = AtomicUsize::new(0);
    (0..20).for_each(|n| own.store(n, SeqCst));
    number.store(number.load(SeqCst) + 1, SeqCst);
    other.join().unwrap();
    assert_eq!(number.load(SeqCst), 2);
}

/// Explores the program that passes, with this environment, and prints the report.
fn explored(name: &str, environment: &[(&str, &str)]) -> Ended {
    let name = format!("misuse::environment::{name}");
    child::run(&name, environment, || match Builder::new().explore(counters) {
        Ok(report) => println!("{report}"),
        Err(error) => println!("refused: {error}"),
    })
}

/// Checks the program that fails, with this environment.
fn failed(name: &str, environment: &[(&str, &str)]) -> Ended {
    child::run(&format!("misuse::environment::{name}"), environment, || caissa::check(lost_update))
}

#[test]
fn search_and_bound() {
    let name = "search_and_bound";
    explored(name, &[]).expect(0, &["bounded: no bug with at most 2 preemptions"]);
    explored(name, &[("CAISSA_SEARCH", "dfs")]).expect(0, &["verified", "every schedule:"]);
    let delays = explored(name, &[("CAISSA_SEARCH", "delays"), ("CAISSA_BOUND", "1")]);
    delays.expect(0, &["bounded: no bug with at most 1 delay"]);
    let contexts = explored(name, &[("CAISSA_SEARCH", "contexts")]);
    contexts.expect(0, &["at most 4 context switches", "cut at the bound"]);
    explored(name, &[("CAISSA_SEARCH", "depth"), ("CAISSA_BOUND", "3")]).expect(0, &["at most 3 "]);
    explored(name, &[("CAISSA_BOUND", "0")]).expect(0, &["no bug with at most 0 preemptions"]);
    explored(name, &[("CAISSA_BOUND", "none")]).expect(0, &["verified"]);
    explored(name, &[("CAISSA_BOUND", "")]).expect(0, &["no bug with at most 2 preemptions"]);
}

#[test]
fn samples() {
    let name = "samples";
    for search in ["random", "pct", "pos", "surw"] {
        let ended = explored(name, &[("CAISSA_SEARCH", search)]);
        ended.expect(0, &["incomplete", &format!("10000 executions were sampled by {search} with seed 0")]);
        let seeded = explored(
            name,
            &[("CAISSA_SEARCH", search), ("CAISSA_SEED", "12"), ("CAISSA_MAX_EXECUTIONS", "9")],
        );
        seeded.expect(0, &["9 executions were sampled", "with seed 12", "Explored 9 executions"]);
    }
    explored(name, &[("CAISSA_SEARCH", "auto")]).expect(0, &["bounded: no bug with at most 2 preemptions"]);
    // One change of priority is not enough to come back to a task; the classes seen are fewer.
    let classes = |depth| {
        let ended = explored(name, &[("CAISSA_SEARCH", "pct"), ("CAISSA_PCT_DEPTH", depth)]);
        let line =
            ended.text.lines().find(|line| line.contains("sampled by pct:")).expect("a line").to_owned();
        line.split(", ")
            .nth(1)
            .and_then(|words| words.split(' ').next())
            .expect("classes")
            .parse::<u32>()
            .unwrap()
    };
    assert!(classes("1") < classes("2") && classes("2") < classes("4"));
}

#[test]
fn resuming() {
    let name = "resuming";
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/environment.resume");
    if std::env::var_os("CAISSA_RESUME").is_none() {
        let _ = std::fs::remove_file(path);
    }
    let file = ("CAISSA_RESUME", path);
    let first = explored(name, &[file, ("CAISSA_MAX_EXECUTIONS", "7"), ("CAISSA_RESUME_EVERY", "0.5")]);
    first.expect(0, &["incomplete", &format!("The search goes on from {path}")]);
    let other = explored(name, &[file, ("CAISSA_BOUND", "1")]);
    other.expect(0, &["refused", "`bound` is `2` there and `1` here", "remove the file"]);
    let (last, whole) = (explored(name, &[file]), explored(name, &[]));
    let explored = |ended: &Ended| ended.text.split("Explored").nth(1).map(str::to_owned).expect("figures");
    // Up to what the harness prints, which holds a time.
    let figures = |ended: &Ended| explored(ended).split("\n\n").next().map(str::to_owned);
    assert_eq!(figures(&last), figures(&whole));
    assert!(!std::path::Path::new(path).exists());
}

#[test]
fn the_scheduler() {
    let name = "the_scheduler";
    let delays = ("CAISSA_SEARCH", "delays");
    let counted = |scheduler| {
        let ended = explored(name, &[delays, ("CAISSA_SCHEDULER", scheduler)]);
        ended.expect(0, &["bounded"]);
        ended.text.lines().filter(|line| line.contains(" execution")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(counted("rr").len(), 4);
    assert_eq!(counted("depth-first").len(), 4);
    let unknown = explored(name, &[delays, ("CAISSA_SCHEDULER", "fifo")]);
    unknown.expect(0, &["refused", "`scheduler` is `fifo`", "depth-first"]);
}

#[test]
fn budgets() {
    let name = "budgets";
    let few = explored(name, &[("CAISSA_MAX_EXECUTIONS", "5")]);
    few.expect(0, &["incomplete", "CAISSA_MAX_EXECUTIONS", "Explored 5 executions"]);
    let short = explored(name, &[("CAISSA_MAX_STEPS", "4")]);
    short.expect(0, &["incomplete", "`max_steps` = 4", "CAISSA_MAX_STEPS"]);
    explored(name, &[("CAISSA_MAX_STEPS", "1_000")]).expect(0, &["bounded"]);
    explored(name, &[("CAISSA_TIME", "60")]).expect(0, &["bounded"]);
    let full = explored(name, &[("CAISSA_MEMORY", "200")]);
    full.expect(0, &["incomplete", "the budget `memory` (CAISSA_MEMORY) was used up"]);
    explored(name, &[("CAISSA_MEMORY", "1_000_000")]).expect(0, &["bounded"]);
    explored(name, &[("CAISSA_MEMORY", "none")]).expect(0, &["bounded"]);
}

#[test]
fn workers() {
    explored("workers", &[("CAISSA_WORKERS", "2")]).expect(0, &["no bug with at most 2 preemptions"]);
}

#[test]
fn classes() {
    explored("classes", &[("CAISSA_CLASSES", "on")]).expect(0, &["new classes"]);
    let off = explored("classes", &[("CAISSA_CLASSES", "off")]);
    off.expect(0, &["bounded"]);
    off.expect_none(&["new classes"]);
}

#[test]
fn complete() {
    let check = |environment: &[(&str, &str)]| {
        child::run("misuse::environment::complete", environment, || {
            Builder::new().max_steps(4).check(counters)
        })
    };
    check(&[]).expect(0, &["incomplete", "max_steps"]);
    check(&[("CAISSA_COMPLETE", "on")]).expect(PANICKED, &["incomplete", "max_steps"]);
    check(&[("CAISSA_COMPLETE", "off")]).expect(0, &["incomplete"]);
}

/// Waits for another task in a loop that yields.
fn spins() {
    let number = Arc::new(AtomicUsize::new(0));
    let other = {
        let number = Arc::clone(&number);
        thread::spawn(move || number.store(1, SeqCst))
    };
    while number.load(SeqCst) == 0 {
        thread::yield_now();
    }
    other.join().unwrap();
}

#[test]
fn fairness() {
    let check = |environment: &[(&str, &str)]| {
        let mut all = vec![("CAISSA_MAX_STEPS", "300"), ("CAISSA_MAX_EXECUTIONS", "50")];
        all.extend(environment);
        child::run("misuse::environment::fairness", &all, || match Builder::new().explore(spins) {
            Ok(report) => println!("{report}"),
            Err(error) => println!("refused: {error}"),
        })
    };
    check(&[]).expect(0, &["bounded", "fairness (k = 1)"]);
    check(&[("CAISSA_FAIR", "on"), ("CAISSA_FAIR_K", "2")]).expect(0, &["fairness (k = 2)", "3 times"]);
    check(&[("CAISSA_FAIR", "off")]).expect(0, &["incomplete", "max_steps"]);
    check(&[("CAISSA_FAIR", "off"), ("CAISSA_FAIR_K", "2")]).expect(0, &["refused", "no yield counts then"]);
    check(&[("CAISSA_FAIR", "maybe")]).expect(0, &["refused", "CAISSA_FAIR", "`on` or `off`"]);
    check(&[("CAISSA_FAIR_K", "0")]).expect(0, &["refused", "at least 1"]);
}

#[test]
fn full_traces() {
    let short = failed("full_traces", &[]);
    short.expect(PANICKED, &["caissa found a bug", "more steps of T0", "CAISSA_FULL=on"]);
    let full = failed("full_traces", &[("CAISSA_FULL", "on")]);
    full.expect(PANICKED, &["caissa found a bug"]);
    full.expect_none(&["more steps of T0", "CAISSA_FULL=on"]);
}

#[test]
fn replay_and_trace() {
    let name = "replay_and_trace";
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/environment.trace");
    let found = failed(name, &[("CAISSA_TRACE", path)]);
    found.expect(PANICKED, &["needs 1 preemption", &format!("The trace is in {path}")]);
    let line = found.text.lines().find(|line| line.starts_with("To replay exactly this:")).expect("a line");
    assert!(line.ends_with("cargo test misuse::environment::replay_and_trace -- --exact"), "{line}");
    let schedule = line.split("CAISSA_REPLAY=").nth(1).and_then(|rest| rest.split(' ').next()).expect("one");
    let failure = |text: &str| {
        let steps: Vec<_> = text.lines().skip_while(|line| !line.starts_with("  step")).collect();
        let end = steps.iter().position(|line| line.is_empty()).expect("an empty line after the steps");
        steps[..end].join("\n")
    };
    for replay in [schedule, path] {
        let again = failed(name, &[("CAISSA_REPLAY", replay)]);
        again.expect(PANICKED, &["caissa found a bug", "left: 1"]);
        again.expect_none(&["Explored"]);
        assert_eq!(failure(&again.text), failure(&found.text));
    }
    failed(name, &[("CAISSA_REPLAY", "cai1:damaged")]).expect(PANICKED, &["damaged", "checksum"]);
}

#[test]
fn panics_detached_tasks_and_keeping_on() {
    let name = "misuse::environment::panics_detached_tasks_and_keeping_on";
    let run = |environment: &[(&str, &str)]| {
        child::run(name, environment, || {
            let report = Builder::new().explore(|| {
                thread::spawn(thread::park);
                let _ = thread::spawn(|| panic!("boom")).join();
            });
            println!("{}", report.unwrap());
        })
    };
    run(&[]).expect(0, &["deadlock"]);
    run(&[("CAISSA_ALLOW_DETACHED", "on")]).expect(0, &["no bug", "at most 1 fault"]);
    run(&[("CAISSA_ALLOW_DETACHED", "on"), ("CAISSA_FAULTS", "0")]).expect(0, &["verified", "no faults"]);
    run(&[("CAISSA_ALLOW_DETACHED", "on"), ("CAISSA_PANICS", "any")]).expect(0, &["boom"]);
    let all = run(&[("CAISSA_KEEP_GOING", "on")]);
    all.expect(0, &["deadlock", "Explored"]);
    all.expect_none(&["(not all)"]);
}

#[test]
fn bad_values_are_refused() {
    let cases = [
        (
            "CAISSA_SEARCH",
            "bfs",
            "one of auto, preemptions, delays, contexts, depth, dfs, random, pct, pos, surw",
        ),
        ("CAISSA_BOUND", "-1", "a number or `none`"),
        ("CAISSA_MAX_EXECUTIONS", "many", "a number"),
        ("CAISSA_MAX_STEPS", "1e6", "a number"),
        ("CAISSA_WORKERS", "two", "a number"),
        ("CAISSA_TIME", "soon", "a number of seconds"),
        ("CAISSA_TIME", "-1", "a number of seconds"),
        ("CAISSA_WATCHDOG", "10s", "a number of seconds"),
        ("CAISSA_FINISH_CUT", "x", "the seed"),
        ("CAISSA_STACK_SIZE", "8M", "a number of bytes"),
        ("CAISSA_CLASSES", "yes", "`on` or `off`"),
        ("CAISSA_COMPLETE", "yes", "`on` or `off`"),
        ("CAISSA_FULL", "yes", "`on` or `off`"),
        ("CAISSA_KEEP_GOING", "yes", "`on` or `off`"),
        ("CAISSA_ALLOW_DETACHED", "yes", "`on` or `off`"),
        ("CAISSA_PANICS", "all", "`any` or `unhandled`"),
        ("CAISSA_MINIMISE", "-3", "a number"),
        ("CAISSA_PROGRESS", "often", "a number of seconds"),
        ("CAISSA_SEED", "x", "a number"),
        ("CAISSA_PCT_DEPTH", "-1", "a number"),
        ("CAISSA_MEMORY", "1G", "a number of bytes"),
        ("CAISSA_RESUME_EVERY", "often", "a number of seconds"),
    ];
    for (variable, value, expected) in cases {
        let ended = explored("bad_values_are_refused", &[(variable, value)]);
        ended.expect(0, &["refused", &format!("`{variable}` is `{value}`"), expected]);
    }
}

#[test]
fn zeros_are_refused() {
    let cases = [
        ("CAISSA_MAX_EXECUTIONS", "max_executions"),
        ("CAISSA_MAX_STEPS", "max_steps"),
        ("CAISSA_WORKERS", "workers"),
        ("CAISSA_TIME", "time"),
        ("CAISSA_MEMORY", "memory"),
        ("CAISSA_PCT_DEPTH", "pct_depth"),
        ("CAISSA_WATCHDOG", "watchdog"),
        ("CAISSA_STACK_SIZE", "stack_size"),
    ];
    for (variable, setting) in cases {
        let ended = explored("zeros_are_refused", &[(variable, "0")]);
        ended.expect(0, &["refused", &format!("`{setting}` is `"), "must be"]);
    }
}
