//! Plays an execution that was put in order of time (`timeline`) on the machine, to learn the choices that lead to it.
//!
//! Each part of a task is one step of the machine, with these exceptions. A new task that begins with a yield is past it when it is posted, so
//! its first part is none. A part in which a task only finds that it has to wait is none either: on the machine a task that has to wait
//! does not come up.

use caissa_core::Choice;

use super::timeline::Timeline;
use crate::code::{Code, Fault};
use crate::explicit::{Found, Wrong};
use crate::machine::run::{holds, is_blocked, picks};
use crate::machine::{Beside, End, Numbered, Running, Scope, Task, TaskSpace as _};

/// Which tasks of the timeline those of the machine are.
struct Played<'a> {
    timeline: &'a Timeline,
    runs: Vec<Option<usize>>,
    /// How many tasks each has posted.
    posts: Vec<u32>,
    /// It is past its first yield.
    past: Vec<bool>,
}

impl Beside for Played<'_> {
    fn posted(&mut self, code: &Code, tasks: &[Task], poster: u32) {
        let poster = poster as usize;
        let number = self.posts[poster];
        self.posts[poster] += 1;
        let run = self.runs[poster].and_then(|run| *self.timeline.runs[run].posted.get(number as usize)?);
        self.add(code, tasks.last().expect("it is posted"), run);
    }
}

impl Played<'_> {
    fn add(&mut self, code: &Code, task: &Task, run: Option<usize>) {
        self.past.push(task.is_past_first_yield(code));
        self.runs.push(run);
        self.posts.push(0);
    }
}

/// Why an execution cannot be played: our own mistake.
pub type Mistake = String;

/// Plays an execution that goes wrong.
pub fn play(code: &Code, timeline: &Timeline) -> Result<Found, Mistake> {
    Player::new(code, timeline).play()
}

struct Player<'a> {
    code: &'a Code,
    timeline: &'a Timeline,
    space: Numbered<'a, Played<'a>>,
    running: Running,
    /// The next part.
    next: usize,
    /// How many values each has chosen.
    chosen: Vec<usize>,
    steps: Vec<Option<u32>>,
    /// Among whom is chosen at the point.
    scope: Scope,
}

impl<'a> Player<'a> {
    fn new(code: &'a Code, timeline: &'a Timeline) -> Player<'a> {
        let played = Played { timeline, runs: Vec::new(), posts: Vec::new(), past: Vec::new() };
        let (mut space, config) = Numbered::new(code, played);
        for (n, task) in (0..).zip(&space.tasks) {
            let run = timeline.runs.iter().position(|run| run.first_of == Some(n));
            space.beside.add(code, task, run);
        }
        let mut running = Running { config, ..Running::default() };
        running.globals.slots.clone_from(&code.init);
        let chosen = vec![0; timeline.runs.len()];
        Player { code, timeline, space, running, next: 0, chosen, steps: Vec::new(), scope: Scope::All }
    }

    fn play(mut self) -> Result<Found, Mistake> {
        // The first task of all is not chosen, and runs even if all that it does is to wait.
        self.pass_first_part();
        let mut next = Some(0);
        loop {
            let Some(handle) = next else {
                return self.terminated();
            };
            let n = self.space.tasks[handle as usize].buffer;
            self.running.begin(&self.space, n, handle);
            if let Some(fault) = self.segment()? {
                return Ok(self.found(Wrong::Fault(fault)));
            }
            next = self.next_task();
            if next.is_some_and(|next| !self.may_go_on(next)) {
                return Err(format!("task {next:?} cannot go on after {:?}", self.steps));
            }
            self.steps.extend(next.map(Some));
        }
    }

    /// The task whose part is next and is a step of the machine.
    fn next_task(&mut self) -> Option<u32> {
        while let Some(&(run, number)) = self.timeline.parts.get(self.next) {
            self.next += 1;
            let Some(handle) = self.space.beside.runs.iter().position(|&other| other == Some(run)) else {
                continue;
            };
            if number == 0 && self.space.beside.past[handle] {
                continue;
            }
            if is_blocked(self.code, &self.running.globals.slots, &self.space.tasks[handle]) {
                continue;
            }
            return Some(handle as u32);
        }
        None
    }

    /// Whether a task is among those that may go on at the point.
    fn may_go_on(&self, task: u32) -> bool {
        let mut may = false;
        let tasks = &self.space.at(&self.running.globals.slots);
        self.running.config.candidates(tasks, self.scope, &mut |_, other| may |= other == task);
        may
    }

    /// A task begins at once, the first of all or one that interrupts another: its first part is next.
    fn pass_first_part(&mut self) {
        let at = |next| self.timeline.parts.get(next);
        let Some(&(run, number)) = at(self.next) else { return };
        self.next += 1;
        let handle = self.space.beside.runs.iter().position(|&other| other == Some(run));
        let past = number == 0 && handle.is_some_and(|handle| self.space.beside.past[handle]);
        if past && at(self.next) == Some(&(run, 1)) {
            self.next += 1;
        }
    }

    /// Runs to the next point. Tasks that cannot go on there have no part next.
    fn segment(&mut self) -> Result<Option<Fault>, Mistake> {
        loop {
            let end = self.running.run(self.code, &mut self.space);
            for _ in 0..std::mem::take(&mut self.running.interruptions) {
                self.steps.push(None);
                self.pass_first_part();
            }
            match end {
                End::Point { scope, .. } => {
                    self.scope = scope;
                    return Ok(None);
                }
                End::Failed(fault) => return Ok(Some(fault)),
                End::Choose { lo, hi } => {
                    let above = self.chosen().ok_or("a choice was not made")?;
                    let value = lo.wrapping_add(above);
                    self.steps.extend(picks(lo, hi, value).map(Some));
                    if let Err(fault) = self.running.choose(self.code, value) {
                        return Ok(Some(fault));
                    }
                }
                End::Discarded => return Err("an assumption does not hold".to_owned()),
                End::Spins | End::Long => return Err("a task runs for ever".to_owned()),
            }
        }
    }

    /// What the running task chooses next.
    fn chosen(&mut self) -> Option<i32> {
        let &handle = self.running.config.buffers[self.running.n as usize].active.last()?;
        let run = self.space.beside.runs[handle as usize]?;
        let at = self.chosen[run];
        self.chosen[run] += 1;
        self.timeline.runs[run].chosen.get(at).copied()
    }

    /// Everything has ended: a final condition does not hold.
    fn terminated(self) -> Result<Found, Mistake> {
        if !self.running.config.is_terminated() {
            return Err("it ends before it goes wrong".to_owned());
        }
        let slots = &self.running.globals.slots;
        let fault = self.code.finals.iter().enumerate().find_map(|(number, condition)| {
            match holds(condition, slots) {
                Ok(true) => None,
                Ok(false) => Some(Fault::Final(number as u32)),
                Err(fault) => Some(fault),
            }
        });
        let fault = fault.ok_or("it ends well")?;
        Ok(self.found(Wrong::Fault(fault)))
    }

    fn found(self, wrong: Wrong) -> Found {
        let depth = self.steps.len() as u32;
        let steps = self.steps.into_iter().enumerate();
        let choices =
            steps.filter_map(|(step, pick)| Some(Choice { step: step as u32, pick: pick?, check: 0 }));
        Found { wrong, spent: None, choices: choices.collect(), depth, repeat: None }
    }
}
