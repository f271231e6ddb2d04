//! A failing execution is confirmed and made small, and becomes a finding; one that was cut off is shown as it is.

use caissa_core::{AtCut, Cost, Ending, Failure, Job};
use caissa_search::{Finder, Found, Limits, Minimised, Replay, Subject as _, Verdict, minimise};

use super::{Check, say};
use crate::front_end::FrontEnd;
use crate::report::{CutOff, Divergence, Finding, Names, Report, file};

impl<F: FrontEnd> Check<F> {
    /// Replays a failure, makes it small and puts it into the report.
    pub(super) fn examine(
        &self,
        finder: Finder,
        failure: &Failure,
        report: &mut Report,
    ) -> Result<(), F::Error> {
        let words = self.front.words();
        if failure.ending == Ending::Diverged {
            report.divergence = Some(Divergence::on_the_way(failure.step, words));
            return Ok(());
        }
        self.front.reliance().give_up();
        let cost = self.settings.search.cost();
        let limits = Limits {
            max_steps: self.settings.max_steps,
            faults: self.settings.faults,
            attempts: self.settings.minimise.max(1),
        };
        let found = self.on_subject(|subject| {
            let found = minimise(subject, failure, cost, limits);
            let names = match &found {
                Found::Bug(minimised) => {
                    self.run_last(subject, minimised);
                    Names::of(subject, &minimised.replay.trace, Some(&minimised.bug))
                }
                Found::Diverged(replay) => Names::of(subject, &replay.trace, replay.bug.as_ref()),
            };
            (found, names)
        })?;
        match found {
            (Found::Diverged(replay), names) => {
                report.verdict = Verdict::Diverged;
                report.divergence = Some(Divergence::unconfirmed(failure, &replay, words));
                report.finding = self.unconfirmed(*replay, names);
            }
            (Found::Bug(minimised), names) => {
                let spent = minimised.replay.spent;
                let proven = (0..spent).all(|lower| {
                    report.summary.bounds.iter().any(|bound| bound.bound == lower && bound.is_exhaustive())
                });
                // A search by the same cost comes to the cheapest first.
                let first = match finder {
                    Finder::Bounded { cost: by, bound } if by == cost => spent == bound,
                    Finder::Bounded { .. } | Finder::Sampled(_) => true,
                };
                let left_out = self.front.reliance().was_broken() || self.front.sealing().has_left_out();
                let minimal = proven && first && cost != Cost::Free && !left_out;
                report.finding = Some(self.finding(*minimised, minimal, names));
            }
        }
        Ok(())
    }

    /// Lets a subject run an execution again, so that the names it knows are those of this one and not of a failed attempt to make it
    /// smaller.
    fn run_last(&self, subject: &mut F::Subject, minimised: &Minimised) {
        if minimised.attempts > 1 && subject.can_go_on() {
            let Failure { choices, guide, at_cut, repeat, .. } = minimised.replay.failure.clone();
            let single = self.settings.single(choices, guide);
            subject.replay(&Job { cost: minimised.cost, at_cut, repeat, ..single });
        }
    }

    /// An execution that was cut off at `max_steps`, if the search has kept one.
    pub(super) fn show_cut_off(&self) -> Result<Option<CutOff>, F::Error> {
        let Some(Failure { choices, guide, at_cut, .. }) = self.past.take_cut_off() else { return Ok(None) };
        // Where an execution is cut depends on what choices cost.
        let cost = if at_cut == AtCut::Stop { Cost::Preemptions } else { self.settings.search.cost() };
        let job = Job { at_cut, cost, ..self.settings.single(choices, guide) };
        self.front.reliance().give_up();
        let shown = self.on_subject(|subject| {
            let replay = subject.replay(&job);
            (replay.ending == Ending::StepLimit).then(|| CutOff::new(replay.trace, subject))
        })?;
        Ok(shown.map(|shown| shown.replayed_by(|schedule| self.front.replay_command(schedule))))
    }

    /// What is wrong with an execution that did not come back, if anything is: a bug all the same.
    pub(super) fn unconfirmed(&self, replay: Replay, names: Names) -> Option<Finding> {
        let bug = replay.bug.clone()?;
        let minimised = Minimised { replay, bug, cost: Cost::Preemptions, attempts: 1 };
        Some(Finding { confirmed: false, ..self.finding(minimised, false, names) })
    }

    /// The finding, whose trace is written to the file that was asked for. A finding is not lost because that fails.
    pub(super) fn finding(&self, minimised: Minimised, minimal: bool, names: Names) -> Finding {
        let trace = minimised.replay.trace;
        let mut finding = Finding {
            bug: minimised.bug,
            preemptions: trace.preemptions(),
            faults: trace.faults(),
            cost: minimised.cost,
            spent: minimised.replay.spent,
            minimal,
            confirmed: true,
            task_names: names.tasks,
            objects: names.objects,
            details: names.details,
            trace_file: None,
            again: self.front.replay_command(&trace.schedule.to_string()),
            words: self.front.words(),
            trace,
        };
        if let Some(path) = &self.settings.trace_file {
            match file::write(path, &finding) {
                Ok(()) => finding.trace_file = Some(path.clone()),
                Err(error) => say(format_args!("caissa: {error}\n")),
            }
        }
        finding
    }
}
