//! What is said of all tests, when the last one has ended.

use std::collections::BTreeMap;

use caissa_search::Verdict;
use serde_json::json;

use super::{Format, Output};
use crate::cargo::explore::Outcome;

/// How many tests came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// No bug was found.
    ok: usize,
    /// The same, but no execution came to its end.
    cut_off: usize,
    /// A bug was found.
    failed: usize,
    /// They could not be explored.
    not_explored: usize,
    /// Among these: they did not do the same under the same schedule.
    diverged: usize,
    /// No bug was found, but the budget ended first, or that of steps did in some execution.
    incomplete: usize,
    /// Their turn did not come.
    not_run: usize,
    /// They are marked as ignored.
    ignored: usize,
    /// The user's settings leave them out.
    skipped: usize,
    /// Nobody has asked for them.
    filtered_out: usize,
}

impl Counts {
    fn exit_code(&self, complete: bool) -> u8 {
        let left = self.incomplete + self.not_run + self.not_explored;
        match self {
            Counts { failed: 1.., .. } => 1,
            Counts { diverged: 1.., .. } => 3,
            _ if complete && left > 0 => 4,
            _ => 0,
        }
    }
}

/// So many tests are named behind a note.
const NAMED: usize = 3;

impl Output<'_> {
    /// Shows what is to be said of all tests, and returns the exit code that tells it. `remarks`: what else is to be said. `complete`: what is
    /// incomplete is a failure.
    pub fn conclude(&mut self, remarks: &[String], complete: bool, interrupted: bool) -> u8 {
        self.clear();
        let counts = self.counts();
        let code = if interrupted { 130 } else { counts.exit_code(complete) };
        let result = match code {
            _ if counts.failed > 0 => "FAILED",
            3 => "not deterministic",
            4 => "incomplete",
            130 => "interrupted",
            _ => "ok",
        };
        let seconds = self.started.elapsed().as_secs_f64();
        if self.style.format == Format::Json {
            let object = json!({
                "summary": result.to_lowercase(),
                "ok": counts.ok,
                "cut_off": counts.cut_off,
                "failed": counts.failed,
                "incomplete": counts.incomplete,
                "not_explored": counts.not_explored,
                "diverged": counts.diverged,
                "not_run": counts.not_run,
                "ignored": counts.ignored,
                "skipped": counts.skipped,
                "filtered_out": counts.filtered_out,
                "notes": remarks,
                "seconds": seconds,
            });
            self.print(&format!("{object}\n"));
            return code;
        }
        let sections = [
            self.section("failures:", |outcome| match outcome {
                Outcome::Explored(explored) if explored.report.finding.is_some() => {
                    let printed = explored.printed.as_ref().map_or(String::new(), |text| {
                        let lines = text.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n");
                        format!("\nThe failing execution prints:\n{}", lines.collect::<String>())
                    });
                    Some(format!("{}{printed}", explored.report))
                }
                _ => None,
            }),
            self.section("possible races, for the standard library is not instrumented:", |outcome| {
                match outcome {
                    Outcome::Explored(explored) => explored.possible_race.clone(),
                    _ => None,
                }
            }),
            self.section("not explored:", |outcome| match outcome {
                Outcome::NotExplored(reason) => Some(reason.details.clone()),
                _ => None,
            }),
        ];
        let mut text = sections.concat();
        let notes = self.notes();
        if !notes.is_empty() || !remarks.is_empty() {
            text.push_str("notes:\n");
            for note in notes.iter().chain(remarks) {
                text.push_str(&format!("  {note}\n"));
            }
            text.push('\n');
        }
        let more =
            |number: usize, word: &str| if number > 0 { format!("{number} {word}; ") } else { String::new() };
        text.push_str(&format!(
            "result: {result}. {} ok; {} failed; {} not explored; {}{}{} ignored; {}{} filtered out; finished in {seconds:.1} s\n",
            counts.ok,
            counts.failed,
            counts.not_explored,
            more(counts.cut_off, "cut off"),
            more(counts.not_run, "not run"),
            counts.ignored,
            more(counts.skipped, "skipped"),
            counts.filtered_out,
        ));
        self.print(&text);
        code
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts { filtered_out: self.filtered, ..Counts::default() };
        for outcome in self.outcomes.iter().flatten() {
            match outcome {
                Outcome::Explored(explored) if explored.report.finding.is_some() => counts.failed += 1,
                Outcome::Explored(explored) => {
                    let cut_off = explored.report.summary.none_has_ended();
                    *(if cut_off { &mut counts.cut_off } else { &mut counts.ok }) += 1;
                    counts.incomplete += (cut_off || explored.report.verdict == Verdict::Incomplete) as usize;
                }
                Outcome::NotExplored(reason) => {
                    counts.not_explored += 1;
                    counts.diverged += reason.diverged as usize;
                }
                Outcome::NotRun(_) => counts.not_run += 1,
                Outcome::Ignored => counts.ignored += 1,
                Outcome::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }

    /// A text for each test that has one, below a heading.
    fn section(&self, heading: &str, text: impl Fn(&Outcome) -> Option<String>) -> String {
        let mut section = String::new();
        for (number, outcome) in self.outcomes.iter().enumerate() {
            if let Some(text) = outcome.as_ref().and_then(&text) {
                section.push_str(&format!("---- {} ----\n{}\n\n", self.full_name(number), text.trim_end()));
            }
        }
        if section.is_empty() { section } else { format!("{heading}\n\n{section}") }
    }

    /// The name of a test, with where it is if that is not clear.
    fn full_name(&self, case: usize) -> String {
        let case = &self.cases[case];
        let name = &case.test.name;
        let elsewhere = |other: &&super::Case| other.binary != case.binary && other.test.name == *name;
        match self.cases.iter().find(elsewhere) {
            Some(_) => {
                let binary = &self.binaries[case.binary];
                format!("{name} of {} ({})", binary.title, binary.package)
            }
            None => name.clone(),
        }
    }

    /// What was said of tests besides, with those of which it was.
    fn notes(&self) -> Vec<String> {
        let mut notes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, outcome) in self.outcomes.iter().enumerate() {
            if let Some(Outcome::Explored(explored)) = outcome {
                explored.notes.iter().for_each(|note| notes.entry(note).or_default().push(number));
            }
        }
        let line = |(note, tests): (&str, Vec<usize>)| {
            let mut names: Vec<String> = tests.iter().take(NAMED).map(|&test| self.full_name(test)).collect();
            if tests.len() > NAMED {
                names.push(format!("{} more", tests.len() - NAMED));
            }
            format!("{note} ({})", names.join(", "))
        };
        notes.into_iter().map(line).collect()
    }
}
