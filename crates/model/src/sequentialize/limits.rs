//! Where loops and recursion are cut off.
//!
//! A checker that unrolls a program follows loops and recursion only so far. What happens then is part of the program: the flag of errors gets a value of its
//! own, and everybody stops who sees it, as if something had gone wrong. So an execution that meets the limit is recognised as one, with all its guesses
//! checked up to there; a limit that only a wrong guess can meet is not met. Whether it is met is a choice that the checker makes ([`Mark::Limit`]).

use super::build::{add_local, assign, place, stmt, variable, visit};
use super::staged::Staged;
use super::stops::nothing;
use crate::ir::{Block, Expr, Mark, Scalar, Span, Stmt, StmtKind, VarRef};

/// The value of the flag for executions that are not followed further.
const LIMITED: Expr = Expr::Const(2);

/// Cuts off loops, and procedures that may come to call or post themselves.
pub(super) fn limits(staged: &mut Staged) {
    let recursive = recursive(staged);
    let mut loops = false;
    for proc in &staged.program.procs {
        visit(&proc.body, &mut |stmt| loops |= matches!(stmt.kind, StmtKind::While(..)));
    }
    if !loops && !recursive.contains(&true) {
        return;
    }
    let error = staged.flags.error;
    staged.program.globals[error.index()].ty = Scalar::Range(0, 2);
    let enums = staged.program.enums.clone();
    let limit = |met: VarRef, result: Option<Scalar>, span: Span| -> [Stmt; 3] {
        let result = result.map(|ty| nothing(ty.range(&enums)));
        let stops =
            vec![assign(place(VarRef::Global(error)), LIMITED, span), stmt(StmtKind::Return(result), span)];
        [
            stmt(StmtKind::Mark(Mark::Limit, Vec::new()), span),
            stmt(StmtKind::Choose(place(met), Expr::Const(0), Expr::Const(1)), span),
            stmt(StmtKind::If(super::build::read(met), stops, Block::new()), span),
        ]
    };
    let flag = || variable("met", Scalar::Bool, (0, 1), None, Span::default());
    staged.rewrite_bodies(|context, mut stmt, out| {
        if let StmtKind::While(_, body) = &mut stmt.kind {
            let met = context.local(flag());
            body.splice(0..0, limit(met, context.result, stmt.span));
        }
        out.push(stmt);
    });
    for (proc, _) in staged.program.procs.iter_mut().zip(recursive).filter(|(_, recursive)| *recursive) {
        let met = add_local(&mut proc.locals, flag());
        proc.body.splice(0..0, limit(met, proc.result, proc.span));
    }
    let met = super::build::equal(super::build::read(VarRef::Global(error)), LIMITED);
    staged.harness.after.insert(0, stmt(StmtKind::Mark(Mark::Limited, vec![met]), Span::default()));
}

/// Procedures from which a chain of calls and posts leads back to themselves.
fn recursive(staged: &Staged) -> Vec<bool> {
    let count = staged.program.procs.len();
    let mut reach = vec![vec![false; count]; count];
    for (at, proc) in staged.program.procs.iter().enumerate() {
        visit(&proc.body, &mut |stmt| {
            if let StmtKind::Call { proc, .. } | StmtKind::Post { proc, .. } = stmt.kind {
                reach[at][proc.index()] = true;
            }
        });
    }
    for via in 0..count {
        for from in 0..count {
            if reach[from][via] {
                let beyond = reach[via].clone();
                reach[from].iter_mut().zip(beyond).for_each(|(there, beyond)| *there |= beyond);
            }
        }
    }
    (0..count).map(|at| reach[at][at]).collect()
}
