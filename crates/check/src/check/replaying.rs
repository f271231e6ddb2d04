//! Replaying: one schedule, and what it shows.

use std::path::Path;
use std::sync::Mutex;

use caissa_core::{Cost, Difference, Ending, GuideSpec, Job, Limit, PointSet, Schedule};
use caissa_search::{Minimised, Replay, Subject as _, Summary, Verdict};

use super::Check;
use crate::front_end::FrontEnd;
use crate::report::{CutOff, Divergence, Names, Report, file};
use crate::settings::{Error, Points};

/// Where a replay of a schedule has left it.
fn difference(schedule: &Schedule, replay: &Replay) -> Option<Difference> {
    let replayed = &replay.trace.schedule;
    match replay.ending {
        // It may come from a search that did not look for races.
        Ending::Raced if schedule.begins_like(replayed) => None,
        Ending::Diverged => {
            let at = Difference { same_until: replayed.steps, differs_by: replayed.steps };
            Some(schedule.difference(replayed).unwrap_or(at))
        }
        _ => schedule.difference(replayed),
    }
}

impl<F: FrontEnd> Check<F> {
    /// Replays a schedule once, with the points that this check has.
    pub(super) fn follow(&self, schedule: &Schedule, trace_file: Option<&Path>) -> Result<Report, F::Error> {
        self.require_same_settings(schedule)?;
        let max_steps = self.settings.max_steps;
        // What was cut off is written down as far as `max_steps` was then.
        let was_cut_off = schedule.cut_off || schedule.repeat.is_some();
        let steps = if was_cut_off { schedule.steps } else { max_steps.max(schedule.steps) };
        let single = self.settings.single(schedule.prefix(), GuideSpec::NonPreemptive);
        let job = Job { limit: Limit { steps, ..single.limit }, repeat: schedule.repeat, ..single };
        let (replay, difference, names, cut_off) = self.on_subject(|subject| {
            let mut replay = subject.replay(&job);
            let difference = difference(schedule, &replay);
            if was_cut_off && max_steps > steps && difference.is_none() && replay.bug.is_none() {
                // It goes on from there.
                let limit = Limit { steps: max_steps, ..job.limit };
                replay = subject.replay(&Job { limit, ..job.clone() });
            }
            let cut_off =
                (replay.ending == Ending::StepLimit).then(|| CutOff::new(replay.trace.clone(), subject));
            let names = Names::of(subject, &replay.trace, replay.bug.as_ref());
            (replay, difference, names, cut_off)
        })?;
        let summary = Summary { steps: replay.trace.schedule.steps as u64, ..Summary::default() };
        let mut report = self.report(Verdict::Incomplete, summary);
        report.replayed = true;
        if let Some(difference) = difference {
            report.verdict = Verdict::Diverged;
            let how = trace_file.map(|path| file::difference(path, &replay.trace)).transpose()?.flatten();
            report.divergence = Some(Divergence::of_replay(difference, how, self.front.words()));
            return Ok(report);
        }
        if let Some(bug) = replay.bug.clone() {
            report.verdict = Verdict::Bug;
            let spent = replay.spent;
            let minimised = Minimised { replay, bug, cost: Cost::Preemptions, attempts: 1 };
            let finding = self.finding(minimised, false, names);
            debug_assert_eq!(finding.preemptions, spent);
            report.finding = Some(finding);
        } else {
            report.cut_off = cut_off;
        }
        Ok(report)
    }

    /// A schedule says which accesses of data are points.
    pub(super) fn adopt_points(&mut self, schedule: &Schedule) {
        self.points = match schedule.identity.points {
            PointSet::Sync | PointSet::Reference => Points::Sync,
            PointSet::Racy => Points::Racy,
            PointSet::All => Points::All,
        };
        self.promoted = Mutex::new(schedule.promoted.clone());
    }

    fn require_same_settings(&self, schedule: &Schedule) -> Result<(), Error> {
        let own = self.front.identity();
        schedule.require_made_by(own.front_end).map_err(Error::Schedule)?;
        let words = self.front.words();
        let identity = schedule.identity;
        let reference = identity.points == PointSet::Reference;
        let difference = if reference != (own.points == PointSet::Reference) {
            let here = if reference { PointSet::Sync } else { PointSet::Reference };
            Some(format!("scheduling points {:?}, here {here:?}", identity.points))
        } else if identity.fair_k != self.settings.fairness() {
            let fairness =
                |k| if k == 0 { "no fairness".to_owned() } else { format!("fairness with k = {k}") };
            let (then, now) = (fairness(identity.fair_k), fairness(self.settings.fairness()));
            Some(format!("{then}, here {now} ({})", words.names(&["fair", "fair_k"])))
        } else if identity.faults != self.settings.faults {
            Some(format!(
                "a faults budget of {}, here {} ({})",
                identity.faults,
                self.settings.faults,
                words.names(&["faults"])
            ))
        } else {
            None
        };
        difference.map_or(Ok(()), |difference| Err(Error::OtherSettings(difference)))
    }
}
