//! What an engine has found that explores states and makes no jobs: confirmed and reported as everything else.

use caissa_core::{Cost, Failure};
use caissa_search::{BoundSummary, Finder, Stopped, Summary, Verdict};

use super::Check;
use crate::front_end::FrontEnd;
use crate::report::Report;

/// What came of exploring states.
#[derive(Clone, Debug, Default)]
pub struct StatesExplored {
    /// States by bound, and whether all of them were expanded; one entry if there are no bounds.
    pub bounds: Vec<(u32, u64, bool)>,
    /// Transitions.
    pub transitions: u64,
    /// Every state was expanded, whatever it costs.
    pub complete: bool,
    /// Some execution was not followed to its end.
    pub cut_off: bool,
    /// Why it ended early.
    pub stopped: Option<Stopped>,
    /// A failing execution, and the bound at which it was found.
    pub failure: Option<(Failure, u32)>,
    /// What the executions that were explored have, if others were left out: the end of "every schedule with".
    pub within: Option<String>,
    /// What is to be said beside the verdict.
    pub notes: Vec<String>,
}

impl<F: FrontEnd> Check<F> {
    /// Confirms what was found, makes it small, and reports.
    ///
    /// # Errors
    /// If the program cannot be run, or a file cannot be written.
    pub fn report_states(self, explored: StatesExplored) -> Result<Report, F::Error> {
        let cost = self.settings.search.cost();
        let bounds = explored.bounds.iter().map(|&(bound, new_states, complete)| BoundSummary {
            bound,
            new_states,
            complete,
            ..BoundSummary::default()
        });
        let bounds_complete = explored.bounds.iter().all(|bound| bound.2);
        let failure = explored.failure.map(|(failure, bound)| (Finder::Bounded { cost, bound }, failure));
        let summary = Summary {
            bounds: bounds.collect(),
            steps: explored.transitions,
            failures: failure.is_some() as u64,
            stopped: explored.stopped,
            more: !explored.complete,
            failure: failure.clone(),
            ..Summary::default()
        };
        let verdict = match (&failure, explored.stopped) {
            (Some(_), _) => Verdict::Bug,
            (None, Some(_)) => Verdict::Incomplete,
            (None, None) if explored.cut_off => Verdict::Incomplete,
            (None, None) if explored.within.is_some() && bounds_complete => Verdict::Bounded,
            (None, None) if explored.complete => Verdict::Verified,
            (None, None) if cost == Cost::Free => Verdict::Incomplete,
            (None, None) => Verdict::Bounded,
        };
        let mut report = self.report(verdict, summary);
        report.of_states = true;
        report.within = explored.within;
        report.add_notes(explored.notes);
        if let Some((finder, failure)) = failure {
            self.examine(finder, &failure, &mut report)?;
        }
        Ok(self.timed(report))
    }
}
