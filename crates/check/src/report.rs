//! What a check found, as data and as text. Rendering is a pure function of the data.

mod bounds;
mod columns;
mod conclusion;
mod cut_off;
mod divergence;
pub(crate) mod file;
mod json;
mod lost;
mod names;
mod races;
mod sentences;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use caissa_core::{Bug, Cost, PanicNote, TaskId, Trace};
use caissa_search::{Summary, Verdict};

pub use self::cut_off::CutOff;
pub use self::divergence::Divergence;
pub use self::lost::describe_lost;
pub(crate) use self::names::Names;
use self::names::{ObjectNames, task_name};
use crate::front_end::Sealing;
use crate::settings::{Search, Settings};
use crate::words::Words;

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
    /// Whether it came back when it was replayed. If not, there is a divergence too, and its schedule replays nothing.
    pub confirmed: bool,
    /// The names of the tasks, by number.
    pub task_names: Vec<Option<String>>,
    /// Where the trace was written.
    pub trace_file: Option<PathBuf>,
    /// The command that replays it.
    pub(crate) again: String,
    pub(crate) objects: ObjectNames,
    /// What else the front end has to say of it, line by line.
    pub(crate) details: Vec<String>,
    pub(crate) words: &'static dyn Words,
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

/// What was told by an engine that asks questions: neither executions nor states were counted.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// What the verdict means, if it is no bug: what comes behind "bounded: " or "incomplete: ".
    pub conclusion: String,
    /// A line for each question.
    pub lines: Vec<String>,
    /// Numbers for other programs, by name; what is not known is none.
    pub fields: Vec<(&'static str, Option<u64>)>,
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
    /// How long it took.
    pub elapsed: Duration,
    /// States were explored, not executions.
    pub(crate) of_states: bool,
    /// Questions were asked, and neither states nor executions explored.
    pub(crate) answers: Option<Answers>,
    /// What the schedules have that were explored, if others were left out.
    pub(crate) within: Option<String>,
    must_be_complete: bool,
    cost: Cost,
    search: Search,
    seed: u64,
    max_steps: u32,
    faults: u32,
    fair_k: u32,
    races: bool,
    classes: bool,
    reduce: bool,
    keep_going: bool,
    full: bool,
    /// Which schedules were explored, if others were left out because they are sealed.
    sealed: Option<String>,
    /// What is to be said of the names by which preemptions are sealed.
    seal_notes: Vec<String>,
    words: &'static dyn Words,
}

impl Report {
    pub(crate) fn new(
        verdict: Verdict,
        summary: Summary,
        settings: &Settings,
        words: &'static dyn Words,
    ) -> Report {
        Report {
            verdict,
            summary,
            finding: None,
            cut_off: None,
            divergence: None,
            replayed: false,
            promoted: Vec::new(),
            resume_file: None,
            elapsed: Duration::ZERO,
            of_states: false,
            answers: None,
            within: None,
            must_be_complete: settings.complete,
            cost: settings.search.cost(),
            search: settings.search,
            seed: settings.seed,
            max_steps: settings.max_steps,
            faults: settings.faults,
            fair_k: settings.fairness(),
            races: settings.races,
            classes: settings.classes || settings.reduce,
            reduce: settings.reduce,
            keep_going: settings.keep_going,
            full: settings.full,
            sealed: None,
            seal_notes: Vec::new(),
            words,
        }
    }

    /// Puts in what sealing has done. `resumed`: part of the search was another process's.
    pub(crate) fn seal(&mut self, seals: &dyn Sealing, resumed: bool) {
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

    /// Puts in what else is to be said.
    pub(crate) fn add_notes(&mut self, notes: Vec<String>) {
        self.seal_notes.extend(notes);
    }

    /// Which schedules were explored, in words, if others were left out because preemptions were sealed (`no_preempt`,
    /// `preempt_only`).
    pub fn sealed(&self) -> Option<&str> {
        self.sealed.as_deref()
    }

    /// Executions of all bounds.
    pub fn executions(&self) -> u64 {
        self.summary.executions()
    }

    /// Different states that executions of the search came to, as the program shows them; `None` if it does not.
    pub fn states(&self) -> Option<u64> {
        Some(self.summary.states()).filter(|&states| states > 0)
    }

    /// Whether an incomplete search was to count as a failure.
    pub fn must_be_complete(&self) -> bool {
        self.must_be_complete
    }

    /// What choices cost in the search.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Whether data races were looked for.
    pub fn looked_for_races(&self) -> bool {
        self.races
    }

    /// The largest bound that was explored completely.
    pub fn bound(&self) -> Option<u32> {
        self.summary.complete_bound()
    }

    fn write_finding(&self, f: &mut fmt::Formatter<'_>, finding: &Finding) -> fmt::Result {
        writeln!(f, "caissa found a bug: {}", sentences::summary(finding, self.replayed))?;
        writeln!(f)?;
        sentences::details(f, finding, self.full)?;
        for line in &finding.details {
            writeln!(f, "{line}")?;
        }
        if !finding.details.is_empty() {
            writeln!(f)?;
        }
        races::promoted(f, finding, &self.promoted, self.summary.stopped.is_some())?;
        let panics = finding.panics();
        let marked = races::marked(finding);
        let table = columns::Table {
            trace: &finding.trace,
            task_names: &finding.task_names,
            objects: &finding.objects,
            panics: &panics,
            cycle: finding.bug.cycle(),
            marked: &marked,
            full: self.full,
            words: self.words,
        };
        if !finding.trace.events.is_empty() {
            writeln!(f, "{table}")?;
        }
        match self.divergence.as_ref().filter(|_| !finding.confirmed) {
            Some(divergence) => writeln!(f, "It cannot be replayed: {divergence}.")?,
            None => writeln!(f, "To replay exactly this: {}", finding.again)?,
        }
        if let Some(path) = &finding.trace_file {
            writeln!(f, "The trace is in {}.", path.display())?;
        } else if !self.full && finding.confirmed {
            writeln!(f, "{}", self.words.more_of_a_trace())?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(divergence) = self.divergence.as_ref().filter(|_| self.finding.is_none()) {
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
            && self.sealed.is_none()
        {
            if self.summary.executions() > 1 {
                writeln!(f, "Note: the order of steps never mattered. {}", self.words.nothing_shared())?;
            } else if let Some(words) = self.words.one_schedule() {
                writeln!(f, "Note: {words}")?;
            }
        }
        if self.reduce && self.summary.yields && self.fair_k > 0 && !self.replayed {
            writeln!(
                f,
                "Note: tasks yield. From the first yield on `{}` leaves nothing out of an execution.",
                self.words.option("reduce")
            )?;
        }
        for note in &self.seal_notes {
            writeln!(f, "Note: {note}")?;
        }
        if self.summary.executions() == 0 && self.summary.bounds.iter().any(|bound| bound.cut > 0) {
            writeln!(f, "Note: no execution came to its end within the bound. Raise it.")?;
        }
        if let Some(answers) = &self.answers {
            if !answers.lines.is_empty() {
                writeln!(f, "Asked {}:", count(answers.lines.len() as u64, "question"))?;
            }
            return answers.lines.iter().try_for_each(|line| writeln!(f, "  {line}"));
        }
        if !self.replayed && self.summary.bounds.len() + self.summary.samples.len() > 0 {
            match (self.of_states, self.states()) {
                (true, states) => writeln!(f, "Explored {}:", count(states.unwrap_or(0), "state"))?,
                (false, None) => writeln!(f, "Explored {}:", count(self.summary.executions(), "execution"))?,
                (false, Some(states)) => {
                    let executions = count(self.summary.executions(), "execution");
                    writeln!(f, "Explored {executions}, {}:", count(states, "state"))?;
                }
            }
            self.write_bounds(f)?;
        }
        Ok(())
    }
}

/// Of more tasks than these the last ones are only counted, unless everything is to be shown.
const MAX_TASKS: usize = 50;

/// A number with its noun.
pub(crate) fn count(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
