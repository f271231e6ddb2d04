//! What a check found, as data and as text. Rendering is a pure function of the data.

mod columns;
mod cut_off;
mod divergence;
pub(crate) mod file;
mod races;
mod words;

use std::fmt;
use std::path::PathBuf;

use caissa_core::{Bug, Cost, GuideSpec, PanicNote, TaskId, Trace};
use caissa_search::{BoundSummary, Finder, Stopped, Summary, Verdict};

pub use self::cut_off::CutOff;
pub use self::divergence::Divergence;
use crate::rt::Engine;
use crate::rt::sealing::Seals;
use crate::settings::{Builder, Search};

/// A bug with its trace.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong.
    pub bug: Bug,
    /// What happened.
    pub trace: Trace,
    /// The unit of `spent`: the cost of the search that found it.
    pub cost: Cost,
    /// What the schedule costs.
    pub spent: u32,
    /// Its preemptions, whatever the search.
    pub preemptions: u32,
    /// Its faults: timeouts that fired early, wake-ups and failures for no reason.
    pub faults: u32,
    /// Whether the search has proved that no cheaper schedule fails.
    pub minimal: bool,
    /// The names of the tasks, by number.
    pub task_names: Vec<Option<String>>,
    /// Where the trace was written.
    pub trace_file: Option<PathBuf>,
    /// The command that replays it, without the schedule.
    pub(crate) again: String,
}

impl Finding {
    /// The schedule string that replays it.
    pub fn schedule(&self) -> String {
        self.trace.schedule.to_string()
    }

    /// What a task is called: its number, and its name if it has one.
    pub fn task(&self, task: TaskId) -> String {
        task_name(&self.task_names, task)
    }

    /// The panics that it is about: the first one, and the one that passed it on.
    fn panics(&self) -> Vec<&PanicNote> {
        match &self.bug {
            Bug::Panic { panic, passed_on, .. } => std::iter::once(panic).chain(passed_on).collect(),
            Bug::Livelock { after, .. } => after.iter().collect(),
            _ => Vec::new(),
        }
    }
}

fn task_name(names: &[Option<String>], task: TaskId) -> String {
    match names.get(task.index()) {
        _ if task == TaskId::MAIN => format!("{task} (main)"),
        Some(Some(name)) => format!("{task} ({name})"),
        _ => task.to_string(),
    }
}

/// What came of a check. Shown as text by `Display`.
#[derive(Clone, Debug)]
pub struct Report {
    /// What can be concluded.
    pub verdict: Verdict,
    /// The figures of the search.
    pub summary: Summary,
    /// The bug, if there is one.
    pub finding: Option<Finding>,
    /// If there is none: an execution that was cut off at `max_steps`, where that happened.
    pub cut_off: Option<CutOff>,
    /// How the program failed to follow its own schedule, if it did.
    pub divergence: Option<Divergence>,
    /// Whether this was a replay of one schedule and not a search.
    pub replayed: bool,
    /// Races on the way, whose places became scheduling points ([`Points::Racy`](crate::Points::Racy)): the words for both accesses.
    pub promoted: Vec<[String; 2]>,
    /// The file from which the search can go on, if it can.
    pub resume_file: Option<PathBuf>,
    /// Whether an incomplete search was to count as a failure.
    pub(crate) must_be_complete: bool,
    cost: Cost,
    search: Search,
    seed: u64,
    max_steps: u32,
    faults: u32,
    fair_k: u32,
    races: bool,
    reduce: bool,
    keep_going: bool,
    full: bool,
    /// Which schedules were explored, if others were left out because they are sealed.
    sealed: Option<String>,
    /// What is to be said of the names by which preemptions are sealed.
    seal_notes: Vec<String>,
}

impl Report {
    pub(crate) fn new(verdict: Verdict, summary: Summary, settings: &Builder) -> Report {
        Report {
            verdict,
            summary,
            finding: None,
            cut_off: None,
            divergence: None,
            replayed: false,
            promoted: Vec::new(),
            resume_file: None,
            must_be_complete: settings.complete,
            cost: settings.search.cost(),
            search: settings.search,
            seed: settings.seed,
            max_steps: settings.max_steps,
            faults: settings.faults,
            fair_k: settings.fairness(),
            races: settings.races,
            reduce: settings.reduce,
            keep_going: settings.keep_going,
            full: settings.full,
            sealed: None,
            seal_notes: Vec::new(),
        }
    }

    /// Puts in what sealing has done. `resumed`: part of the search was another process's.
    pub(crate) fn seal(&mut self, seals: &Seals, resumed: bool) {
        if seals.has_left_out() {
            self.sealed = Some(seals.words());
            if self.verdict == Verdict::Verified {
                self.verdict = Verdict::Bounded;
            }
        }
        if !resumed {
            self.seal_notes = seals.notes();
        }
    }

    /// Which schedules were explored, in words, if others were left out because preemptions were sealed
    /// ([`no_preempt`](crate::no_preempt), [`preempt_only`](crate::preempt_only)).
    pub fn sealed(&self) -> Option<&str> {
        self.sealed.as_deref()
    }

    /// Executions of all bounds.
    pub fn executions(&self) -> u64 {
        self.summary.executions()
    }

    /// Different states that executions of the search came to, as the program shows them ([`state`](crate::state)); `None` if it
    /// does not.
    pub fn states(&self) -> Option<u64> {
        Some(self.summary.states()).filter(|&states| states > 0)
    }

    /// The largest bound that was explored completely.
    pub fn bound(&self) -> Option<u32> {
        self.summary.complete_bound()
    }

    fn write_finding(&self, f: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        writeln!(f, "caissa found a bug: {}", words::summary(finding, self.replayed))?;
        writeln!(f)?;
        words::details(f, finding)?;
        races::promoted(f, finding, &self.promoted)?;
        let panics = finding.panics();
        let Finding { trace, task_names, .. } = finding;
        let cycle = finding.bug.cycle();
        let marked = races::marked(finding);
        let full = self.full;
        write!(f, "{}", columns::Table { trace, task_names, panics: &panics, cycle, marked: &marked, full })?;
        writeln!(f)?;
        writeln!(f, "To replay exactly this: {}", replay_line(&finding.schedule(), &finding.again))?;
        if let Some(path) = &finding.trace_file {
            writeln!(f, "The trace is in {}.", path.display())?;
        } else if !self.full {
            writeln!(f, "CAISSA_FULL=on shows every step, CAISSA_TRACE=FILE writes the trace to a file.")?;
        }
        Ok(())
    }

    /// One line for each bound.
    fn write_bounds(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for bound in &self.summary.bounds {
            let what = match self.search {
                Search::Dfs => "every schedule".to_owned(),
                _ => format!("{} {}", bound.bound, self.cost.unit(bound.bound)),
            };
            self.write_bound(f, &what, (self.cost, None), bound)?;
        }
        for side in &self.summary.sides {
            for bound in &side.bounds {
                let what = match &side.scheduler {
                    Some(scheduler) => {
                        format!("also {} {} ({scheduler})", bound.bound, side.cost.unit(bound.bound))
                    }
                    None => "also every schedule, depth first".to_owned(),
                };
                self.write_bound(f, &what, (side.cost, side.scheduler.as_deref()), bound)?;
            }
        }
        for sampled in &self.summary.samples {
            write!(f, "  sampled by {}: {}", sampled.policy, count(sampled.executions, "execution"))?;
            write_new(f, sampled.new_classes, "class", "classes")?;
            write_new(f, sampled.new_states, "state", "states")?;
            if sampled.step_limited > 0 {
                write!(f, ", {} cut off at max_steps", sampled.step_limited)?;
            }
            writeln!(f)?;
        }
        if let (Search::Auto, Some((finder, _))) = (self.search, &self.summary.failure) {
            match finder {
                Finder::Bounded { cost: Cost::Preemptions, .. } => {}
                Finder::Bounded { cost: Cost::Delays, .. } => {
                    writeln!(f, "The bug was found by delay bounds.")?
                }
                Finder::Bounded { .. } => writeln!(f, "The bug was found depth first.")?,
                Finder::Sampled(policy) => writeln!(f, "The bug was found by samples of {policy}.")?,
            }
        }
        if self.summary.failures > 1 {
            writeln!(f, "{} failed; the first one is shown.", count(self.summary.failures, "execution"))?;
        }
        Ok(())
    }

    /// Whether this is the bound at which the search stopped because of the bug. `scheduler`: that of a side part.
    fn stopped_in(&self, cost: Cost, scheduler: Option<&str>, bound: u32) -> bool {
        let Some((finder, failure)) = &self.summary.failure else { return false };
        let of_part = match (&failure.guide, scheduler) {
            (GuideSpec::Delaying(name), Some(scheduler)) => name == scheduler,
            _ => scheduler.is_none(),
        };
        *finder == Finder::Bounded { cost, bound } && of_part && self.finding.is_some() && !self.keep_going
    }

    fn write_bound(
        &self,
        f: &mut fmt::Formatter<'_>,
        what: &str,
        (cost, scheduler): (Cost, Option<&str>),
        bound: &BoundSummary,
    ) -> fmt::Result {
        write!(f, "  {what}: {}", count(bound.executions, "execution"))?;
        write_new(f, bound.new_classes, "class", "classes")?;
        write_new(f, bound.new_states, "state", "states")?;
        if bound.cut > 0 {
            write!(f, ", {} cut at the bound", bound.cut)?;
        }
        if bound.pruned > 0 {
            write!(f, ", {} discarded by the scheduler", bound.pruned)?;
        }
        if bound.step_limited > 0 {
            write!(f, ", {} cut off at max_steps", bound.step_limited)?;
        }
        let stopped = if self.stopped_in(cost, scheduler, bound.bound) {
            " (stopped at the bug)"
        } else {
            " (not all)"
        };
        writeln!(f, "{}", if bound.complete { "" } else { stopped })
    }

    fn write_conclusion(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = match self.faults {
            0 => "no faults (`faults` = 0)".to_owned(),
            n => format!("at most {}", count(n as u64, "fault")),
        };
        let faults = if self.races { faults } else { format!("{faults}, no data races (`races` is off)") };
        let fair = self.fair_k > 0 && self.summary.yields;
        let assumptions = match self.fair_k {
            k if fair => format!("assuming sequential consistency, fairness (k = {k}) and {faults}"),
            _ => format!("assuming sequential consistency and {faults}"),
        };
        match self.verdict {
            Verdict::Verified if fair => {
                writeln!(f, "caissa: verified: every fair schedule was explored, {assumptions}.")
            }
            Verdict::Verified => writeln!(f, "caissa: verified: every schedule was explored, {assumptions}."),
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
                    "caissa: bounded: {}no bug with at most {bound} {unit}; if there is one it needs at least {}, {assumptions}.",
                    self.among(),
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
            writeln!(
                f,
                "Note: tasks yield. Fairness rules out some schedules in which a task yields more than {times}; with a larger `fair_k` \
                 (CAISSA_FAIR_K) fewer are ruled out."
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
            "caissa: the schedule was replayed as far as step {} (`max_steps`, CAISSA_MAX_STEPS) and shows no bug up to there. It \
             ended like this:\n\n{}",
            cut_off.trace.schedule.steps,
            cut_off.shown(self.full)
        )
    }

    fn write_incomplete(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut_off_count = self.summary.step_limited();
        if cut_off_count > 0 {
            writeln!(
                f,
                "caissa: incomplete: {} cut off after `max_steps` = {} steps (CAISSA_MAX_STEPS); a bug beyond that was not \
                 looked for. Raise the limit, or look for a loop that waits without end.",
                if cut_off_count == 1 {
                    "1 execution was".to_owned()
                } else {
                    format!("{cut_off_count} executions were")
                },
                self.max_steps
            )?;
            if let Some(cut_off) = &self.cut_off {
                let which = if cut_off_count == 1 { "It" } else { "One of them" };
                writeln!(f, "{which} ended like this:\n\n{}", cut_off.shown(false))?;
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
        let budget = match self.summary.stopped {
            Some(Stopped::Executions) => "`max_executions` (CAISSA_MAX_EXECUTIONS)",
            Some(Stopped::Time) => "`time` (CAISSA_TIME)",
            Some(Stopped::Memory) => "`memory` (CAISSA_MEMORY)",
            Some(Stopped::Asked | Stopped::Interrupted) | None => return Ok(()),
        };
        let done = match self.summary.complete_bound() {
            Some(_) if self.search == Search::Dfs || cut_off_count > 0 => {
                "no bug was found so far".to_owned()
            }
            Some(bound) => format!("no bug with at most {bound} {}", self.cost.unit(bound)),
            None => "no bound was explored completely".to_owned(),
        };
        writeln!(f, "caissa: incomplete: {}{done}, but the budget {budget} was used up.", self.among())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(divergence) = &self.divergence {
            writeln!(f, "caissa: diverged: {divergence}.")?;
        }
        if let Some(finding) = &self.finding {
            self.write_finding(f, finding)?;
        }
        self.write_conclusion(f)?;
        if self.summary.unreachable {
            writeln!(
                f,
                "Note: the scheduler left some tasks out: no number of delays brought them up, so their schedules were not \
                 explored."
            )?;
        }
        if matches!(self.verdict, Verdict::Verified | Verdict::Bounded)
            && self.summary.classes() == 1
            && self.summary.executions() > 1
            && self.sealed.is_none()
        {
            writeln!(
                f,
                "Note: the order of steps never mattered. Do the tasks share anything through caissa's types?"
            )?;
        }
        if self.reduce && self.summary.yields && self.fair_k > 0 && !self.replayed {
            writeln!(
                f,
                "Note: tasks yield. From the first yield on `reduce` leaves nothing out of an execution."
            )?;
        }
        for note in &self.seal_notes {
            writeln!(f, "Note: {note}")?;
        }
        if self.summary.executions() == 0 && self.summary.bounds.iter().any(|bound| bound.cut > 0) {
            writeln!(f, "Note: no execution came to its end within the bound. Raise it.")?;
        }
        if !self.replayed && self.summary.bounds.len() + self.summary.samples.len() > 0 {
            write!(f, "Explored {}", count(self.summary.executions(), "execution"))?;
            if let Some(states) = self.states() {
                write!(f, ", {}", count(states, "state"))?;
            }
            writeln!(f, ":")?;
            self.write_bounds(f)?;
        }
        Ok(())
    }
}

fn write_new(f: &mut fmt::Formatter<'_>, new: u64, one: &str, many: &str) -> fmt::Result {
    match new {
        0 => Ok(()),
        1 => write!(f, ", 1 new {one}"),
        _ => write!(f, ", {new} new {many}"),
    }
}

/// A number with its noun.
pub(crate) fn count(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// The command that replays a schedule.
fn replay_line(schedule: &str, again: &str) -> String {
    format!("CAISSA_REPLAY={schedule} {again}")
}

/// What is known of an execution whose task left our control: the steps that led there, if it could be traced, and what
/// each task is about to do.
pub(crate) fn describe_lost(
    engine: &Engine,
    traced: Option<(Trace, Vec<Option<String>>)>,
    again: &str,
) -> String {
    let execution = &engine.execution;
    let mut text = format!("It happened after {}", count(execution.steps() as u64, "step"));
    match traced {
        Some((trace, task_names)) => {
            text.push_str(", these:\n\n");
            let schedule = trace.schedule.to_string();
            text.push_str(
                &columns::Table {
                    trace: &trace,
                    task_names: &task_names,
                    panics: &[],
                    cycle: None,
                    marked: &[],
                    full: false,
                }
                .to_string(),
            );
            text.push_str(&format!("\nTo get there again: {}\n", replay_line(&schedule, again)));
        }
        None => {
            text.push_str(" of a schedule with these switches: ");
            for choice in execution.choices() {
                text.push_str(&format!("T{} at step {}; ", choice.pick, choice.step));
            }
            text.push_str(if execution.choices().is_empty() { "none.\n" } else { "no others.\n" });
        }
    }
    for task in (0..execution.task_count()).map(TaskId) {
        let (op, source) = execution.pending(task);
        let state = match source {
            _ if execution.has_ended(task) => "has ended".to_owned(),
            _ if task == engine.running => "is running".to_owned(),
            Some(source) => format!("is about to {op} at {source}"),
            None => "has not reached an operation".to_owned(),
        };
        text.push_str(&format!("  {task} {state}\n"));
    }
    text
}

/// Where a panic happened and with which message; a long message goes on lines of its own.
fn panic_words(note: &PanicNote) -> String {
    if note.message.contains('\n') {
        let message: Vec<String> = note.message.lines().map(|line| format!("    {}", line.trim())).collect();
        return format!("panicked at {}:\n{}", note.source, message.join("\n"));
    }
    let end = if note.message.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("panicked at {}: {}{end}", note.source, note.message)
}
