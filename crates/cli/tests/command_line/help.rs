//! Help: it names every option, and every option is tried by a test of the command line.

use std::fs;
use std::path::Path;

use crate::run::caissa;

/// The options of a command, as its help lists them.
pub fn options(command: &str) -> Vec<String> {
    let run = caissa(&[command, "--help"]);
    let lines = run.expect(0, &["Usage: caissa"]).out.lines();
    let names = lines.filter_map(|line| {
        let line = line.trim_start();
        let start = line.strip_prefix("-h, ").unwrap_or(line);
        start.starts_with("--").then(|| start.split_whitespace().next().expect("it has a name").to_owned())
    });
    names.collect()
}

#[test]
fn every_option_is_tried_by_a_test() {
    let directories = ["tests/command_line", "tests/native"];
    let directories = directories.map(|directory| Path::new(env!("CARGO_MANIFEST_DIR")).join(directory));
    let files =
        directories.into_iter().flat_map(|directory| fs::read_dir(directory).expect("these tests are there"));
    let files = files.map(|file| file.expect("a file").path()).filter(|path| path.is_file());
    let tests: String = files.map(|path| fs::read_to_string(path).expect("tests are text")).collect();
    let mut count = 0;
    for command in ["check", "replay", "fmt", "completions"] {
        for option in options(command) {
            assert!(tests.contains(&format!("\"{option}\"")), "{command} {option} is not tried");
            count += 1;
        }
    }
    assert!(count > 35, "{count} options");
}

#[test]
fn help_says_what_it_is_and_what_exit_codes_mean() {
    let run = caissa(&["--help"]);
    run.expect(0, &["Finds, explains and replays concurrency bugs", "check", "replay", "fmt", "completions"]);
    let run = caissa(&["check", "--help"]);
    run.expect(0, &["0 nothing found, 1 a bug, 2 a mistake", "3 diverged, 4 incomplete", "130 interrupted"]);
    let short = caissa(&["check", "-h"]);
    short.expect(0, &["--engine <ENGINE>"]);
    assert!(short.out.len() < run.out.len(), "-h is shorter than --help");
    caissa(&["help", "replay"]).expect(0, &["Usage: caissa replay [OPTIONS] <SCHEDULE> <TARGET>"]);
    caissa(&["--version"]).expect(0, &[&format!("caissa {}\n", env!("CARGO_PKG_VERSION"))]);
}
