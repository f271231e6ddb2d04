//! The transition relation of Fig. 4 of the 2012 paper, one function for each rule.
//!
//! Corrections and choices, as docs/semantics.md has them:
//! - `top` counts the task that is about to be dispatched (`Config::top`).
//! - A buffer that has nothing to run passes control on (`pass`).
//! - `assume e` with e false discards the execution; `await e` and `lock` block. Blocked is a property of the configuration
//!   (`Config::is_blocked`), not of what a task has tried. A blocked task becomes pending, at a serial level it stays active
//!   (`Config::park`); where a task comes to a point and is blocked, any buffer goes on, free of charge (`pass`).
//! - YIELD and the DISPATCH that follows it are one step: if the task that yields is dispatched again, nothing has happened and it costs
//!   nothing; if another is, that costs 1. At a serial level a yield does nothing.
//! - ZIELD goes to buffers that are runnable only, at a cost of 1. With one buffer it does nothing.
//! - Interrupt lines (section 3.3): the first line that is raised is lowered and its handler posted; a handler that interrupts runs before
//!   the next line is looked at. Unlike the paper's code, which looks at each line once, this is done until no line is raised. A task that
//!   is blocked begins with a look when it goes on. Tasks look before
//!   `atomic`; inside it they do before `await` and `lock` only (not so in the paper, where it is no construct).
//! - `pause` is one statement, a yield and then a zield: fairness is not looked at.

use super::ast::{Expr, Kind, Place, Program, Stmt, Type};
use super::config::{Config, Frame, Item, Task, level};
use super::eval::{Picker, Target, every};
use super::first_yields::begin;

/// What one step leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Successor<'p> {
    /// Another configuration, at so many preemptions.
    To(Config<'p>, u32),
    Bug(Kind),
    /// An assumption does not hold.
    Discarded,
    /// No task is left; true if a `final` does not hold.
    Terminated(Config<'p>, bool),
}

use Successor::{Bug, Discarded, To};

pub type Successors<'p> = Vec<Successor<'p>>;

static YIELD: Stmt = Stmt::Yield;
pub static ZIELD: Stmt = Stmt::Zield;

/// How a program begins: buffer 0 has control, if it is runnable.
pub fn start(program: &Program) -> Successors<'_> {
    resume(program, Config::initial(program))
}

/// All transitions of a configuration. Every rule but DISPATCH is guarded by `level(c) >= top(c)`.
pub fn step<'p>(program: &'p Program, mut c: Config<'p>) -> Successors<'p> {
    if c.top(c.running) > c.level(c.running) {
        return dispatch(program, c);
    }
    let Some(item) = c.frame().todo.pop() else { return return_(program, c, None) };
    match item {
        Item::Do(stmt, atomic) => before(program, c, stmt, atomic),
        Item::Bare(stmt, atomic) => statement(program, c, stmt, atomic),
        Item::Look => look(program, c),
        Item::Declare => skip(c),
        Item::Count(stmt, next, atomic) => count(c, stmt, next, atomic),
        Item::Result(place, value, atomic) => before_result(program, c, place, value, atomic),
        Item::Store(place, value) => {
            let targets = every(|picker| c.env().target(place, picker));
            for_each(c, targets, |c, target| store(program, c, target, value))
        }
        Item::Receive(..) => unreachable!("a call returns before what follows it runs"),
    }
}

/// What comes before a statement: implicit yields and zields, and the look at the lines.
fn before<'p>(program: &'p Program, mut c: Config<'p>, stmt: &'p Stmt, atomic: bool) -> Successors<'p> {
    let todo = &mut c.frame().todo;
    todo.push(Item::Bare(stmt, atomic));
    if !program.lines.is_empty() && program.is_looked_before(stmt, atomic) {
        todo.push(Item::Look);
    }
    if !atomic && program.is_yielded_before(stmt) {
        push_implicit(program, todo);
    }
    vec![To(c, 0)]
}

fn push_implicit<'p>(program: &'p Program, todo: &mut Vec<Item<'p>>) {
    if program.implicit_zields {
        todo.push(Item::Do(&ZIELD, false));
    }
    if program.implicit_yields {
        todo.push(Item::Do(&YIELD, false));
    }
}

/// The same before the result of a call is assigned to a global.
fn before_result<'p>(
    program: &'p Program,
    mut c: Config<'p>,
    place: &'p Place,
    value: i32,
    atomic: bool,
) -> Successors<'p> {
    let todo = &mut c.frame().todo;
    todo.push(Item::Store(place, value));
    if !atomic {
        if !program.lines.is_empty() {
            todo.push(Item::Look);
        }
        push_implicit(program, todo);
    }
    vec![To(c, 0)]
}

fn statement<'p>(program: &'p Program, mut c: Config<'p>, stmt: &'p Stmt, atomic: bool) -> Successors<'p> {
    match stmt {
        Stmt::Skip => skip(c),
        Stmt::Assign(place, e) => assign(program, c, place, e),
        Stmt::Havoc(place) => havoc(program, c, place),
        Stmt::Assume(e) => assume(c, e),
        Stmt::Assert(e) => assert_(c, e),
        Stmt::Await(e) => await_(program, c, stmt, e, atomic),
        Stmt::Lock(lock) => lock_(program, c, stmt, *lock, atomic),
        Stmt::Unlock(lock) => unlock(c, *lock),
        Stmt::If(e, yes, no) => if_(c, e, yes, no, atomic),
        Stmt::While(e, body) => loop_(c, stmt, e, body, atomic),
        Stmt::For { lo, .. } => count(c, stmt, *lo, atomic),
        Stmt::Either(branches) => either(c, branches, atomic),
        Stmt::Atomic(body) => {
            c.frame().push_block(body, true);
            vec![To(c, 0)]
        }
        Stmt::Call { proc, args, into } => call(program, c, *proc, args, into.as_ref(), atomic),
        Stmt::Return(e) => return_(program, c, e.as_ref()),
        Stmt::Post { proc, args, level } => post(program, c, *proc, args, *level),
        Stmt::Yield => yield_(program, c),
        Stmt::Zield => zield(program, c),
        Stmt::Pause => {
            c.frame().todo.extend([Item::Bare(&ZIELD, atomic), Item::Bare(&YIELD, atomic)]);
            vec![To(c, 0)]
        }
        Stmt::Raise(line) => raise(c, *line),
    }
}

/// A successor for each value, or the bug that took its place.
fn for_each<'p, T>(
    c: Config<'p>,
    values: Vec<Result<T, Kind>>,
    f: impl Fn(Config<'p>, T) -> Successors<'p>,
) -> Successors<'p> {
    let mut successors = vec![];
    let mut left = values.len();
    let mut last = Some(c);
    for value in values {
        left -= 1;
        match value {
            Err(kind) => successors.push(Bug(kind)),
            Ok(value) => {
                let c = if left == 0 { last.take() } else { last.clone() };
                successors.extend(f(c.expect("it is taken once, at the end"), value));
            }
        }
    }
    successors
}

fn values(c: &Config<'_>, e: &Expr) -> Vec<Result<i32, Kind>> {
    every(|picker| c.env().eval(e, picker))
}

/// SKIP: `C[skip; s] -> C[s]`.
fn skip(c: Config<'_>) -> Successors<'_> {
    vec![To(c, 0)]
}

/// ASSIGN: the place is evaluated first, then the value.
fn assign<'p>(program: &'p Program, c: Config<'p>, place: &Place, e: &Expr) -> Successors<'p> {
    let values = every(|picker| Ok((c.env().target(place, picker)?, c.env().eval(e, picker)?)));
    for_each(c, values, |c, (target, value)| store(program, c, target, value))
}

/// ASSIGN for any value of the variable's type.
fn havoc<'p>(program: &'p Program, c: Config<'p>, place: &Place) -> Successors<'p> {
    let pick = |ty: Type, picker: &mut Picker| match ty {
        Type::Bool => picker.pick(2) as i32,
        Type::Range(lo, hi) => lo + picker.pick((hi - lo + 1) as u32) as i32,
        Type::Int => unreachable!("int cannot be havocked"),
    };
    let proc = c.active[c.running].last().expect("a task runs").proc;
    let values = every(|picker| {
        let target = c.env().target(place, picker)?;
        let ty = match target {
            Target::Global(global, _) => program.globals[global].ty,
            Target::Local(local) => program.procs[proc].locals[local],
        };
        Ok((target, pick(ty, picker)))
    });
    for_each(c, values, |c, (target, value)| store(program, c, target, value))
}

fn store<'p>(program: &'p Program, mut c: Config<'p>, target: Target, value: i32) -> Successors<'p> {
    match c.assign(program, target, value) {
        Ok(()) => vec![To(c, 0)],
        Err(kind) => vec![Bug(kind)],
    }
}

/// ASSUME.
fn assume<'p>(c: Config<'p>, e: &Expr) -> Successors<'p> {
    let values = values(&c, e);
    for_each(c, values, |c, value| if value != 0 { vec![To(c, 0)] } else { vec![Discarded] })
}

/// Not in the paper, where an assertion is a question about reachability.
fn assert_<'p>(c: Config<'p>, e: &Expr) -> Successors<'p> {
    let values = values(&c, e);
    for_each(c, values, |c, value| if value != 0 { vec![To(c, 0)] } else { vec![Bug(Kind::Assertion)] })
}

/// IF-THEN, IF-ELSE.
fn if_<'p>(c: Config<'p>, e: &Expr, yes: &'p [Stmt], no: &'p [Stmt], atomic: bool) -> Successors<'p> {
    let values = values(&c, e);
    for_each(c, values, |mut c, value| {
        c.frame().push_block(if value != 0 { yes } else { no }, atomic);
        vec![To(c, 0)]
    })
}

/// LOOP-DO, LOOP-END.
fn loop_<'p>(c: Config<'p>, stmt: &'p Stmt, e: &Expr, body: &'p [Stmt], atomic: bool) -> Successors<'p> {
    let values = values(&c, e);
    for_each(c, values, |mut c, value| {
        if value != 0 {
            c.frame().todo.push(Item::Do(stmt, atomic));
            c.frame().push_block(body, atomic);
        }
        vec![To(c, 0)]
    })
}

/// LOOP-DO, LOOP-END for a counter.
fn count<'p>(mut c: Config<'p>, stmt: &'p Stmt, next: i32, atomic: bool) -> Successors<'p> {
    let Stmt::For { local, hi, body, .. } = stmt else { unreachable!("only `for` counts") };
    if next <= *hi {
        let frame = c.frame();
        frame.locals[*local] = next;
        frame.todo.push(Item::Count(stmt, next + 1, atomic));
        frame.push_block(body, atomic);
    }
    vec![To(c, 0)]
}

/// A choice of a branch: the paper's `if * then .. else ..` for any number of them.
fn either<'p>(c: Config<'p>, branches: &'p [Vec<Stmt>], atomic: bool) -> Successors<'p> {
    for_each(c, branches.iter().map(Ok).collect(), |mut c, branch| {
        c.frame().push_block(branch, atomic);
        vec![To(c, 0)]
    })
}

/// CALL: pushes a frame of the same level.
fn call<'p>(
    program: &'p Program,
    c: Config<'p>,
    proc: usize,
    args: &[Expr],
    into: Option<&'p Place>,
    atomic: bool,
) -> Successors<'p> {
    let types = &program.procs[proc].locals;
    let values = every(|picker| c.env().arguments(args, types, picker));
    for_each(c, values, |mut c, args| {
        let caller = c.frame();
        caller.todo.push(Item::Receive(into, atomic));
        let callee = Frame::new(program, proc, &args, caller.level, atomic);
        c.active[c.running].push(callee);
        vec![To(c, 0)]
    })
}

/// RETURN: `x := *` becomes `x := v`, a statement of its own if x is a global. The last frame of a task goes on with RESUME.
fn return_<'p>(program: &'p Program, c: Config<'p>, e: Option<&Expr>) -> Successors<'p> {
    let frame = c.active[c.running].last().expect("a task runs");
    let ty = program.procs[frame.proc].result;
    let values = match (e, ty) {
        (Some(e), Some(ty)) => {
            let checked = |value: Result<i32, Kind>| match value {
                Ok(value) if !ty.contains(value) => Err(Kind::Range),
                other => other.map(Some),
            };
            values(&c, e).into_iter().map(checked).collect()
        }
        (None, Some(_)) => vec![Err(Kind::NoResult)],
        (None, None) => vec![Ok(None)],
        (Some(_), None) => unreachable!("a value is returned from a procedure that has no result"),
    };
    for_each(c, values, |mut c, value| {
        let n = c.running;
        let returning = c.active[n].pop().expect("a task runs");
        if c.level(n) != Some(returning.level) {
            return resume(program, c);
        }
        let Some(Item::Receive(into, atomic)) = c.frame().todo.pop() else {
            unreachable!("the caller waits for the result")
        };
        let Some(place) = into else { return vec![To(c, 0)] };
        let value = value.expect("it has a result");
        if let Place::Local(local) = place {
            return store(program, c, Target::Local(*local), value);
        }
        c.frame().todo.push(Item::Result(place, value, atomic));
        vec![To(c, 0)]
    })
}

/// RESUME: a task has completed. Its frame is gone already; its buffer goes on if it can, else control is passed on.
fn resume<'p>(program: &'p Program, mut c: Config<'p>) -> Successors<'p> {
    c.park(program);
    if c.is_runnable(program, c.running) { vec![To(c, 0)] } else { pass(program, c) }
}

/// Not in the paper: any buffer that is runnable gets control. If none is, all have ended or the rest is in a deadlock.
fn pass<'p>(program: &'p Program, c: Config<'p>) -> Successors<'p> {
    let runnable: Vec<_> =
        (0..program.buffers.len()).filter(|&m| c.is_runnable(program, m)).map(Ok).collect();
    if !runnable.is_empty() {
        return for_each(c, runnable, |c, m| vec![To(Config { running: m, ..c }, 0)]);
    }
    if !c.is_empty() {
        return vec![Bug(Kind::Deadlock)];
    }
    let wrong = program.finals.iter().any(|condition| !c.satisfies(condition));
    vec![Successor::Terminated(c, wrong)]
}

/// POST: the argument is evaluated now, the frame becomes pending in the poster's buffer.
fn post<'p>(
    program: &'p Program,
    c: Config<'p>,
    proc: usize,
    args: &[Expr],
    at: Option<usize>,
) -> Successors<'p> {
    let types = &program.procs[proc].locals;
    let values = every(|picker| c.env().arguments(args, types, picker));
    for_each(c, values, |mut c, args| {
        let level = at.unwrap_or(c.frame().level);
        let n = c.running;
        c.pending[n].push(vec![begin(program, proc, &args, level)]);
        vec![To(c, 0)]
    })
}

/// DISPATCH: one of the pending tasks of the highest level, which is above that of the active task, becomes active. One that has just
/// been posted is alone there; it is dispatched at once, blocked or not.
fn dispatch<'p>(program: &'p Program, c: Config<'p>) -> Successors<'p> {
    let n = c.running;
    let mut tasks = c.to_dispatch(program, n).expect("the guard of DISPATCH");
    if tasks.is_empty() {
        assert!(c.level(n).is_some(), "a buffer has control that is not runnable");
        let above = |(_, task): &(usize, &Task<'p>)| Some(level(task)) == c.top(n);
        tasks = c.pending[n].iter().enumerate().filter(above).map(|(place, _)| place).collect();
        assert_eq!(tasks.len(), 1, "what interrupts is alone");
    }
    for_each(c, tasks.into_iter().map(Ok).collect(), |mut c, place| {
        let n = c.running;
        let task = c.pending[n].remove(place);
        c.active[n].extend(task);
        vec![To(c, 0)]
    })
}

/// YIELD, with the DISPATCH that follows it.
fn yield_<'p>(program: &'p Program, mut c: Config<'p>) -> Successors<'p> {
    let n = c.running;
    let own = c.frame().level;
    if program.levels[own] {
        return vec![To(c, 0)];
    }
    c.make_pending(n);
    c.park(program);
    // The one that yields is the last but for those that were parked, which have lower levels.
    let place = c.pending[n].iter().rposition(|task| level(task) == own).expect("it is pending");
    if c.is_blocked(program, n, &c.pending[n][place]) {
        return pass(program, c);
    }
    let tasks = c.pending[n].iter().enumerate();
    let choices = tasks.filter(|(_, task)| level(task) == own && !c.is_blocked(program, n, task));
    let choices = choices.map(|(choice, _)| Ok(choice)).collect();
    for_each(c, choices, |mut c, choice| {
        let next = c.pending[n].remove(choice);
        c.active[n].extend(next);
        vec![To(c, u32::from(choice != place))]
    })
}

/// ZIELD: another buffer gets control.
fn zield<'p>(program: &'p Program, mut c: Config<'p>) -> Successors<'p> {
    let n = c.running;
    if program.buffers.len() == 1 {
        return vec![To(c, 0)];
    }
    let is_blocked = c.is_blocked(program, n, &c.active[n]);
    c.park(program);
    if is_blocked {
        return pass(program, c);
    }
    let buffers =
        (0..program.buffers.len()).filter(|&m| m == n || c.is_runnable(program, m)).map(Ok).collect();
    for_each(c, buffers, |c, m| vec![To(Config { running: m, ..c }, u32::from(m != n))])
}

/// `await e`: blocks while e is false.
fn await_<'p>(program: &'p Program, c: Config<'p>, stmt: &'p Stmt, e: &Expr, atomic: bool) -> Successors<'p> {
    match c.env().holds(e) {
        Ok(true) => vec![To(c, 0)],
        Ok(false) => block(program, c, stmt, atomic),
        Err(kind) => vec![Bug(kind)],
    }
}

/// Section 3.4: waits until the lock is free and takes it, in one step.
fn lock_<'p>(
    program: &'p Program,
    mut c: Config<'p>,
    stmt: &'p Stmt,
    lock: usize,
    atomic: bool,
) -> Successors<'p> {
    if c.locks[lock] {
        return block(program, c, stmt, atomic);
    }
    c.locks[lock] = true;
    vec![To(c, 0)]
}

fn unlock(mut c: Config<'_>, lock: usize) -> Successors<'_> {
    if !c.locks[lock] {
        return vec![Bug(Kind::Unlock)];
    }
    c.locks[lock] = false;
    vec![To(c, 0)]
}

/// A task has come to a condition that does not hold: when it goes on, it is with the look at the lines.
fn block<'p>(program: &'p Program, mut c: Config<'p>, stmt: &'p Stmt, atomic: bool) -> Successors<'p> {
    c.frame().todo.extend([Item::Bare(stmt, atomic), Item::Look]);
    c.park(program);
    pass(program, c)
}

/// Section 3.3: `IRQ[line] := true`.
fn raise(mut c: Config<'_>, line: usize) -> Successors<'_> {
    c.raised[line] = true;
    vec![To(c, 0)]
}

/// Section 3.3: the first line of this buffer that is raised is lowered and its handler posted; then again.
fn look<'p>(program: &'p Program, mut c: Config<'p>) -> Successors<'p> {
    let n = c.running;
    let found = (0..program.lines.len()).find(|&line| c.raised[line] && program.lines[line].buffer == n);
    if let Some(i) = found {
        let line = &program.lines[i];
        c.raised[i] = false;
        c.frame().todo.push(Item::Look);
        c.pending[n].push(vec![begin(program, line.handler, &[], line.level)]);
    }
    vec![To(c, 0)]
}
