//! Writes sequential programs: for other verifiers, Boogie ([`boogie()`]) and those that read C ([`c()`]), and as models ([`cai()`]).
//!
//! A sequential program is one that a translation has left without tasks: one buffer and one level, and in the procedures that its main
//! procedure comes to there are only assignments, choices, assumptions, assertions, branches, loops, calls and returns. Anything else there is a
//! bug of the translation. What the intermediate representation leaves implicit - a value outside of its type, an index outside of its
//! map, a division by zero, an empty choice, a missing result - must have become assertions before: it is not looked for here.
//!
//! The program ends when its main procedure does; the final conditions are asserted then.

mod boogie;
mod c;
mod cai;
mod names;
mod page;

pub use boogie::{Bounds, boogie};
pub use c::c;
pub use cai::cai;

use crate::ir::{Block, Expr, GlobalId, Place, ProcId, Program, Stmt, StmtKind, VarRef};

/// What is known of the procedures that are reached from the main one.
struct Reached {
    /// Which, in the order of the program.
    procs: Vec<ProcId>,
    /// The globals that each procedure may write, itself or by calls; for all procedures of the program.
    writes: Vec<Vec<bool>>,
}

/// Looks at everything that the main procedure comes to.
///
/// # Panics
///
/// If the program is not sequential.
fn reached(program: &Program) -> Reached {
    assert!(
        program.buffers.len() == 1 && program.levels.len() == 1,
        "a sequential program has one buffer and one level"
    );
    let main = program.buffers[0].main;
    assert!(program.procs[main.index()].params == 0, "the main procedure has no parameters");
    let mut seen = vec![false; program.procs.len()];
    let mut calls = vec![Vec::new(); program.procs.len()];
    let mut writes = vec![vec![false; program.globals.len()]; program.procs.len()];
    let mut left = vec![main];
    while let Some(proc) = left.pop() {
        let at = proc.index();
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        statements(&program.procs[at].body, &mut |stmt| {
            assert!(is_sequential(&stmt.kind), "not translated away: {:?}", stmt.kind);
            if let StmtKind::Call { proc, .. } = &stmt.kind {
                calls[at].push(proc.index());
            }
            if let Some(Place { var: VarRef::Global(global), .. }) = written(&stmt.kind) {
                writes[at][global.index()] = true;
            }
        });
        left.extend(calls[at].iter().map(|&callee| ProcId(callee as u32)));
    }
    // What a procedure writes, its callers do: until nothing is added.
    let mut more = true;
    while more {
        more = false;
        for caller in 0..calls.len() {
            for &callee in &calls[caller] {
                let theirs = writes[callee].clone();
                for (own, their) in writes[caller].iter_mut().zip(theirs) {
                    more |= their && !*own;
                    *own |= their;
                }
            }
        }
    }
    let procs = (0..program.procs.len()).filter(|&at| seen[at]).map(|at| ProcId(at as u32)).collect();
    Reached { procs, writes }
}

impl Reached {
    /// The globals that a procedure may write, itself or by calls.
    fn writes(&self, proc: ProcId) -> impl Iterator<Item = GlobalId> {
        let writes = self.writes[proc.index()].iter().enumerate();
        writes.filter(|(_, written)| **written).map(|(at, _)| GlobalId(at as u32))
    }
}

fn is_sequential(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Assign(..)
        | StmtKind::Choose(..)
        | StmtKind::Assume(_)
        | StmtKind::Assert(..)
        | StmtKind::If(..)
        | StmtKind::While(..)
        | StmtKind::Call { .. }
        | StmtKind::Return(_)
        | StmtKind::Mark(..) => true,
        StmtKind::Await(_)
        | StmtKind::Lock(_)
        | StmtKind::Unlock(_)
        | StmtKind::Post { .. }
        | StmtKind::Yield
        | StmtKind::Zield
        | StmtKind::Pause
        | StmtKind::Raise(_)
        | StmtKind::Poll => false,
    }
}

/// The place that a statement writes.
fn written(kind: &StmtKind) -> Option<&Place> {
    match kind {
        StmtKind::Assign(place, _) | StmtKind::Choose(place, ..) => Some(place),
        StmtKind::Call { result, .. } => result.as_ref(),
        _ => None,
    }
}

/// Calls `f` with every statement, also with those inside of others.
fn statements<'b>(block: &'b Block, f: &mut impl FnMut(&'b Stmt)) {
    for stmt in block {
        f(stmt);
        match &stmt.kind {
            StmtKind::If(_, yes, no) => {
                statements(yes, f);
                statements(no, f);
            }
            StmtKind::While(_, body) => statements(body, f),
            _ => {}
        }
    }
}

/// Calls `f` with every variable that a statement itself reads; what is inside of its blocks does not count.
fn reads(stmt: &Stmt, f: &mut impl FnMut(VarRef)) {
    match &stmt.kind {
        StmtKind::Assign(_, value) => expr_reads(value, f),
        StmtKind::Choose(_, lo, hi) => [lo, hi].iter().for_each(|bound| expr_reads(bound, f)),
        StmtKind::Assume(condition)
        | StmtKind::Assert(condition, _)
        | StmtKind::If(condition, ..)
        | StmtKind::While(condition, _) => expr_reads(condition, f),
        StmtKind::Call { args, .. } => args.iter().for_each(|arg| expr_reads(arg, f)),
        StmtKind::Return(value) => value.iter().for_each(|value| expr_reads(value, f)),
        _ => {}
    }
    if let Some(index) = written(&stmt.kind).and_then(|place| place.index.as_ref()) {
        expr_reads(index, f);
    }
}

/// Calls `f` with every variable that an expression reads.
fn expr_reads(expr: &Expr, f: &mut impl FnMut(VarRef)) {
    match expr {
        Expr::Const(_) => {}
        Expr::Read(place) => {
            f(place.var);
            place.index.iter().for_each(|index| expr_reads(index, f));
        }
        Expr::Unary(_, operand) | Expr::Bound(operand, _) => expr_reads(operand, f),
        Expr::Binary(_, left, right) => [left, right].iter().for_each(|operand| expr_reads(operand, f)),
        Expr::If(parts) => parts.iter().for_each(|part| expr_reads(part, f)),
    }
}
