//! What a model or a program says of itself: lines `//! check OPTIONS => VERDICT [kind=K] [bound=B] [executions=E] [states=S]` and
//! `//! verify OPTIONS => VERDICT [kind=K] [rounds=R] [yields=Y] [delays=D]`.

use std::collections::BTreeMap;
use std::fmt;

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The line in the file.
    pub line: usize,
    /// What is asked for.
    pub command: Command,
    /// The options, as for the command line.
    pub options: Vec<String>,
    /// What must come of it.
    pub result: Expected,
}

/// A command that has expectations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Check,
    Verify,
}

impl Command {
    /// Its name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Command::Check => "check",
            Command::Verify => "verify",
        }
    }

    /// The numbers of its reports that may be expected.
    pub fn numbers(self) -> [&'static str; 3] {
        match self {
            Command::Check => ["bound", "executions", "states"],
            Command::Verify => ["rounds", "yields", "delays"],
        }
    }
}

/// What must come of it. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub verdict: String,
    pub kind: Option<String>,
    /// By name.
    pub numbers: BTreeMap<&'static str, u64>,
}

const VERDICTS: [&str; 4] = ["verified", "bounded", "incomplete", "bug"];
const KINDS: [&str; 19] = [
    "assertion",
    "deadlock",
    "livelock",
    "good-samaritan",
    "race",
    "division",
    "index",
    "range",
    "final",
    "recursion",
    "abort",
    "bad-unlock",
    "destroyed",
    "double-free",
    "exception",
    "exit",
    "memory",
    "signal",
    "use-after-free",
];

impl Expected {
    /// Whether this is all that `other` asks for.
    pub fn satisfies(&self, other: &Expected) -> bool {
        self.verdict == other.verdict
            && (other.kind.is_none() || self.kind == other.kind)
            && other.numbers.iter().all(|(name, number)| self.numbers.get(name) == Some(number))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        if let Some(kind) = &self.kind {
            write!(f, " kind={kind}")?;
        }
        for (name, number) in &self.numbers {
            write!(f, " {name}={number}")?;
        }
        Ok(())
    }
}

/// The expectations of a text for `check`.
pub fn expectations(name: &str, text: &str) -> Vec<Expectation> {
    expectations_of(Command::Check, name, text)
}

/// The expectations of a text for a command. Panics on a line that is none: the corpus is ours.
pub fn expectations_of(command: Command, name: &str, text: &str) -> Vec<Expectation> {
    let lines =
        text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, line.strip_prefix("//!")?)));
    let read =
        lines.map(|(line, rest)| parse(rest, line).unwrap_or_else(|why| panic!("{name}:{line}: {why}")));
    read.filter(|expectation| expectation.command == command).collect()
}

fn parse(text: &str, line: usize) -> Result<Expectation, String> {
    let (left, right) = text.split_once("=>").ok_or("no `=>`")?;
    let mut options = left.split_whitespace();
    let command = match options.next() {
        Some("check") => Command::Check,
        Some("verify") => Command::Verify,
        _ => return Err("neither a `check` nor a `verify`".to_owned()),
    };
    let mut words = right.split_whitespace();
    let verdict = words.next().ok_or("no verdict")?;
    if !VERDICTS.contains(&verdict) {
        return Err(format!("no verdict is called {verdict}"));
    }
    let mut result = Expected { verdict: verdict.to_owned(), ..Expected::default() };
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("not NAME=VALUE: {word}"))?;
        if name == "kind" {
            if !KINDS.contains(&value) {
                return Err(format!("no kind is called {value}"));
            }
            result.kind = Some(value.to_owned());
            continue;
        }
        let known = command.numbers().into_iter().find(|known| *known == name);
        let known = known.ok_or_else(|| format!("nothing is called {name} in a {}", command.word()))?;
        let number = value.parse().map_err(|_| format!("not a number: {value}"))?;
        result.numbers.insert(known, number);
    }
    Ok(Expectation { line, command, options: options.map(str::to_owned).collect(), result })
}
