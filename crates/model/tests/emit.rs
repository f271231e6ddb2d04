//! Emitted programs mean what the program means: Boogie, and C that is compiled and run, agree with the explicit engine.
//! `CAISSA_AGREE=20` for twenty times as many random programs.

mod compiled;
mod judge;
mod random;
mod samples;
mod verified;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use caissa_model::emit::{Bounds, boogie, c, cai};
use caissa_model::ir::Program;
use caissa_model::load;
use caissa_model::sequentialize::{Bounds as Within, Covered, sequentialize};
use judge::{End, ends, has_bug, read};
use samples::SAMPLES;
use verified::finds_bug;

/// Every so many of the samples, beginning with one: so that tests run side by side.
fn boogie_agrees(part: usize, of: usize) {
    for sample in SAMPLES.iter().skip(part).step_by(of) {
        for (twin, text) in [("pass", sample.text.to_owned()), ("fail", sample.wrong())] {
            let program = read(&text);
            let expected = has_bug(&ends(&program));
            assert_eq!(expected, twin == "fail", "{} {twin}", sample.name);
            let name = format!("{}_{twin}", sample.name);
            assert_eq!(finds_bug(&name, &program, sample.bounds), expected, "{name}");
        }
    }
}

#[test]
fn boogie_agrees_on_samples() {
    boogie_agrees(0, 2);
}

#[test]
fn boogie_agrees_on_more_samples() {
    boogie_agrees(1, 2);
}

/// A program, bounds that are just too small to see its bug, and those that are just large enough.
#[track_caller]
fn boogie_sees(name: &str, text: &str, small: Bounds, enough: Bounds) {
    let program = read(text);
    assert!(!finds_bug(name, &program, small), "{name}: what lies beyond {small:?} is left out");
    assert!(finds_bug(name, &program, enough), "{name}: all within {enough:?} is checked");
}

#[test]
fn boogie_leaves_out_what_lies_beyond_its_bounds() {
    let bounds = |loops, frames| Bounds { loops, frames };
    let counted = "var x: int; proc main() { while x < 3 { x := x + 1; } assert false; }";
    boogie_sees("rounds", counted, bounds(2, 1), bounds(3, 1));
    let nested = "var x: int; proc main() { for i in 1..2 { count(); } assert x != 4; }
        proc count() { for i in 1..2 { x := x + 1; } }";
    boogie_sees("nested", nested, bounds(5, 1), bounds(6, 1));
    let calls = "proc main() { count(2); assert false; } proc count(n: int) { if n > 0 { count(n - 1); } }";
    boogie_sees("calls", calls, bounds(1, 2), bounds(1, 3));
}

#[test]
fn compiled_c_agrees_on_samples() {
    for sample in &SAMPLES {
        for (twin, text) in [("pass", sample.text.to_owned()), ("fail", sample.wrong())] {
            let program = read(&text);
            let name = format!("{}_{twin}", sample.name);
            let text = c(&program);
            // As verifiers read it.
            compiled::gcc(&name, &text, &["-fsyntax-only"]);
            let mut found = compiled::ends(&name, &[(&name, text)]).remove(&name).unwrap_or_default();
            if !program.finals.is_empty() {
                found.retain(|end| matches!(end, End::Failed(_)));
            }
            assert_eq!(found, ends(&program), "{name}");
        }
    }
}

#[test]
fn compiled_c_agrees_on_random_programs() {
    let times =
        std::env::var("CAISSA_AGREE").map_or(1, |times| times.parse().expect("CAISSA_AGREE is a number"));
    let (mut bugs, mut many) = (0, 0);
    for first in (0..300 * times).step_by(300) {
        let programs: Vec<_> =
            (first..first + 300).map(|seed| (seed.to_string(), read(&random::text(seed)))).collect();
        let texts: Vec<_> = programs.iter().map(|(name, program)| (&name[..], c(program))).collect();
        let found = compiled::ends(&format!("random_{first}"), &texts);
        for (seed, program) in &programs {
            let expected = ends(program);
            let found = found.get(seed).cloned().unwrap_or_default();
            assert_eq!(found, expected, "seed {seed}:\n{}", random::text(seed.parse().expect("a number")));
            bugs += has_bug(&expected) as u32;
            many += (expected.len() > 1) as u32;
        }
    }
    assert!(bugs > 50 && many > 120, "{bugs} programs have bugs, {many} have several ends");
}

#[test]
fn boogie_agrees_on_random_programs() {
    for seed in [1, 2, 3, 4, 5, 6, 7, 8] {
        let program = read(&random::text(seed));
        let expected = has_bug(&ends(&program));
        let found = finds_bug(&format!("random_{seed}"), &program, random::BOUNDS);
        assert_eq!(found, expected, "seed {seed}:\n{}", random::text(seed));
    }
}

/// What a program that was compiled to be run says, and its status.
fn run(program: &std::path::Path, choices: &str) -> (String, Option<i32>) {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was just made");
    child.stdin.take().expect("it is piped").write_all(choices.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn emitted_c_can_be_run() {
    let program = read(
        "var a: [int; 2]; var x: int; proc main() { x := choose(1, 3); assume x != 2; a[1] := x; assert x != 3, \"three\"; }",
    );
    let program = compiled::gcc("run", &c(&program), &["-DCAISSA_RUN"]);
    assert_eq!(run(&program, "1"), ("a = 0 1\nx = 1\n".to_owned(), Some(0)));
    assert_eq!(run(&program, "3"), ("failed: three\n".to_owned(), Some(1)));
    assert_eq!(run(&program, "2"), ("discarded\n".to_owned(), Some(2)));
    assert_eq!(run(&program, "4"), ("a choice from 1 to 3 is missing\n".to_owned(), Some(3)));
    assert_eq!(run(&program, ""), ("a choice from 1 to 3 is missing\n".to_owned(), Some(3)));
}

/// What the models of the corpus become, with their names.
fn translations() -> Vec<(String, Program)> {
    let mut files = Vec::new();
    for folder in ["fail", "pass"] {
        let folder = format!("{}/../../corpus/model/{folder}", env!("CARGO_MANIFEST_DIR"));
        files.extend(
            fs::read_dir(folder).expect("there is a corpus").map(|file| file.expect("it can be read").path()),
        );
    }
    files.sort();
    let mut translations = Vec::new();
    for bounds in [Within::Rounds { buffers: 2, tasks: 2 }, Within::Delays(1), Within::Threads(2)] {
        let covered = Covered { bounds, reorder: true, limits: false, observed: false };
        for file in &files {
            let program = read(&fs::read_to_string(file).expect("it can be read"));
            let name =
                format!("{}_{}", file.file_stem().expect("it has a name").display(), translations.len());
            translations.extend(sequentialize(&program, covered).ok().map(|program| (name, program)));
        }
    }
    translations
}

#[test]
fn translations_can_be_read_by_others() {
    let translations = translations();
    assert!(translations.len() > 120);
    for (at, (name, program)) in translations.iter().enumerate() {
        let again = cai(program);
        load(name, &again, &[]).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
        compiled::gcc(name, &c(program), &["-fsyntax-only"]);
        // It takes half a second for each.
        if at % 8 == 0 {
            verified::can_read(name, program);
        }
    }
}

#[test]
fn what_is_not_reached_is_not_emitted() {
    let program = read("proc main() { } proc other() { yield; }");
    for text in [c(&program), boogie(&program, Bounds::default())] {
        assert!(!text.contains("other"), "{text}");
    }
}

#[test]
#[should_panic(expected = "not translated away: Yield")]
fn what_is_not_sequential_is_not_emitted() {
    c(&read("proc main() { yield; }"));
}

#[test]
fn ends_of_all_programs_differ() {
    // A judge that saw nothing would agree with everything.
    let seen: BTreeSet<_> = SAMPLES.iter().map(|sample| ends(&read(&sample.wrong()))).collect();
    assert_eq!(seen.len(), SAMPLES.len());
}
