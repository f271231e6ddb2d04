//! A trace as a table: a line for each step, a column for each task.

use std::collections::BTreeMap;
use std::fmt;

use caissa_core::{Cycle, Event, Note, ObjectId, ObjectKind, OpKind, PanicNote, TaskId, Trace};

use super::count;
use super::names::{ObjectNames, task_name};
use crate::words::Words;

/// With more tasks than this, one column holds them all.
const MAX_COLUMNS: usize = 4;
/// Columns are no wider than this, except the last.
const MAX_WIDTH: usize = 34;
/// A run of one task longer than this is shown by its ends, unless the full trace is wanted.
const LONG_RUN: usize = 12;
const SHOWN_ENDS: usize = 3;
/// So many different names of tasks are listed.
const MAX_LEGEND: usize = 20;

/// A trace to be shown.
pub(super) struct Table<'a> {
    pub(super) trace: &'a Trace,
    /// The names of the tasks, by number.
    pub(super) task_names: &'a [Option<String>],
    pub(super) objects: &'a ObjectNames,
    /// Panics to be marked.
    pub(super) panics: &'a [&'a PanicNote],
    /// What is done for ever: shown once.
    pub(super) cycle: Option<&'a Cycle>,
    /// Events, by their number, that the report is about, and what is said of them here.
    pub(super) marked: &'a [(usize, &'static str)],
    /// Whether every step is shown.
    pub(super) full: bool,
    pub(super) words: &'static dyn Words,
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        let mut tasks: Vec<TaskId> = self.trace.events.iter().map(|event| event.task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let layout = Layout::new(self.task_names, &lines, tasks);
        if self.words.lists_tasks() && layout.is_narrow() {
            layout.legend(f, self.task_names)?;
        }
        layout.header(f)?;
        for line in &lines {
            layout.line(f, line)?;
        }
        Ok(())
    }
}

enum Line {
    Step {
        step: String,
        task: TaskId,
        text: String,
        place: String,
    },
    /// Something between two steps.
    Remark(String),
}

impl Table<'_> {
    /// The events to show, each with the last step that belongs to it: a fault that was possible and did not happen is shown
    /// only if every step is wanted.
    fn shown(&self) -> (Vec<&Event>, Vec<u32>) {
        let mut events: Vec<&Event> = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        let end = self.cycle.map_or(u32::MAX, |cycle| cycle.repeat.to);
        // What is no step belongs to the one before it.
        let is_before_end = |event: &&Event| event.step < end || event.aside && event.step == end;
        for event in self.trace.events.iter().take_while(is_before_end) {
            let hidden = !self.full && event.op.kind.is_fault() && !event.is_fault();
            match ends.last_mut() {
                Some(end) if hidden => *end = event.step,
                _ => {
                    events.push(event);
                    ends.push(event.step);
                }
            }
        }
        (events, ends)
    }

    /// What is written, from first to last.
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut held = Held::default();
        let (events, ends) = self.shown();
        let repeat = self.cycle.map(|cycle| cycle.repeat);
        let mut index = 0;
        while index < events.len() {
            let event = events[index];
            let is_first =
                |event: &Event| !event.aside && repeat.is_some_and(|repeat| event.step == repeat.from);
            if let Some(left) = event.preempts {
                let holding = held.words(left, self.objects);
                lines.push(Line::Remark(format!(
                    "preemption: {left} could go on{holding}, but {} runs",
                    event.task
                )));
            }
            if is_first(event) {
                lines.push(Line::Remark("from here on the same steps again and again:".to_owned()));
            }
            let run =
                events[index..].iter().take_while(|next| next.task == event.task && next.preempts.is_none());
            let run = run.count().max(1);
            // What is done again and again begins on a line of its own.
            let first = events[index + 1..index + run].iter().position(|event| is_first(event));
            let run = first.filter(|_| !is_first(event)).map_or(run, |first| first + 1);
            let hidden = if self.full || run <= LONG_RUN { 0..0 } else { SHOWN_ENDS..run - SHOWN_ENDS };
            let mut left_out = 0u64;
            for (offset, event) in events[index..index + run].iter().enumerate() {
                held.follow(event);
                let is_this = |number: &usize| std::ptr::eq(&self.trace.events[*number], *event);
                let said = self.marked.iter().find(|(number, _)| is_this(number));
                if hidden.contains(&offset) && said.is_none() {
                    left_out += 1;
                    continue;
                }
                if let steps @ 1.. = std::mem::take(&mut left_out) {
                    lines.push(Line::Remark(format!(
                        "... {} of {} ...",
                        count(steps, "more step"),
                        event.task
                    )));
                }
                let said = said.map_or("", |(_, said)| said);
                let text = text(event, self.objects);
                lines.push(Line::Step {
                    step: if event.aside { String::new() } else { event.step.to_string() },
                    task: event.task,
                    text: if said.is_empty() { text } else { format!("{text}  <- {said}") },
                    place: place(event, self.words),
                });
                let taken = if event.aside { event.step } else { ends[index + offset] + 1 };
                let mut later = events[index + offset + 1..].iter().take_while(|next| next.step <= taken);
                let goes_on = later.any(|next| next.aside && (next.task, next.step) == (event.task, taken));
                let panics = |note: &&&PanicNote| note.task == event.task && note.step == taken && !goes_on;
                for note in self.panics.iter().filter(panics) {
                    lines.push(Line::Remark(self.words.remark(note)));
                }
            }
            index += run;
        }
        if let Some(cycle) = self.cycle {
            let (from, to) = (cycle.repeat.from, cycle.repeat.to - 1);
            let steps =
                if from == to { format!("step {from} was") } else { format!("steps {from} to {to} were") };
            lines.push(Line::Remark(format!(
                "{steps} taken {} times; `{}` ended it",
                cycle.times,
                self.words.option("max_steps")
            )));
        }
        lines
    }
}

/// The operation with what it observed.
pub(super) fn text(event: &Event, objects: &ObjectNames) -> String {
    let op = objects.op(event.op);
    match &event.note {
        Note::Nothing => op,
        Note::Saw(value) => format!("{op} = {value}"),
        Note::Replaced(value) => format!("{op} (was {value})"),
        Note::Changed(from, to) => format!("{op}: {from} -> {to}"),
        Note::Refused { found, expected } => format!("{op}: found {found}, not {expected}"),
        Note::Tried(true) => format!("{op}: yes"),
        Note::Tried(false) => format!("{op}: no"),
        Note::Chose { value, count } => format!("{op} {value} of 0..{count}"),
        Note::Woke(tasks) if tasks.is_empty() => format!("{op}: nobody waits"),
        Note::Woke(tasks) => {
            let tasks: Vec<String> = tasks.iter().map(TaskId::to_string).collect();
            format!("{op}: wakes {}", tasks.join(", "))
        }
        Note::Disconnected => format!("{op}: disconnected"),
        Note::Spawned(task) => format!("{op} {task}"),
        Note::Did(what) => what.clone(),
        Note::Releases(mutex) => {
            format!("{op}, releasing {}", objects.of(ObjectKind::Mutex, *mutex))
        }
    }
}

/// Where the operation stands; a release stands where its lock was taken.
fn place(event: &Event, words: &dyn Words) -> String {
    let source = event.source;
    let call = if source.call().is_empty() { String::new() } else { format!(" {}", source.call()) };
    let place = format!("{}:{}{call}", source.file(), source.line());
    match event.op.kind {
        OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock if words.releases_where_taken() => {
            format!("(taken at {place})")
        }
        OpKind::AsyncUnlock | OpKind::AsyncReadUnlock | OpKind::AsyncWriteUnlock => {
            format!("(taken at {place})")
        }
        OpKind::DropSender | OpKind::DropReceiver => format!("(made at {place})"),
        OpKind::OneshotDropSender
        | OpKind::OneshotDropReceiver
        | OpKind::OneshotRecv
        | OpKind::AsyncDropSender
        | OpKind::AsyncDropReceiver
        | OpKind::BroadcastDropSender
        | OpKind::BroadcastDropReceiver
        | OpKind::WatchDropSender
        | OpKind::WatchDropReceiver => format!("(made at {place})"),
        OpKind::Start | OpKind::End | OpKind::PollJoin => format!("(spawned at {place})"),
        OpKind::Wake => format!("(after {place})"),
        _ => place,
    }
}

/// Which locks each task holds, followed through the trace.
#[derive(Default)]
struct Held(Vec<(TaskId, ObjectKind, ObjectId)>);

impl Held {
    fn follow(&mut self, event: &Event) {
        let (task, op) = (event.task, event.op);
        let kind = op.kind.object_kind();
        if op.kind.acquires() && event.note != Note::Tried(false) {
            self.0.push((task, kind, op.object));
        }
        if matches!(op.kind, OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock)
            && let Some(index) = self.0.iter().position(|&held| held == (task, kind, op.object))
        {
            self.0.remove(index);
        }
        if let Note::Releases(mutex) = event.note {
            self.0.retain(|&held| held != (task, ObjectKind::Mutex, mutex));
        }
    }

    fn words(&self, task: TaskId, objects: &ObjectNames) -> String {
        let held: Vec<String> = self
            .0
            .iter()
            .filter(|(holder, ..)| *holder == task)
            .map(|&(_, kind, object)| objects.of(kind, object))
            .collect();
        if held.is_empty() { String::new() } else { format!(" (and holds {})", held.join(", ")) }
    }
}

/// Numbers of tasks, in order: `T1, T3 to T5`.
fn ranges(tasks: &[TaskId]) -> String {
    let runs = tasks.chunk_by(|a, b| a.0 + 1 == b.0).flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{first} to {last}")],
        few => few.iter().map(TaskId::to_string).collect(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

struct Layout {
    tasks: Vec<TaskId>,
    /// The heading and width of each column; one column for all tasks if there are many.
    columns: Vec<(String, usize)>,
}

impl Layout {
    fn new(names: &[Option<String>], lines: &[Line], tasks: Vec<TaskId>) -> Layout {
        let many = tasks.len() > MAX_COLUMNS;
        let headings: Vec<String> = if many {
            vec!["task: operation".to_owned()]
        } else {
            tasks.iter().map(|&t| task_name(names, t)).collect()
        };
        let columns = headings
            .into_iter()
            .enumerate()
            .map(|(column, heading)| {
                let texts = lines.iter().filter_map(|line| match line {
                    Line::Step { task, text, .. } if many => Some(format!("{task}: {text}").chars().count()),
                    Line::Step { task, text, .. } if tasks[column] == *task => Some(text.chars().count()),
                    _ => None,
                });
                let widest = texts.max().unwrap_or(0).max(heading.chars().count());
                (heading, widest.min(MAX_WIDTH))
            })
            .collect();
        Layout { tasks, columns }
    }

    /// Who the tasks are, where the heading does not say it: those that are called the same on one line.
    fn legend(&self, f: &mut fmt::Formatter<'_>, names: &[Option<String>]) -> fmt::Result {
        let mut legend: Vec<(&str, Vec<TaskId>)> = Vec::new();
        let mut indices: BTreeMap<&str, usize> = BTreeMap::new();
        for &task in &self.tasks {
            let name = match names.get(task.index()) {
                Some(Some(name)) => name,
                _ if task == TaskId::MAIN => "main",
                _ => continue,
            };
            let index = *indices.entry(name).or_insert(legend.len());
            if index == legend.len() {
                legend.push((name, Vec::new()));
            }
            legend[index].1.push(task);
        }
        for (name, tasks) in legend.iter().take(MAX_LEGEND) {
            writeln!(f, "  {}: {name}", ranges(tasks))?;
        }
        if legend.len() > MAX_LEGEND {
            writeln!(f, "  and tasks with {} more names", legend.len() - MAX_LEGEND)?;
        }
        writeln!(f)
    }

    /// One column holds all tasks.
    fn is_narrow(&self) -> bool {
        self.columns.len() == 1 && self.tasks.len() > 1
    }

    fn header(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6}  ", "step")?;
        for (heading, width) in &self.columns {
            write!(f, "{heading:<width$}  ")?;
        }
        writeln!(f, "where")
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, line: &Line) -> fmt::Result {
        let (step, task, text, place) = match line {
            Line::Remark(remark) => return writeln!(f, "        -- {remark} --"),
            Line::Step { step, task, text, place } => (step, *task, text, place),
        };
        write!(f, "{step:>6}  ")?;
        if self.is_narrow() {
            let width = self.columns[0].1;
            write!(f, "{:<width$}  ", format!("{task}: {text}"))?;
        } else {
            // A text wider than its column runs over the columns to its right, which are empty on this line.
            let mine = self.tasks.iter().position(|&t| t == task).unwrap_or(0);
            let before: usize = self.columns[..mine].iter().map(|(_, width)| width + 2).sum();
            let after: usize = self.columns[mine..].iter().map(|(_, width)| width + 2).sum();
            write!(f, "{:before$}{text:<after$}", "")?;
            if text.chars().count() >= after {
                f.write_str("  ")?;
            }
        }
        writeln!(f, "{place}")
    }
}
