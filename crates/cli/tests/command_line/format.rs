//! `caissa fmt`.

use std::fs;

use crate::models::COUNTER;
use crate::run::{Scratch, caissa};

const UGLY: &str = "var   x:int ;\r\nproc main( ){x:=1;// one\r\nif x==1{x:=2;}}";
const FORMATTED: &str = "\
var x: int;
proc main() {
    x := 1;  // one
    if x == 1 { x := 2; }
}
";

#[test]
fn files_are_formatted_in_place() {
    let scratch = Scratch::new();
    let (ugly, fine) = (scratch.write("ugly.cai", UGLY), scratch.write("fine.cai", COUNTER));
    let run = caissa(&["fmt", &ugly, &fine]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    assert_eq!(fs::read_to_string(&ugly).expect("it is there"), FORMATTED);
    assert_eq!(fs::read_to_string(&fine).expect("it is there"), COUNTER);
    caissa(&["fmt", "--check", &ugly, &fine]).expect(0, &[]);
}

#[test]
fn unformatted_files_are_named_and_left_alone() {
    let scratch = Scratch::new();
    let (ugly, fine) = (scratch.write("ugly.cai", UGLY), scratch.write("fine.cai", COUNTER));
    let run = caissa(&["fmt", "--check", &fine, &ugly]);
    run.expect(1, &[]);
    assert_eq!(run.out, format!("{ugly}\n"));
    assert_eq!(fs::read_to_string(&ugly).expect("it is there"), UGLY);
}

#[test]
fn a_file_with_mistakes_is_left_alone_and_the_others_are_formatted() {
    let scratch = Scratch::new();
    let (ugly, wrong) = (scratch.write("ugly.cai", UGLY), scratch.write("wrong.cai", "proc main( { x := }"));
    let missing = scratch.file("missing.cai");
    let directory = scratch.path().to_str().expect("it is UTF-8");
    let run = caissa(&["fmt", &wrong, &missing, directory, &ugly]);
    run.expect_mistake(&["wrong.cai:1:", "there is no file", "missing.cai", "is a directory"]);
    assert_eq!(fs::read_to_string(&wrong).expect("it is there"), "proc main( { x := }");
    assert_eq!(fs::read_to_string(&ugly).expect("it is there"), FORMATTED);
    let run = caissa(&["fmt", "--check", &wrong]);
    run.expect_mistake(&["wrong.cai: ", "error"]);
}

#[test]
fn unknown_names_are_no_matter_of_format() {
    let scratch = Scratch::new();
    let file = scratch.write("names.cai", "proc main() {\n    x := y;\n}\n");
    caissa(&["fmt", "--check", &file]).expect(0, &[]);
}

#[test]
fn a_file_that_cannot_be_written_is_said() {
    let scratch = Scratch::new();
    let file = scratch.write("ugly.cai", UGLY);
    let mut permissions = fs::metadata(&file).expect("it is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).expect("they can be set");
    // Whoever may write everything may write this too.
    let run = caissa(&["fmt", &file]);
    if fs::read_to_string(&file).expect("it is there") == UGLY {
        run.expect_mistake(&["cannot be written"]);
    } else {
        run.expect(0, &[]);
    }
}
