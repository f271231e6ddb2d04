//! A search that is interrupted, in whatever way and however often, ends as one that is not.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Error, Report, Search, Stopped, Summary, Verdict, thread};

/// Tasks that each add so many times.
fn additions(tasks: usize, times: usize) {
    let shared = Arc::new(AtomicUsize::new(0));
    let handles: Vec<_> = (0..tasks)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || (0..times).for_each(|_| assert!(shared.fetch_add(1, SeqCst) < 100)))
        })
        .collect();
    handles.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(shared.load(SeqCst), tasks * times);
}

fn three_by_three() {
    additions(3, 3);
}

/// A file of this test's own that does not exist.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.resume"));
    let _ = std::fs::remove_file(&path);
    path
}

/// Every kind of search, by a name.
fn searches() -> Vec<(&'static str, Builder)> {
    let new = Builder::new;
    vec![
        ("preemptions", new().preemptions(3)),
        ("rr", new().delays(6)),
        ("depth-first", new().delays(6).scheduler("depth-first")),
        ("contexts", new().search(Search::Contexts).bound(6)),
        ("dfs", new().search(Search::Dfs)),
        ("auto", new().bound(3)),
        ("random", new().search(Search::Random).max_executions(6_000)),
        ("pct", new().search(Search::Pct).max_executions(6_000)),
        ("pos", new().search(Search::Pos).max_executions(6_000)),
        ("surw", new().search(Search::Surw).max_executions(6_000)),
    ]
}

/// What must be the same.
fn figures(report: &Report) -> Summary {
    Summary { frontier: (0, 0), ..report.summary.clone() }
}

/// What was explored before is not known any more, so there may be more executions, but not fewer classes.
#[test]
fn budgets_that_end_again_and_again_lose_nothing_of_a_reduced_search() {
    for (name, search) in [("preemptions", Builder::new().preemptions(3)), ("dfs", searches().remove(4).1)] {
        let whole = search.clone().explore(three_by_three).unwrap();
        let search = search.reduce(true);
        let reduced = search.clone().explore(three_by_three).unwrap();
        assert_eq!(reduced.summary.classes(), whole.summary.classes(), "{name}: {reduced}");
        assert!(reduced.executions() < whole.executions(), "{name}: {reduced}");
        for workers in [1, 2] {
            let search = search.clone().workers(workers).resume(fresh(&format!("reduced-{name}-{workers}")));
            let part = reduced.executions() / 4;
            let mut runs = 0;
            let last = loop {
                runs += 1;
                let report = search.clone().max_executions(runs * part).explore(three_by_three).unwrap();
                if report.summary.stopped.is_none() {
                    break report;
                }
            };
            assert!(runs > 3, "{name} was not interrupted: {last}");
            assert_eq!(last.summary.classes(), whole.summary.classes(), "{name}, {workers}: {last}");
            assert_eq!(last.verdict, reduced.verdict, "{name}, {workers}: {last}");
        }
    }
}

#[test]
fn budgets_that_end_again_and_again_change_nothing() {
    for (name, search) in searches() {
        let whole = search.clone().explore(three_by_three).unwrap();
        for workers in [1, 2] {
            let path = fresh(&format!("budget-{name}-{workers}"));
            let search = search.clone().workers(workers).resume(&path);
            let mut runs = 0;
            let last = loop {
                runs += 1;
                // At most what the whole search takes: a sampling search would go on.
                let budget = (runs * 911).min(whole.executions() + 1_000_000 * u64::from(!is_sampling(name)));
                let report = search.clone().max_executions(budget).explore(three_by_three).unwrap();
                if report.summary.stopped.is_none() || budget >= whole.executions() && is_sampling(name) {
                    break report;
                }
                assert_eq!(report.executions() + cut(&report), budget, "{name}: {report}");
                assert_eq!(report.resume_file.as_ref(), Some(&path));
                assert!(report.to_string().contains("The search goes on from"), "{report}");
                assert!(path.exists());
            };
            assert!(runs > 2, "{name} was not interrupted: {whole}");
            assert_eq!(figures(&last), figures(&whole), "{name}, {workers} workers");
            assert_eq!((last.verdict, last.bound()), (whole.verdict, whole.bound()));
            assert_eq!(path.exists(), is_sampling(name), "{name}");
        }
    }
}

fn is_sampling(name: &str) -> bool {
    ["random", "pct", "pos", "surw"].contains(&name)
}

/// Executions that do not count as such and are taken from the budget.
fn cut(report: &Report) -> u64 {
    report.summary.bounds.iter().map(|bound| bound.cut + bound.pruned).sum()
}

#[test]
fn memory_ends_a_search_which_goes_on_with_more() {
    for (name, search) in searches() {
        if is_sampling(name) || name == "auto" {
            continue;
        }
        let whole = search.clone().explore(three_by_three).unwrap();
        let path = fresh(&format!("memory-{name}"));
        let search = search.resume(&path);
        let mut runs = 0;
        let last = loop {
            runs += 1;
            let report = search.clone().memory(500 << runs).explore(three_by_three).unwrap();
            match report.summary.stopped {
                None => break report,
                stopped => assert_eq!(stopped, Some(Stopped::Memory), "{report}"),
            }
            assert_eq!(report.verdict, Verdict::Incomplete);
            assert!(report.to_string().contains("`memory` (CAISSA_MEMORY) was used up"), "{report}");
        };
        assert!(runs > 1, "{name}: {last}");
        assert_eq!(figures(&last), figures(&whole), "{name}");
    }
}

#[test]
fn a_bug_found_after_going_on_is_the_one_that_is_found_at_once() {
    let program = || {
        let shared = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..3)
            .map(|me| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let own = AtomicUsize::new(0);
                    (0..9).for_each(|_| own.store(1, SeqCst));
                    let _ = shared.compare_exchange(2 - me, 3 - me, SeqCst, SeqCst);
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().unwrap());
        assert_ne!(shared.load(SeqCst), 3);
    };
    for (name, search) in searches() {
        let whole = search.clone().max_executions(50_000).explore(program).unwrap();
        let path = fresh(&format!("bug-{name}"));
        let mut budget = 0;
        let found = loop {
            budget += 500;
            let report = search.clone().resume(&path).max_executions(budget).explore(program).unwrap();
            if report.summary.stopped.is_none() || budget >= 50_000 {
                break report;
            }
        };
        assert_eq!(figures(&found), figures(&whole), "{name}");
        let schedule = |report: &Report| report.finding.as_ref().map(|finding| finding.schedule());
        assert_eq!(schedule(&found), schedule(&whole), "{name}");
        if whole.verdict == Verdict::Bug {
            assert!(!path.exists(), "{name}");
        }
    }
}

/// The error of going on from a file, and what it says.
#[track_caller]
fn refused(builder: Builder, program: fn(), words: &[&str]) {
    let error = builder.explore(program).unwrap_err();
    assert!(matches!(error, Error::ResumeFile { .. }), "{error}");
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn files_of_other_searches_and_programs_are_refused_and_left() {
    let path = fresh("foreign");
    let search = Builder::new().preemptions(3).resume(&path);
    search.clone().max_executions(100).explore(three_by_three).unwrap();
    let before = std::fs::read(&path).unwrap();
    let cases: [(Builder, &[&str]); 5] = [
        (search.clone().bound(2), &["`bound` is `3` there and `2` here", "remove the file"]),
        (search.clone().search(Search::Dfs), &["`search` is `preemptions` there and `dfs` here"]),
        (search.clone().max_steps(99), &["`max_steps` is `20000` there and `99` here"]),
        (search.clone().classes(false), &["`classes` is `true` there"]),
        (search.clone().search(Search::Pct), &["`search` is `preemptions` there and `pct` here"]),
    ];
    for (builder, words) in cases {
        refused(builder, three_by_three, words);
    }
    refused(search.clone(), || additions(2, 2), &["the program has changed", "Remove it"]);
    assert!(std::fs::read(&path).unwrap() == before);
    // Budgets and workers may change.
    let last = search.clone().workers(2).time(Duration::from_secs(600)).memory(1 << 40);
    assert_eq!(last.explore(three_by_three).unwrap().summary.stopped, None);
}

#[test]
fn damaged_files_are_refused() {
    let path = fresh("damaged");
    let search = Builder::new().preemptions(3).resume(&path);
    search.clone().max_executions(100).explore(three_by_three).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 50) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        refused(search.clone(), three_by_three, &["Remove it to begin anew"]);
        std::fs::write(&path, &whole[..at]).unwrap();
        refused(search.clone(), three_by_three, &["Remove it to begin anew"]);
    }
    std::fs::write(&path, &whole).unwrap();
    search.explore(three_by_three).unwrap();
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no such directory").join("file");
    let search = Builder::new().preemptions(3).max_executions(100).resume(path);
    refused(search, three_by_three, &["cannot be written"]);
}

#[test]
fn a_directory_gets_a_file_for_each_check() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume-directory");
    let _ = std::fs::remove_dir_all(&directory);
    let search = Builder::new().preemptions(3).max_executions(100);
    let search = search.resume(format!("{}/", directory.display()));
    let paths = [(); 2].map(|()| search.clone().explore(three_by_three).unwrap().resume_file.unwrap());
    assert_ne!(paths[0], paths[1]);
    assert!(paths.iter().all(|path| path.starts_with(&directory) && path.exists()), "{paths:?}");
}

#[test]
fn a_file_is_used_by_one_check_at_a_time() {
    let path = fresh("used-twice");
    let inner = path.clone();
    let refusals = std::sync::Arc::new(AtomicU64::new(0));
    let counted = std::sync::Arc::clone(&refusals);
    let outer = Builder::new().preemptions(0).resume(&path).explore(move || {
        let path = inner.clone();
        // On a thread outside the check.
        let other = std::thread::spawn(move || {
            Builder::new().preemptions(0).resume(&path).explore(|| ()).unwrap_err().to_string()
        });
        let text = other.join().unwrap();
        assert!(text.contains("another check of this process uses it"), "{text}");
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(outer.unwrap().verdict, Verdict::Verified);
    assert_eq!(refusals.load(std::sync::atomic::Ordering::Relaxed), 3);
}

// ---- in processes of their own ----

const BODY: &str = "TEST_RESUME_BODY";

/// The body of a process: explores, and at its 2,500th execution sends itself a signal; but first the resume file is written
/// once more, so that there is something to go on from. After that it is slow, so that it does not come to its end before it
/// heeds the signal.
fn body(which: &str, signal: &str, workers: usize, path: &Path) {
    let (_, search) = searches().into_iter().find(|(name, _)| *name == which).expect("a known search");
    let (signal, path) = (signal.to_owned(), path.to_owned());
    let executions = AtomicU64::new(0);
    let file = path.clone();
    let report = search
        .workers(workers)
        .resume(&path)
        .resume_every(Duration::from_millis(1))
        .explore(move || {
            let number = executions.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if signal == "0" {
                return three_by_three();
            }
            if number > 2_500 {
                std::thread::sleep(Duration::from_millis(1));
            }
            if number == 2_500 {
                let written = || file.metadata().and_then(|file| file.modified()).ok();
                let before = written();
                while written() == before {
                    std::thread::sleep(Duration::from_millis(1));
                }
                // The parent of the shell is this process.
                Command::new("sh").args(["-c", &format!("kill -{signal} $PPID")]).status().unwrap();
            }
            three_by_three();
        })
        .unwrap();
    println!("RESULT {:?} {:?}", report.verdict, figures(&report));
}

/// Runs a test's body in a process of its own.
fn process(test: &str, which: &str, signal: &str, workers: usize, path: &Path) -> Output {
    let output = process_command("--default-signal=INT", test, which, signal, workers, path).output();
    output.expect("the test's program starts again")
}

/// As a command of `env`, which says what is to become of interrupts: what is run in the background may ignore them.
fn process_command(
    interrupts: &str,
    test: &str,
    which: &str,
    signal: &str,
    workers: usize,
    path: &Path,
) -> Command {
    let mut command = Command::new("env");
    command.arg(interrupts).arg(std::env::current_exe().expect("a test knows its own program"));
    command.args(["--exact", &format!("resume::{test}"), "--nocapture"]);
    command.env(BODY, format!("{which} {signal} {workers}")).env("TEST_RESUME_FILE", path);
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("CAISSA_") {
            command.env_remove(variable);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// Interrupts a search by a signal until it comes to its end, and compares.
fn interrupted(test: &str, signal: &str, number: i32, words: Option<&str>) {
    if let Ok(body_of) = std::env::var(BODY) {
        let mut words = body_of.split(' ');
        let mut next = || words.next().expect("three words");
        let (which, signal, workers) = (next().to_owned(), next().to_owned(), next().parse().unwrap());
        let path = std::env::var("TEST_RESUME_FILE").unwrap();
        return body(&which, &signal, workers, Path::new(&path));
    }
    for (name, search) in searches() {
        let whole = search.explore(three_by_three).unwrap();
        let expected = format!("RESULT {:?} {:?}", whole.verdict, figures(&whole));
        for workers in [1, 2] {
            let path = fresh(&format!("{test}-{name}-{workers}"));
            let mut interruptions = 0;
            let last = loop {
                // Three times are enough; signal 0 does nothing.
                let signal = if interruptions < 3 { signal } else { "0" };
                let output = process(test, name, signal, workers, &path);
                let text = String::from_utf8_lossy(&output.stdout).into_owned()
                    + &String::from_utf8_lossy(&output.stderr);
                if output.status.signal() != Some(number) {
                    assert!(output.status.success(), "{name}: {text}");
                    break text;
                }
                interruptions += 1;
                assert!(path.exists(), "{name}: {text}");
                assert!(words.is_none_or(|words| text.contains(words)), "{name}: {text}");
            };
            assert!(interruptions > 0, "{name}: {last}");
            assert!(last.contains(&expected), "{name}, {workers} workers: {last}\nexpected {expected}");
        }
    }
}

#[test]
fn interrupted_by_the_user() {
    interrupted("interrupted_by_the_user", "INT", 2, Some("To go on: CAISSA_RESUME="));
}

#[test]
fn killed() {
    interrupted("killed", "KILL", 9, None);
}

#[test]
fn a_program_that_ignores_interrupts_is_not_interrupted() {
    let test = "a_program_that_ignores_interrupts_is_not_interrupted";
    if std::env::var(BODY).is_ok() {
        return interrupted(test, "", 0, None);
    }
    let path = fresh(test);
    let output = process_command("--ignore-signal=INT", test, "random", "INT", 1, &path).output();
    let output = output.expect("the test's program starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("RESULT Incomplete"), "{text}");
    // One that does not is, unless it had been done before.
    assert!(process(test, "random", "INT", 1, &path).status.success());
    std::fs::remove_file(&path).expect("a spent budget leaves it");
    assert_eq!(process(test, "random", "INT", 1, &path).status.signal(), Some(2));
}
