//! Programs that are built with `caissa cc` and `caissa c++`, and what is said of those that are not.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Run, Scratch, binary, caissa};

/// A compiler of each kind, for C and C++.
pub const COMPILERS: [[&str; 2]; 2] = [["gcc", "g++"], ["clang", "clang++"]];

/// Where the corpus is.
pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Builds a source file into a directory, as `caissa cc` or `caissa c++` does, with this compiler.
pub fn build(source: &Path, compiler: &str, flags: &[&str], output: &Path) {
    let cxx = compiler.ends_with("++");
    let mut command = binary();
    command.env(if cxx { "CAISSA_CXX" } else { "CAISSA_CC" }, compiler);
    command.arg(if cxx { "c++" } else { "cc" }).args(["-O1", "-pthread"]).args(flags);
    let run = Run::of(command.arg(source).arg("-o").arg(output).output().expect("caissa runs"));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}: {run}", source.display());
}

/// Builds a program from its text.
pub fn built(scratch: &Scratch, name: &str, text: &str) -> String {
    let source = scratch.write(&format!("{name}.c"), text);
    let output = scratch.path().join(name);
    build(Path::new(&source), "gcc", &[], &output);
    output.to_str().expect("names are UTF-8").to_owned()
}

#[test]
fn a_program_that_was_built_runs_as_ever_by_itself() {
    let scratch = Scratch::new();
    let text = r#"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int total;
static void *work(void *arg) { for (int i = 0; i < 1000; i++) total++; return arg; }
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    printf("%d\n", total);
    return 3;
}"#;
    let program = built(&scratch, "plain", text);
    let output = Command::new(program).output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), b"4000\n".as_slice()));
}

#[test]
fn a_source_that_does_not_compile_is_a_mistake() {
    let scratch = Scratch::new();
    let source = scratch.write("wrong.c", "int main(void) { return nothing; }\n");
    caissa(&["check", &source]).expect_mistake(&["does not compile", "nothing"]);
}

#[test]
fn what_does_not_come_under_control_is_a_mistake_and_never_no_bug() {
    let scratch = Scratch::new();
    let source = scratch.write("plain.c", "int main(void) { return 0; }\n");
    let program = scratch.file("plain");
    let status = Command::new("gcc").args([&source, "-o", &program]).status().expect("gcc runs");
    assert!(status.success());
    caissa(&["check", &program]).expect_mistake(&["did not come under control", "caissa cc"]);
    caissa(&["check", &scratch.file("missing.c")]).expect_mistake(&["there is no file"]);
    caissa(&["check", &scratch.file("missing")]).expect_mistake(&["help:"]);
    caissa(&["check", &program, "--cflags", "-O2"]).expect_mistake(&["--cflags", "source files"]);
    caissa(&["check", &source, "--cc", "no-such-compiler"]).expect_mistake(&["no-such-compiler"]);
    caissa(&["check", &source, "--engine", "explicit"]).expect_mistake(&["--engine explicit is for models"]);
}

#[test]
fn the_doctor_says_what_there_is() {
    caissa(&["doctor"]).expect(0, &["gcc", "clang", "gdb", "seccomp"]);
}

#[test]
fn compilers_answer_for_themselves() {
    let plain = Command::new("gcc").arg("-dumpmachine").output().expect("gcc runs");
    let run =
        Run::of(binary().env("CAISSA_CC", "gcc").args(["cc", "-dumpmachine"]).output().expect("caissa runs"));
    assert_eq!(run.out.as_bytes(), plain.stdout);
    run.expect(0, &[]);
}
