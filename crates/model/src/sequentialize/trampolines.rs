//! Posts that jump over levels become chains of posts, each one level up (2012 paper, sections 5.1 and 5.2; errata).
//!
//! The task of a level between does nothing but to post the next. It opens its level, so that what higher tasks post there comes after them and
//! before the level below goes on. Where nobody posts to the levels between there is no need of that, and posts jump as they are.

use std::collections::HashMap;

use super::build::{read, stmt, visit};
use super::staged::{Role, Staged};
use crate::ir::{Block, LevelId, LocalId, Proc, ProcId, StmtKind, VarRef};

/// Inserts the chains.
pub(super) fn trampolines(staged: &mut Staged) {
    // Levels to which tasks are posted that do not interrupt their poster.
    let mut is_joined = vec![false; staged.program.levels.len()];
    for (proc, role) in staged.program.procs.iter().zip(&staged.roles) {
        visit(&proc.body, &mut |stmt| {
            if let StmtKind::Post { level: Some(to), .. } = stmt.kind {
                is_joined[to.index()] |= to.0 <= role.level;
            }
        });
    }
    let mut chains: HashMap<(ProcId, u32), ProcId> = HashMap::new();
    let mut made: Vec<(Proc, Role)> = Vec::new();
    let (procs, roles) = (staged.program.procs.clone(), staged.roles.clone());
    let names: Vec<String> = staged.program.levels.iter().map(|level| level.name.clone()).collect();
    let first = procs.len() as u32;
    staged.rewrite_bodies(|context, mut statement, out| {
        if let StmtKind::Post { proc, level: Some(level), .. } = &mut statement.kind
            && level.0 > context.role.level + 1
        {
            let (target, span) = (*proc, statement.span);
            for via in (context.role.level + 1..roles[target.index()].level).rev() {
                if !is_joined[via as usize] {
                    continue;
                }
                let next = (*proc, *level);
                *proc = *chains.entry((next.0, via)).or_insert_with(|| {
                    let params = procs[target.index()].params;
                    let locals = procs[target.index()].locals[..params as usize].to_vec();
                    let args = (0..params).map(|at| read(VarRef::Local(LocalId(at)))).collect();
                    let post = StmtKind::Post { proc: next.0, args, level: Some(next.1) };
                    let name = format!("{}_by_{}", procs[target.index()].name, names[via as usize]);
                    let body: Block = vec![stmt(post, span)];
                    let proc = Proc { name, params, locals, result: None, body, span };
                    made.push((proc, Role { level: via, is_task: true, ..context.role }));
                    ProcId(first + made.len() as u32 - 1)
                });
                *level = LevelId(via);
            }
        }
        out.push(statement);
    });
    for (proc, role) in made {
        staged.add_proc(proc, role);
    }
}
