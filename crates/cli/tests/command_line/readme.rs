//! The README's first report is what its first command prints, with steps left out.

use std::path::Path;

use crate::run::typed;

#[test]
fn the_readme_shows_what_its_first_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("there is a README");
    let line =
        readme.lines().find_map(|line| line.strip_prefix("cargo run --release -- ")).expect("a command");
    let command = line.split('#').next().expect("there is something before a comment").trim();
    let run = typed(&format!("caissa {command}"), &root);
    run.expect(1, &[]);
    let block = readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a report");
    assert!(block.contains(run.replay_line()), "{run}");
    for line in block.lines() {
        // What stands in the columns; their widths and shortened texts differ.
        for part in line.split("  ").map(str::trim).filter(|part| !part.is_empty()) {
            let part = part.split("\"...\"").next().expect("there is a first part");
            assert!(part == "..." || run.out.contains(part), "the README has `{part}`, but not\n{run}");
        }
    }
}
