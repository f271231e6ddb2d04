//! Segments: what happens from one point to the next, over tasks that are kept in any way.
//!
//! The scheduling rules that leave no choice (a post that interrupts) are applied on the way; a choice of values stops a segment, so that
//! all of them can be taken.

use super::rules::{Config, Scope, Tasks};
use super::run::{Globals, LONG, MANY_POSTS, Stop, Unwatched, choose, picks, run, run_on};
use super::task::Task;
use crate::code::{Code, Fault};
use crate::ir::BufferId;

/// How tasks are kept.
pub(crate) trait TaskSpace {
    /// What the rules ask.
    type At<'a>: Tasks
    where
        Self: 'a;
    /// The tasks together with globals.
    fn at<'a>(&'a self, globals: &'a [i32]) -> Self::At<'a>;
    /// Copies a task out.
    fn load(&self, handle: u32, task: &mut Task);
    /// Puts a task back that has run; its handle from now on.
    fn store(&mut self, handle: u32, task: &Task) -> u32;
    /// A new task.
    fn create(&mut self, task: &Task) -> u32;
}

/// A configuration in which a task runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running {
    pub(crate) globals: Globals,
    pub(crate) config: Config,
    /// The buffer of the task that runs.
    pub(crate) n: u32,
    pub(crate) task: Task,
    /// Choices of values since the segment began, and in how many ways they can be made.
    pub(crate) choices: u32,
    pub(crate) ways: u32,
    /// Interruptions since it was last asked.
    pub(crate) interruptions: u32,
    /// The tasks that have interrupted others since the segment began.
    pub(crate) ran: Vec<u32>,
    /// The task whose pause ended the segment.
    pub(crate) paused: Option<u32>,
    /// The task whose end did.
    pub(crate) ended: Option<u32>,
    /// A new task on its way.
    pub(crate) posted: Task,
}

/// How a segment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// At a point. `current`: the task, if it could go on; `ended`: it has ended.
    Point { scope: Scope, current: Option<u32>, ended: bool },
    /// At a choice between these values.
    Choose { lo: i32, hi: i32 },
    /// The execution is discarded.
    Discarded,
    /// By a fault.
    Failed(Fault),
    /// The task runs for ever without a point.
    Spins,
    /// It has run for long, and nothing is known.
    Long,
}

impl Running {
    /// A task that was chosen goes on.
    pub(crate) fn begin(&mut self, space: &impl TaskSpace, n: u32, handle: u32) {
        self.choose_task(space, n, handle);
        self.take_up(space, n);
    }

    /// The same, but the task itself is not looked at yet.
    pub(crate) fn choose_task(&mut self, space: &impl TaskSpace, n: u32, handle: u32) {
        self.config.go_on(&space.at(&self.globals.slots), n, handle);
        self.n = n;
        (self.choices, self.ways) = (0, 1);
        self.interruptions = 0;
        self.ran.clear();
        self.paused = None;
        self.ended = None;
    }

    /// The active task of a buffer runs.
    pub(crate) fn take_up(&mut self, space: &impl TaskSpace, n: u32) {
        self.n = n;
        let &handle = self.config.buffers[n as usize].active.last().expect("somebody is active");
        space.load(handle, &mut self.task);
    }

    /// The running task is put back.
    pub(crate) fn put_back(&mut self, space: &mut impl TaskSpace) -> u32 {
        let top = self.config.buffers[self.n as usize].active.last_mut().expect("it is active");
        *top = space.store(*top, &self.task);
        *top
    }

    /// Whether a choice between these values, which is the next thing to do, still belongs to the segment.
    pub(crate) fn may_choose(&mut self, lo: i32, hi: i32) -> bool {
        if self.choices >= MANY_CHOICES || self.ways >= MANY_WAYS {
            return false;
        }
        self.choices += 1;
        self.ways = self.ways.saturating_mul(hi.abs_diff(lo).saturating_add(1));
        true
    }

    /// Gives a choice its value.
    pub(crate) fn choose(&mut self, code: &Code, value: i32) -> Result<(), Fault> {
        choose(code, &mut self.globals, &mut self.task, &mut Unwatched, value)
    }

    /// Runs to the end of the segment or to a choice of values.
    pub(crate) fn run(&mut self, code: &Code, space: &mut impl TaskSpace) -> End {
        let mut fuel = LONG;
        let mut posts = 0;
        loop {
            let mut stop = run(code, &mut self.globals, &mut self.task, &mut Unwatched, &mut fuel);
            if stop == Stop::Long {
                match run_on(code, &mut self.globals, &mut self.task, &mut Unwatched) {
                    Ok(later) => stop = later,
                    Err(()) => return End::Spins,
                }
            }
            match stop {
                Stop::Yield | Stop::Pause | Stop::Zield | Stop::Blocked => {
                    let handle = self.put_back(space);
                    return self.settle(space, stop, handle);
                }
                Stop::Ended => return self.settle(space, stop, 0),
                Stop::Post { proc, level } => {
                    posts += 1;
                    if posts > MANY_POSTS {
                        return End::Long;
                    }
                    self.posted.begin(code, BufferId(self.n), proc, &self.globals.args, level);
                    let handle = space.create(&self.posted);
                    if self.config.post(&space.at(&self.globals.slots), self.n, handle) {
                        self.put_back(space);
                        self.config.dispatch(self.n, handle);
                        self.take_up(space, self.n);
                        self.interruptions += 1;
                        self.ran.push(handle);
                    }
                }
                Stop::Choose { lo, hi } => return End::Choose { lo, hi },
                Stop::Discarded => return End::Discarded,
                Stop::Failed(fault) => return End::Failed(fault),
                Stop::Long => return End::Long,
                Stop::Stopped => unreachable!("nobody watches"),
            }
        }
    }

    /// The running task has stopped at a point and is put back as `handle`, or it has ended.
    pub(crate) fn settle(&mut self, space: &impl TaskSpace, stop: Stop, handle: u32) -> End {
        match stop {
            Stop::Yield | Stop::Pause => {
                self.paused = (stop == Stop::Pause).then_some(handle);
                self.config.yield_(&space.at(&self.globals.slots), self.n);
                self.point(space, Scope::Buffer(self.n), handle)
            }
            Stop::Zield | Stop::Blocked => self.point(space, Scope::All, handle),
            Stop::Ended => {
                self.ended = self.config.buffers[self.n as usize].active.last().copied();
                self.config.resume(self.n);
                let tasks = &space.at(&self.globals.slots);
                self.config.block(tasks);
                let scope = self.config.scope_at_end(tasks, self.n);
                End::Point { scope, current: None, ended: true }
            }
            other => unreachable!("{other:?} is no point"),
        }
    }

    fn point(&mut self, space: &impl TaskSpace, scope: Scope, handle: u32) -> End {
        let tasks = &space.at(&self.globals.slots);
        self.config.block(tasks);
        if tasks.is_blocked(handle) {
            return End::Point { scope: Scope::All, current: None, ended: false };
        }
        End::Point { scope, current: Some(handle), ended: false }
    }
}

/// A segment that has come to its end, with what was decided on the way: the value of each choice, from its lowest one on, and nothing where a task was
/// interrupted.
pub(crate) struct Ran<S> {
    pub(crate) space: S,
    pub(crate) running: Running,
    pub(crate) end: End,
    pub(crate) decided: Vec<Option<u32>>,
}

/// So many choices of values in one segment, or choices that can be made in so many ways, become a point of their own: a loop of choices
/// may have no end, and many ways may lead to few states.
const MANY_CHOICES: u32 = 16;
const MANY_WAYS: u32 = 1_000;

/// Runs a segment in every way: with every value of every choice, the lowest first. There may be more ways than anyone has time for; each is worked out when it is
/// asked for.
pub(crate) fn run_in_every_way<S: TaskSpace + Clone>(code: &Code, space: S, running: Running) -> Ways<'_, S> {
    Ways { code, open: vec![Open { space, running, decided: Vec::new(), choice: None }] }
}

/// The ways that are left.
pub(crate) struct Ways<'c, S> {
    code: &'c Code,
    open: Vec<Open<S>>,
}

/// Where a segment can go on.
#[derive(Clone)]
struct Open<S> {
    space: S,
    running: Running,
    /// As in [`Ran`].
    decided: Vec<Option<u32>>,
    /// The lowest value that can be chosen, the next one and the highest one.
    choice: Option<(i32, i32, i32)>,
}

impl<S: TaskSpace + Clone> Iterator for Ways<'_, S> {
    type Item = Ran<S>;

    fn next(&mut self) -> Option<Ran<S>> {
        loop {
            let mut open = self.open.pop()?;
            if let Some((lo, value, hi)) = open.choice {
                if value < hi {
                    self.open.push(Open { choice: Some((lo, value + 1, hi)), ..open.clone() });
                }
                open.decided.extend(picks(lo, hi, value).map(Some));
            }
            let Open { mut space, mut running, mut decided, choice } = open;
            if let Some((_, value, _)) = choice
                && let Err(fault) = running.choose(self.code, value)
            {
                return Some(Ran { space, running, end: End::Failed(fault), decided });
            }
            let end = running.run(self.code, &mut space);
            decided.extend((0..std::mem::take(&mut running.interruptions)).map(|_| None));
            match end {
                End::Choose { lo, hi } if running.may_choose(lo, hi) => {
                    self.open.push(Open { space, running, decided, choice: Some((lo, lo, hi)) });
                }
                end => {
                    if matches!(end, End::Choose { .. }) {
                        running.put_back(&mut space);
                    }
                    return Some(Ran { space, running, end, decided });
                }
            }
        }
    }
}
