//! Arithmetic that overflows as a bug: an assertion before every statement that computes what may not fit in 32 bits.
//!
//! The program stays concurrent, so that whatever finds such a bug, another engine can replay it.

use super::build::{TRUE, not, or, rewrite, stmt};
use super::types::Types;
use crate::ir::{Block, Expr, Program, Stmt, StmtKind};

/// Asserts that nothing overflows.
pub fn assert_no_overflow(program: &Program) -> Program {
    let mut program = program.clone();
    for at in 0..program.procs.len() {
        let body = std::mem::take(&mut program.procs[at].body);
        let fits = |exprs: &[&Expr]| {
            let [with, without] = [true, false].map(|overflow| {
                let locals = &program.procs[at].locals;
                Types { globals: &program.globals, locals, enums: &program.enums, overflow }
            });
            // What goes wrong otherwise does so where it stands.
            let each = exprs.iter().map(|expr| match (without.safe(expr), with.safe(expr)) {
                (without, with) if without == with => TRUE,
                (without, with) => or(not(without), with),
            });
            each.filter(|fits| *fits != TRUE).collect::<Vec<Expr>>()
        };
        program.procs[at].body = rewrite(body, &mut |statement, out| {
            let Stmt { mut kind, span } = statement;
            let asserts = |conditions: Vec<Expr>| {
                let assert = |fits| {
                    let message = "arithmetic overflows: the result does not fit in 32 bits".to_owned();
                    stmt(StmtKind::Assert(fits, message), span)
                };
                conditions.into_iter().map(assert).collect::<Block>()
            };
            let checks = asserts(fits(&computed(&kind)));
            if let StmtKind::While(_, body) = &mut kind {
                body.extend(checks.clone());
            }
            out.extend(checks);
            out.push(Stmt { kind, span });
        });
    }
    program
}

/// What a statement evaluates.
fn computed(kind: &StmtKind) -> Vec<&Expr> {
    match kind {
        StmtKind::Assign(to, value) => to.index.as_deref().into_iter().chain([value]).collect(),
        StmtKind::Choose(to, lo, hi) => to.index.as_deref().into_iter().chain([lo, hi]).collect(),
        StmtKind::Assume(condition)
        | StmtKind::Assert(condition, _)
        | StmtKind::Await(condition)
        | StmtKind::If(condition, ..)
        | StmtKind::While(condition, _) => vec![condition],
        StmtKind::Lock(place) | StmtKind::Unlock(place) => place.index.as_deref().into_iter().collect(),
        StmtKind::Call { args, .. } | StmtKind::Post { args, .. } => args.iter().collect(),
        StmtKind::Return(value) => value.iter().collect(),
        StmtKind::Yield
        | StmtKind::Zield
        | StmtKind::Pause
        | StmtKind::Raise(_)
        | StmtKind::Poll
        | StmtKind::Mark(..) => Vec::new(),
    }
}
