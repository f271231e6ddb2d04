//! What came of a test, in a line.

use caissa_check::{Finding, Report};
use caissa_core::Cost;
use caissa_search::{Stopped, Verdict};

use crate::cargo::explore::{Explored, Outcome};

/// A number with its noun.
pub fn count(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const YELLOW: &str = "\x1b[33m";

fn coloured(word: &str, colour: &str, colours: bool) -> String {
    if colours { format!("{colour}{word}\x1b[0m") } else { word.to_owned() }
}

/// The word for what came of a test.
pub fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Explored(explored) if explored.report.finding.is_some() => "FAILED",
        Outcome::Explored(explored) if explored.report.summary.none_has_ended() => "cut off",
        Outcome::Explored(_) => "ok",
        Outcome::NotExplored(_) => "not explored",
        Outcome::NotRun(_) => "not run",
        Outcome::Ignored => "ignored",
        Outcome::Skipped(_) => "skipped",
    }
}

fn colour(outcome: &Outcome) -> &'static str {
    match word(outcome) {
        "ok" => GREEN,
        "FAILED" => RED,
        _ => YELLOW,
    }
}

/// What came of a test, behind its name.
pub fn line(outcome: &Outcome, colours: bool) -> String {
    let word = coloured(word(outcome), colour(outcome), colours);
    match outcome {
        Outcome::Explored(explored) => format!("{word} ({})", of_explored(explored)),
        Outcome::NotExplored(reason) => format!("{word} ({})", reason.why),
        Outcome::NotRun(why) | Outcome::Skipped(why) => format!("{word} ({why})"),
        Outcome::Ignored => word,
    }
}

/// The same in one character.
pub fn character(outcome: &Outcome, colours: bool) -> String {
    let character = match word(outcome) {
        "ok" => ".",
        "FAILED" => "F",
        "ignored" => "i",
        "skipped" => "s",
        "not run" => "-",
        "cut off" => "c",
        _ => "?",
    };
    coloured(character, colour(outcome), colours)
}

fn of_explored(explored: &Explored) -> String {
    let report = &explored.report;
    let what = match &report.finding {
        Some(finding) => found(finding),
        None => verdict(report),
    };
    let possible = if explored.possible_race.is_some() { ", a possible race" } else { "" };
    format!(
        "{what}{possible}, {}, {:.1} s",
        count(report.executions(), "execution"),
        report.elapsed.as_secs_f64()
    )
}

fn found(finding: &Finding) -> String {
    let kind = match finding.bug.kind() {
        "race" => "data race",
        kind => kind,
    };
    let unit = finding.cost.unit(finding.spent);
    if !finding.confirmed {
        return format!("{kind}, not deterministic");
    }
    let mut text = format!("{kind}, {} {unit}", finding.spent);
    if finding.faults > 0 {
        text.push_str(&format!(", {}", count(finding.faults as u64, "fault")));
    }
    text
}

/// What can be concluded where nothing was found.
fn verdict(report: &Report) -> String {
    let summary = &report.summary;
    let cost = report.cost();
    let within = |bound: u32| format!("{bound} {}", cost.unit(bound));
    match report.verdict {
        Verdict::Bounded if summary.none_has_ended() => {
            let bound = summary.complete_bound().unwrap_or_default();
            format!("bounded: none came to its end within {}", within(bound))
        }
        Verdict::Bounded => match summary.complete_bound() {
            Some(bound) if cost != Cost::Free && report.sealed().is_none() => {
                format!("bounded: {}", within(bound))
            }
            _ => match report.sealed() {
                Some(sealed) => format!("bounded: {sealed}"),
                None => "bounded".to_owned(),
            },
        },
        Verdict::Incomplete if summary.step_limited() > 0 => {
            format!("incomplete: {} cut off by --max-steps", count(summary.step_limited(), "execution"))
        }
        Verdict::Incomplete => {
            let done = match summary.complete_bound() {
                Some(bound) if cost != Cost::Free => format!("no bug with at most {}", within(bound)),
                _ => "no bug so far".to_owned(),
            };
            let interrupted = summary.stopped == Some(Stopped::Interrupted);
            format!("incomplete: {done}{}", if interrupted { ", interrupted" } else { "" })
        }
        verdict => verdict.word().to_owned(),
    }
}
