//! Random programs over std, explored as they are and over the types of the library: both engines must find a bug, or none, at the same
//! bound. `AGREE_PROGRAMS=N` tries N of them, `AGREE_FROM=SEED` from that one on.
//!
//! A race may need more preemptions with std itself, since it orders more: threads that end take a lock of std's, one after the other.

mod program;

use std::fmt::Write as _;

use caissa as sy;
use caissa::{Bug, Builder, Verdict};
use serde_json::Value as Json;

use crate::project::Project;

const MANIFEST: &str =
    "[package]\nname = \"agreement\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

const LIBRARY: &str = "use std as sy;\n#[cfg(test)]\nmod program;\n#[cfg(test)]\nmod programs;\n";

/// Executions of a program; std's locks take more of them.
const MOST: u64 = 2_000;

#[test]
fn the_library_and_a_crate_as_it_is_have_bugs_at_the_same_bound() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("it is a number"));
    let count: u64 = number("AGREE_PROGRAMS").unwrap_or(40);
    let seeds = number("AGREE_FROM").unwrap_or(1)..;
    let seeds: Vec<u64> = seeds.take(count as usize).collect();
    let mut tests = String::new();
    for seed in &seeds {
        writeln!(tests, "#[test]\nfn p{seed}() {{\n    super::program::run({seed});\n}}").unwrap();
    }
    let text = include_str!("agreement/program.rs");
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIBRARY),
        ("src/program.rs", text),
        ("src/programs.rs", &tests),
    ];
    let project = Project::write("agreement", &files);
    let run = project.caissa(&format!("test --lib --bound 2 --max-executions {} --time 60 --json", 8 * MOST));
    assert!(run.code < 2, "{run}");
    let objects: Vec<Json> =
        run.out.lines().map(|line| serde_json::from_str(line).expect("lines are JSON")).collect();
    let (mut compared, mut bugs, mut later) = (0, 0, 0);
    for seed in seeds {
        let name = format!("programs::p{seed}");
        let native = objects.iter().find(|object| object["test"] == name.as_str());
        let native = native.unwrap_or_else(|| panic!("no {name}\n{run}"));
        let report = Builder::new()
            .bound(2)
            .max_executions(MOST)
            .progress(Default::default())
            .explore(move || program::run(seed))
            .expect("it can be explored");
        let ours = match report.verdict {
            Verdict::Bug => report.finding.as_ref().map(|finding| u64::from(finding.spent)),
            Verdict::Verified | Verdict::Bounded => None,
            Verdict::Incomplete => continue,
            Verdict::Diverged => panic!("{report}"),
        };
        let theirs = match native["verdict"].as_str() {
            Some("bug") => native["bound"].as_u64(),
            Some("verified" | "bounded") => None,
            Some("incomplete") => continue,
            _ => panic!("{native}"),
        };
        compared += 1;
        bugs += u64::from(ours.is_some());
        if ours != theirs {
            let race = report.finding.as_ref().is_some_and(|finding| matches!(finding.bug, Bug::Race { .. }));
            let steps = program::Random::new(seed).program();
            assert!(
                race && theirs.is_none_or(|bound| Some(bound) > ours),
                "seed {seed}: the library and the crate as it is\n{steps:#?}\n{native}\n{report}"
            );
            later += 1;
        }
    }
    println!(
        "{compared} of {count} compared, {bugs} with a bug, {later} of them later or not at all with std"
    );
    assert!(compared * 10 > count * 8, "only {compared} of {count} are compared");
    assert!(later * 10 <= compared, "{later} of {compared} are found later");
    assert!(count < 40 || (bugs * 5 > compared && bugs * 5 < compared * 4), "{bugs} bugs in {compared}");
}
