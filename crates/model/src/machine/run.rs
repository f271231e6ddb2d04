//! What a task does from one point to the next: the sequential rules of Fig. 4 (SKIP, ASSIGN, ASSUME, IF, LOOP, CALL, RETURN), and where
//! it stops for the others.

use super::task::Task;
use crate::code::{Code, Fault, Instr, Memory, Target, Wait};
use crate::ir::{LevelId, ProcId};

/// Sees what tasks do to globals.
pub(crate) trait Watch {
    /// It does.
    const SEES: bool = true;
    /// A global is read.
    fn read(&mut self, slot: u32, value: i32);
    /// A global is written.
    fn write(&mut self, slot: u32, from: i32, to: i32);
    /// A local of the running frame is written.
    #[inline(always)]
    fn write_local(&mut self, _slot: u32, _from: i32, _to: i32) {}
    /// A global is read by a task that waits for another value of it, and does nothing.
    #[inline(always)]
    fn read_in_vain(&mut self, _slot: u32, _value: i32) {}
    /// A procedure returns to the call at an instruction, whose result is assigned next.
    #[inline(always)]
    fn returns_to(&mut self, _pc: u32) {}
    /// An instruction is about to be executed; false if the task must stop before it.
    #[inline(always)]
    fn step(&mut self, _pc: u32) -> bool {
        true
    }
}

/// Sees nothing.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    const SEES: bool = false;
    #[inline(always)]
    fn read(&mut self, _: u32, _: i32) {}
    #[inline(always)]
    fn write(&mut self, _: u32, _: i32, _: i32) {}
}

/// Why a task has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// At a yield, which lies behind it. The level is not serial.
    Yield,
    /// At a zield, which lies behind it. There are several buffers.
    Zield,
    /// At a pause, of which the yield and the zield are still to come.
    Pause,
    /// In front of an `await` or `lock` whose condition does not hold.
    Blocked,
    /// It has posted; the arguments are in [`Globals::args`].
    Post { proc: ProcId, level: LevelId },
    /// A value between these has to be chosen for [`Globals::chosen`].
    Choose { lo: i32, hi: i32 },
    /// It has ended.
    Ended,
    /// The execution is to be discarded.
    Discarded,
    /// It did something wrong; the instruction is still the next one.
    Failed(Fault),
    /// It has run for long.
    Long,
    /// The watch has stopped it.
    Stopped,
}

/// The globals, and room for what tasks pass on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globals {
    pub(crate) slots: Vec<i32>,
    pub(crate) args: Vec<i32>,
}

/// Sees a condition that does not hold.
struct InVain<'a, W>(&'a mut W);

impl<W: Watch> Watch for InVain<'_, W> {
    fn read(&mut self, slot: u32, value: i32) {
        self.0.read_in_vain(slot, value);
    }

    fn write(&mut self, _: u32, _: i32, _: i32) {}
}

struct View<'a, W> {
    globals: &'a [i32],
    locals: &'a [i32],
    watch: &'a mut W,
}

impl<W: Watch> Memory for View<'_, W> {
    #[inline(always)]
    fn global(&mut self, slot: u32) -> i32 {
        let value = self.globals[slot as usize];
        self.watch.read(slot, value);
        value
    }

    #[inline(always)]
    fn local(&mut self, slot: u32) -> i32 {
        self.locals[slot as usize]
    }
}

macro_rules! view {
    ($globals:expr, $task:expr, $watch:expr) => {
        View { globals: &$globals.slots, locals: &$task.slots[$task.base as usize..], watch: $watch }
    };
}

/// Runs a task until it stops. `fuel`: how many instructions it may take.
pub(crate) fn run<W: Watch>(
    code: &Code,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
    fuel: &mut u32,
) -> Stop {
    loop {
        if *fuel == 0 {
            return Stop::Long;
        }
        *fuel -= 1;
        if !watch.step(task.pc) {
            return Stop::Stopped;
        }
        match step(code, globals, task, watch) {
            Ok(None) => {}
            Ok(Some(stop)) => return stop,
            Err(fault) => return Stop::Failed(fault),
        }
    }
}

/// How many instructions a task may take from one point to the next before it is asked whether it ever comes there.
pub(crate) const LONG: u32 = 100_000;

/// How many tasks may be posted from one point to the next.
pub(crate) const MANY_POSTS: u32 = 10_000;

/// A task has run for long: runs it on, to see whether it comes back to a state that it has been in, without a stop on the way. `Err` if
/// it does: it runs for ever. Else where it stops; [`Stop::Long`] if nothing is known after ten times as long.
pub(crate) fn run_on<W: Watch>(
    code: &Code,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
) -> Result<Stop, ()> {
    let (mut power, mut length) = (1, 0);
    let mut seen = (globals.slots.clone(), task.clone());
    for _ in 0..10 * LONG {
        let stop = run(code, globals, task, watch, &mut 1);
        if stop != Stop::Long {
            return Ok(stop);
        }
        if seen.0 == globals.slots && seen.1 == *task {
            return Err(());
        }
        length += 1;
        if length == power {
            (power, length) = (power * 2, 0);
            seen.0.clone_from(&globals.slots);
            seen.1.clone_from(task);
        }
    }
    Ok(Stop::Long)
}

/// One instruction.
#[inline(always)]
fn step<W: Watch>(
    code: &Code,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
) -> Result<Option<Stop>, Fault> {
    let mut stop = None;
    match &code.instrs[task.pc as usize] {
        Instr::Set(target, value) => {
            let slot = locate(target, globals, task, watch)?;
            let value = value.eval(&mut view!(globals, task, watch))?;
            store(target, slot, value, globals, task, watch)?;
        }
        Instr::JumpIfNot(condition, to) => {
            if condition.eval(&mut view!(globals, task, watch))? == 0 {
                task.pc = *to;
                return Ok(None);
            }
        }
        Instr::Jump(to) => {
            task.pc = *to;
            return Ok(None);
        }
        // Where they do nothing they are no stops, so that a loop of them is seen to have no end.
        Instr::Yield => stop = (!code.serial[task.level as usize]).then_some(Stop::Yield),
        Instr::Zield => stop = (code.program.buffers.len() > 1).then_some(Stop::Zield),
        Instr::Pause => stop = Some(Stop::Pause),
        Instr::Await(condition) => {
            let holds = condition.eval(&mut view!(globals, task, &mut Unwatched));
            if W::SEES {
                let _ = match holds {
                    Ok(0) => condition.eval(&mut view!(globals, task, &mut InVain(watch))),
                    _ => condition.eval(&mut view!(globals, task, watch)),
                };
            }
            if holds? == 0 {
                return Ok(Some(block(code, task)));
            }
        }
        Instr::Lock(target) => {
            if let Some(slot) = lock_slot(target, &globals.slots, task)
                && globals.slots[slot as usize] != 0
            {
                if W::SEES {
                    locate(target, globals, task, &mut InVain(watch))?;
                    watch.read_in_vain(slot, globals.slots[slot as usize]);
                }
                return Ok(Some(block(code, task)));
            }
            let slot = locate(target, globals, task, watch)?;
            watch.read(slot, globals.slots[slot as usize]);
            store(target, slot, 1, globals, task, watch)?;
        }
        Instr::Unlock(target) => {
            let slot = locate(target, globals, task, watch)?;
            watch.read(slot, globals.slots[slot as usize]);
            if globals.slots[slot as usize] == 0 {
                return Err(Fault::UnlockFree);
            }
            store(target, slot, 0, globals, task, watch)?;
        }
        Instr::Choose(target, lo, hi) => {
            // A place that there is not is none for any value.
            locate(target, globals, task, watch)?;
            let lo = lo.eval(&mut view!(globals, task, watch))?;
            let hi = hi.eval(&mut view!(globals, task, watch))?;
            if lo > hi {
                return Err(Fault::EmptyChoice { lo, hi });
            }
            return Ok(Some(Stop::Choose { lo, hi }));
        }
        Instr::Assume(condition) => {
            if condition.eval(&mut view!(globals, task, watch))? == 0 {
                return Ok(Some(Stop::Discarded));
            }
        }
        Instr::Assert(condition, message) => {
            if condition.eval(&mut view!(globals, task, watch))? == 0 {
                return Err(Fault::Assertion(*message));
            }
        }
        rest => return step_far(rest, code, globals, task, watch),
    }
    task.pc += 1;
    Ok(stop)
}

/// The instructions that leave the frame.
fn step_far<W: Watch>(
    instr: &Instr,
    code: &Code,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
) -> Result<Option<Stop>, Fault> {
    match instr {
        Instr::Call { proc, args, .. } => {
            evaluate(code, *proc, args, globals, task, watch)?;
            task.call(code, *proc, &globals.args)?;
            return Ok(None);
        }
        Instr::Return(value) => {
            let value = match value {
                Some(value) => value.eval(&mut view!(globals, task, watch))?,
                None => 0,
            };
            return ret(code, value, globals, task, watch);
        }
        Instr::NoResult => return Err(Fault::NoResult),
        Instr::Post { proc, args, level } => {
            evaluate(code, *proc, args, globals, task, watch)?;
            task.pc += 1;
            return Ok(Some(Stop::Post { proc: *proc, level: level.unwrap_or(LevelId(task.level)) }));
        }
        Instr::Raise(line) => {
            let slot = code.first_line + line.0;
            let from = std::mem::replace(&mut globals.slots[slot as usize], 1);
            watch.write(slot, from, 1);
        }
        Instr::Poll => {
            for line in &code.lines_of[task.buffer as usize] {
                let slot = code.first_line + line.0;
                watch.read(slot, globals.slots[slot as usize]);
                if globals.slots[slot as usize] != 0 {
                    globals.slots[slot as usize] = 0;
                    watch.write(slot, 1, 0);
                    globals.args.clear();
                    let line = &code.program.lines[line.index()];
                    return Ok(Some(Stop::Post { proc: line.handler, level: line.level }));
                }
            }
        }
        other => unreachable!("{other:?} is executed elsewhere"),
    }
    task.pc += 1;
    Ok(None)
}

/// RETURN, and the end of a task.
fn ret<W: Watch>(
    code: &Code,
    value: i32,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
) -> Result<Option<Stop>, Fault> {
    let (lo, hi) = code.procs[code.proc_of[task.pc as usize].index()].result;
    if value < lo || value > hi {
        return Err(Fault::Range { value, lo, hi });
    }
    let Some((pc, base)) = task.calls.pop() else { return Ok(Some(Stop::Ended)) };
    task.slots.truncate(task.base as usize);
    (task.pc, task.base) = (pc, base);
    watch.returns_to(pc);
    if let Instr::Call { result: Some(target), .. } = &code.instrs[pc as usize] {
        let slot = locate(target, globals, task, watch)?;
        store(target, slot, value, globals, task, watch)?;
    }
    task.pc += 1;
    Ok(None)
}

/// The task cannot go on; when it does it looks at the lines of its buffer again.
fn block(code: &Code, task: &mut Task) -> Stop {
    let polls = task.pc > 0 && matches!(code.instrs[task.pc as usize - 1], Instr::Poll);
    task.pc -= polls as u32;
    Stop::Blocked
}

/// Evaluates arguments.
fn evaluate<W: Watch>(
    code: &Code,
    proc: ProcId,
    args: &[crate::code::Ex],
    globals: &mut Globals,
    task: &Task,
    watch: &mut W,
) -> Result<(), Fault> {
    globals.args.clear();
    for (arg, &(lo, hi)) in args.iter().zip(&code.procs[proc.index()].ranges) {
        let value = arg.eval(&mut view!(globals, task, watch))?;
        if value < lo || value > hi {
            return Err(Fault::Range { value, lo, hi });
        }
        globals.args.push(value);
    }
    Ok(())
}

/// The slot that a target stands for, from the start of the globals or of the frame.
#[inline(always)]
fn locate<W: Watch>(target: &Target, globals: &Globals, task: &Task, watch: &mut W) -> Result<u32, Fault> {
    Ok(match &target.index {
        None => target.slot,
        Some(index) => target.slot + index.eval(&mut view!(globals, task, watch))? as u32,
    })
}

#[inline(always)]
fn store<W: Watch>(
    target: &Target,
    slot: u32,
    value: i32,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
) -> Result<(), Fault> {
    if value < target.lo || value > target.hi {
        return Err(Fault::Range { value, lo: target.lo, hi: target.hi });
    }
    if target.is_global {
        let from = std::mem::replace(&mut globals.slots[slot as usize], value);
        watch.write(slot, from, value);
    } else {
        let from = std::mem::replace(&mut task.slots[(task.base + slot) as usize], value);
        watch.write_local(slot, from, value);
    }
    Ok(())
}

/// How many instructions a new task may take to its first yield.
const SHORT: u32 = 64;

/// Runs a new task up to and over its first yield, if all that it does before is its own. False if it is not.
pub(super) fn run_to_yield(code: &Code, task: &mut Task) -> bool {
    let mut globals = Globals::default();
    for _ in 0..SHORT {
        let pc = task.pc as usize;
        if matches!(code.instrs[pc], Instr::Yield) {
            task.pc += 1;
            // Who yields and then waits makes way for other buffers; who has not begun and waits does not.
            return code.program.buffers.len() == 1 || code.waits[task.pc as usize].is_none();
        }
        if !code.is_own[pc] || step(code, &mut globals, task, &mut Unwatched) != Ok(None) {
            return false;
        }
    }
    false
}

/// The choices of the core that make up a choice of the model. The core counts up to 2^32 - 1: of all integers the highest one is a choice of its own.
pub(crate) fn picks(lo: i32, hi: i32, value: i32) -> impl Iterator<Item = u32> {
    let position = value.abs_diff(lo);
    let (first, second) = match (is_any(lo, hi), value == hi) {
        (false, _) => (position, None),
        (true, true) => (1, None),
        (true, false) => (0, Some(position)),
    };
    [Some(first), second].into_iter().flatten()
}

/// Whether these are the bounds of all integers.
pub(crate) fn is_any(lo: i32, hi: i32) -> bool {
    (lo, hi) == (i32::MIN, i32::MAX)
}

/// Gives a choice its value; the task goes on behind it.
pub(crate) fn choose<W: Watch>(
    code: &Code,
    globals: &mut Globals,
    task: &mut Task,
    watch: &mut W,
    value: i32,
) -> Result<(), Fault> {
    let Instr::Choose(target, ..) = &code.instrs[task.pc as usize] else {
        unreachable!("the task has stopped at a choice")
    };
    let slot = locate(target, globals, task, watch)?;
    store(target, slot, value, globals, task, watch)?;
    task.pc += 1;
    Ok(())
}

/// Whether a task is blocked: the next thing it does is to wait for something that does not hold.
pub(crate) fn is_blocked(code: &Code, globals: &[i32], task: &Task) -> bool {
    is_blocked_watched(code, globals, task, &mut Unwatched)
}

/// The same; `watch` sees the globals that it depends on.
pub(crate) fn is_blocked_watched<W: Watch>(code: &Code, globals: &[i32], task: &Task, watch: &mut W) -> bool {
    let Some(Wait { pc, looks }) = code.waits[task.pc as usize] else { return false };
    let mut raised = |line: &crate::ir::LineId| {
        let slot = code.first_line + line.0;
        watch.read(slot, globals[slot as usize]);
        globals[slot as usize] != 0
    };
    if looks && code.lines_of[task.buffer as usize].iter().any(&mut raised) {
        return false;
    }
    let locals = &task.slots[task.base as usize..];
    let mut view = View { globals, locals, watch };
    match &code.instrs[pc as usize] {
        Instr::Await(condition) => condition.eval(&mut view) == Ok(0),
        Instr::Lock(target) => {
            let slot = match &target.index {
                None => Some(target.slot),
                Some(index) => index.eval(&mut view).ok().map(|index| target.slot + index as u32),
            };
            slot.is_some_and(|slot| view.global(slot) != 0)
        }
        _ => false,
    }
}

/// The slot of the lock that a task wants, if it can be told.
pub(crate) fn lock_slot(target: &Target, globals: &[i32], task: &Task) -> Option<u32> {
    let locals = &task.slots[task.base as usize..];
    let mut view = View { globals, locals, watch: &mut Unwatched };
    match &target.index {
        None => Some(target.slot),
        Some(index) => index.eval(&mut view).ok().map(|index| target.slot + index as u32),
    }
}

/// Whether a condition over globals holds.
pub(crate) fn holds(condition: &crate::code::Ex, globals: &[i32]) -> Result<bool, Fault> {
    let mut view = View { globals, locals: &[], watch: &mut Unwatched };
    condition.eval(&mut view).map(|value| value != 0)
}
