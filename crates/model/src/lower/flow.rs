//! Procedures with a result that obviously end without one.
//!
//! Only what is plain to see is a mistake: a last statement that just goes on. Whether the end behind an `if` or a loop is ever reached
//! is left to the run.

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Block, ExprKind, Proc, Stmt, StmtKind};

impl<'s> Checker<'s, '_> {
    /// Complains if the end of the body is reached without a `return`.
    pub(super) fn check_end(&mut self, proc: &Proc<'s>) {
        if !(runs_through(&proc.body) || (!returns(&proc.body) && !never_ends(&proc.body))) {
            return;
        }
        self.sink.push(
            Diagnostic::new(proc.body.end, format!("`{}` ends here without a result", proc.name.text))
                .related(proc.span, "it has a result")
                .hint("end it with `return ...;`"),
        );
    }
}

/// Its end is reached for sure, if its last statement is.
fn runs_through(block: &Block<'_>) -> bool {
    let Some(last) = block.stmts.last() else { return true };
    match &last.kind {
        StmtKind::Var(_)
        | StmtKind::Assign(..)
        | StmtKind::Call { .. }
        | StmtKind::Havoc(_)
        | StmtKind::Skip
        | StmtKind::Lock(_)
        | StmtKind::Unlock(_)
        | StmtKind::Yield
        | StmtKind::Zield
        | StmtKind::Pause
        | StmtKind::Post { .. }
        | StmtKind::Raise(_) => true,
        StmtKind::Atomic(block) => runs_through(block),
        StmtKind::Either(blocks) => blocks.iter().any(runs_through),
        StmtKind::If(branches, last) => {
            branches.iter().any(|branch| runs_through(&branch.body))
                || last.as_ref().is_some_and(runs_through)
        }
        StmtKind::While(..)
        | StmtKind::For { .. }
        | StmtKind::Assume(_)
        | StmtKind::Assert(..)
        | StmtKind::Await(_)
        | StmtKind::Return(_)
        | StmtKind::Bad => false,
    }
}

/// There is a `return` in it.
fn returns(block: &Block<'_>) -> bool {
    block.stmts.iter().any(|stmt: &Stmt<'_>| match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Bad => true,
        StmtKind::While(_, body) | StmtKind::For { body, .. } | StmtKind::Atomic(body) => returns(body),
        StmtKind::Either(blocks) => blocks.iter().any(returns),
        StmtKind::If(branches, last) => {
            branches.iter().any(|branch| returns(&branch.body)) || last.as_ref().is_some_and(returns)
        }
        _ => false,
    })
}

/// It ends with a loop or a condition that is never over.
fn never_ends(block: &Block<'_>) -> bool {
    match block.stmts.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::While(condition, _)) => matches!(condition.kind, ExprKind::Bool(true)),
        Some(StmtKind::Assume(condition) | StmtKind::Assert(condition, _) | StmtKind::Await(condition)) => {
            matches!(condition.kind, ExprKind::Bool(false))
        }
        _ => false,
    }
}
