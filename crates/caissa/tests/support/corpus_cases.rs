//! A corpus: programs with a bug and their fixed twins, whose heads hold what is expected.
//!
//! `BLESS=1 cargo test -p caissa corpus` writes the measured figures there; what must hold whatever the figures
//! are is asserted here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use caissa::{Builder, Report, Search, Verdict};

pub struct Case {
    /// Below the folder of the corpus, without the ending.
    pub path: &'static str,
    pub text: &'static str,
    pub run: fn(),
}

pub struct Corpus {
    /// Below the repository's `corpus`.
    pub folder: &'static str,
    pub cases: &'static [Case],
    /// Executions that a passing case may take at one bound, and all its schedules together.
    pub max_executions: u64,
    /// Passing cases are explored at least to this bound.
    pub bound: u32,
}

/// The searches that every case is measured with, by the word in its head.
fn searches() -> [(&'static str, Builder); 3] {
    [
        ("preemptions", Builder::new().search(Search::Preemptions)),
        ("delays rr", Builder::new().search(Search::Delays).scheduler("rr")),
        ("delays dfs", Builder::new().search(Search::Delays).scheduler("depth-first")),
    ]
}

impl Case {
    pub fn is_bug(&self) -> bool {
        self.path.starts_with("fail/")
    }

    fn optional(&self, name: &str) -> Option<&'static str> {
        let prefix = format!("// {name}: ");
        self.text.lines().find_map(|line| line.strip_prefix(&prefix))
    }

    pub fn field(&self, name: &str) -> &'static str {
        self.optional(name).unwrap_or_else(|| panic!("{} has no line `// {name}: ...`", self.path))
    }

    /// The faults budget, if the head sets one: a program can have another bug that only a fault shows.
    fn faults(&self) -> u32 {
        self.optional("faults").map_or(1, |n| n.parse().unwrap())
    }

    pub fn explore(&self, builder: &Builder) -> Report {
        let report = builder.clone().faults(self.faults()).explore(self.run);
        report.unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    /// The least bound at which a search finds the bug, from the head.
    pub fn bug_bound(&self, search: &str) -> u32 {
        let bound = self.field(search).split(',').next().unwrap();
        bound
            .parse()
            .unwrap_or_else(|_| panic!("{}: `{search}` is not measured; run with BLESS=1", self.path))
    }
}

impl Corpus {
    pub fn bugs_are_found_at_their_minimal_bounds_and_replay(&self) {
        for case in self.cases.iter().filter(|case| case.is_bug()) {
            self.settle(case, &self.measure_bug(case));
        }
    }

    pub fn fixed_twins_pass_beyond_the_bounds_of_their_bugs(&self) {
        for case in self.cases.iter().filter(|case| !case.is_bug()) {
            self.settle(case, &self.measure_pass(case));
        }
    }

    /// Leaving out equivalent executions loses no class of any program that is small enough, and no bug.
    pub fn reduction_loses_nothing(&self) {
        let mut compared = 0;
        for case in self.cases {
            for builder in [
                Builder::new().search(Search::Preemptions).bound(1),
                Builder::new().search(Search::Preemptions).bound(2),
                Builder::new().search(Search::Dfs),
            ] {
                let builder = builder.keep_going(true).minimise(1).max_executions(20_000);
                let (all, fewer) = (case.explore(&builder), case.explore(&builder.clone().reduce(true)));
                if all.summary.stopped.is_some() || all.summary.step_limited() > 0 {
                    continue;
                }
                compared += 1;
                // A panic of the main task ends an execution, and then its class depends on what came before.
                if all.finding.is_none() {
                    assert_eq!(fewer.summary.classes(), all.summary.classes(), "{}", case.path);
                }
                assert_eq!(fewer.finding.is_some(), all.finding.is_some(), "{}", case.path);
                if let Some(finding) = &fewer.finding {
                    let again = case.explore(&Builder::new().replay(&finding.schedule()));
                    assert_eq!(again.verdict, Verdict::Bug, "{}: {again}", case.path);
                }
            }
        }
        assert!(compared > self.cases.len(), "only {compared} searches were small enough");
    }

    pub fn every_program_is_a_case(&self) {
        for kind in ["fail", "pass"] {
            for entry in std::fs::read_dir(self.folder().join(kind)).unwrap() {
                let path = entry.unwrap().path();
                let name = format!("{kind}/{}", path.file_stem().unwrap().to_str().unwrap());
                assert!(
                    self.cases.iter().any(|case| case.path == name),
                    "{name} is not in the list of cases"
                );
            }
        }
    }

    fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(self.folder)
    }

    /// The buggy programs of which a case is the fixed twin.
    fn bugs_of(&self, case: &Case) -> impl Iterator<Item = &'static Case> {
        let twins = case.field("twin");
        self.cases
            .iter()
            .filter(move |case| twins.split(", ").any(|twin| twin == format!("{}.rs", case.path)))
    }

    /// What is measured of a buggy program; asserts what must hold whatever the figures are.
    fn measure_bug(&self, case: &Case) -> BTreeMap<&'static str, String> {
        let mut measured = BTreeMap::new();
        let default = case.explore(&Builder::new());
        let expected = case.optional("default").unwrap_or("bug");
        assert_eq!(default.verdict.word(), expected, "{}, default search: {default}", case.path);
        for (name, builder) in searches() {
            let report = case.explore(&builder.bound(4).max_executions(self.max_executions));
            assert_eq!(report.verdict, Verdict::Bug, "{}, {name}: {report}", case.path);
            let finding = report.finding.as_ref().unwrap();
            assert!(finding.minimal, "{}, {name}: every smaller bound was exhausted: {report}", case.path);
            let below = report.summary.bounds.iter().take(finding.spent as usize);
            assert!(below.clone().all(|bound| bound.complete), "{}, {name}: {report}", case.path);
            assert_eq!(case.field("verdict"), format!("bug {}", finding.bug.kind()), "{}, {name}", case.path);

            let replayed = case.explore(&Builder::new().replay(&finding.schedule()));
            let again =
                replayed.finding.unwrap_or_else(|| panic!("{}, {name}: the replay shows no bug", case.path));
            assert_eq!((&again.bug, &again.trace), (&finding.bug, &finding.trace), "{}, {name}", case.path);
            measured.insert(name, format!("{}, {} executions", finding.spent, report.executions()));
        }
        measured
    }

    /// What is measured of a correct program.
    fn measure_pass(&self, case: &Case) -> BTreeMap<&'static str, String> {
        let mut measured = BTreeMap::new();
        let all = case.explore(&Builder::new().search(Search::Dfs).max_executions(self.max_executions));
        assert!(all.finding.is_none(), "{}: {all}", case.path);
        let verified = all.verdict == Verdict::Verified;
        let verdict = if verified {
            format!("verified, {} executions", all.executions())
        } else {
            "bounded".to_owned()
        };
        measured.insert("verdict", verdict);
        for (name, builder) in searches() {
            let beyond_bug = self.bugs_of(case).map(|bug| bug.bug_bound(name) + 1).max().unwrap_or(0);
            let mut best = None;
            for bound in 0..=beyond_bug.max(self.bound) {
                let report = case.explore(&builder.clone().bound(bound).max_executions(self.max_executions));
                assert!(report.finding.is_none(), "{}, {name}: {report}", case.path);
                if report.verdict == Verdict::Incomplete {
                    break;
                }
                best = Some((bound, report.executions()));
            }
            let (bound, executions) =
                best.unwrap_or_else(|| panic!("{}, {name}: bound 0 is too large", case.path));
            assert!(
                verified || bound >= beyond_bug,
                "{}, {name}: bound {bound} is not beyond the bug's",
                case.path
            );
            measured.insert(name, format!("{bound}, {executions} executions"));
        }
        measured
    }

    /// Compares with the head of the file, or writes the figures into it.
    pub fn settle(&self, case: &Case, measured: &BTreeMap<&'static str, String>) {
        if std::env::var_os("BLESS").is_none() {
            for (name, value) in measured {
                assert_eq!(
                    case.field(name),
                    value,
                    "{}: `{name}`; BLESS=1 writes what was measured",
                    case.path
                );
            }
            return;
        }
        let path = self.folder().join(case.path).with_extension("rs");
        // Another test may have written its figures since this was compiled.
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(|line| {
            let field = line.strip_prefix("// ").and_then(|line| line.split_once(": "));
            match field.and_then(|(name, _)| measured.get_key_value(name)) {
                Some((name, value)) => format!("// {name}: {value}\n"),
                None => format!("{line}\n"),
            }
        });
        std::fs::write(path, lines.collect::<String>()).unwrap();
    }
}
