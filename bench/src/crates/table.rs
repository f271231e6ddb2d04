//! What `cargo caissa test --json` says of a crate.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Subject, judged};

/// What came of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Explored, and nothing was found.
    Ok,
    /// The same, but no execution came to its end within the limit of steps: what the test asserts last was not reached.
    CutOff,
    /// A bug was found.
    Failed,
    /// It was not explored, or its turn did not come.
    NotExplored,
}

/// A test that counts: ignored ones do not.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    /// The options by which cargo selects its executable.
    pub target: String,
    pub outcome: Outcome,
    /// What was found, or why it was not explored.
    pub said: String,
    pub executions: u64,
}

/// What came of a crate.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: &'static str,
    pub version: &'static str,
    pub tests: Vec<Test>,
    pub seconds: f64,
    /// Why there is nothing, if it could not be built.
    pub unbuilt: Option<String>,
}

impl Test {
    /// From a line, if it is one of a test that counts.
    fn read(line: &Value) -> Option<Test> {
        let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        let executions = line["executions"].as_u64().unwrap_or(0);
        let (outcome, said) = match line["result"].as_str()? {
            "ignored" => return None,
            "failed" => (Outcome::Failed, text("message")),
            "cut off" => (Outcome::CutOff, String::new()),
            "ok" => (Outcome::Ok, String::new()),
            _ => (Outcome::NotExplored, text("reason")),
        };
        Some(Test { name: text("test"), target: text("target"), outcome, said, executions })
    }
}

impl Row {
    /// Reads what the command has printed.
    pub fn read(subject: &Subject, stdout: &str, stderr: &str) -> Result<Row, String> {
        let mut tests = Vec::new();
        let mut seconds = None;
        for line in stdout.lines() {
            let line: Value = serde_json::from_str(line).map_err(|error| format!("`{line}`: {error}"))?;
            if line.get("summary").is_some() {
                seconds = line["seconds"].as_f64();
            } else {
                tests.extend(Test::read(&line));
            }
        }
        let Some(seconds) = seconds else {
            let error = stderr.lines().find(|line| line.starts_with("error")).unwrap_or("it says nothing");
            return Err(error.to_owned());
        };
        Ok(Row { name: subject.name, version: subject.version, tests, seconds, unbuilt: None })
    }

    /// The row of a crate that could not be built.
    pub fn unbuilt(subject: &Subject, why: String) -> Row {
        let Subject { name, version, .. } = *subject;
        Row { name, version, tests: Vec::new(), seconds: 0.0, unbuilt: Some(why) }
    }

    pub fn count(&self, outcome: Outcome) -> usize {
        self.tests.iter().filter(|test| test.outcome == outcome).count()
    }

    pub fn explored(&self) -> usize {
        self.tests.len() - self.count(Outcome::NotExplored)
    }

    pub fn executions(&self) -> u64 {
        self.tests.iter().map(|test| test.executions).sum()
    }

    /// The tests that came to this, with what was found by looking at them.
    pub fn with(&self, outcome: Outcome) -> impl Iterator<Item = (&Test, Option<&'static str>)> {
        let tests = self.tests.iter().filter(move |test| test.outcome == outcome);
        tests.map(|test| (test, judged::of(self.name, &test.target, &test.name)))
    }

    /// Reasons why tests were not explored, with how many, the most frequent ones first.
    pub fn reasons(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (test, _) in self.with(Outcome::NotExplored) {
            *counts.entry(kind(&test.said)).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }
}

/// What reasons of one kind have in common: the first line up to a place or a detail, without the number of a thread.
fn kind(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    if line.contains("under the same schedule") {
        return "not deterministic".to_owned();
    }
    let line = line.split([':', ';']).next().unwrap_or_default();
    let words = line.split(' ').map(|word| {
        let numbered = word.strip_prefix('T').is_some_and(|rest| rest.parse::<u32>().is_ok());
        if numbered { "T" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub const OUTPUT: &str = r#"
{"test":"a","target":"--lib","result":"ok","verdict":"verified","executions":1,"steps":200000,"seconds":0.1}
{"test":"b","target":"--lib","result":"cut off","verdict":"incomplete","executions":30,"steps":6000000,"seconds":7.2}
{"test":"c","target":"--lib","result":"failed","verdict":"bug","executions":5,"steps":80,"message":"data race on x"}
{"test":"d","target":"--test it","result":"not explored","reason":"thread T1 watches files, which cannot be controlled"}
{"test":"e","target":"--test it","result":"not explored","reason":"thread T22 watches files, which cannot be controlled"}
{"test":"f","target":"--test it","result":"not run","reason":"--total-time"}
{"test":"g","target":"--test it","result":"ignored"}
{"summary":"failed","seconds":8.5}"#;

    pub const SUBJECT: Subject = Subject { name: "slab", version: "0.4.12", options: &[] };

    #[test]
    fn outcomes_are_counted_and_ignored_tests_are_not() {
        let row = Row::read(&SUBJECT, OUTPUT.trim(), "").unwrap();
        assert_eq!((row.tests.len(), row.explored(), row.executions(), row.seconds), (6, 3, 36, 8.5));
        let counts = [Outcome::Ok, Outcome::CutOff, Outcome::Failed, Outcome::NotExplored];
        assert_eq!(counts.map(|outcome| row.count(outcome)), [1, 1, 1, 3]);
        let watches = "thread T watches files, which cannot be controlled";
        assert_eq!(row.reasons(), [(watches.to_owned(), 2), ("--total-time".to_owned(), 1)]);
    }

    #[test]
    fn what_could_not_be_built_says_why() {
        let row =
            Row::read(&SUBJECT, "", "   Compiling slab\nerror[E0433]: no `x`\nerror: could not compile\n");
        assert_eq!(row.unwrap_err(), "error[E0433]: no `x`");
    }
}
