//! Arithmetic that overflows as a bug: an assertion before every statement that computes what may not fit in 32 bits.
//!
//! The program stays concurrent, so that whatever finds such a bug, another engine can replay it.

use super::build::{not, or, rewrite, stmt};
use super::types::Types;
use crate::ir::{Block, Expr, Final, Program, Stmt, StmtKind, Var};

const MESSAGE: &str = "arithmetic overflows: the result does not fit in 32 bits";

/// Asserts that nothing overflows.
pub fn assert_no_overflow(program: &Program) -> Program {
    let mut program = program.clone();
    for at in 0..program.procs.len() {
        let body = std::mem::take(&mut program.procs[at].body);
        let locals = &program.procs[at].locals;
        program.procs[at].body = rewrite(body, &mut |statement, out| {
            let Stmt { mut kind, span } = statement;
            let assert = |fits| stmt(StmtKind::Assert(fits, MESSAGE.to_owned()), span);
            let checks: Block = computed(&kind)
                .into_iter()
                .filter_map(|expr| fits(&program, locals, expr))
                .map(assert)
                .collect();
            // A condition is evaluated again where the loop comes round, and where the wait is over.
            let mut behind = Block::new();
            match &mut kind {
                StmtKind::While(_, body) => body.extend(checks.clone()),
                StmtKind::Await(_) | StmtKind::Lock(_) => behind.clone_from(&checks),
                _ => {}
            }
            out.extend(checks);
            out.push(Stmt { kind, span });
            out.extend(behind);
        });
    }
    let finals = std::mem::take(&mut program.finals);
    for last in finals {
        let fits = fits(&program, &[], &last.condition);
        program.finals.extend(fits.map(|condition| Final {
            condition,
            message: MESSAGE.to_owned(),
            ..last.clone()
        }));
        program.finals.push(last);
    }
    program
}

/// That an expression does not overflow, if it may. What goes wrong otherwise does so where it stands.
fn fits(program: &Program, locals: &[Var], expr: &Expr) -> Option<Expr> {
    let [with, without] = [true, false].map(|overflow| {
        let Program { globals, enums, .. } = program;
        Types { globals, locals, enums, overflow }.safe(expr)
    });
    (with != without).then(|| or(not(without), with))
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
