//! What happens in the course of a procedure: in itself, in what it calls, and in the tasks that come of it.

use super::build::visit;
use super::staged::Staged;
use crate::ir::{Place, Stmt, StmtKind, VarRef};

/// The global that a statement writes.
pub(super) fn written(stmt: &Stmt) -> Option<usize> {
    let global = |place: &Place| match place.var {
        VarRef::Global(id) => Some(id.index()),
        VarRef::Local(_) => None,
    };
    match &stmt.kind {
        StmtKind::Assign(place, _)
        | StmtKind::Choose(place, ..)
        | StmtKind::Lock(place)
        | StmtKind::Unlock(place)
        | StmtKind::Call { result: Some(place), .. } => global(place),
        _ => None,
    }
}

/// For each procedure, which of `count` things happen in its course. `own` tells which a statement of a procedure does by itself.
pub(super) fn in_course(
    staged: &Staged,
    count: usize,
    own: impl Fn(usize, &Stmt) -> Option<usize>,
) -> Vec<Vec<bool>> {
    let mut happens = vec![vec![false; count]; staged.program.procs.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (at, proc) in staged.program.procs.iter().enumerate() {
            let mut here = happens[at].clone();
            visit(&proc.body, &mut |stmt| {
                if let StmtKind::Call { proc, .. } | StmtKind::Post { proc, .. } = &stmt.kind {
                    happens[proc.index()].iter().zip(&mut here).for_each(|(&there, here)| *here |= there);
                }
                if let Some(what) = own(at, stmt) {
                    here[what] = true;
                }
            });
            changed |= here != happens[at];
            happens[at] = here;
        }
    }
    happens
}

/// For each procedure, the globals that are written in its course.
pub(super) fn writes(staged: &Staged) -> Vec<Vec<bool>> {
    in_course(staged, staged.program.globals.len(), |_, stmt| written(stmt))
}
