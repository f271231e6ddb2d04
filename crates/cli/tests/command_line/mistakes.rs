//! Mistakes of the user: exit code 2, nothing on standard output, and a message that says what to do.

use std::fs;

use crate::models::{COUNTER, WORK};
use crate::run::{Scratch, caissa, check};

#[test]
fn a_file_must_be_there_and_be_a_model() {
    let scratch = Scratch::new();
    let missing = scratch.file("missing.cai");
    caissa(&["check", &missing]).expect_mistake(&["there is no file", "missing.cai", "help: "]);
    let text = scratch.write("notes.txt", "hello");
    caissa(&["check", &text]).expect_mistake(&["this is not a model", "names end in .cai"]);
    let nothing = scratch.write("noextension", COUNTER);
    caissa(&["check", &nothing]).expect_mistake(&["this is not a model"]);
    let directory = scratch.file("directory.cai");
    fs::create_dir(&directory).expect("it can be made");
    caissa(&["check", &directory]).expect_mistake(&[
        "is a directory",
        "help: name the models in it",
        "*.cai",
    ]);
    caissa(&["check", scratch.file("").as_str()]).expect_mistake(&["is a directory"]);
    caissa(&["replay", "cai1:ms100000PQCB", &missing]).expect_mistake(&["there is no file"]);
}

#[test]
fn a_file_must_be_text() {
    let scratch = Scratch::new();
    let latin = scratch.write("latin.cai", b"// gr\xfc\xdfe\nproc main() { }\n");
    for command in [&["check", &latin][..], &["fmt", &latin]] {
        caissa(command).expect_mistake(&[
            "is not UTF-8 text",
            "byte 0xfc in line 1",
            "help: save the file as UTF-8",
        ]);
    }
    let bytes: Vec<u8> = (0..=255).collect();
    caissa(&["check", &scratch.write("bytes.cai", bytes)]).expect_mistake(&["is not UTF-8 text"]);
    caissa(&["check", &scratch.write("nul.cai", "proc main() { \0 }")])
        .expect_mistake(&["means nothing here"]);
}

#[test]
fn an_empty_file_has_no_main() {
    for text in ["", "\n", "// nothing\n", "\u{feff}"] {
        check(text, &[]).expect_mistake(&["there is no procedure `main`", "declare `proc main() { ... }`"]);
    }
}

#[test]
fn all_mistakes_of_a_file_are_shown_at_once() {
    let text = "\
var x int;
var y: foo;
levels low < high;
proc main() {
    x := ;
    z := 2;
    post nothing();
    post other() at middle;
    if 1 { }
    yield
    assert;
}
proc other() { return 1; }
proc other() { }
";
    let run = check(text, &[]);
    run.expect_mistake(&[
        "expected `:` and a type, found `int`",
        "there is no type `foo`",
        "expected an expression, found `;`",
        "there is no variable `z`",
        "there is no procedure `nothing`",
        "there is no level `middle`",
        "the levels are `low`, `high`",
        "expected `bool`, found `int`",
        "a `;` is missing here",
        "this procedure has no result",
        "`other` is declared twice",
        "model.cai: 11 errors",
    ]);
    for line in [1, 2, 5, 6, 7, 8, 9, 10, 11, 13, 14] {
        assert!(run.err.contains(&format!("model.cai:{line}:")), "no line {line}:\n{run}");
    }
}

#[test]
fn mistakes_are_shown_without_colours_where_nobody_sees_them() {
    assert!(!check("proc main() { x := 1; }", &[]).expect_mistake(&["no variable `x`"]).err.contains('\x1b'));
}

#[test]
fn only_constants_can_be_set_and_to_their_values() {
    let set = |set: &str| check(COUNTER, &["--set", set]);
    set("SIZE=1").expect_mistake(&["there is no constant `SIZE` to be set", "help: the constants are TASKS"]);
    set("counter=1").expect_mistake(&["there is no constant `counter`"]);
    for value in ["zwei", "true", "1.5", "99999999999", "--1"] {
        set(&format!("TASKS={value}")).expect_mistake(&[
            &format!("`TASKS` cannot be set to `{value}`"),
            "set it to a number between -2147483648 and 2147483647",
        ]);
    }
    for text in ["TASKS", "=1", "TASKS=", "TASKS 1"] {
        set(text).expect_mistake(&["expected NAME=VALUE, as in --set N=4"]);
    }
    let both = check("proc main() { }", &["--set", "A=1", "--set", "B=1"]);
    both.expect_mistake(&["there is no constant `A`", "there is no constant `B`", "2 errors"]);
    let negative = check("const N = 1; var a: [int; N]; proc main() { }", &["--set", "N=-1"]);
    negative.expect_mistake(&["N", "help"]);
}

#[test]
fn values_of_options_must_make_sense() {
    let value = |option: &str, value: &str| check(COUNTER, &[option, value]);
    for option in ["--max-executions", "--max-steps", "--memory", "--workers", "--pct-depth", "--fair-k"] {
        for wrong in ["0", "-1", "x", "", "1e3", "99999999999999999999"] {
            value(option, wrong).expect_mistake(&["invalid value", option]);
        }
    }
    for option in ["--rounds", "--yields"] {
        let run = check(COUNTER, &["--engine", "explicit", option, "0"]);
        run.expect_mistake(&["invalid value '0'", option, "0 is not in 1.."]);
    }
    for wrong in ["0", "-1", "nan", "inf", "x", "1e300"] {
        value("--time", wrong).expect_mistake(&["'--time <SECONDS>': expected a number of seconds above 0"]);
    }
    for wrong in ["-1", "none", "4294967296"] {
        value("--bound", wrong).expect_mistake(&["'--bound <N>'"]);
    }
    value("--workers", "257").expect_mistake(&["257 is not in 1..=256"]);
    for option in ["--search", "--engine", "--scheduler"] {
        value(option, "best").expect_mistake(&["invalid value 'best'", "possible values: "]);
    }
}

#[test]
fn files_that_cannot_be_written_are_noticed_before_anything_is_explored() {
    let scratch = Scratch::new();
    let trace = scratch.file("missing/finding.trace");
    for engine in ["stateless", "explicit"] {
        let run = check(COUNTER, &["--engine", engine, "--trace", &trace]);
        run.expect_mistake(&["trace file", "cannot be written: there is no directory", "Make it first"]);
    }
    let resume = scratch.file("missing/search.resume");
    let run = check(WORK, &["--resume", &resume, "--max-executions", "20"]);
    run.expect_mistake(&["resume file", "missing"]);
}

#[test]
fn commands_and_options_must_exist() {
    caissa(&["prove", "x.cai"]).expect_mistake(&["unrecognized subcommand 'prove'"]);
    caissa::<&str>(&[]).expect_mistake(&["Usage: caissa <COMMAND>"]);
    caissa(&["check"]).expect_mistake(&["<TARGET>"]);
    caissa(&["replay", "cai1:x"]).expect_mistake(&["<TARGET>"]);
    caissa(&["fmt"]).expect_mistake(&["<FILES>..."]);
    caissa(&["completions"]).expect_mistake(&["<SHELL>"]);
    check(COUNTER, &["--depth", "3"]).expect_mistake(&["unexpected argument '--depth'"]);
    check(COUNTER, &["other.cai"]).expect_mistake(&["unexpected argument 'other.cai'"]);
}
