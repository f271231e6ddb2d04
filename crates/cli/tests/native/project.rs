//! A project of several files with its own Makefile, built with `caissa cc`: a threaded key-value server and its client.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::building::corpus;
use crate::run::{Scratch, caissa};

/// Builds the project into a directory of its own, with these seeded bugs; the test program.
fn build(scratch: &Scratch, bugs: &str) -> PathBuf {
    let directory = scratch.path().join(if bugs.is_empty() { "clean" } else { bugs });
    let binary = Path::new(env!("CARGO_BIN_EXE_caissa"));
    let mut make = Command::new("make");
    make.arg("-C").arg(corpus().join("projects/kv")).arg(format!("BUILD={}", directory.display()));
    make.arg(format!("CC={} cc", binary.display()))
        .arg(format!("BUGS={bugs}"))
        .arg("CFLAGS=-O1 -g")
        .env("CAISSA_CC", "gcc");
    let output = make.output().expect("make runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    directory.join("kvtest")
}

fn check(program: &Path, scenario: &str, options: &[&str]) -> crate::run::Run {
    let program = program.display().to_string();
    let mut args = vec!["check", &program, "--quiet"];
    args.extend(options);
    args.extend(["--", scenario]);
    caissa(&args)
}

#[test]
fn the_server_is_explored_and_nothing_is_found() {
    let scratch = Scratch::new();
    let program = build(&scratch, "");
    check(&program, "direct", &["--bound", "1", "--search", "preemptions"]).expect(0, &["bounded"]);
    check(&program, "basic", &["--max-executions", "300"]).expect(0, &[]);
}

#[test]
fn seeded_bugs_are_found() {
    let scratch = Scratch::new();
    check(&build(&scratch, "REFCOUNT"), "direct", &[]).expect(1, &["memory that was freed"]);
    check(&build(&scratch, "CAS"), "direct", &[]).expect(1, &["fails an assertion"]);
    check(&build(&scratch, "STATS"), "direct", &["--points", "sync"]).expect(1, &["data race on"]);
    check(&build(&scratch, "LOCK_ORDER"), "direct-evict", &[]).expect(1, &["deadlock"]);
}
