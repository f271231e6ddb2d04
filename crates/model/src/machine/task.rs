//! A task: a program counter and frames.

use super::rules::Tasks;
use super::run::{is_blocked, run_to_yield};
use crate::code::{Code, Fault, Instr};
use crate::ir::{BufferId, LevelId, ProcId};

/// A task that runs, or could.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) level: u32,
    pub(crate) buffer: u32,
    /// The next instruction.
    pub(crate) pc: u32,
    /// Where the locals of the running frame begin.
    pub(crate) base: u32,
    /// The calls that have not returned, the oldest first: the instruction that called, and where the caller's locals begin.
    pub(crate) calls: Vec<(u32, u32)>,
    /// The locals of all frames.
    pub(crate) slots: Vec<i32>,
}

impl Clone for Task {
    fn clone(&self) -> Task {
        let mut task = Task::default();
        task.clone_from(self);
        task
    }

    /// Keeps the room that is there.
    #[inline]
    fn clone_from(&mut self, other: &Task) {
        let &Task { level, buffer, pc, base, ref calls, ref slots } = other;
        (self.level, self.buffer, self.pc, self.base) = (level, buffer, pc, base);
        self.calls.clone_from(calls);
        self.slots.clone_from(slots);
    }
}

impl Task {
    /// Makes it a new task that runs a procedure. If it comes to a yield before it has done anything that others can see, it does so at
    /// once: it is pending either way.
    pub(crate) fn begin(
        &mut self,
        code: &Code,
        buffer: BufferId,
        proc: ProcId,
        args: &[i32],
        level: LevelId,
    ) {
        let callee = &code.procs[proc.index()];
        self.level = level.0;
        self.buffer = buffer.0;
        self.pc = callee.entry;
        self.base = 0;
        self.calls.clear();
        self.slots.clear();
        self.slots.extend_from_slice(&callee.frame);
        self.slots[..args.len()].copy_from_slice(args);
        if code.comes_to_yield[proc.index()] && !run_to_yield(code, self) {
            self.pc = callee.entry;
            self.slots.copy_from_slice(&callee.frame);
            self.slots[..args.len()].copy_from_slice(args);
        }
    }

    /// Whether it has not begun, and is past a yield nevertheless, at which it may be put off ([`Task::begin`]).
    pub(crate) fn is_past_first_yield(&self, code: &Code) -> bool {
        let pc = self.pc as usize;
        let entry = code.procs[code.proc_of[pc].index()].entry;
        let yields = !code.serial[self.level as usize];
        yields && self.pc > entry && matches!(code.instrs[pc - 1], Instr::Yield)
    }

    /// Packs it into words: two tasks that can do the same from here on have the same words.
    pub(crate) fn pack(&self, code: &Code, words: &mut Vec<u32>) {
        words.clear();
        words.push(self.level << 16 | self.buffer);
        words.push(self.calls.len() as u32);
        let mut frame = |pc: u32, base: u32| {
            words.push(pc);
            for &slot in code.live[pc as usize].iter() {
                words.push(self.slots[(base + slot) as usize] as u32);
            }
        };
        for &(pc, base) in &self.calls {
            frame(pc, base);
        }
        frame(code.resolved[self.pc as usize], self.base);
    }

    /// Takes up what [`Task::pack`] has packed.
    pub(crate) fn unpack(&mut self, code: &Code, words: &[u32]) {
        let mut words = words.iter().copied();
        let mut next = || words.next().expect("words of a task");
        let head = next();
        self.level = head >> 16;
        self.buffer = head & 0xffff;
        self.calls.clear();
        self.slots.clear();
        for left in (0..=next()).rev() {
            let pc = next();
            let base = self.slots.len() as u32;
            let size = code.procs[code.proc_of[pc as usize].index()].frame.len();
            self.slots.resize(base as usize + size, 0);
            for &slot in code.live[pc as usize].iter() {
                self.slots[(base + slot) as usize] = next() as i32;
            }
            if left > 0 {
                self.calls.push((pc, base));
            } else {
                (self.pc, self.base) = (pc, base);
            }
        }
    }

    /// Enters a procedure; the instruction at `pc` has called it.
    pub(super) fn call(&mut self, code: &Code, proc: ProcId, args: &[i32]) -> Result<(), Fault> {
        if self.calls.len() + 1 >= crate::code::MAX_FRAMES {
            return Err(Fault::Recursion);
        }
        let callee = &code.procs[proc.index()];
        self.calls.push((self.pc, self.base));
        self.base = self.slots.len() as u32;
        self.slots.extend_from_slice(&callee.frame);
        self.slots[self.base as usize..][..args.len()].copy_from_slice(args);
        self.pc = callee.entry;
        Ok(())
    }
}

/// Tasks that are kept one by one, by their handles, together with globals: what the rules ask.
pub(crate) struct Listed<'a, T> {
    pub(crate) code: &'a Code,
    pub(crate) tasks: &'a [T],
    pub(crate) globals: &'a [i32],
    pub(crate) ignore_levels: bool,
}

impl<'a, T> Listed<'a, T>
where
    &'a T: Into<Option<&'a Task>>,
{
    fn get(&self, handle: u32) -> &'a Task {
        (&self.tasks[handle as usize]).into().expect("a task has this handle")
    }
}

impl<'a, T> Tasks for Listed<'a, T>
where
    &'a T: Into<Option<&'a Task>>,
{
    fn level(&self, task: u32) -> u32 {
        self.get(task).level
    }

    fn is_blocked(&self, task: u32) -> bool {
        is_blocked(self.code, self.globals, self.get(task))
    }

    fn is_serial(&self, level: u32) -> bool {
        self.code.serial[level as usize]
    }

    fn ignores_levels(&self) -> bool {
        self.ignore_levels
    }
}
