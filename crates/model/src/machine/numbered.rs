//! Tasks that can be told apart.

use std::cell::Cell;

use super::{Config, Listed, Task, TaskSpace};
use crate::code::Code;
use crate::ir::{BufferId, LevelId};

/// Tasks whose handles are numbers in order of creation, as in the core, and what an engine keeps beside them.
#[derive(Clone)]
pub(crate) struct Numbered<'c, B> {
    pub(crate) code: &'c Code,
    pub(crate) tasks: Vec<Task>,
    pub(crate) beside: B,
    running: Cell<u32>,
}

/// What is kept beside tasks.
pub(crate) trait Beside {
    /// A task has posted the last one of these.
    fn posted(&mut self, code: &Code, tasks: &[Task], poster: u32);
}

impl Beside for () {
    fn posted(&mut self, _code: &Code, _tasks: &[Task], _poster: u32) {}
}

impl<'c, B> Numbered<'c, B> {
    /// The first task of each buffer, pending.
    pub(crate) fn new(code: &'c Code, beside: B) -> (Numbered<'c, B>, Config) {
        let buffers = &code.program.buffers;
        let (mut tasks, mut config) = (Vec::new(), Config::new(buffers.len()));
        for (n, buffer) in (0..).zip(buffers) {
            let mut task = Task::default();
            task.begin(code, BufferId(n), buffer.main, &[], LevelId(0));
            tasks.push(task);
            config.buffers[n as usize].pending.push(n);
        }
        (Numbered { code, tasks, beside, running: Cell::new(0) }, config)
    }

    /// The task that ran last.
    pub(crate) fn last_running(&self) -> u32 {
        self.running.get()
    }
}

impl<'c, B: Beside> TaskSpace for Numbered<'c, B> {
    type At<'a>
        = Listed<'a, Task>
    where
        Self: 'a;

    fn at<'a>(&'a self, globals: &'a [i32]) -> Listed<'a, Task> {
        Listed { code: self.code, tasks: &self.tasks, globals, ignore_levels: false }
    }

    fn load(&self, handle: u32, task: &mut Task) {
        self.running.set(handle);
        task.clone_from(&self.tasks[handle as usize]);
    }

    fn store(&mut self, handle: u32, task: &Task) -> u32 {
        self.tasks[handle as usize].clone_from(task);
        handle
    }

    fn create(&mut self, task: &Task) -> u32 {
        self.tasks.push(task.clone());
        self.beside.posted(self.code, &self.tasks, self.running.get());
        self.tasks.len() as u32 - 1
    }
}
