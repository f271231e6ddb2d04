//! A report as one JSON object, for other programs. Written by hand: these are eleven fields, and the library's users would have to
//! build whatever did it.

use std::fmt::{self, Write as _};

use caissa_core::{Bug, Cost};
use caissa_search::Verdict;

use super::{Finding, Report, sentences};

/// A value; nothing is `null`.
enum Value {
    Text(Option<String>),
    Number(Option<u64>),
    Seconds(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(Some(text)) => write_string(f, text),
            Value::Number(Some(number)) => write!(f, "{number}"),
            Value::Seconds(seconds) => write!(f, "{seconds:.6}"),
            Value::Text(None) | Value::Number(None) => f.write_str("null"),
        }
    }
}

/// A string as JSON has it (RFC 8259, section 7).
fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            // Line separators are legal, but end a line in what many read JSON with.
            c if c < ' ' || matches!(c, '\u{7f}' | '\u{2028}' | '\u{2029}') => {
                write!(f, "\\u{:04x}", c as u32)?;
            }
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

impl Report {
    /// One JSON object: verdict, kind, bound, executions, classes, states, steps, seconds, schedule, location, message; what is not
    /// known is null. `message` is what is wrong, or why the questions of an engine that asks some have no full answer. `bound` is for a bug what its schedule costs, by the cost of the search, and for `bounded` the largest bound that
    /// was explored completely. Engines that ask questions add numbers of their own.
    pub fn to_json(&self) -> String {
        let finding = self.finding.as_ref();
        let text = |text: Option<&str>| Value::Text(text.map(str::to_owned));
        let counts = !self.replayed && !self.of_states && self.answers.is_none();
        let searched = |number: u64| Value::Number(Some(number).filter(|_| counts));
        let fields = [
            ("verdict", text(Some(self.verdict.word()))),
            ("kind", text(finding.map(|finding| finding.bug.kind()))),
            ("bound", Value::Number(self.json_bound().map(u64::from))),
            ("executions", searched(self.executions())),
            ("classes", Value::Number(Some(self.summary.classes()).filter(|_| self.classes && counts))),
            ("states", Value::Number(self.states())),
            ("steps", Value::Number(Some(self.summary.steps).filter(|_| self.answers.is_none()))),
            ("seconds", Value::Seconds(self.elapsed.as_secs_f64())),
            ("schedule", Value::Text(finding.filter(|finding| finding.confirmed).map(Finding::schedule))),
            ("location", Value::Text(finding.and_then(location))),
            ("message", Value::Text(self.message())),
        ];
        let further = self.answers.iter().flat_map(|answers| &answers.fields);
        let further = further.map(|&(name, number)| (name, Value::Number(number)));
        let fields = fields.into_iter().chain(further);
        let fields: Vec<String> = fields.map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", fields.join(","))
    }

    fn json_bound(&self) -> Option<u32> {
        match (self.verdict, &self.finding) {
            (Verdict::Bug, Some(finding)) => Some(finding.spent),
            (Verdict::Bounded, _) if self.within.is_some() => None,
            (Verdict::Bounded, _) if self.cost != Cost::Free => self.bound(),
            _ => None,
        }
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> Option<String> {
        match (&self.finding, &self.divergence) {
            (Some(finding), _) => Some(match &finding.bug {
                Bug::Panic { panic, .. } => panic.message.clone(),
                _ => sentences::what(finding),
            }),
            (None, Some(divergence)) => Some(divergence.to_string()),
            // Of questions that have no answer, or none without a limit, why.
            (None, None) => {
                let answers = self.answers.as_ref().filter(|_| self.verdict == Verdict::Incomplete)?;
                Some(answers.conclusion.clone())
            }
        }
    }
}

/// Where it went wrong, as `file:line:column`.
fn location(finding: &Finding) -> Option<String> {
    match &finding.bug {
        Bug::Panic { panic, .. } => Some(panic.source.clone()),
        Bug::Deadlock { blocked, cycle } => {
            let in_cycle = blocked.iter().find(|blocked| cycle.first() == Some(&blocked.task));
            in_cycle.or(blocked.first()).map(|blocked| blocked.source.to_string())
        }
        Bug::Livelock { cycle, .. } => {
            let (_, places) = cycle.tasks.first()?;
            places.first().map(|place| place.to_string())
        }
        Bug::GoodSamaritan { task, cycle, .. } => cycle.places(*task).first().map(|place| place.to_string()),
        Bug::Race { second, .. } => Some(second.source.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_json_has_them() {
        let shown = |text: &str| Value::Text(Some(text.to_owned())).to_string();
        assert_eq!(shown("x == 1"), "\"x == 1\"");
        assert_eq!(shown("a \"b\" \\ c"), r#""a \"b\" \\ c""#);
        assert_eq!(shown("a\nb\tc\r"), r#""a\nb\tc\r""#);
        assert_eq!(shown("\0\u{1b}\u{7f}\u{2028}é"), r#""\u0000\u001b\u007f\u2028é""#);
        assert_eq!(Value::Text(None).to_string(), "null");
    }
}
