//! Promotion: places of the source whose accesses race become scheduling points, and the search begins again for what comes of it.
//!
//! A race is kept with its places, `file:line:column`: objects have no number that is the same in every schedule. The set of
//! places only grows while a check lasts, so that ends. Races of two promoted places are not reported again; another one promotes
//! more. What is found in the end, a panic or a deadlock, is the finding, and the report names the races; if nothing is, the first
//! race is the finding, as it was found: before its places were promoted.
//!
//! Whatever the workers do, the race that is kept is that of the execution that comes first in the order of the search.

use std::sync::PoisonError;

use caissa_core::race::place_number;
use caissa_core::{Bug, DataAccess};
use caissa_search::Verdict;

use super::Check;
use crate::front_end::FrontEnd;
use crate::report::{Finding, Report};
use crate::settings::Points;

/// Races that were found on the way.
#[derive(Default)]
pub(super) struct Kept {
    /// What the first one was reported as.
    report: Option<Report>,
    /// Its schedule, by which it can be had again in another process.
    schedule: Option<String>,
    /// All of them, each as the words for its two accesses.
    races: Vec<[String; 2]>,
}

/// What stands before a schedule in a resume file.
const SCHEDULE: &str = "schedule";
/// Between the accesses of a race, and between races, in a resume file.
const AND: char = '\t';
const THEN: char = '\n';

fn words(access: &DataAccess) -> String {
    format!("{} {}", if access.writes { "write" } else { "read" }, access.source)
}

/// The place in such words.
fn place(words: &str) -> &str {
    words.split_once(' ').map_or(words, |(_, place)| place)
}

impl Kept {
    /// The races as they go into a resume file.
    pub(super) fn save(&self) -> String {
        let schedule = self.schedule.iter().map(|schedule| [SCHEDULE, schedule].join(&AND.to_string()));
        let races = self.races.iter().map(|pair| pair.join(&AND.to_string()));
        schedule.chain(races).collect::<Vec<String>>().join(&THEN.to_string())
    }
}

impl<F: FrontEnd> Check<F> {
    /// Every place of these races is a point from now on.
    fn promote(&self, races: &[[String; 2]]) -> bool {
        let mut promoted = self.promoted.lock().unwrap_or_else(PoisonError::into_inner);
        let before = promoted.len();
        promoted.extend(races.iter().flatten().map(|words| place_number(place(words))));
        promoted.sort_unstable();
        promoted.dedup();
        promoted.len() > before
    }

    /// Whether some place has been promoted.
    pub(super) fn has_promoted(&self) -> bool {
        !self.promoted.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// A search that goes on from a file has these races behind it.
    pub(super) fn restore(&self, kept: &mut Kept, saved: &str) {
        let (mut schedules, races): (Vec<_>, Vec<_>) =
            saved.split(THEN).filter_map(|pair| pair.split_once(AND)).partition(|(one, _)| *one == SCHEDULE);
        kept.schedule = schedules.pop().map(|(_, schedule)| schedule.to_owned());
        kept.races = races.into_iter().map(|(one, other)| [one.to_owned(), other.to_owned()]).collect();
        self.promote(&kept.races);
    }

    /// A search has ended with this report. True if the search is to begin again, with more points.
    pub(super) fn keeps_race(&self, report: &Report, kept: &mut Kept) -> bool {
        let promotes = |finding: &&Finding| finding.confirmed && self.settings.points == Points::Racy;
        let Some(finding) = report.finding.as_ref().filter(promotes) else { return false };
        let Bug::Race { first, second, .. } = &finding.bug else { return false };
        let race = [words(first), words(second)];
        if !self.promote(std::slice::from_ref(&race)) {
            return false;
        }
        kept.races.push(race);
        kept.schedule.get_or_insert_with(|| finding.schedule());
        kept.report.get_or_insert_with(|| report.clone());
        true
    }

    /// The first race, which another process has found; its places were no points then.
    fn found_before(&self, kept: &Kept) -> Option<Report> {
        self.promoted.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let schedule = kept.schedule.as_ref()?.parse().ok()?;
        let mut report = self.follow(&schedule, None).ok()?;
        report.replayed = false;
        Some(report).filter(|report| report.finding.is_some())
    }

    /// What is reported when the last search has ended: what it has found, or else the first race. `None` if that has to be found
    /// once more, because another process found it and it does not come again.
    pub(super) fn conclude(&self, mut last: Report, kept: &mut Kept) -> Option<Report> {
        let races = std::mem::take(&mut kept.races);
        if races.is_empty() {
            return Some(last);
        }
        if last.finding.is_none() {
            let mut first = kept.report.take().or_else(|| self.found_before(kept))?;
            first.verdict = Verdict::Bug;
            first.summary = last.summary;
            first.resume_file = last.resume_file;
            last = first;
        }
        last.promoted = races;
        Some(last)
    }
}
