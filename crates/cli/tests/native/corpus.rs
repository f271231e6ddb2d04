//! Every native program of the corpus gives the verdicts that stand in its head, whichever compiler and whichever way of running it.
//!
//! `CAISSA_CORPUS=all` builds everything with both compilers and runs it in all modes; without it clang builds half of the C programs and a fifth of the C++ programs, and
//! threads of the system run what has few executions.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::building::{COMPILERS, build, corpus};
use crate::expectation::{Expectation, Expected, expectations};
use crate::run::{Run, Scratch, binary};

/// A program of the corpus.
struct Program {
    /// As `c/pass/NAME.c`.
    name: String,
    path: PathBuf,
    text: String,
}

fn programs() -> Vec<Program> {
    let mut programs = Vec::new();
    for (language, part) in [("c", "fail"), ("c", "pass"), ("cpp", "fail"), ("cpp", "pass")] {
        for entry in fs::read_dir(corpus().join(language).join(part)).expect("the corpus is there") {
            let path = entry.expect("a file of the corpus").path();
            let file = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).expect("programs are text");
            programs.push(Program { name: format!("{language}/{part}/{file}"), path, text });
        }
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(programs.len() > 120, "the corpus has programs");
    programs
}

/// Whether everything is to be tried.
fn everything() -> bool {
    std::env::var("CAISSA_CORPUS").is_ok_and(|value| value == "all")
}

/// The value of an option, which is taken out.
fn take(options: &mut Vec<String>, name: &str) -> Option<String> {
    let at = options.iter().position(|option| option == name)?;
    options.remove(at);
    Some(options.remove(at))
}

/// Checks a program that was built; what came of it.
fn check(program: &Path, options: &[String], mode: &str) -> Result<(Expected, u64), String> {
    let mut binary = binary();
    binary.arg("check").arg(program).args(options).args(["--mode", mode, "--json", "--quiet"]);
    let run = Run::of(binary.output().expect("caissa runs"));
    if run.out.is_empty() {
        return Err(run.err);
    }
    let json = run.json();
    let verdict = json.verdict().to_owned();
    if (run.code == 1) != (verdict == "bug") {
        return Err(format!("verdict {verdict} and exit code {}", run.code));
    }
    let numbers = ["bound", "executions"].into_iter().filter_map(|name| Some((name, json.number(name)?)));
    let executions = json.number("executions").unwrap_or(0);
    let kind = json.text("kind").map(str::to_owned);
    Ok((Expected { verdict, kind, numbers: numbers.collect() }, executions))
}

/// With threads of the system each execution takes milliseconds.
const FEW: u64 = 30;

/// Builds a program with a compiler and compares all its expectations, in all modes. What is wrong.
fn compare(program: &Program, compilers: [&str; 2], scratch: &Scratch, number: usize) -> Vec<String> {
    let compiler = compilers[program.name.starts_with("cpp/") as usize];
    let mut wrong = Vec::new();
    for (index, expectation) in expectations(&program.name, &program.text).into_iter().enumerate() {
        let Expectation { line, mut options, result: expected, .. } = expectation;
        if take(&mut options, "--cc").is_some_and(|only| only != compiler) {
            continue;
        }
        let flags = take(&mut options, "--cflags");
        let output = scratch.path().join(format!("{number}-{index}"));
        build(&program.path, compiler, &flags.iter().map(String::as_str).collect::<Vec<_>>(), &output);
        let mut say = |mode: &str, what: String| {
            let name = &program.name;
            wrong.push(format!("{name}:{line}: {compiler}, --mode {mode} => {expected}, got {what}"));
        };
        let reference = check(&output, &options, "fork");
        match &reference {
            Ok((result, _)) if result.satisfies(&expected) => {}
            Ok((result, _)) => say("fork", result.to_string()),
            Err(error) => say("fork", error.clone()),
        }
        let Ok(reference) = reference else { continue };
        let few = reference.1 <= FEW || everything() && reference.1 <= 20 * FEW;
        for mode in ["auto", "os"].into_iter().filter(|mode| *mode != "os" || few) {
            match check(&output, &options, mode) {
                Ok(result) if result == reference => {}
                Ok((result, _)) => say(mode, result.to_string()),
                Err(error) => say(mode, error),
            }
        }
        fs::remove_file(output).expect("it was built");
    }
    wrong
}

fn every_program_gives_its_verdicts(compilers: [&str; 2], wanted: impl Fn(usize, &Program) -> bool + Sync) {
    let (programs, scratch) = (programs(), Scratch::new());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(number) else { return };
                    if wanted(number, program) {
                        wrong.lock().unwrap().extend(compare(program, compilers, &scratch, number));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} expectations are not met:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_program_gives_its_verdicts_with_gcc() {
    every_program_gives_its_verdicts(COMPILERS[0], |_, _| true);
}

#[test]
fn every_program_gives_its_verdicts_with_clang() {
    every_program_gives_its_verdicts(COMPILERS[1], |number, program| {
        let share = if program.name.starts_with("c/") { 2 } else { 5 };
        number.is_multiple_of(share) || everything()
    });
}

#[test]
fn nothing_is_found_in_correct_programs_if_all_accesses_are_points() {
    let (programs, scratch) = (programs(), Scratch::new());
    let passing = programs.iter().enumerate().filter(|(_, program)| program.name.contains("/pass/"));
    for (number, program) in passing.filter(|(number, _)| everything() || number.is_multiple_of(5)) {
        let cxx = program.name.starts_with("cpp/");
        let flags: &[&str] = if cxx { &["-std=gnu++20"] } else { &[] };
        let output = scratch.path().join(number.to_string());
        build(&program.path, COMPILERS[0][cxx as usize], flags, &output);
        let options = ["--points", "all", "--bound", "1", "--search", "preemptions"].map(str::to_owned);
        let (result, _) =
            check(&output, &options, "auto").unwrap_or_else(|error| panic!("{}: {error}", program.name));
        assert!(["bounded", "verified"].contains(&result.verdict.as_str()), "{}: {result}", program.name);
    }
}

#[test]
fn every_buggy_program_has_a_twin_that_passes() {
    let programs = programs();
    for program in programs.iter().filter(|program| program.name.contains("/fail/")) {
        let twin = program.name.replace("/fail/", "/pass/");
        assert!(programs.iter().any(|other| other.name == twin), "{}: no twin {twin}", program.name);
        let buggy = |e: &Expectation| e.result.verdict == "bug";
        assert!(
            expectations(&program.name, &program.text).iter().all(buggy),
            "{}: what is wrong?",
            program.name
        );
    }
    for program in programs.iter().filter(|program| program.name.contains("/pass/")) {
        let clean = |e: &Expectation| ["bounded", "verified"].contains(&e.result.verdict.as_str());
        let expectations = expectations(&program.name, &program.text);
        assert!(!expectations.is_empty() && expectations.iter().all(clean), "{}", program.name);
    }
}
