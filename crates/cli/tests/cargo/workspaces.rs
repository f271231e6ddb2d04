//! Workspaces, and settings in files.

use crate::project::Project;

const PACKAGE: &str = "[package]\nname = \"NAME\"\nedition = \"2024\"\n[features]\nextra = []\n";
const TESTS: &str = "
#[test]
fn quick() {}

#[test]
fn slow_one() {}

#[cfg(feature = \"extra\")]
#[test]
fn extra() {}

mod net {
    #[test]
    fn fetch() {}
}
";

fn workspace() -> Project {
    let left =
        format!("{}\n[package.metadata.caissa]\nmax-executions = 3\n", PACKAGE.replace("NAME", "left"));
    let right = PACKAGE.replace("NAME", "right");
    Project::write(
        "workspace",
        &[
            (
                "Cargo.toml",
                "[workspace]\nresolver = \"3\"\nmembers = [\"left\", \"right\"]\n[workspace.metadata.caissa]\nmax-executions = 9\n",
            ),
            ("left/Cargo.toml", &left),
            ("left/src/lib.rs", TESTS),
            ("right/Cargo.toml", &right),
            ("right/src/lib.rs", TESTS),
            (
                "caissa.toml",
                "max-executions = 6\nskip = [\"net::*\"]\n\n[[test]]\nname = \"slow*\"\nmax-executions = 1\n",
            ),
            ("right/caissa.toml", "[[test]]\nname = \"extra\"\nskip = true\nreason = \"not today\"\n"),
        ],
    )
}

/// The executions of each test, by package and name.
fn executions(project: &Project, line: &str) -> Vec<(String, String, u64)> {
    let run = project.caissa(line);
    assert_eq!(run.code, 0, "{run}");
    let objects = run.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    objects
        .filter_map(|object| {
            Some((text(&object["package"]), text(&object["test"]), object["executions"].as_u64()?))
        })
        .collect()
}

#[test]
fn what_is_nearer_to_a_test_is_stronger() {
    let project = workspace();
    let of = |package: &str, test: &str, executions| (package.to_owned(), test.to_owned(), executions);
    let at_most = |line: &str, most: &[(&str, &str, u64)]| {
        let executions = executions(&project, line);
        let expected: Vec<_> = most.iter().map(|&(package, test, most)| of(package, test, most)).collect();
        let names = |list: &[(String, String, u64)]| {
            list.iter().map(|(package, test, _)| format!("{package} {test}")).collect::<Vec<_>>()
        };
        assert_eq!(names(&executions), names(&expected));
        for (real, most) in executions.iter().zip(&expected) {
            assert!(real.2 <= most.2, "{real:?}, at most {most:?}");
        }
    };
    at_most(
        "test --json --workspace",
        &[("left", "quick", 3), ("left", "slow_one", 1), ("right", "quick", 6), ("right", "slow_one", 1)],
    );
    at_most("test --json -p left --max-executions 2", &[("left", "quick", 2), ("left", "slow_one", 2)]);
}

#[test]
fn tests_are_left_out_with_a_reason() {
    let run = workspace().caissa("test -p right --features extra -- extra fetch");
    run.expect(
        0,
        &[
            "test extra ... skipped (not today)\n",
            "test net::fetch ... skipped (caissa.toml)\n",
            "result: ok. 0 ok; 0 failed; 0 not explored; 0 ignored; 2 skipped; 2 filtered out; ",
        ],
    );
}

#[test]
fn mistakes_in_files_name_the_key_and_the_file() {
    let project = Project::write(
        "misspelt",
        &[
            ("Cargo.toml", "[package]\nname = \"misspelt\"\nedition = \"2024\"\n[workspace]\n"),
            ("src/lib.rs", "#[test]\nfn here() {}\n"),
            ("caissa.toml", "bond = 2\n"),
        ],
    );
    project.caissa("test").expect_mistake(&[
        "error: caissa.toml:1: there is no key `bond`\nhelp: there are bound, max-executions, ",
    ]);
}
