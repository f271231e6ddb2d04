//! Who stops: tasks that halt, and everybody once something went wrong.
//!
//! *Halts.* Where there are several buffers, a task may halt at a zield: its buffer never has control again. Without that a task that waits for ever,
//! or whose later assumptions fail, would hide what other buffers can do meanwhile (errata: 2012 paper, Theorem 4). Halting is a flag
//! of the buffer with a value at each of its times, so tasks that were put off see it when their round comes. A buffer that never
//! has control halts before it begins.
//!
//! *Reorderable tasks* (2012 paper, section 3.1): `while * do yield` first in each posted task, so that every order of dispatch is covered as
//! rounds grow. One yield does it: it leads to any later round.
//!
//! *Checks* (appendix B): whoever sees `error` or `halted` raised returns: when a task begins, and behind every call, interruption, yield and
//! zield.

use super::build::{FALSE, TRUE, add_local, assign, equal, not, or, place, read, stmt, variable, visit};
use super::staged::{Kind, Staged};
use crate::ir::{Block, Expr, GlobalId, Mark, Scalar, Span, Stmt, StmtKind, VarRef};

/// Lets tasks halt at zields.
pub(super) fn halts(staged: &mut Staged) {
    if staged.program.buffers.len() < 2 {
        return;
    }
    let flag = |name: &str| variable(name, Scalar::Bool, (0, 1), None, Span::default());
    let halted = staged.add_global(flag("halted"), Kind::Own);
    let unfinished = staged.add_global(flag("unfinished"), Kind::Timeless);
    (staged.flags.halted, staged.flags.unfinished) = (Some(halted), Some(unfinished));
    let enums = staged.program.enums.clone();
    let claims = staged.clone();
    let halt = |halts: VarRef, idle: Option<(VarRef, GlobalId)>, result: Option<Scalar>, span: Span| {
        let result = result.map(|ty| nothing(ty.range(&enums)));
        let mut stops = vec![
            assign(place(VarRef::Global(halted)), TRUE, span),
            assign(place(VarRef::Global(unfinished)), TRUE, span),
            stmt(StmtKind::Return(result), span),
        ];
        if let Some((idle, claim)) = idle {
            stops.insert(0, assign(place(VarRef::Global(claim)), read(idle), span));
        }
        let choose = StmtKind::Choose(place(halts), Expr::Const(0), TRUE);
        [stmt(choose, span), stmt(StmtKind::If(read(halts), stops, Block::new()), span)]
    };
    staged.rewrite_bodies(|context, stmt, out| {
        if stmt.kind == StmtKind::Zield {
            let idle = claims.halts_idle(context);
            let halts = context.local(flag("halts"));
            out.extend(halt(halts, idle, context.result, stmt.span));
        }
        out.push(stmt);
    });
    let mains: Vec<_> = staged.program.buffers[1..].iter().map(|buffer| buffer.main).collect();
    for main in &mains {
        let proc = &mut staged.program.procs[main.index()];
        let halts = add_local(&mut proc.locals, flag("never_runs"));
        let span = proc.span;
        // Others may have control more than once before it begins. With two buffers that is as if the first one had not given up control.
        let later = (mains.len() > 1).then(|| stmt(StmtKind::Zield, span));
        proc.body.splice(0..0, halt(halts, None, None, span).into_iter().chain(later));
    }
}

/// A value of a type that nobody looks at.
pub(super) fn nothing((lo, hi): (i32, i32)) -> Expr {
    Expr::Const(0.clamp(lo, hi))
}

/// Makes posted tasks reorderable. One that interrupts its poster is the first of its level anyway.
pub(super) fn reorder(staged: &mut Staged) {
    let mut posted = vec![false; staged.program.procs.len()];
    for (proc, role) in staged.program.procs.iter().zip(&staged.roles) {
        visit(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Post { proc, .. } if staged.roles[proc.index()].level <= role.level => {
                posted[proc.index()] = true;
            }
            _ => {}
        });
    }
    for (proc, _) in staged.program.procs.iter_mut().zip(posted).filter(|(_, posted)| *posted) {
        proc.body.insert(0, stmt(StmtKind::Yield, proc.span));
    }
}

/// Makes everybody return who sees that something went wrong or that the buffer has halted.
pub(super) fn checks(staged: &mut Staged) {
    let error = staged.flags.error;
    let mut stopped = match staged.program.globals[error.index()].ty {
        Scalar::Bool => read(VarRef::Global(error)),
        _ => not(equal(read(VarRef::Global(error)), FALSE)),
    };
    if let Some(halted) = staged.flags.halted {
        stopped = or(stopped, read(VarRef::Global(halted)));
    }
    let enums = staged.program.enums.clone();
    let check = |result: Option<Scalar>, span: Span| {
        let result = result.map(|ty| nothing(ty.range(&enums)));
        let returns = vec![stmt(StmtKind::Return(result), span)];
        stmt(StmtKind::If(stopped.clone(), returns, Block::new()), span)
    };
    let may_stop = may_stop(staged);
    let levels: Vec<u32> = staged.roles.iter().map(|role| role.level).collect();
    let mut comes_up = vec![false; staged.program.levels.len()];
    staged.idle.iter().zip(&mut comes_up).for_each(|(idle, comes_up)| *comes_up = idle.is_some());
    let mains: Vec<_> = staged.program.buffers.iter().map(|buffer| buffer.main.index()).collect();
    staged.rewrite_bodies(|context, stmt, out| {
        let Stmt { kind, span } = &stmt;
        let stops = match kind {
            // Who comes up checks claims first.
            StmtKind::Mark(Mark::ComesUp, _) => true,
            StmtKind::Yield => !comes_up[context.role.level as usize],
            StmtKind::Zield => true,
            StmtKind::Call { proc, .. } => may_stop[proc.index()],
            StmtKind::Post { proc, .. } => levels[proc.index()] > context.role.level,
            _ => false,
        };
        let resumes = matches!(kind, StmtKind::Post { .. }) && stops;
        let check = stops.then(|| check(context.result, *span));
        let resume = resumes.then(|| super::build::stmt(StmtKind::Mark(Mark::Resume, Vec::new()), *span));
        out.push(stmt);
        out.extend(check);
        out.extend(resume);
    });
    for (at, (proc, role)) in staged.program.procs.iter_mut().zip(&staged.roles).enumerate() {
        if role.is_task && (!comes_up[role.level as usize] || mains.contains(&at)) {
            proc.body.insert(0, check(None, proc.span));
        }
    }
}

/// Procedures in which something may stop.
fn may_stop(staged: &Staged) -> Vec<bool> {
    let error = VarRef::Global(staged.flags.error);
    let mut may_stop = vec![false; staged.program.procs.len()];
    loop {
        let before = may_stop.clone();
        for (at, proc) in staged.program.procs.iter().enumerate() {
            let mut stops = may_stop[at];
            visit(&proc.body, &mut |stmt| {
                stops |= match &stmt.kind {
                    StmtKind::Yield | StmtKind::Zield => true,
                    StmtKind::Assign(to, _) => to.var == error,
                    StmtKind::Call { proc, .. } => may_stop[proc.index()],
                    StmtKind::Post { proc, .. } => staged.roles[proc.index()].level > staged.roles[at].level,
                    _ => false,
                };
            });
            may_stop[at] = stops;
        }
        if may_stop == before {
            return may_stop;
        }
    }
}
