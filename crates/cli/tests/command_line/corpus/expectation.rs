//! What a model says of itself: lines `//! check OPTIONS => VERDICT [kind=K] [bound=B] [executions=E] [states=S]`.

use std::fmt;

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The line in the file.
    pub line: usize,
    /// The options, as for the command line.
    pub options: Vec<String>,
    /// What must come of it.
    pub result: Expected,
}

/// What must come of a check. What is not said may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub verdict: String,
    pub kind: Option<String>,
    pub bound: Option<u64>,
    pub executions: Option<u64>,
    pub states: Option<u64>,
}

const VERDICTS: [&str; 4] = ["verified", "bounded", "incomplete", "bug"];
const KINDS: [&str; 10] = [
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
];

impl Expected {
    /// Whether this is all that `other` asks for.
    pub fn satisfies(&self, other: &Expected) -> bool {
        fn agree<T: PartialEq>(is: &Option<T>, asked: &Option<T>) -> bool {
            asked.is_none() || is == asked
        }
        self.verdict == other.verdict
            && agree(&self.kind, &other.kind)
            && agree(&self.bound, &other.bound)
            && agree(&self.executions, &other.executions)
            && agree(&self.states, &other.states)
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.verdict)?;
        if let Some(kind) = &self.kind {
            write!(f, " kind={kind}")?;
        }
        let numbers = [("bound", self.bound), ("executions", self.executions), ("states", self.states)];
        for (name, number) in numbers {
            if let Some(number) = number {
                write!(f, " {name}={number}")?;
            }
        }
        Ok(())
    }
}

/// The expectations of a text. Panics on a line that is none: the corpus is ours.
pub fn expectations(name: &str, text: &str) -> Vec<Expectation> {
    let lines =
        text.lines().enumerate().filter_map(|(index, line)| Some((index + 1, line.strip_prefix("//!")?)));
    lines.map(|(line, rest)| parse(rest, line).unwrap_or_else(|why| panic!("{name}:{line}: {why}"))).collect()
}

fn parse(text: &str, line: usize) -> Result<Expectation, String> {
    let (left, right) = text.split_once("=>").ok_or("no `=>`")?;
    let mut options = left.split_whitespace();
    if options.next() != Some("check") {
        return Err("not a `check`".to_owned());
    }
    let mut words = right.split_whitespace();
    let verdict = words.next().ok_or("no verdict")?;
    if !VERDICTS.contains(&verdict) {
        return Err(format!("no verdict is called {verdict}"));
    }
    let mut result = Expected { verdict: verdict.to_owned(), ..Expected::default() };
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("not NAME=VALUE: {word}"))?;
        let number = value.parse().map_err(|_| format!("not a number: {value}"));
        match name {
            "kind" if KINDS.contains(&value) => result.kind = Some(value.to_owned()),
            "kind" => return Err(format!("no kind is called {value}")),
            "bound" => result.bound = Some(number?),
            "executions" => result.executions = Some(number?),
            "states" => result.states = Some(number?),
            _ => return Err(format!("nothing is called {name}")),
        }
    }
    Ok(Expectation { line, options: options.map(str::to_owned).collect(), result })
}
