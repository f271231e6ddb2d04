//! Waits become points and assumptions: a task that has to wait is put off to a round in which it need not, or for ever.
//!
//! `await e` where `e` does not hold lets others go on, of its buffer and level (a yield, unless the level is serial) and of other buffers (a zield).
//! The execution counts only if `e` holds when the task goes on. Each time it comes up again and still has to wait it may be put off again; with
//! K1 rounds of buffers and K2 of tasks, only so many of these can make a difference, and they are written out. A task that never goes
//! on halts at a zield (`halts`). `lock` waits and takes. A task that waits goes on also when an interrupt line is raised, handles it,
//! and looks again.
//!
//! Errata: 2012 paper, Theorem 4 fails for tasks that wait for ever; and waits are not in its language.

use super::build::{FALSE, and, assign, not, or, stmt};
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
    staged.rewrite_bodies(|context: &mut Context, Stmt { kind, span }, out| {
        let yields = !serial[context.role.level as usize] && rounds.tasks > 1;
        let points = points(rounds, yields, several && (rounds.zields || !yields));
        let poll = polls[context.role.buffer as usize].as_ref();
        match kind {
            StmtKind::Await(condition) => wait(condition, &points, poll, span, out),
            StmtKind::Lock(place) => {
                wait(not(held(&place)), &points, poll, span, out);
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

fn wait(condition: Expr, points: &[StmtKind], poll: Option<&(Expr, Block)>, span: Span, out: &mut Block) {
    let raised = poll.map_or(FALSE, |(raised, _)| raised.clone());
    let blocked = and(not(condition.clone()), not(raised.clone()));
    let mut waits = vec![stmt(StmtKind::Assume(or(condition.clone(), raised)), span)];
    for point in points.iter().rev() {
        let goes_on = StmtKind::Mark(Mark::GoesOn, Vec::new());
        waits.splice(0..0, [stmt(point.clone(), span), stmt(goes_on, span)]);
        waits = vec![stmt(StmtKind::If(blocked.clone(), waits, Block::new()), span)];
    }
    if points.is_empty() {
        waits = vec![stmt(StmtKind::If(blocked.clone(), waits, Block::new()), span)];
    }
    match poll {
        None => out.append(&mut waits),
        Some((raised, handle)) => {
            waits.push(stmt(StmtKind::While(raised.clone(), handle.clone()), span));
            out.push(stmt(StmtKind::While(not(condition), waits), span));
        }
    }
}
