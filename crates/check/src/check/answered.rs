//! What an engine has told that asks questions about all executions at once: confirmed and reported as everything else.

use caissa_core::Failure;
use caissa_search::{BoundSummary, Finder, Stopped, Summary, Verdict};

use super::Check;
use crate::front_end::FrontEnd;
use crate::report::{Answers, Report};

/// What came of asking.
#[derive(Clone, Debug)]
pub struct Answered {
    /// What can be concluded; [`Verdict::Bug`] if there is a failure.
    pub verdict: Verdict,
    /// A failing execution.
    pub failure: Option<Failure>,
    /// Bounds in which there is none, by the cost of the search, if the bounds are such.
    pub complete: Vec<u32>,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
    /// The verdict in words, the figures, and further fields for other programs.
    pub answers: Answers,
    /// What is to be said beside the verdict.
    pub notes: Vec<String>,
}

impl<F: FrontEnd> Check<F> {
    /// Confirms what was found, makes it small, and reports.
    ///
    /// # Errors
    /// If the program cannot be run, or a file cannot be written.
    pub fn report_answers(self, answered: Answered) -> Result<Report, F::Error> {
        let cost = self.settings.search.cost();
        let bounds = answered.complete.iter().map(|&bound| BoundSummary {
            bound,
            complete: true,
            ..BoundSummary::default()
        });
        let bound = answered.complete.last().map_or(0, |bound| bound + 1);
        let failure = answered.failure.map(|failure| (Finder::Bounded { cost, bound }, failure));
        let summary = Summary {
            bounds: bounds.collect(),
            failures: failure.is_some() as u64,
            stopped: answered.stopped,
            more: true,
            failure: failure.clone(),
            ..Summary::default()
        };
        let mut report = self.report(answered.verdict, summary);
        report.answers = Some(answered.answers);
        report.add_notes(answered.notes);
        if let Some((finder, failure)) = failure {
            self.examine(finder, &failure, &mut report)?;
        }
        Ok(self.timed(report))
    }
}
