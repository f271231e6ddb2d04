//! The causal pasts of tasks and objects: what makes the class of an execution.

use super::Execution;
use crate::class::{Access, Mark, Past, TaskPast};
use crate::task::TaskId;

impl Execution {
    /// A new object; what came before it under this number is forgotten.
    pub fn add_object(&mut self, object: usize) {
        match self.pasts.get_mut(object) {
            Some(past) => *past = Past::default(),
            None => self.pasts.resize(object + 1, Past::default()),
        }
        if self.clocks_on {
            self.forget_handed(object);
        }
    }

    /// The running task touches an object: that makes classes, and orders it after what touched the object before.
    #[inline]
    pub fn touch(&mut self, object: usize, access: Access) {
        self.touch_by(self.current, object, access);
    }

    /// As [`Execution::touch`], for any task.
    #[inline]
    pub fn touch_by(&mut self, task: TaskId, object: usize, access: Access) {
        if self.classes {
            self.tasks[task.index()].past.touch(&mut self.pasts[object], access);
        }
        if self.clocks_on {
            self.touch_clock(task, object, access);
        }
    }

    /// The running task touches an object, which orders nothing by itself.
    #[inline]
    pub fn touch_class(&mut self, object: usize, access: Access) {
        if self.classes {
            self.tasks[self.current.index()].past.touch(&mut self.pasts[object], access);
        }
    }

    /// The mark that the last operation on an object has left, reads apart.
    pub fn last_write(&self, object: usize) -> Mark {
        self.pasts[object].write
    }

    /// The causal past of a task.
    #[inline]
    pub fn past_mut(&mut self, task: TaskId) -> &mut TaskPast {
        &mut self.tasks[task.index()].past
    }

    /// The causal past of a task.
    #[inline]
    pub fn past(&self, task: TaskId) -> &TaskPast {
        &self.tasks[task.index()].past
    }

    /// The class of the prefix that has been executed.
    #[inline]
    pub(super) fn class_so_far(&self) -> Mark {
        self.tasks.iter().fold(Mark::default(), |sum, task| sum.plus(task.past.share()))
    }
}
