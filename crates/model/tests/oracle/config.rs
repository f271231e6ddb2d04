//! Configurations `<g, n, a, b>` (2012 paper, Fig. 3), as plain values.
//!
//! A frame holds the statements that remain to be executed, as a term: there are no program counters. As in the paper, `a(n)` is one
//! stack of frames for all active tasks of a buffer; which frames belong to one task is known by their level, for an interrupting
//! task has a higher level than what it interrupts. The values of the interrupt lines are part of `g`.

use super::ast::{Expr, Kind, Place, Program, Stmt, Valuation};
use super::eval::{Env, Target};
use super::first_yields::begin;

/// A part of what a frame has still to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item<'p> {
    /// A statement, with everything that comes before it. True inside `atomic`.
    Do(&'p Stmt, bool),
    /// The statement itself: implicit yields and the look at the lines are done.
    Bare(&'p Stmt, bool),
    /// The look at the lines.
    Look,
    /// The paper's `x := *`: where the result of a call goes. True inside `atomic`.
    Receive(Option<&'p Place>, bool),
    /// The paper's `x := v`, with everything that comes before it.
    Result(&'p Place, i32, bool),
    /// The assignment itself.
    Store(&'p Place, i32),
    /// The rest of a `for`, with the next value of its counter.
    Count(&'p Stmt, i32, bool),
    /// The declarations of locals, which are statements too.
    Declare,
}

/// `<l, s, m>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame<'p> {
    pub locals: Vec<i32>,
    /// Last comes first.
    pub todo: Vec<Item<'p>>,
    pub level: usize,
    /// Whose body it is: says the types of the locals and of the result.
    pub proc: usize,
}

/// The frames of a task, the topmost last.
pub type Task<'p> = Vec<Frame<'p>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Config<'p> {
    /// g: one list for each global; arrays have several values.
    pub globals: Vec<Vec<i32>>,
    /// g: which locks are held.
    pub locks: Vec<bool>,
    /// g: which interrupt lines are raised.
    pub raised: Vec<bool>,
    /// n: the buffer that has control.
    pub running: usize,
    /// a: per buffer the frames of all active tasks, the topmost last.
    pub active: Vec<Vec<Frame<'p>>>,
    /// b: per buffer the pending tasks.
    pub pending: Vec<Vec<Task<'p>>>,
}

impl<'p> Frame<'p> {
    /// The frame in which a procedure begins; true if it is called inside `atomic`.
    pub fn new(program: &'p Program, proc: usize, args: &[i32], level: usize, atomic: bool) -> Frame<'p> {
        let body = &program.procs[proc];
        assert_eq!(args.len(), body.params);
        let mut locals = args.to_vec();
        locals.extend(body.locals[args.len()..].iter().map(|ty| ty.default()));
        let mut frame = Frame { locals, todo: vec![], level, proc };
        frame.push_block(&body.body, atomic);
        if body.declares() {
            frame.todo.push(Item::Declare);
        }
        frame
    }

    /// `S[s]`, for the statements of a block.
    pub fn push_block(&mut self, block: &'p [Stmt], atomic: bool) {
        self.todo.extend(block.iter().rev().map(|stmt| Item::Do(stmt, atomic)));
    }
}

impl<'p> Config<'p> {
    /// Every buffer is idle, its main is pending at the lowest level, and buffer 0 has control.
    pub fn initial(program: &'p Program) -> Config<'p> {
        Config {
            globals: program
                .globals
                .iter()
                .map(|global| vec![global.init; global.len.unwrap_or(1)])
                .collect(),
            locks: vec![false; program.locks],
            raised: vec![false; program.lines.len()],
            running: 0,
            active: vec![vec![]; program.buffers.len()],
            pending: program.buffers.iter().map(|&main| vec![vec![begin(program, main, &[], 0)]]).collect(),
        }
    }

    /// `level(a(n))`; none is below all levels.
    pub fn level(&self, buffer: usize) -> Option<usize> {
        self.active[buffer].last().map(|frame| frame.level)
    }

    /// `top(b(n))`. Corrected: none, below all levels, where nothing is pending. The paper has 0, and takes `top` without the task
    /// that is to be dispatched, so that a lone one of a higher level never is.
    pub fn top(&self, buffer: usize) -> Option<usize> {
        self.pending[buffer].iter().map(|task| level(task)).max()
    }

    /// The frame that runs.
    pub fn frame(&mut self) -> &mut Frame<'p> {
        self.active[self.running].last_mut().expect("a buffer that has control has an active task")
    }

    /// Takes the topmost active task of a buffer off; it becomes pending.
    pub fn make_pending(&mut self, buffer: usize) {
        let active = &mut self.active[buffer];
        let level = active.last().expect("a task is active").level;
        let start = active.iter().position(|frame| frame.level == level).expect("its own frame is there");
        let task = active.split_off(start);
        self.pending[buffer].push(task);
    }

    /// What an expression of the running frame sees.
    pub fn env(&self) -> Env<'_> {
        let locals = self.active[self.running].last().map_or(&[][..], |frame| &frame.locals);
        Env { globals: &self.globals, locals }
    }

    /// `c(x <- v)`.
    pub fn assign(&mut self, program: &Program, target: Target, value: i32) -> Result<(), Kind> {
        let (ty, variable) = match target {
            Target::Global(global, index) => (program.globals[global].ty, &mut self.globals[global][index]),
            Target::Local(local) => {
                let frame = self.frame();
                (program.procs[frame.proc].locals[local], &mut frame.locals[local])
            }
        };
        if !ty.contains(value) {
            return Err(Kind::Range);
        }
        *variable = value;
        Ok(())
    }

    /// Whether a task of a buffer cannot go on: its next statement waits for something that does not hold, and no line wants to be
    /// looked at before it. A condition that cannot be evaluated does not block.
    pub fn is_blocked(&self, program: &Program, buffer: usize, task: &[Frame<'p>]) -> bool {
        let frame = task.last().expect("a task has a frame");
        if self.is_line_raised(program, buffer) {
            return false;
        }
        match next_statement(program, &frame.todo) {
            Some(Stmt::Await(e)) => {
                Env { globals: &self.globals, locals: &frame.locals }.holds(e) == Ok(false)
            }
            Some(Stmt::Lock(lock)) => self.locks[*lock],
            _ => false,
        }
    }

    pub fn is_line_raised(&self, program: &Program, buffer: usize) -> bool {
        program.lines.iter().zip(&self.raised).any(|(line, &raised)| raised && line.buffer == buffer)
    }

    /// In every buffer: as long as the topmost active task is blocked and its level is not serial it becomes pending. This is done
    /// wherever a choice among tasks is made.
    pub fn park(&mut self, program: &Program) {
        for n in 0..self.active.len() {
            while let Some(level) = self.level(n)
                && !program.levels[level]
                && self.is_blocked(program, n, &self.active[n])
            {
                self.make_pending(n);
            }
        }
    }

    /// The pending tasks of the highest level that are not blocked, by their places, where they have to be dispatched before anything
    /// else runs in the buffer.
    pub fn to_dispatch(&self, program: &Program, buffer: usize) -> Option<Vec<usize>> {
        let top = self.top(buffer);
        if top <= self.level(buffer) {
            return None;
        }
        let tasks = self.pending[buffer].iter().enumerate();
        let first =
            tasks.filter(|(_, task)| Some(level(task)) == top && !self.is_blocked(program, buffer, task));
        Some(first.map(|(place, _)| place).collect())
    }

    /// Whether something would happen if the buffer had control.
    pub fn is_runnable(&self, program: &Program, buffer: usize) -> bool {
        match self.to_dispatch(program, buffer) {
            Some(tasks) => !tasks.is_empty(),
            None => {
                !self.active[buffer].is_empty() && !self.is_blocked(program, buffer, &self.active[buffer])
            }
        }
    }

    /// No task is left.
    pub fn is_empty(&self) -> bool {
        self.active.iter().all(Vec::is_empty) && self.pending.iter().all(Vec::is_empty)
    }

    pub fn valuation(&self) -> Valuation {
        let locks = self.locks.iter().map(|&held| i32::from(held));
        self.globals.iter().flatten().copied().chain(locks).collect()
    }

    /// Whether a condition over globals holds.
    pub fn satisfies(&self, condition: &Expr) -> bool {
        Env { globals: &self.globals, locals: &[] }.holds(condition) == Ok(true)
    }
}

/// All frames of a task have its level.
pub fn level(task: &[Frame<'_>]) -> usize {
    task.last().expect("a task has a frame").level
}

/// The next statement, as far as it is clear which one: what has no effect is passed over. None where something else comes first, such
/// as an implicit yield, a declaration, the rest of a loop, or the end of a procedure.
pub fn next_statement<'p>(program: &Program, todo: &[Item<'p>]) -> Option<&'p Stmt> {
    for item in todo.iter().rev() {
        match item {
            Item::Look => {}
            Item::Bare(stmt, _) => match first(stmt) {
                Some(first) => return Some(first),
                None => continue,
            },
            Item::Do(stmt, atomic) => {
                let implicit = program.implicit_yields || program.implicit_zields;
                if implicit && !atomic && program.is_yielded_before(stmt) {
                    return None;
                }
                if let Some(first) = first(stmt) {
                    return Some(first);
                }
            }
            Item::Receive(..) | Item::Result(..) | Item::Store(..) | Item::Count(..) | Item::Declare => {
                return None;
            }
        }
    }
    None
}

/// The first statement inside a statement. Only `atomic` is no statement of its own, and `skip` is none at all.
fn first(stmt: &Stmt) -> Option<&Stmt> {
    match stmt {
        Stmt::Skip => None,
        Stmt::Atomic(body) => body.iter().find_map(first),
        other => Some(other),
    }
}
