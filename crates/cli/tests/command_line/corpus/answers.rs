//! The JSON of `caissa verify`: the object of every report, and behind it numbers of its own.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::run::Run;

/// The numbers, in order.
const NUMBERS: [&str; 7] = ["rounds", "yields", "delays", "loop", "recursion", "variables", "clauses"];

/// What it has printed.
pub struct Answers {
    /// What every report says.
    pub report: Json,
    numbers: BTreeMap<String, Option<u64>>,
}

impl Answers {
    /// Reads the one object that a run has printed.
    #[track_caller]
    pub fn of(run: &Run) -> Answers {
        let line = run.out.strip_suffix("}\n").unwrap_or_else(|| panic!("no object:\n{run}"));
        // Messages are texts, in which quotes are escaped: this is no part of one.
        let (report, numbers) =
            line.rsplit_once(",\"rounds\":").unwrap_or_else(|| panic!("no rounds:\n{run}"));
        let report = Run { out: format!("{report}}}\n"), ..run.clone() }.json();
        let numbers = format!("\"rounds\":{numbers}");
        let numbers: Vec<(String, Option<u64>)> =
            numbers.split(',').map(|field| number(field, run)).collect();
        let names: Vec<&str> = numbers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, NUMBERS, "{run}");
        Answers { report, numbers: numbers.into_iter().collect() }
    }

    pub fn verdict(&self) -> &str {
        self.report.verdict()
    }

    /// One of its own numbers, or nothing if it is null.
    #[track_caller]
    pub fn number(&self, name: &str) -> Option<u64> {
        *self.numbers.get(name).unwrap_or_else(|| panic!("no field {name}"))
    }
}

#[track_caller]
fn number(field: &str, run: &Run) -> (String, Option<u64>) {
    let read = || {
        let (name, value) = field.strip_prefix('"')?.split_once("\":")?;
        let number = if value == "null" { None } else { Some(value.parse().ok()?) };
        Some((name.to_owned(), number))
    };
    read().unwrap_or_else(|| panic!("{field} is no number:\n{run}"))
}
