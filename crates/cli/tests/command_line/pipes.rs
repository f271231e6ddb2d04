//! Whoever reads the output may go away: that is no reason to fail in another way than the verdict does.

use std::process::Stdio;

use crate::models::COUNTER;
use crate::run::{Run, Scratch, binary};

/// Runs with pipes that nobody reads.
fn unread(args: &[&str]) -> Run {
    let child = binary().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("caissa runs");
    drop((child.stdout.take(), child.stderr.take()));
    Run::of(child.wait_with_output().expect("it ends"))
}

#[test]
fn closed_pipes_change_no_exit_code() {
    let scratch = Scratch::new();
    let (model, ugly) = (scratch.write("m.cai", COUNTER), scratch.write("ugly.cai", "proc main(){}"));
    let missing = scratch.file("missing.cai");
    assert_eq!(unread(&["check", &model]).code, 1);
    assert_eq!(unread(&["check", &model, "--json"]).code, 1);
    assert_eq!(unread(&["check", &model, "--set", "TASKS=1"]).code, 0);
    assert_eq!(unread(&["check", &missing]).code, 2);
    assert_eq!(unread(&["fmt", "--check", &ugly]).code, 1);
    assert_eq!(unread(&["fmt", &missing]).code, 2);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert_eq!(unread(&["completions", shell]).code, 0, "{shell}");
    }
}
