//! From an execution of the sequential program to the interleaved one that it stands for (2012 paper, appendix B).
//!
//! The sequential program runs tasks whole and out of order; marks say in which rounds each part of a task belongs. The paper numbers the parts by a
//! counter that is translated along; here they are sorted by their rounds, which costs the formula nothing. Within the tasks of a level, from
//! the post that opened it on, parts are in the order of rounds of tasks, and in a round in the order of tasks; what interrupts a
//! task lies between two of its parts. Those of a whole buffer are then in the order of its time, and buffers take turns by rounds of buffers.

use super::unroll::Event;
use crate::ir::Mark;

/// How parts of one round are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Task by task: rounds of tasks.
    Tasks,
    /// In the order in which they come up: delays, where a task that yields lines up again.
    Parts,
}

/// A task of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The buffer, if it is the first task there.
    pub first_of: Option<u32>,
    /// The tasks that it posts, in order; `None` for those that never begin.
    pub posted: Vec<Option<usize>>,
    /// What it chooses, each as a distance from the smallest possible value.
    pub chosen: Vec<i32>,
}

/// An execution, in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The tasks.
    pub runs: Vec<Run>,
    /// Whose turn it is, part after part, each with its number among those of its task.
    pub parts: Vec<(usize, u32)>,
}

/// A part of a task, from where it begins or goes on.
#[derive(Clone, Debug)]
struct Part {
    /// The round of buffers; none if it just goes on after an interruption.
    outer: Option<i32>,
    inner: i32,
    /// When it came up.
    came: usize,
    /// The level that is opened at its end, by a post that interrupts the task.
    opens: Option<usize>,
}

#[derive(Clone, Debug)]
struct Task {
    /// None of one that only opens a level.
    run: Option<usize>,
    buffer: u32,
    level: u32,
    group: usize,
    parts: Vec<Part>,
}

/// The tasks of a level, from the post that opens it on.
#[derive(Clone, Debug)]
struct Group {
    level: u32,
    /// The task that was interrupted.
    opener: Option<usize>,
    tasks: Vec<usize>,
}

#[derive(Default)]
struct Reader {
    runs: Vec<Run>,
    tasks: Vec<Task>,
    groups: Vec<Group>,
    /// The tasks that have begun and not ended.
    open: Vec<usize>,
    came: usize,
}

/// Puts the parts of an execution in the order of time.
pub fn timeline(events: &[Event], within: Within) -> Timeline {
    let mut reader = Reader::default();
    for event in events {
        match event {
            Event::Mark(Mark::Begin(buffer, level), times) => {
                reader.begin(buffer.0, level.0, (times[0], times[1]));
            }
            Event::Mark(Mark::GoesOn, times) => reader.part(Some(times[0]), times[1]),
            Event::Mark(Mark::Resume, _) => reader.resume(),
            Event::Mark(Mark::Post, _) => reader.run().posted.push(None),
            Event::Mark(Mark::Chosen, values) => reader.run().chosen.push(values[0]),
            Event::Mark(..) => unreachable!("the others are no events"),
            Event::End => {
                reader.open.pop().expect("a task that ends has begun");
            }
        }
    }
    reader.order(within)
}

impl Reader {
    fn run(&mut self) -> &mut Run {
        let &task = self.open.last().expect("a task runs");
        let run = self.tasks[task].run.expect("tasks that run are there");
        &mut self.runs[run]
    }

    fn part(&mut self, outer: Option<i32>, inner: i32) {
        let &task = self.open.last().expect("a task runs");
        self.tasks[task].parts.push(Part { outer, inner, came: self.came, opens: None });
        self.came += 1;
    }

    /// After an interruption: where it was.
    fn resume(&mut self) {
        let &task = self.open.last().expect("a task runs");
        let inner = self.tasks[task].parts.last().expect("it runs").inner;
        self.part(None, inner);
    }

    fn add(&mut self, run: Option<usize>, buffer: u32, level: u32, group: usize) -> usize {
        self.tasks.push(Task { run, buffer, level, group, parts: Vec::new() });
        self.groups[group].tasks.push(self.tasks.len() - 1);
        self.tasks.len() - 1
    }

    fn open_group(&mut self, level: u32, opener: Option<usize>) -> usize {
        self.groups.push(Group { level, opener, tasks: Vec::new() });
        self.groups.len() - 1
    }

    fn begin(&mut self, buffer: u32, level: u32, (outer, inner): (i32, i32)) {
        let run = self.runs.len();
        let parent = self.open.last().copied();
        self.runs.push(Run { first_of: parent.is_none().then_some(buffer), ..Run::default() });
        let group = match parent {
            None => self.open_group(level, None),
            Some(parent) => {
                let posted = self.run().posted.last_mut().expect("it was posted");
                *posted = Some(run);
                if level > self.tasks[parent].level {
                    self.interrupt(parent, level)
                } else {
                    self.join(parent, level)
                }
            }
        };
        let task = self.add(Some(run), buffer, level, group);
        self.open.push(task);
        self.part(Some(outer), inner);
    }

    /// A post to a higher level opens that level and those between.
    fn interrupt(&mut self, mut opener: usize, level: u32) -> usize {
        let buffer = self.tasks[opener].buffer;
        loop {
            let next = self.tasks[opener].level + 1;
            let group = self.open_group(next, Some(opener));
            self.tasks[opener].parts.last_mut().expect("it runs").opens = Some(group);
            if next == level {
                return group;
            }
            opener = self.add(None, buffer, next, group);
            self.tasks[opener].parts.push(Part { outer: None, inner: 0, came: self.came, opens: None });
        }
    }

    /// A post to the same level or a lower one: the tasks that are there are joined.
    fn join(&self, mut task: usize, level: u32) -> usize {
        while self.tasks[task].level > level {
            task = self.groups[self.tasks[task].group].opener.expect("a level is opened from below");
        }
        assert_eq!(self.groups[self.tasks[task].group].level, level, "the level is open");
        self.tasks[task].group
    }

    fn order(mut self, within: Within) -> Timeline {
        let buffers = 1 + self.tasks.iter().map(|task| task.buffer).max().unwrap_or(0) as usize;
        let mut parts = Vec::new();
        let mut counts = vec![0; self.runs.len()];
        let roots: Vec<usize> = (0..self.groups.len()).filter(|&g| self.groups[g].opener.is_none()).collect();
        for group in roots {
            let buffer = self.tasks[self.groups[group].tasks[0]].buffer as usize;
            let mut ordered = Vec::new();
            self.flatten(group, within, &mut ordered);
            let mut outer = 0;
            for (run, when) in ordered {
                outer = when.unwrap_or(outer);
                let Some(run) = run else { continue };
                parts.push(((outer, buffer), (run, counts[run])));
                counts[run] += 1;
            }
        }
        assert!(parts.iter().all(|&((_, buffer), _)| buffer < buffers));
        // Sorting keeps the order of what is equal: that of time in a buffer.
        parts.sort_by_key(|&(when, _)| when);
        Timeline {
            runs: std::mem::take(&mut self.runs),
            parts: parts.into_iter().map(|(_, part)| part).collect(),
        }
    }

    fn flatten(&self, group: usize, within: Within, out: &mut Vec<(Option<usize>, Option<i32>)>) {
        let tasks = &self.groups[group].tasks;
        let all = tasks.iter().flat_map(|&task| self.tasks[task].parts.iter().map(move |part| (task, part)));
        let mut all: Vec<(usize, &Part)> = all.collect();
        match within {
            Within::Tasks => all.sort_by_key(|(_, part)| part.inner),
            Within::Parts => all.sort_by_key(|(_, part)| (part.inner, part.came)),
        }
        for (task, part) in all {
            out.push((self.tasks[task].run, part.outer));
            if let Some(opened) = part.opens {
                self.flatten(opened, within, out);
            }
        }
    }
}
