//! What a verdict says, and what it takes for granted.

use std::fmt;

use caissa_search::{Stopped, Verdict};

use super::Report;
use crate::settings::Search;
use crate::words::Assumed;

impl Report {
    pub(super) fn write_conclusion(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(answers) = self.answers.as_ref().filter(|_| self.finding.is_none()) {
            return match self.verdict {
                Verdict::Bug | Verdict::Diverged => Ok(()),
                verdict => writeln!(f, "caissa: {}: {}.", verdict.word(), answers.conclusion),
            };
        }
        let fair = self.fair_k > 0 && self.summary.yields;
        let fair_k = Some(self.fair_k).filter(|_| fair);
        let assumed = Assumed { fair_k, faults: self.faults, races: self.races };
        let assumptions = self.words.assumptions(&assumed);
        match self.verdict {
            Verdict::Verified if fair => {
                writeln!(f, "caissa: verified: every fair schedule was explored, {assumptions}.")
            }
            Verdict::Verified => writeln!(f, "caissa: verified: every schedule was explored, {assumptions}."),
            Verdict::Bounded if self.within.is_some() => {
                let within = self.within.as_deref().unwrap_or_default();
                writeln!(f, "caissa: bounded: every schedule with {within} was explored, {assumptions}.")
            }
            Verdict::Bounded if self.sealed.is_some() && self.summary.verdict() == Verdict::Verified => {
                let explored = self.sealed.as_deref().unwrap_or_default();
                writeln!(
                    f,
                    "caissa: bounded: every schedule with {explored} was explored, {assumptions}; the others were left out."
                )
            }
            Verdict::Bounded if self.search == Search::Dfs => {
                writeln!(
                    f,
                    "caissa: bounded: {}no bug was found, but some schedules were left out, {assumptions}.",
                    self.among()
                )
            }
            Verdict::Bounded => {
                let bound = self.summary.complete_bound().unwrap_or(0);
                let unit = self.cost.unit(bound);
                writeln!(
                    f,
                    "caissa: bounded: {}{} with at most {bound} {unit}; if there is one it needs at least {}, {assumptions}.",
                    self.among(),
                    if self.of_states { "no failure and no deadlock" } else { "no bug" },
                    bound + 1
                )
            }
            Verdict::Incomplete if self.replayed => self.write_replayed(f),
            Verdict::Incomplete => self.write_incomplete(f),
            Verdict::Bug | Verdict::Diverged => Ok(()),
        }?;
        if fair && matches!(self.verdict, Verdict::Verified | Verdict::Bounded) {
            // The first yield of a task that counts opens its window, the second rules something out.
            let times = match 2 * self.fair_k - 1 {
                1 => "once".to_owned(),
                n => format!("{n} times"),
            };
            let [they, it, _] = self.words.yielding();
            writeln!(
                f,
                "Note: tasks {they}. Fairness rules out some schedules in which a task {it} more than {times}; with a larger {} fewer \
                 are ruled out.",
                self.words.setting("fair_k")
            )?;
        }
        match &self.resume_file {
            Some(path) => writeln!(
                f,
                "The search goes on from {} when the check is run again, with a larger budget where that ended it.",
                path.display()
            ),
            None => Ok(()),
        }
    }

    /// What a verdict is about.
    fn among(&self) -> String {
        self.sealed.as_ref().map_or(String::new(), |sealed| format!("among schedules with {sealed}, "))
    }

    fn write_replayed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(cut_off) = &self.cut_off else {
            return writeln!(f, "caissa: the schedule was replayed to its end and shows no bug.");
        };
        writeln!(
            f,
            "caissa: the schedule was replayed as far as step {} ({}) and shows no bug up to there. It ended like this:\n\n{}",
            cut_off.trace.schedule.steps,
            self.words.names(&["max_steps"]),
            cut_off.shown(self.full, self.words)
        )
    }

    fn write_incomplete(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut_off_count = self.summary.step_limited();
        if cut_off_count > 0 {
            writeln!(
                f,
                "caissa: incomplete: {} cut off after `{}` = {} steps{}; a bug beyond that was not looked for. Raise the limit, or \
                 look for a loop that waits without end.",
                if cut_off_count == 1 {
                    "1 execution was".to_owned()
                } else {
                    format!("{cut_off_count} executions were")
                },
                self.words.option("max_steps"),
                self.max_steps,
                self.words.by_variable("max_steps")
            )?;
            if let Some(cut_off) = &self.cut_off {
                let which = if cut_off_count == 1 { "It" } else { "One of them" };
                writeln!(f, "{which} ended like this:\n\n{}", cut_off.shown(false, self.words))?;
            }
        }
        if let Some(policy) = self.search.policy() {
            return writeln!(
                f,
                "caissa: incomplete: {}{} sampled by {policy} with seed {}, no bug among them; that says nothing about the \
                 others.",
                self.among(),
                if self.executions() == 1 {
                    "1 execution was".to_owned()
                } else {
                    format!("{} executions were", self.executions())
                },
                self.seed
            );
        }
        let used_up = |name| format!("the budget {} was used up", self.words.setting(name));
        let why = match self.summary.stopped {
            Some(Stopped::Executions) => used_up("max_executions"),
            Some(Stopped::Time) => used_up("time"),
            Some(Stopped::Memory) => used_up("memory"),
            Some(Stopped::Interrupted) => "it was interrupted".to_owned(),
            None if self.of_states => "some execution was not followed to its end".to_owned(),
            Some(Stopped::Asked) | None => return Ok(()),
        };
        let done = match self.summary.complete_bound() {
            Some(_) if self.search == Search::Dfs || cut_off_count > 0 => {
                "no bug was found so far".to_owned()
            }
            None if self.of_states => "no bug was found so far".to_owned(),
            Some(bound) => format!("no bug with at most {bound} {}", self.cost.unit(bound)),
            None => "no bound was explored completely".to_owned(),
        };
        writeln!(f, "caissa: incomplete: {}{done}, but {why}.", self.among())
    }
}
