//! Small crates with a bug, and the same without: each is found with as few preemptions as it needs, and nothing else is.
//!
//! By default a share of it is run. All of it, published bugs included: `CAISSA_CORPUS=all`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::project::{Project, run};

/// Whether all of the corpus is run.
fn all() -> bool {
    std::env::var("CAISSA_CORPUS").is_ok_and(|value| value == "all")
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// What is expected of a crate.
struct Expected {
    test: String,
    kind: Option<String>,
    bound: u64,
}

impl Expected {
    fn read(directory: &Path) -> Expected {
        let path = directory.join("expected.toml");
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let value = |key: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(" = "));
            lines
                .into_iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value.trim_matches('"').to_owned())
        };
        Expected {
            test: value("test").expect("it names its test"),
            kind: value("kind"),
            bound: value("bound").expect("it has a bound").parse().expect("a bound is a number"),
        }
    }

    /// What is wrong with what came of the test, if anything.
    fn differs(&self, result: &Json, explored: u64) -> Option<String> {
        let text = |key: &str| result[key].as_str().unwrap_or_default();
        let verdict = text("verdict");
        let bound = result["bound"].as_u64();
        let differs = match &self.kind {
            Some(kind) => verdict != "bug" || text("kind") != kind || bound != Some(self.bound),
            None => verdict != "verified" && !(verdict == "bounded" && bound == Some(explored)),
        };
        differs.then(|| format!("{}: {verdict}, bound {bound:?}, kind {:?}", self.test, text("kind")))
    }
}

/// The results of a command line, by package.
fn results(directory: &Path, line: &str) -> BTreeMap<String, Json> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus");
    let mut command = Project::at(directory).command(line);
    command.arg("--target-dir").arg(target);
    let run = run(&mut command);
    let lines = run.out.lines().map(|line| serde_json::from_str::<Json>(line).expect("lines are JSON"));
    let results = lines.filter(|result| result.get("package").is_some());
    let results: BTreeMap<String, Json> = results
        .map(|result| (result["package"].as_str().expect("it has a name").to_owned(), result))
        .collect();
    assert!(!results.is_empty(), "{run}");
    results
}

#[test]
fn each_bug_is_found_at_its_bound_and_nothing_else() {
    const SHARE: usize = 4;
    let directory = corpus().join("rust-native");
    let mut names: Vec<String> = std::fs::read_dir(directory.join("fail"))
        .expect("the corpus is there")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 20, "{names:?}");
    let chosen: Vec<&String> = names
        .iter()
        .enumerate()
        .filter(|(index, _)| all() || index % SHARE == 0)
        .map(|(_, name)| name)
        .collect();
    let packages: Vec<String> =
        chosen.iter().flat_map(|name| [format!("-p {name}"), format!("-p {name}-fail")]).collect();
    let line =
        format!("test --locked --json --search preemptions --bound 1 --time 600 {}", packages.join(" "));
    let results = results(&directory, &line);
    let mut wrong = Vec::new();
    for name in chosen {
        for (half, package) in [("fail", format!("{name}-fail")), ("pass", name.clone())] {
            let expected = Expected::read(&directory.join(half).join(name));
            let result = results.get(&package).unwrap_or_else(|| panic!("no result of {package}"));
            assert_eq!(result["test"].as_str(), Some(&*expected.test), "{package}");
            wrong.extend(expected.differs(result, 1).map(|how| format!("{package}: {how}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn published_bugs_are_found_and_their_mended_versions_are_clean() {
    let directory = corpus().join("published");
    let names: &[&str] = match all() {
        true => &[
            "thread_local-1.1.3",
            "thread_local-1.1.4",
            "internment-0.3.13",
            "internment-0.7.5",
            "crossbeam-deque-0.8.0",
            "crossbeam-deque-0.8.1",
            "crossbeam-channel-0.5.14",
            "crossbeam-channel-0.5.15",
            "tokio-oneshot-1.8.3",
            "tokio-oneshot-1.8.4",
            "tokio-broadcast-1.44.1",
            "tokio-broadcast-1.44.2",
        ],
        false => &["thread_local-1.1.3", "thread_local-1.1.4", "internment-0.3.13", "internment-0.7.5"],
    };
    let mut wrong = Vec::new();
    for name in names {
        let expected = Expected::read(&directory.join(name));
        let line = "test --locked --json --search preemptions --bound 2 --time 600";
        let results = results(&directory.join(name), line);
        let result = results.values().next().expect("there is one");
        wrong.extend(expected.differs(result, 2).map(|how| format!("{name}: {how}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
