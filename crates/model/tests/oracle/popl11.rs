//! The semantics of the 2011 paper (Fig. 2, and the rule of section 2.4 for `yield`), parameterised by a scheduler.
//!
//! For programs with one buffer and one level that is not serial, without interrupt lines and implicit yields; `zield` does nothing there.
//! A configuration is `<g, w, m>`: globals, the task that runs or none, and the scheduler object. Blocking follows section 2.5: to wait is
//! to yield in a loop, `blocked(w, g)` says that a task is in front of such a loop and its condition is false, and schedulers are
//! non-blocking.

use super::ast::{Expr, Kind, Place, Program, Stmt, Type, Valuation};
use super::config::Item;
use super::eval::{Env, Target, every};
use super::explore::{End, Executions, Limit};
use super::first_yields;
use super::schedulers::{Bag, DepthFirst, Pending, RoundRobin, Scheduler, WithDelays};

static ZIELD: Stmt = Stmt::Zield;

/// What remains of a procedure is a list of these, the next one last.
#[derive(Clone, Copy, Debug)]
enum Term<'p> {
    Stmt(&'p Stmt),
    /// `x := *`, for the result of a call.
    Result(Option<&'p Place>),
    /// The rest of a `for`.
    Next(&'p Stmt, i32),
    /// The declarations of locals.
    Declare,
}

#[derive(Clone, Debug)]
struct Frame<'p> {
    locals: Vec<i32>,
    types: &'p [Type],
    result: Option<Type>,
    rest: Vec<Term<'p>>,
}

/// `w`, with the identifier of the task.
#[derive(Clone, Debug)]
struct Task<'p> {
    id: usize,
    frames: Vec<Frame<'p>>,
}

impl Pending for Task<'_> {
    fn id(&self) -> usize {
        self.id
    }
}

/// `g`.
#[derive(Clone, Debug)]
struct Store {
    globals: Vec<Vec<i32>>,
    locks: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Config<'p, S> {
    g: Store,
    w: Option<Task<'p>>,
    m: S,
    /// The task that has just yielded.
    yielded: Option<usize>,
    posted: usize,
}

/// Whether a program is one of this language.
pub fn is_simple(program: &Program) -> bool {
    program.buffers.len() == 1
        && program.levels == [false]
        && program.lines.is_empty()
        && !program.implicit_yields
        && !program.implicit_zields
}

/// All executions by their preemptions, in the natural semantics.
pub fn bag(program: &Program, limit: Limit) -> Option<Executions> {
    Semantics { program }.executions::<Bag<Task<'_>>>(limit)
}

/// All executions by the delays of the round-robin scheduler.
pub fn round_robin(program: &Program, limit: Limit) -> Option<Executions> {
    Semantics { program }.executions::<WithDelays<RoundRobin<Task<'_>>>>(limit)
}

/// All executions by the delays of the depth-first scheduler that passes over blocked tasks.
pub fn depth_first(program: &Program, limit: Limit) -> Option<Executions> {
    Semantics { program }.executions::<WithDelays<DepthFirst<Task<'_>>>>(limit)
}

#[derive(Clone, Copy)]
struct Semantics<'p> {
    program: &'p Program,
}

/// A step of the task that runs.
enum Step<'p> {
    /// It goes on.
    On,
    /// It makes way and is pending again.
    Away,
    /// It has posted a task.
    Post(Frame<'p>),
    /// It has ended.
    Ended,
    Stop(End),
}

/// Values with which a step is taken, one after the other: all choices that it makes.
type Values = Vec<Result<Vec<i32>, Kind>>;

impl<'p> Semantics<'p> {
    fn executions<S: Scheduler<Task<'p>>>(self, mut limit: Limit) -> Option<Executions> {
        assert!(is_simple(self.program), "one buffer, one level: {}", self.program);
        let g = Store {
            globals: self.program.globals.iter().map(|var| vec![var.init; var.len.unwrap_or(1)]).collect(),
            locks: vec![false; self.program.locks],
        };
        let mut m = S::default();
        m.give(Task { id: 0, frames: vec![self.begin(self.program.buffers[0], &[])] }, true);
        let mut executions = Executions::default();
        let mut open = vec![(Config { g, w: None, m, yielded: None, posted: 1 }, 0)];
        while let Some((mut c, cost)) = open.pop() {
            limit.spend()?;
            let Some(task) = c.w.take() else {
                self.dispatch(c, cost, &mut open, &mut executions);
                continue;
            };
            let (term, values) = self.next(&c.g, &task);
            let mut before = std::iter::repeat_n((c, task), values.len());
            for value in values {
                let (mut c, mut task) = before.next().expect("there are as many as values");
                let step = match value {
                    Ok(values) => self.step(&mut c.g, &mut task, term, &values),
                    Err(kind) => Step::Stop(End::Bug(kind)),
                };
                match step {
                    Step::On => c.w = Some(task),
                    Step::Away => {
                        // To leave it is free if it is blocked.
                        c.yielded = (!is_blocked(&c.g, &task)).then_some(task.id);
                        c.m.give(task, false);
                    }
                    Step::Post(frame) => {
                        c.m.give(Task { id: c.posted, frames: vec![frame] }, true);
                        c.posted += 1;
                        c.w = Some(task);
                    }
                    Step::Ended => c.yielded = None,
                    Step::Stop(end) => {
                        executions.note(&end, cost);
                        continue;
                    }
                }
                open.push((c, cost));
            }
        }
        Some(executions)
    }

    /// DISPATCH, with the DELAYs before it.
    fn dispatch<S: Scheduler<Task<'p>>>(
        self,
        c: Config<'p, S>,
        cost: u32,
        open: &mut Vec<(Config<'p, S>, u32)>,
        executions: &mut Executions,
    ) {
        let options = c.m.dispatch(c.yielded, &|task| is_blocked(&c.g, task));
        if options.is_empty() {
            let end = if c.m.is_empty() { self.terminated(&c.g) } else { End::Bug(Kind::Deadlock) };
            executions.note(&end, cost);
        }
        for (m, task, more) in options {
            open.push((Config { m, w: Some(task), yielded: None, ..c.clone() }, cost + more));
        }
    }

    fn terminated(self, g: &Store) -> End {
        let env = Env { globals: &g.globals, locals: &[] };
        let wrong = self.program.finals.iter().any(|condition| env.holds(condition) != Ok(true));
        let locks = g.locks.iter().map(|&held| i32::from(held));
        let values: Valuation = g.globals.iter().flatten().copied().chain(locks).collect();
        End::Terminated(values, wrong)
    }

    fn frame(self, proc: usize, mut locals: Vec<i32>) -> Frame<'p> {
        let proc = &self.program.procs[proc];
        locals.extend(proc.locals[locals.len()..].iter().map(|ty| ty.default()));
        let mut rest: Vec<_> = proc.body.iter().rev().map(Term::Stmt).collect();
        if proc.declares() {
            rest.push(Term::Declare);
        }
        Frame { locals, types: &proc.locals, result: proc.result, rest }
    }

    /// The first frame of a task.
    fn begin(self, proc: usize, args: &[i32]) -> Frame<'p> {
        let mut frame = self.frame(proc, args.to_vec());
        if self.program.passes_first_yields {
            let begun = first_yields::begin(self.program, proc, args, 0);
            let term = |item: &Item<'p>| match *item {
                Item::Do(stmt, _) | Item::Bare(stmt, _) => Term::Stmt(stmt),
                Item::Count(stmt, next, _) => Term::Next(stmt, next),
                Item::Declare => Term::Declare,
                other => unreachable!("a task does not begin with {other:?}"),
            };
            frame.rest = begun.todo.iter().map(term).collect();
            frame.locals = begun.locals;
        }
        frame
    }

    /// The next thing that a task does, and the values with which it may do it.
    fn next(self, g: &Store, task: &Task<'p>) -> (Option<Term<'p>>, Values) {
        let frame = task.frames.last().expect("a task has a frame");
        let env = Env { globals: &g.globals, locals: &frame.locals };
        let values = |e: &Expr| every(|picker| Ok(vec![env.eval(e, picker)?]));
        let term = frame.rest.last().copied();
        let Some(Term::Stmt(stmt)) = term else { return (term, vec![Ok(vec![])]) };
        let values = match stmt {
            Stmt::Assume(e) | Stmt::Assert(e) | Stmt::Await(e) | Stmt::If(e, ..) | Stmt::While(e, _) => {
                values(e)
            }
            Stmt::Return(Some(e)) => values(e),
            Stmt::Assign(place, e) => every(|picker| {
                let index = index_of(env.target(place, picker)?);
                Ok(vec![index, env.eval(e, picker)?])
            }),
            Stmt::Havoc(place) => every(|picker| {
                let index = index_of(env.target(place, picker)?);
                let (lo, hi) = match self.type_of(frame, place) {
                    Type::Bool => (0, 1),
                    Type::Range(lo, hi) => (lo, hi),
                    Type::Int => unreachable!("int cannot be havocked"),
                };
                Ok(vec![index, lo + picker.pick((hi - lo + 1) as u32) as i32])
            }),
            Stmt::Either(branches) => (0..branches.len()).map(|branch| Ok(vec![branch as i32])).collect(),
            Stmt::Call { proc, args, .. } | Stmt::Post { proc, args, .. } => {
                let types = &self.program.procs[*proc].locals;
                every(|picker| env.arguments(args, types, picker))
            }
            _ => vec![Ok(vec![])],
        };
        (term, values)
    }

    fn type_of(self, frame: &Frame<'p>, place: &Place) -> Type {
        match place {
            Place::Global(global) | Place::Element(global, _) => self.program.globals[*global].ty,
            Place::Local(local) => frame.types[*local],
        }
    }

    fn step(self, g: &mut Store, task: &mut Task<'p>, term: Option<Term<'p>>, values: &[i32]) -> Step<'p> {
        let frame = task.frames.last_mut().expect("a task has a frame");
        frame.rest.pop();
        match term {
            None => self.return_(g, task, None),
            Some(Term::Stmt(stmt)) => self.statement(g, task, stmt, values),
            Some(Term::Declare) => Step::On,
            Some(Term::Next(stmt, next)) => {
                let Stmt::For { local, hi, body, .. } = stmt else { unreachable!("only `for` counts") };
                if next <= *hi {
                    frame.locals[*local] = next;
                    frame.rest.push(Term::Next(stmt, next + 1));
                    frame.rest.extend(body.iter().rev().map(Term::Stmt));
                }
                Step::On
            }
            Some(Term::Result(_)) => unreachable!("a call returns before what follows it runs"),
        }
    }

    fn statement(self, g: &mut Store, task: &mut Task<'p>, stmt: &'p Stmt, values: &[i32]) -> Step<'p> {
        let frame = task.frames.last_mut().expect("a task has a frame");
        let mut go_on_with = |block: &'p [Stmt]| frame.rest.extend(block.iter().rev().map(Term::Stmt));
        match stmt {
            Stmt::Skip | Stmt::Zield => {}
            Stmt::Assign(place, _) | Stmt::Havoc(place) => {
                return self.store(g, frame, place, values[0], values[1]);
            }
            Stmt::Assume(_) if values[0] == 0 => return Step::Stop(End::Discarded),
            Stmt::Assert(_) if values[0] == 0 => return Step::Stop(End::Bug(Kind::Assertion)),
            Stmt::Await(_) if values[0] == 0 => {
                frame.rest.push(Term::Stmt(stmt));
                return Step::Away;
            }
            Stmt::Assume(_) | Stmt::Assert(_) | Stmt::Await(_) => {}
            Stmt::Lock(lock) if g.locks[*lock] => {
                frame.rest.push(Term::Stmt(stmt));
                return Step::Away;
            }
            Stmt::Lock(lock) => g.locks[*lock] = true,
            Stmt::Unlock(lock) if !g.locks[*lock] => return Step::Stop(End::Bug(Kind::Unlock)),
            Stmt::Unlock(lock) => g.locks[*lock] = false,
            Stmt::If(_, yes, no) => go_on_with(if values[0] != 0 { yes } else { no }),
            Stmt::While(_, body) if values[0] != 0 => {
                frame.rest.push(Term::Stmt(stmt));
                frame.rest.extend(body.iter().rev().map(Term::Stmt));
            }
            Stmt::While(..) => {}
            Stmt::For { lo, .. } => frame.rest.push(Term::Next(stmt, *lo)),
            Stmt::Either(branches) => go_on_with(&branches[values[0] as usize]),
            Stmt::Atomic(body) => go_on_with(body),
            Stmt::Call { proc, into, .. } => {
                frame.rest.push(Term::Result(into.as_ref()));
                task.frames.push(self.frame(*proc, values.to_vec()));
            }
            Stmt::Return(_) => return self.return_(g, task, values.first().copied()),
            Stmt::Post { proc, .. } => return Step::Post(self.begin(*proc, values)),
            Stmt::Yield => return Step::Away,
            Stmt::Pause => {
                // Its zield does nothing here, but it is still to come.
                frame.rest.push(Term::Stmt(&ZIELD));
                return Step::Away;
            }
            Stmt::Raise(_) => unreachable!("there are no lines"),
        }
        Step::On
    }

    /// RETURN-SYNC, RETURN-ASYNC.
    fn return_(self, g: &mut Store, task: &mut Task<'p>, value: Option<i32>) -> Step<'p> {
        let callee = task.frames.pop().expect("a task has a frame");
        if let Some(ty) = callee.result {
            match value {
                None => return Step::Stop(End::Bug(Kind::NoResult)),
                Some(value) if !ty.contains(value) => return Step::Stop(End::Bug(Kind::Range)),
                Some(_) => {}
            }
        }
        let Some(caller) = task.frames.last_mut() else { return Step::Ended };
        let Some(Term::Result(into)) = caller.rest.pop() else {
            unreachable!("the caller waits for the result")
        };
        match into {
            None => Step::On,
            Some(Place::Element(..)) => unreachable!("results go to scalars"),
            Some(place) => self.store(g, caller, place, 0, value.expect("it has a result")),
        }
    }

    fn store(self, g: &mut Store, frame: &mut Frame<'p>, place: &Place, index: i32, value: i32) -> Step<'p> {
        if !self.type_of(frame, place).contains(value) {
            return Step::Stop(End::Bug(Kind::Range));
        }
        match place {
            Place::Global(global) | Place::Element(global, _) => g.globals[*global][index as usize] = value,
            Place::Local(local) => frame.locals[*local] = value,
        }
        Step::On
    }
}

/// `blocked(w, g)`.
fn is_blocked(g: &Store, task: &Task<'_>) -> bool {
    let frame = task.frames.last().expect("a task has a frame");
    // `skip` is nothing, and what is inside `atomic` is as if it stood there by itself.
    let mut open: Vec<Term<'_>> = frame.rest.clone();
    loop {
        match open.pop() {
            Some(Term::Stmt(Stmt::Skip)) => {}
            Some(Term::Stmt(Stmt::Atomic(body))) => open.extend(body.iter().rev().map(Term::Stmt)),
            Some(Term::Stmt(Stmt::Await(e))) => {
                return Env { globals: &g.globals, locals: &frame.locals }.holds(e) == Ok(false);
            }
            Some(Term::Stmt(Stmt::Lock(lock))) => return g.locks[*lock],
            _ => return false,
        }
    }
}

fn index_of(target: Target) -> i32 {
    match target {
        Target::Global(_, index) => index as i32,
        Target::Local(_) => 0,
    }
}
