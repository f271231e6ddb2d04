//! Waits become points and assumptions: a task that has to wait is put off to a round in which it need not, or for ever.
//!
//! `await e` where `e` does not hold lets others go on, of its buffer and level (a yield, unless the level is serial) and of other buffers (a zield).
//! The execution counts only if `e` holds when the task goes on. Each time it comes up again and still has to wait it may be put off again; with
//! K1 rounds of buffers and K2 of tasks, only so many of these can make a difference, and they are written out. A task that never goes
//! on halts at a zield (`halts`). A task that comes up only to find that it has to wait may not let other buffers go on unless all others have to wait (`idle`). `lock` waits and takes. A task that waits goes on also when an interrupt line is raised, handles it,
//! and looks again.
//!
//! Errata: 2012 paper, Theorem 4 fails for tasks that wait for ever; and waits are not in its language.

use super::build::{FALSE, TRUE, and, assign, not, or, place, rewrite, stmt};
use super::idle::{Before, idle};
use super::instances::Polls;
use super::staged::{Context, Staged};
use crate::ir::{Block, Expr, Mark, Place, Scalar, Span, Stmt, StmtKind};

/// Which points a task that waits passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    /// K1: rounds of buffers.
    pub(super) buffers: u32,
    /// K2: rounds of tasks.
    pub(super) tasks: u32,
    /// Other buffers go on at zields, and need not be waited for otherwise.
    pub(super) zields: bool,
}

/// Rewrites `await`, `lock` and `unlock`.
pub(super) fn waits(staged: &mut Staged, rounds: Rounds, polls: &Polls) {
    // From here on a lock is a truth value like any other.
    for var in staged.program.globals.iter_mut().filter(|var| var.ty == Scalar::Lock) {
        var.ty = Scalar::Bool;
    }
    let several = staged.program.buffers.len() > 1;
    let serial: Vec<bool> = staged.program.levels.iter().map(|level| level.serial).collect();
    let mut before = if rounds.zields { Before::mark(staged, polls) } else { None };
    staged.rewrite_bodies(|context: &mut Context, Stmt { kind, span }, out| {
        let yields = !serial[context.role.level as usize] && rounds.tasks > 1;
        let points = points(rounds, yields, several && (rounds.zields || !yields));
        let poll = polls[context.role.buffer as usize].as_ref();
        let mut waiter = Waiter { points, poll, before: before.as_mut(), context, span };
        match kind {
            StmtKind::Await(condition) => waiter.wait(condition, out),
            StmtKind::Lock(place) => {
                waiter.wait(not(held(&place)), out);
                out.push(assign(place, Expr::Const(1), span));
            }
            StmtKind::Unlock(place) => {
                let message = "unlock of a lock that is free".to_owned();
                out.push(stmt(StmtKind::Assert(held(&place), message), span));
                out.push(assign(place, FALSE, span));
            }
            kind => out.push(Stmt { kind, span }),
        }
    });
    staged.conditions = before.map_or(Vec::new(), Before::into_conditions);
}

fn held(place: &Place) -> Expr {
    Expr::Read(place.clone())
}

/// The points at which a task that waits may be put off, in the order in which they can make a difference.
fn points(rounds: Rounds, yields: bool, zields: bool) -> Vec<StmtKind> {
    let mut points = Vec::new();
    points.extend(zields.then_some(StmtKind::Zield));
    if yields {
        let again = if zields { (rounds.tasks - 1).min(rounds.buffers) } else { 1 };
        for _ in 0..again {
            points.push(StmtKind::Yield);
            points.extend(zields.then_some(StmtKind::Zield));
        }
    }
    points
}

/// A task that comes to a wait.
struct Waiter<'w, 'a> {
    points: Vec<StmtKind>,
    poll: Option<&'w (Expr, Block)>,
    before: Option<&'w mut Before<'a>>,
    context: &'w mut Context,
    span: Span,
}

impl Waiter<'_, '_> {
    fn wait(&mut self, condition: Expr, out: &mut Block) {
        let span = self.span;
        let raised = self.poll.map_or(FALSE, |(raised, _)| raised.clone());
        // A raised line first: whether the condition can be evaluated does not matter then.
        let blocked = and(not(raised.clone()), not(condition.clone()));
        let idle = self.before.is_some().then(|| self.context.local(idle()));
        let mut waits = vec![stmt(StmtKind::Assume(or(raised, condition.clone())), span)];
        let mut points = std::mem::take(&mut self.points);
        while let Some(point) = points.pop() {
            let mut turn = Block::new();
            let yields = point == StmtKind::Yield;
            turn.extend(
                idle.filter(|_| yields).map(|_| stmt(StmtKind::Mark(Mark::MakesWay, Vec::new()), span)),
            );
            turn.push(stmt(point, span));
            if let (Some(before), Some(idle), true) = (&mut self.before, idle, yields) {
                turn.extend(before.comes_up_again(&blocked, idle, span));
            }
            turn.push(stmt(StmtKind::Mark(Mark::GoesOn, Vec::new()), span));
            turn.append(&mut waits);
            waits = vec![stmt(StmtKind::If(blocked.clone(), turn, Block::new()), span)];
        }
        if !matches!(waits[0].kind, StmtKind::If(..)) {
            waits = vec![stmt(StmtKind::If(blocked, waits, Block::new()), span)];
        }
        // From here on it runs.
        waits.extend(idle.map(|idle| assign(place(idle), FALSE, span)));
        let Some((raised, handle)) = self.poll else { return out.append(&mut waits) };
        let mut handle = handle.clone();
        if let (Some(idle), Some(before)) = (idle, &self.before) {
            // Who handles an interrupt at a higher level comes up behind that.
            let own = self.context.role.level;
            handle = rewrite(handle, &mut |statement, out| {
                let up = matches!(statement.kind, StmtKind::Post { level: Some(level), .. } if before.comes_up_behind(own, level.0));
                out.push(statement);
                out.extend(up.then(|| assign(place(idle), TRUE, span)));
            });
        }
        waits.push(stmt(StmtKind::While(raised.clone(), handle), span));
        out.push(stmt(StmtKind::While(not(condition), waits), span));
        out.extend(idle.map(|idle| assign(place(idle), FALSE, span)));
    }
}
