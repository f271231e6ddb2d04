//! Unrolls a sequential program: all its paths at once, as terms.
//!
//! Calls are inlined. Where paths meet, variables become if-then-else terms; what is the same on both stays one term. An assumption is a
//! constraint on executions that come to it. An assertion that fails ends an execution: what comes later does not constrain it any more.
//!
//! A loop is followed for so many rounds, and a procedure into itself so many times; rounds are not counted that are certain by what
//! locals say, as those of a loop that counts to a constant. What happens then is the program's business, if it has a [`Mark::Limit`] there; else the execution is cut.
//!
//! Choices are inputs, known by where they stand: by the calls and rounds that lead to them. So an unrolling with larger bounds has the inputs
//! of the smaller one, computes the same terms of them, and a solver that has seen these need not see them again. Given values
//! for the inputs the same walk is an execution, and the marks that it passes are its [`Event`]s.
//!
//! It is recursive where the program is nested: whoever calls it has a stack that is large enough.

mod values;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decide::{Limits, Trouble};
use super::term::{Node, Term, Terms};
use crate::ir::{Block, Expr, Mark, ProcId, Program, Span, Stmt, StmtKind};

/// How far loops and recursion are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwinding {
    /// Rounds of a loop.
    pub loops: u32,
    /// Frames of a procedure at a time.
    pub recursion: u32,
}

/// Rounds of a loop that are certain: so many at the most are not counted.
const CERTAIN: u32 = 1_000;

/// Where an execution is not followed further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// In a loop of a procedure, which stands here.
    Loop(ProcId, u32, u32),
    /// At the start of a procedure.
    Recursion(ProcId),
}

/// What happens in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A mark is passed, with these values.
    Mark(Mark, Vec<i32>),
    /// The procedure that has passed [`Mark::Begin`] returns.
    End,
}

/// A program, unrolled.
#[derive(Clone, Debug, Default)]
pub struct Unrolled {
    /// What holds in executions that count.
    pub constraints: Vec<Term>,
    /// An assertion fails.
    pub wrong: Vec<Term>,
    /// An execution meets a limit; all of it counts.
    pub limited: Vec<Term>,
    /// Where, and whether an execution comes there.
    pub sites: Vec<(Site, Term)>,
    /// Executions that are simply cut off there.
    pub cut: Vec<Term>,
    /// If all inputs have values: what happens.
    pub events: Vec<Event>,
    /// The values of the globals at the end, for executions that come there.
    pub globals: Vec<Term>,
    /// Which these are.
    pub ends: Option<Term>,
    /// Statements that were followed.
    pub steps: u64,
}

/// Inputs by where they stand.
#[derive(Debug, Default)]
pub struct Inputs {
    places: FxHashMap<(u32, usize, u32), u32>,
    known: FxHashMap<u32, Term>,
}

impl Inputs {
    fn place(&mut self, from: u32, site: usize, round: u32) -> u32 {
        let next = self.places.len() as u32 + 1;
        *self.places.entry((from, site, round)).or_insert(next)
    }

    /// The inputs, each with the number of its place.
    pub fn all(&self) -> impl Iterator<Item = (u32, Term)> {
        self.known.iter().map(|(&place, &term)| (place, term))
    }
}

/// Unrolls a program.
pub fn unroll(
    terms: &mut Terms,
    inputs: &mut Inputs,
    program: &Program,
    unwinding: Unwinding,
    limits: &Limits,
) -> Result<Unrolled, Trouble> {
    Unroller::new(terms, inputs, program, unwinding, limits, None).run()
}

/// What happens if the inputs have these values, by their places; others are as small as they can be.
pub fn execute(
    inputs: &mut Inputs,
    program: &Program,
    unwinding: Unwinding,
    values: &FxHashMap<u32, i32>,
) -> Unrolled {
    let mut terms = Terms::new();
    let limits = Limits::default();
    let run = Unroller::new(&mut terms, inputs, program, unwinding, &limits, Some(values)).run();
    run.expect("nobody stops an execution, and it is small")
}

/// Where control came from: a return, or the values where two paths meet.
struct Returned {
    guard: Term,
    globals: Vec<Term>,
    value: Term,
}

struct Frame {
    proc: ProcId,
    locals: Vec<Term>,
    returned: Vec<Returned>,
    /// It has passed a mark that says that a task begins.
    begun: bool,
    /// Whether the loop that it is in, the innermost, has gone round often enough.
    over: Vec<(bool, Site)>,
}

struct Unroller<'a> {
    terms: &'a mut Terms,
    inputs: &'a mut Inputs,
    program: &'a Program,
    unwinding: Unwinding,
    limits: &'a Limits,
    values: Option<&'a FxHashMap<u32, i32>>,
    out: Unrolled,
    /// First elements of the globals, and of the locals of each procedure.
    global_starts: Vec<u32>,
    local_starts: Vec<Vec<u32>>,
    globals: Vec<Term>,
    frame: Frame,
    /// When the present path is taken.
    guard: Term,
    /// Where it is.
    at: u32,
    depths: Vec<u32>,
    /// Procedures that call themselves begin with [`Mark::Limit`]; some do, so all do.
    sees_to_recursion: bool,
    /// What the next choice is, if that is decided here.
    decided: Option<Term>,
    steps: u64,
}

fn starts(vars: &[crate::ir::Var]) -> Vec<u32> {
    let mut next = 0;
    let each = vars.iter().map(|var| {
        next += var.size();
        next - var.size()
    });
    each.collect()
}

impl<'a> Unroller<'a> {
    fn new(
        terms: &'a mut Terms,
        inputs: &'a mut Inputs,
        program: &'a Program,
        unwinding: Unwinding,
        limits: &'a Limits,
        values: Option<&'a FxHashMap<u32, i32>>,
    ) -> Unroller<'a> {
        let main = program.buffers[0].main;
        let mut globals = Vec::new();
        let is_limit = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Mark(Mark::Limit, _));
        let sees_to_recursion = program.procs.iter().any(|proc| proc.body.iter().any(is_limit));
        for var in &program.globals {
            globals.extend(var.init.iter().map(|&value| terms.constant(value)));
        }
        Unroller {
            inputs,
            program,
            unwinding,
            limits,
            values,
            out: Unrolled::default(),
            global_starts: starts(&program.globals),
            local_starts: program.procs.iter().map(|proc| starts(&proc.locals)).collect(),
            globals,
            frame: Frame {
                proc: main,
                locals: Vec::new(),
                returned: Vec::new(),
                begun: false,
                over: Vec::new(),
            },
            guard: Term::TRUE,
            at: 0,
            depths: vec![0; program.procs.len()],
            sees_to_recursion,
            decided: None,
            steps: 0,
            terms,
        }
    }

    fn run(mut self) -> Result<Unrolled, Trouble> {
        let main = self.program.buffers[0].main;
        self.call(main, Vec::new())?;
        self.out.ends = Some(self.guard);
        self.out.steps = self.steps;
        self.out.globals = std::mem::take(&mut self.globals);
        Ok(self.out)
    }

    /// Runs a procedure; its result.
    fn call(&mut self, proc: ProcId, args: Vec<Term>) -> Result<Term, Trouble> {
        let program = self.program;
        let callee = &program.procs[proc.index()];
        let mut locals = args;
        for var in &callee.locals[locals.len()..] {
            locals.extend(var.init.iter().map(|&value| self.terms.constant(value)));
        }
        self.depths[proc.index()] += 1;
        let frame = Frame { proc, locals, returned: Vec::new(), begun: false, over: Vec::new() };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.block(&callee.body)?;
        let Frame { returned, begun, .. } = std::mem::replace(&mut self.frame, caller);
        self.depths[proc.index()] -= 1;
        if begun && self.values.is_some() {
            self.out.events.push(Event::End);
        }
        let mut value = Term::FALSE;
        for path in returned.into_iter().rev() {
            if self.guard == Term::FALSE {
                (self.guard, self.globals, value) = (path.guard, path.globals, path.value);
                continue;
            }
            for (now, other) in self.globals.iter_mut().zip(&path.globals) {
                if now != other {
                    *now = self.terms.ite(path.guard, *other, *now);
                }
            }
            value = self.terms.ite(path.guard, path.value, value);
            self.guard = self.terms.or(self.guard, path.guard);
        }
        Ok(value)
    }

    fn block(&mut self, block: &'a Block) -> Result<(), Trouble> {
        for stmt in block {
            if self.guard == Term::FALSE {
                break;
            }
            self.stmt(stmt)?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<(), Trouble> {
        self.steps += 1;
        if self.steps.is_multiple_of(256) {
            look(self.limits, self.terms.bytes())?;
        }
        match &stmt.kind {
            StmtKind::Assign(to, value) => {
                let value = self.eval(value);
                self.write(to, value);
            }
            StmtKind::Choose(to, lo, hi) => {
                let (lo, hi) = (self.eval(lo), self.eval(hi));
                let value = self.choose(stmt, lo, hi);
                self.write(to, value);
            }
            StmtKind::Assume(condition) => {
                let holds = self.eval(condition);
                let holds = self.terms.implies(self.guard, holds);
                self.constrain(holds);
            }
            StmtKind::Assert(condition, _) => {
                let holds = self.eval(condition);
                let fails = self.terms.not(holds);
                let wrong = self.terms.and(self.guard, fails);
                if wrong != Term::FALSE {
                    self.out.wrong.push(wrong);
                }
                self.guard = self.terms.and(self.guard, holds);
            }
            StmtKind::If(condition, then, other) => {
                let condition = self.eval(condition);
                self.branch(condition, then, other)?;
            }
            StmtKind::While(condition, body) => self.repeat(stmt, condition, body)?,
            StmtKind::Call { proc, args, result } => {
                let args = args.iter().map(|arg| self.eval(arg)).collect();
                if self.depths[proc.index()] >= self.most_frames() {
                    self.out.sites.push((Site::Recursion(*proc), self.guard));
                    self.out.cut.push(self.guard);
                    self.guard = Term::FALSE;
                    return Ok(());
                }
                let from = self.at;
                self.at = self.inputs.place(from, site(stmt), 0);
                let value = self.call(*proc, args)?;
                self.at = from;
                if let Some(to) = result.as_ref().filter(|_| self.guard != Term::FALSE) {
                    self.write(to, value);
                }
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().map_or(Term::FALSE, |value| self.eval(value));
                let returned = Returned { guard: self.guard, globals: self.globals.clone(), value };
                self.frame.returned.push(returned);
                self.guard = Term::FALSE;
            }
            StmtKind::Mark(mark, values) => self.mark(*mark, values),
            other => unreachable!("{other:?} in a sequential program"),
        }
        Ok(())
    }

    /// How many frames of a procedure there may be: more than the limit, if the program sees to that itself.
    fn most_frames(&self) -> u32 {
        self.unwinding.recursion.saturating_add(if self.sees_to_recursion { 2 } else { 0 })
    }

    fn constrain(&mut self, holds: Term) {
        if holds != Term::TRUE {
            self.out.constraints.push(holds);
        }
    }

    fn mark(&mut self, mark: Mark, values: &[Expr]) {
        match mark {
            Mark::Limit => {
                let own = Site::Recursion(self.frame.proc);
                let deep = self.depths[self.frame.proc.index()] > self.unwinding.recursion;
                let (over, site) = self.frame.over.last().copied().unwrap_or((deep, own));
                if over {
                    self.out.sites.push((site, self.guard));
                }
                self.decided = Some(self.terms.truth(over));
            }
            Mark::Limited => {
                let met = self.eval(&values[0]);
                let met = self.terms.and(self.guard, met);
                self.out.limited.push(met);
            }
            Mark::MakesWay | Mark::ComesUp | Mark::IdleIfPutOff => {}
            Mark::Begin(..) | Mark::GoesOn | Mark::Post | Mark::Resume | Mark::Chosen => {
                self.frame.begun |= matches!(mark, Mark::Begin(..));
                if self.values.is_some() {
                    let values = values.iter().map(|value| {
                        let value = self.eval(value);
                        self.terms.as_constant(value).expect("an execution has values")
                    });
                    let values = values.collect();
                    self.out.events.push(Event::Mark(mark, values));
                }
            }
        }
    }

    fn choose(&mut self, stmt: &Stmt, lo: Term, hi: Term) -> Term {
        if let Some(decided) = self.decided.take() {
            return decided;
        }
        let (least, most) = (self.terms.interval(lo).0, self.terms.interval(hi).1);
        let place = self.inputs.place(self.at, site(stmt), 0);
        if let Some(values) = self.values {
            let least = self.terms.as_constant(lo).expect("an execution has values");
            let value = values.get(&place).copied().unwrap_or(least);
            return self.terms.constant(value);
        }
        let least = least.min(most);
        // What was enough for a shorter unrolling may be too little for this one.
        let known = self.inputs.known.get(&place).copied();
        let known = known.filter(|&input| {
            let (lo, hi) = self.terms.interval(input);
            lo <= least && most <= hi
        });
        let input = known.unwrap_or_else(|| self.terms.input(least, most));
        self.inputs.known.insert(place, input);
        let above = self.terms.less_or_equal(lo, input);
        let below = self.terms.less_or_equal(input, hi);
        let inside = self.terms.and(above, below);
        let inside = self.terms.implies(self.guard, inside);
        self.constrain(inside);
        input
    }

    /// Two paths that meet again.
    fn branch(&mut self, condition: Term, then: &'a Block, other: &'a Block) -> Result<(), Trouble> {
        match self.terms.as_constant(condition) {
            Some(0) => return self.block(other),
            Some(_) => return self.block(then),
            None => {}
        }
        let before = self.guard;
        let (globals, locals) = (self.globals.clone(), self.frame.locals.clone());
        let otherwise = self.terms.not(condition);
        let taken = self.terms.and(before, condition);
        self.guard = taken;
        self.learn(condition, true);
        self.block(then)?;
        let first = (
            std::mem::replace(&mut self.globals, globals),
            std::mem::replace(&mut self.frame.locals, locals),
            self.guard,
        );
        let not_taken = self.terms.and(before, otherwise);
        self.guard = not_taken;
        self.learn(condition, false);
        self.block(other)?;
        let whole = first.2 == taken && self.guard == not_taken;
        self.meet(condition, first);
        if whole {
            self.guard = before;
        }
        Ok(())
    }

    /// On a path where a condition holds, or does not, variables whose value that tells have that value. Where paths meet again this
    /// comes to nothing, since the condition itself is what tells them apart.
    fn learn(&mut self, condition: Term, holds: bool) {
        let mut learnt: FxHashMap<Term, Term> = FxHashMap::default();
        // Terms share parts; each is looked at once.
        let (mut open, mut seen) = (vec![(condition, holds)], FxHashSet::default());
        while let Some((condition, holds)) = open.pop() {
            if !seen.insert((condition, holds)) {
                continue;
            }
            let (term, value) = match (self.terms.node(condition), holds) {
                (Node::Not(inner), _) => {
                    open.push((inner, !holds));
                    continue;
                }
                (Node::And(left, right), true) => {
                    open.extend([(right, true), (left, true)]);
                    continue;
                }
                (Node::Equal(left, right), true) => {
                    match [left, right].map(|term| self.terms.as_constant(term)) {
                        [Some(value), None] => (right, value),
                        [None, Some(value)] => (left, value),
                        _ => continue,
                    }
                }
                (Node::Equal(..), false) => continue,
                _ => (condition, holds as i32),
            };
            learnt.insert(term, self.terms.constant(value));
        }
        for slot in self.globals.iter_mut().chain(&mut self.frame.locals) {
            if let Some(&value) = learnt.get(slot) {
                *slot = value;
            }
        }
    }

    /// The present path, and one that was taken where a condition holds, meet.
    fn meet(&mut self, condition: Term, (globals, locals, guard): (Vec<Term>, Vec<Term>, Term)) {
        if guard == Term::FALSE {
            return;
        }
        if self.guard == Term::FALSE {
            (self.globals, self.frame.locals, self.guard) = (globals, locals, guard);
            return;
        }
        for (now, other) in self.globals.iter_mut().zip(&globals) {
            if now != other {
                *now = self.terms.ite(condition, *other, *now);
            }
        }
        for (now, other) in self.frame.locals.iter_mut().zip(&locals) {
            if now != other {
                *now = self.terms.ite(condition, *other, *now);
            }
        }
        self.guard = self.terms.or(self.guard, guard);
    }

    fn repeat(&mut self, stmt: &'a Stmt, condition: &'a Expr, body: &'a Block) -> Result<(), Trouble> {
        let Span { start, end } = stmt.span;
        let here = Site::Loop(self.frame.proc, start, end);
        let sees = body.first().is_some_and(|stmt| matches!(stmt.kind, StmtKind::Mark(Mark::Limit, _)));
        // What counts by a local comes to its end; what waits for a global may not.
        let counts = !matches!(condition, Expr::Const(_)) && !values::reads_globals(condition);
        let from = self.at;
        // Ways out of the loop, where its condition may hold or not.
        let mut exits = Vec::new();
        let (mut round, mut certain) = (0, 0);
        while self.guard != Term::FALSE {
            let goes_on = self.eval(condition);
            let is_certain = match self.terms.as_constant(goes_on) {
                Some(0) => break,
                Some(_) => certain < CERTAIN && counts,
                None => false,
            };
            let over = !is_certain && round >= self.unwinding.loops;
            let stops = self.terms.not(goes_on);
            let (before, leaves) = (self.guard, self.terms.and(self.guard, stops));
            let stays = self.terms.and(before, goes_on);
            let now = (self.globals.clone(), self.frame.locals.clone());
            self.learn(goes_on, false);
            let then = std::mem::replace(&mut self.globals, now.0);
            let then = (then, std::mem::replace(&mut self.frame.locals, now.1), leaves);
            exits.push((stops, before, stays, then));
            self.guard = stays;
            self.learn(goes_on, true);
            if over && !sees {
                self.out.sites.push((here, stays));
                self.out.cut.push(stays);
                self.guard = Term::FALSE;
                break;
            }
            self.at = self.inputs.place(from, site(stmt), round + certain);
            *(if is_certain { &mut certain } else { &mut round }) += 1;
            self.frame.over.push((over, here));
            self.block(body)?;
            self.frame.over.pop();
        }
        self.at = from;
        for (stops, before, stays, exit) in exits.into_iter().rev() {
            let whole = self.guard == stays;
            self.meet(stops, exit);
            if whole {
                self.guard = before;
            }
        }
        Ok(())
    }
}

/// Whether to go on.
fn look(limits: &Limits, bytes: u64) -> Result<(), Trouble> {
    if limits.stop.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(Trouble::Stopped);
    }
    match limits.memory {
        Some(limit) if bytes > limit => Err(Trouble::Memory { limit }),
        _ => Ok(()),
    }
}

/// A statement, as a place in the program.
fn site(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt) as usize
}
