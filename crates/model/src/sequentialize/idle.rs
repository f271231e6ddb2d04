//! Buffers that have to wait.
//!
//! A task that runs and comes to a wait, also right behind a yield, lets any buffer go on. But one that comes up, to begin or after it was put off or
//! interrupted, and finds that it has to wait, has no say: whoever of its buffer and level can go on does, and only if nobody can do other buffers. A
//! translation that runs tasks one after the other does not see the others then. So a task that gives up control in this way claims that all tasks of
//! its level in its buffer had to wait, and each of them checks the claim when it comes up next: the values of the round that was left are still
//! there, in its copy. Who does not have to wait refutes it: the execution does not count.
//!
//! [`Before`] leaves marks where tasks come up and says in a local, `idle`, that a wait is met so; [`advance`], [`check`] and [`hand_on`] turn claims
//! and checks into statements, once there are rounds of buffers.

use super::build::{
    FALSE, TRUE, add_local, and, assign, binary, change_places_in, constant, element, equal, find_added, not,
    or, place, read, stmt, variable, visit,
};
use super::copies::{Copies, value};
use super::instances::Polls;
use super::staged::{Context, Kind, Staged};
use crate::ir::{
    Binary, Block, Expr, GlobalId, LocalId, Mark, ProcId, Scalar, Span, Stmt, StmtKind, Var, VarRef,
};

/// What is said about a level at which tasks wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Rounds that a buffer has left because all its tasks of this level had to wait; if there is more than one round.
    left: Option<GlobalId>,
    /// It has halted for that reason.
    halted: GlobalId,
}

/// The local that says that a wait is met by a task that has just come up.
pub(super) fn idle() -> Var {
    variable("idle", Scalar::Bool, (0, 1), None, Span::default())
}

/// The local that holds the round in which a task has made way.
fn since(rounds: u32) -> Var {
    let last = rounds as i32 - 1;
    variable("since", Scalar::Range(-1, last), (-1, last), None, Span::default())
}

/// Where tasks come up, before waits are translated.
pub(super) struct Before<'a> {
    /// Levels at which somebody waits.
    waits: Vec<bool>,
    polls: &'a Polls,
    levels: Vec<u32>,
    serial: Vec<bool>,
    conditions: Vec<Option<Expr>>,
}

impl<'a> Before<'a> {
    /// Leaves marks; nothing if there is one buffer, or nobody waits.
    pub(super) fn mark(staged: &mut Staged, polls: &'a Polls) -> Option<Before<'a>> {
        let mut waits = vec![false; staged.program.levels.len()];
        for (proc, role) in staged.program.procs.iter().zip(&staged.roles) {
            visit(&proc.body, &mut |stmt| {
                waits[role.level as usize] |= matches!(stmt.kind, StmtKind::Await(_) | StmtKind::Lock(_));
            });
        }
        if staged.program.buffers.len() < 2 || !waits.contains(&true) {
            return None;
        }
        let levels = staged.roles.iter().map(|role| role.level).collect();
        let serial = staged.program.levels.iter().map(|level| level.serial).collect();
        let mut before = Before { waits, polls, levels, serial, conditions: Vec::new() };
        for at in 0..staged.program.procs.len() {
            before.mark_proc(staged, at);
        }
        Some(before)
    }

    fn mark_proc(&mut self, staged: &mut Staged, at: usize) {
        let role = staged.roles[at];
        if !self.waits[role.level as usize] {
            return;
        }
        let mut has_waits = false;
        let proc = &mut staged.program.procs[at];
        visit(&proc.body, &mut |stmt| {
            has_waits |= matches!(stmt.kind, StmtKind::Await(_) | StmtKind::Lock(_));
        });
        let idle = has_waits.then(|| add_local(&mut proc.locals, idle()));
        let mut marker = Marker { before: self, level: role.level, buffer: role.buffer, idle };
        let mut body = marker.block(std::mem::take(&mut proc.body), None);
        if role.is_task && !staged.program.buffers.iter().any(|buffer| buffer.main.index() == at) {
            let first = marker.follows(&body, 0, None);
            let up = marker.comes_up(first, TRUE, proc.span);
            body.splice(0..0, up);
        }
        staged.program.procs[at].body = body;
    }

    /// What a task that comes up again while it waits has to do: `blocked` says that it still has to.
    pub(super) fn comes_up_again(&mut self, blocked: &Expr, idle: VarRef, span: Span) -> [Stmt; 2] {
        let mark = stmt(StmtKind::Mark(Mark::ComesUp, vec![self.number(Some(blocked.clone())), FALSE]), span);
        [mark, assign(place(idle), TRUE, span)]
    }

    /// Whether a task of a level comes up anew behind a post to another one. At a serial level it keeps its place: its buffer waits with it, whatever the
    /// others of the level could do.
    pub(super) fn comes_up_behind(&self, own: u32, posted: u32) -> bool {
        posted > own && !self.serial[own as usize]
    }

    fn number(&mut self, blocked: Option<Expr>) -> Expr {
        self.conditions.push(blocked);
        constant(self.conditions.len() as u32 - 1)
    }

    /// The conditions of the marks, by their numbers.
    pub(super) fn into_conditions(self) -> Vec<Option<Expr>> {
        self.conditions
    }
}

struct Marker<'m, 'a> {
    before: &'m mut Before<'a>,
    level: u32,
    buffer: u32,
    /// If the procedure waits.
    idle: Option<VarRef>,
}

impl Marker<'_, '_> {
    fn raised(&self) -> Option<&Expr> {
        self.before.polls[self.buffer as usize].as_ref().map(|(raised, _)| raised)
    }

    /// Whether a task there has to wait, if the next thing that it does is a wait: from a place in a block on, behind which comes `after`.
    fn follows(&self, block: &[Stmt], from: usize, after: Option<&Expr>) -> Option<Expr> {
        for stmt in &block[from..] {
            let condition = match &stmt.kind {
                // A yield that does nothing, at a serial level, is something that a task does.
                StmtKind::Mark(Mark::MakesWay, _) => return None,
                StmtKind::Mark(..) => continue,
                StmtKind::While(condition, _) | StmtKind::If(condition, ..)
                    if Some(condition) == self.raised() =>
                {
                    continue;
                }
                StmtKind::Await(condition) => not(condition.clone()),
                StmtKind::Lock(place) => Expr::Read(place.clone()),
                _ => return None,
            };
            return Some(and(condition, not(self.raised().cloned().unwrap_or(FALSE))));
        }
        after.cloned()
    }

    fn comes_up(&mut self, blocked: Option<Expr>, begins: Expr, span: Span) -> Vec<Stmt> {
        let idle = self.idle.filter(|_| blocked.is_some());
        let number = self.before.number(blocked);
        let mut up = vec![stmt(StmtKind::Mark(Mark::ComesUp, vec![number, begins.clone()]), span)];
        let idle = idle.map(|_| stmt(StmtKind::Mark(Mark::IdleIfPutOff, vec![begins]), span));
        up.extend(idle);
        up
    }

    fn block(&mut self, block: Block, after: Option<&Expr>) -> Block {
        let mut out = Block::new();
        for at in 0..block.len() {
            let follows = self.follows(&block, at + 1, after);
            let Stmt { kind, span } = block[at].clone();
            match kind {
                StmtKind::Yield => {
                    out.push(stmt(StmtKind::Mark(Mark::MakesWay, Vec::new()), span));
                    out.push(stmt(StmtKind::Yield, span));
                    out.extend(self.comes_up(follows, FALSE, span));
                }
                StmtKind::Post { proc, .. } => {
                    out.push(block[at].clone());
                    let is_up = self.before.comes_up_behind(self.level, self.before.levels[proc.index()]);
                    if let Some(idle) = self.idle.filter(|_| is_up && follows.is_some()) {
                        out.push(assign(place(idle), TRUE, span));
                    }
                }
                StmtKind::If(condition, then, other) => {
                    let (then, other) =
                        (self.block(then, follows.as_ref()), self.block(other, follows.as_ref()));
                    out.push(stmt(StmtKind::If(condition, then, other), span));
                }
                StmtKind::While(condition, body) => {
                    // Behind the body of a look comes what comes behind it; behind that of another loop, its condition.
                    let after = follows.filter(|_| Some(&condition) == self.raised());
                    let body = self.block(body, after.as_ref());
                    out.push(stmt(StmtKind::While(condition, body), span));
                }
                _ => out.push(block[at].clone()),
            }
        }
        out
    }
}

/// Claims of buffers that halt.
pub(super) fn flags(staged: &mut Staged, rounds: u32) {
    let mut levels = vec![false; staged.program.levels.len()];
    for (proc, role) in staged.program.procs.iter().zip(&staged.roles) {
        visit(&proc.body, &mut |stmt| {
            levels[role.level as usize] |= matches!(stmt.kind, StmtKind::Mark(Mark::ComesUp, _));
        });
    }
    for (at, _) in levels.iter().enumerate().filter(|(_, waits)| **waits) {
        let name = staged.program.levels[at].name.clone();
        let flag = |name: String, len| variable(&name, Scalar::Bool, (0, 1), len, Span::default());
        let halted = staged.add_global(flag(format!("halted_idle_at_{name}"), None), Kind::Own);
        let left = (rounds > 1)
            .then(|| staged.add_global(flag(format!("left_idle_at_{name}"), Some(rounds)), Kind::Own));
        staged.idle.resize(staged.program.levels.len(), None);
        staged.idle[at] = Some(Level { left, halted });
    }
}

impl Staged {
    /// What a task claims that halts.
    pub(super) fn halts_idle(&self, context: &Context) -> Option<(VarRef, GlobalId)> {
        let level = (*self.idle.get(context.role.level as usize)?)?;
        Some((find_added(&context.locals, "idle")?, level.halted))
    }

    /// What the driver resets before each buffer.
    pub(super) fn reset_idle(&self, out: &mut Block) {
        for level in self.idle.iter().flatten() {
            out.push(assign(place(VarRef::Global(level.halted)), FALSE, Span::default()));
            if let Some(left) = level.left {
                for row in 0..self.program.globals[left.index()].size() {
                    out.push(assign(element(VarRef::Global(left), constant(row)), FALSE, Span::default()));
                }
            }
        }
    }
}

/// A zield: the round advances, with the claim that the buffer had to wait if that is why.
pub(super) fn advance(
    staged_idle: &[Option<Level>],
    context: &mut Context,
    round: GlobalId,
    rounds: u32,
    span: Span,
    out: &mut Block,
) {
    let last = constant(rounds - 1);
    let level = staged_idle.get(context.role.level as usize).copied().flatten();
    let idle = find_added(&context.locals, "idle");
    let (Some(Level { left: Some(left), .. }), Some(idle)) = (level, idle) else {
        let advance = StmtKind::Choose(place(VarRef::Global(round)), value(round), last);
        return out.push(stmt(advance, span));
    };
    let range = (0, rounds as i32 - 1);
    let next = context.local(variable("next_round", Scalar::Range(range.0, range.1), range, None, span));
    out.push(stmt(StmtKind::Choose(place(next), value(round), last), span));
    let leaves = and(read(idle), not(equal(read(next), value(round))));
    let claim = assign(element(VarRef::Global(left), value(round)), TRUE, span);
    out.push(stmt(StmtKind::If(leaves, vec![claim], Block::new()), span));
    out.push(assign(place(VarRef::Global(round)), read(next), span));
}

/// Turns marks into checks. `copies`: of shared globals, if there are several rounds.
pub(super) fn check(staged: &mut Staged, copies: Option<(&Copies, GlobalId)>, rounds: u32) {
    if staged.idle.iter().flatten().next().is_none() {
        return;
    }
    let (idle, conditions) = (staged.idle.clone(), std::mem::take(&mut staged.conditions));
    staged.rewrite_bodies(|context, Stmt { kind, span }, out| {
        let StmtKind::Mark(mark @ (Mark::MakesWay | Mark::ComesUp), values) = &kind else {
            return out.push(Stmt { kind, span });
        };
        let Some(level) = idle[context.role.level as usize] else { return };
        if *mark == Mark::MakesWay {
            let now = copies.map_or(FALSE, |(_, round)| value(round));
            let since = context.local(since(rounds));
            return out.push(assign(place(since), now, span));
        }
        let [Expr::Const(number), begins] = &values[..] else { unreachable!("it has a number") };
        let since = read(context.local(since(rounds)));
        // One that interrupts its poster begins at once.
        let was_there = match *begins {
            TRUE => binary(Binary::GreaterOrEqual, since.clone(), FALSE),
            _ => TRUE,
        };
        let blocked = conditions[*number as usize].clone().unwrap_or(FALSE);
        let at_row = |row: Expr| {
            let mut blocked = blocked.clone();
            if let Some((copies, _)) = copies {
                change_places_in(&mut blocked, &mut |place| copies.select(place, &row));
            }
            blocked
        };
        let now = copies.map_or(FALSE, |(_, round)| value(round));
        let claimed = and(was_there.clone(), read(VarRef::Global(level.halted)));
        out.push(stmt(StmtKind::Assume(or(not(claimed), at_row(now.clone()))), span));
        let Some(left) = level.left else { return };
        for row in 0..rounds - 1 {
            let later = binary(Binary::Less, constant(row), now.clone());
            let earlier = binary(Binary::LessOrEqual, since.clone(), constant(row));
            let claim = Expr::Read(element(VarRef::Global(left), constant(row)));
            let claimed = and(and(was_there.clone(), claim), and(earlier, later));
            out.push(stmt(StmtKind::Assume(or(not(claimed), at_row(constant(row)))), span));
        }
    });
}

/// Tasks learn in which round they were posted: a parameter. Who interrupts its poster gets -1.
pub(super) fn hand_on(staged: &mut Staged, round: Option<GlobalId>, rounds: u32) {
    if staged.idle.iter().flatten().next().is_none() {
        return;
    }
    let wants: Vec<bool> = staged
        .program
        .procs
        .iter()
        .zip(&staged.roles)
        .enumerate()
        .map(|(at, (_, role))| {
            let is_main = staged.program.buffers.iter().any(|buffer| buffer.main.index() == at);
            role.is_task && !is_main && staged.idle[role.level as usize].is_some()
        })
        .collect();
    for (at, _) in wants.iter().enumerate().filter(|(_, wants)| **wants) {
        let posted = Var { name: "posted_in".to_owned(), ..since(rounds) };
        let params = staged.program.procs[at].params;
        staged.add_params(ProcId(at as u32), vec![posted]);
        let proc = &mut staged.program.procs[at];
        let posted = VarRef::Local(LocalId(params));
        let [since, idle] = ["since", "idle"].map(|name| find_added(&proc.locals, name));
        proc.body.splice(0..0, since.map(|since| assign(place(since), read(posted), Span::default())));
        let body = std::mem::take(&mut proc.body);
        proc.body = super::build::rewrite(body, &mut |statement, out| match (&statement.kind, idle) {
            (StmtKind::Mark(Mark::IdleIfPutOff, begins), Some(idle)) if begins[0] == TRUE => {
                let put_off = binary(Binary::GreaterOrEqual, read(posted), FALSE);
                out.push(assign(place(idle), put_off, statement.span));
            }
            _ => out.push(statement),
        });
    }
    let levels: Vec<u32> = staged.roles.iter().map(|role| role.level).collect();
    staged.rewrite_bodies(|context, mut statement, out| {
        if let StmtKind::Post { proc, args, .. } = &mut statement.kind
            && wants[proc.index()]
        {
            let interrupts = levels[proc.index()] > context.role.level;
            args.push(if interrupts { Expr::Const(-1) } else { round.map_or(FALSE, value) });
        }
        out.push(statement);
    });
}
