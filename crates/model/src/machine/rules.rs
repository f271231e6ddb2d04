//! Which task may go on: the rules of Fig. 4 of the 2012 paper for tasks and buffers, as corrected in docs/semantics.md.
//!
//! A configuration holds, for each buffer, the active tasks (each has interrupted the one below it) and the pending ones. The rules are the
//! functions here, one for each: [`Config::post`], [`Config::dispatch`], [`Config::resume`], [`Config::yield_`], [`Config::block`];
//! ZIELD changes nothing but who may go on next, which is a [`Scope`].
//!
//! Deviations. `top` counts the task about to be dispatched. A buffer with nothing to run passes control on. A task that waits for a
//! condition or a lock gives its place up, unless its level is serial: it is pending until it can go on.

/// What the rules ask about tasks.
pub(crate) trait Tasks {
    /// The level of a task.
    fn level(&self, task: u32) -> u32;
    /// Whether it waits for something that does not hold.
    fn is_blocked(&self, task: u32) -> bool;
    /// Whether tasks of a level do not make way for each other.
    fn is_serial(&self, level: u32) -> bool;
    /// A switch for tests: levels are ignored.
    fn ignores_levels(&self) -> bool {
        false
    }
}

/// A task-buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Buffer {
    /// Each has interrupted the one before it; only the last one can run.
    pub(crate) active: Vec<u32>,
    /// Tasks that have not begun, have yielded, or wait.
    pub(crate) pending: Vec<u32>,
}

/// The tasks of all buffers, by handles.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) buffers: Vec<Buffer>,
}

impl Clone for Config {
    fn clone(&self) -> Config {
        Config { buffers: self.buffers.clone() }
    }

    /// Keeps the room that is there.
    #[inline]
    fn clone_from(&mut self, other: &Config) {
        self.buffers.resize_with(other.buffers.len(), Buffer::default);
        for (to, from) in self.buffers.iter_mut().zip(&other.buffers) {
            to.active.clone_from(&from.active);
            to.pending.clone_from(&from.pending);
        }
    }
}

/// Among which tasks a choice is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scope {
    /// Those of one buffer.
    Buffer(u32),
    /// Those of all buffers.
    All,
}

impl Config {
    pub(crate) fn new(buffers: usize) -> Config {
        Config { buffers: vec![Buffer::default(); buffers] }
    }

    /// No task is left.
    pub(crate) fn is_terminated(&self) -> bool {
        self.buffers.iter().all(|buffer| buffer.active.is_empty() && buffer.pending.is_empty())
    }

    /// The highest level of a pending task.
    fn top(&self, tasks: &impl Tasks, n: u32) -> Option<u32> {
        self.buffers[n as usize].pending.iter().map(|&task| tasks.level(task)).max()
    }

    /// POST. True if the new task interrupts the active one: it has to be dispatched next.
    pub(crate) fn post(&mut self, tasks: &impl Tasks, n: u32, task: u32) -> bool {
        let buffer = &mut self.buffers[n as usize];
        buffer.pending.push(task);
        let active = buffer.active.last().map(|&task| tasks.level(task));
        !tasks.ignores_levels() && active.is_none_or(|level| tasks.level(task) > level)
    }

    /// DISPATCH: a pending task of the highest level, which must be above that of the active one.
    pub(crate) fn dispatch(&mut self, n: u32, task: u32) {
        let buffer = &mut self.buffers[n as usize];
        let at = buffer.pending.iter().position(|&other| other == task).expect("it is pending");
        buffer.pending.remove(at);
        buffer.active.push(task);
    }

    /// RESUME: the active task has ended; what it has interrupted may go on, or a pending task.
    pub(crate) fn resume(&mut self, n: u32) {
        self.buffers[n as usize].active.pop().expect("the task that ends is active");
    }

    /// YIELD: the active task becomes pending. False if it stays active, because its level is serial.
    pub(crate) fn yield_(&mut self, tasks: &impl Tasks, n: u32) -> bool {
        let buffer = &mut self.buffers[n as usize];
        let task = *buffer.active.last().expect("the task that yields is active");
        if tasks.is_serial(tasks.level(task)) && !tasks.ignores_levels() {
            return false;
        }
        buffer.active.pop();
        buffer.pending.push(task);
        true
    }

    /// BLOCK: in every buffer, a task on top that waits becomes pending, unless its level is serial.
    pub(crate) fn block(&mut self, tasks: &impl Tasks) {
        for buffer in &mut self.buffers {
            while let Some(&task) = buffer.active.last()
                && (!tasks.is_serial(tasks.level(task)) || tasks.ignores_levels())
                && tasks.is_blocked(task)
            {
                buffer.active.pop();
                buffer.pending.push(task);
            }
        }
    }

    /// The tasks that could go on if a buffer had control, in the order of its lists.
    pub(crate) fn runnable(&self, tasks: &impl Tasks, n: u32, each: &mut impl FnMut(u32, u32)) {
        let buffer = &self.buffers[n as usize];
        if tasks.ignores_levels() {
            let all = buffer.active.iter().chain(&buffer.pending);
            all.filter(|&&task| !tasks.is_blocked(task)).for_each(|&task| each(n, task));
            return;
        }
        let active = buffer.active.last().map(|&task| (task, tasks.level(task)));
        match (active, self.top(tasks, n)) {
            (Some((task, level)), top) if top.is_none_or(|top| top <= level) => {
                if !tasks.is_blocked(task) {
                    each(n, task);
                }
            }
            (_, Some(top)) => {
                for &task in &buffer.pending {
                    if tasks.level(task) == top && !tasks.is_blocked(task) {
                        each(n, task);
                    }
                }
            }
            (_, None) => {}
        }
    }

    /// The tasks among which a choice is made.
    pub(crate) fn candidates(&self, tasks: &impl Tasks, scope: Scope, each: &mut impl FnMut(u32, u32)) {
        match scope {
            Scope::Buffer(n) => self.runnable(tasks, n, each),
            Scope::All => {
                for n in 0..self.buffers.len() as u32 {
                    self.runnable(tasks, n, each);
                }
            }
        }
    }

    /// Whether a buffer has a task that could go on.
    pub(crate) fn can_run(&self, tasks: &impl Tasks, n: u32) -> bool {
        let mut any = false;
        self.runnable(tasks, n, &mut |_, _| any = true);
        any
    }

    /// The scope of the choice when a task of `n` has ended.
    pub(crate) fn scope_at_end(&self, tasks: &impl Tasks, n: u32) -> Scope {
        if self.can_run(tasks, n) { Scope::Buffer(n) } else { Scope::All }
    }

    /// A task of `n` that was chosen goes on.
    pub(crate) fn go_on(&mut self, tasks: &impl Tasks, n: u32, task: u32) {
        if self.buffers[n as usize].active.last() == Some(&task) {
            return;
        }
        if tasks.ignores_levels() {
            // Whoever was on top has not ended; it can be chosen again.
            let buffer = &mut self.buffers[n as usize];
            let active = std::mem::take(&mut buffer.active);
            buffer.pending.extend(active);
        }
        self.dispatch(n, task);
    }
}
