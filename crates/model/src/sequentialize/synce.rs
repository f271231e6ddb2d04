//! Buffers and priorities by shared variables (2012 paper, appendix C, Fig. 11): what one would do without translations that know of them.
//!
//! Any program becomes one with one buffer, one level and yields. Counters of pending tasks and flags of who is interrupted or switched off say who may go on, and
//! assumptions rule out the rest: every change of level or buffer costs a round. It is here to be compared with, not to be relied on: as printed, other
//! buffers may go on wherever a task yields or ends, so it may find more than there is.
//!
//! Deviations. Whether a task is interrupted, or its buffer switched off, is a flag, not the task's number: nobody asks whose it is.

use super::build::{FALSE, TRUE, and, assign, binary, constant, equal, nth, place, read, stmt, variable};
use super::staged::{Kind, Role, Staged};
use crate::ir::{
    Binary, Block, Buffer, Expr, Level, LevelId, Mark, Proc, Scalar, Span, Stmt, StmtKind, Var, VarRef,
};

/// More pending tasks of a buffer and level than this are not counted.
const MOST_PENDING: i32 = 255;

/// What says who may go on.
struct Words {
    /// For each buffer and level: how many tasks there are that have not ended.
    pending: Vec<Vec<VarRef>>,
    /// For each buffer and level: a task is interrupted.
    interrupted: Vec<Vec<VarRef>>,
    /// For each buffer: another buffer has control at its zield.
    switched: Vec<VarRef>,
}

impl Words {
    fn new(staged: &mut Staged) -> Words {
        let (buffers, levels) = (staged.program.buffers.clone(), staged.program.levels.clone());
        let mut add = |name: String, ty: Scalar, init: i32| {
            let range = staged.range(ty);
            let var = variable(&name, ty, range, None, Span::default());
            VarRef::Global(staged.add_global(Var { init: vec![init], ..var }, Kind::Shared))
        };
        let mut words = Words { pending: Vec::new(), interrupted: Vec::new(), switched: Vec::new() };
        for Buffer { name: buffer, .. } in &buffers {
            let [mut pending, mut interrupted] = [Vec::new(), Vec::new()];
            for (number, Level { name: level, .. }) in levels.iter().enumerate() {
                let ty = Scalar::Range(0, MOST_PENDING);
                pending.push(add(format!("pending_{buffer}_{level}"), ty, (number == 0) as i32));
                interrupted.push(add(format!("interrupted_{buffer}_{level}"), Scalar::Bool, 0));
            }
            words.pending.push(pending);
            words.interrupted.push(interrupted);
            words.switched.push(add(format!("switched_{buffer}"), Scalar::Bool, 0));
        }
        words
    }

    /// No task of a higher level is left.
    fn is_highest(&self, role: Role) -> Expr {
        let higher = &self.pending[role.buffer as usize][role.level as usize + 1..];
        higher.iter().fold(TRUE, |all, &pending| and(all, equal(read(pending), FALSE)))
    }

    /// What a task must find that begins, or goes on after a yield.
    fn may_go_on(&self, role: Role, span: Span) -> Stmt {
        let interrupted = self.interrupted[role.buffer as usize][role.level as usize];
        let switched = self.switched[role.buffer as usize];
        let free = and(equal(read(interrupted), FALSE), equal(read(switched), FALSE));
        stmt(StmtKind::Assume(and(self.is_highest(role), free)), span)
    }

    /// One task more or less.
    fn count(&self, role: Role, op: Binary, span: Span) -> Stmt {
        let pending = self.pending[role.buffer as usize][role.level as usize];
        assign(place(pending), binary(op, read(pending), constant(1)), span)
    }
}

/// Translates. Tasks have to be told that they may stop (`stops::checks`) afterwards.
pub(super) fn synce(staged: &mut Staged) {
    let words = Words::new(staged);
    let roles = staged.roles.clone();
    staged.rewrite_bodies(|context, Stmt { kind, span }, out| {
        let role = context.role;
        match kind {
            StmtKind::Yield => {
                out.push(stmt(StmtKind::Yield, span));
                out.push(words.may_go_on(role, span));
            }
            StmtKind::Zield => {
                let switched = words.switched[role.buffer as usize];
                out.push(assign(place(switched), TRUE, span));
                out.push(stmt(StmtKind::Yield, span));
                out.push(assign(nth(switched, None, 0), FALSE, span));
            }
            StmtKind::Return(value) => {
                if role.is_task {
                    out.push(words.count(role, Binary::Subtract, span));
                }
                out.push(stmt(StmtKind::Return(value), span));
            }
            StmtKind::Post { proc, args, .. } => {
                let target = roles[proc.index()];
                let post = StmtKind::Post { proc, args, level: Some(LevelId(0)) };
                out.push(words.count(target, Binary::Add, span));
                if target.level > role.level {
                    let interrupted = words.interrupted[role.buffer as usize][role.level as usize];
                    out.push(assign(place(interrupted), TRUE, span));
                    out.push(stmt(post, span));
                    out.push(stmt(StmtKind::Yield, span));
                    out.push(stmt(StmtKind::Assume(words.is_highest(role)), span));
                    out.push(assign(place(interrupted), FALSE, span));
                    out.push(stmt(StmtKind::Mark(Mark::GoesOn, Vec::new()), span));
                } else {
                    out.push(stmt(post, span));
                }
            }
            kind => out.push(stmt(kind, span)),
        }
    });
    for (proc, &role) in staged.program.procs.iter_mut().zip(&roles) {
        if role.is_task {
            let begins = [stmt(StmtKind::Yield, proc.span), words.may_go_on(role, proc.span)];
            proc.body.splice(0..0, begins);
            proc.body.push(words.count(role, Binary::Subtract, proc.span));
        }
    }
    one_buffer(staged);
}

/// All tasks are in one buffer and at one level; its main posts the mains.
fn one_buffer(staged: &mut Staged) {
    let span = Span::default();
    let post = |buffer: &Buffer| {
        stmt(StmtKind::Post { proc: buffer.main, args: Vec::new(), level: Some(LevelId(0)) }, span)
    };
    let body: Block = staged.program.buffers.iter().map(post).collect();
    let name = "every_buffer".to_owned();
    let proc = Proc { name, params: 0, locals: Vec::new(), result: None, body, span };
    staged.roles.iter_mut().for_each(|role| (role.buffer, role.level) = (0, 0));
    let main = staged.add_proc(proc, Role { buffer: 0, level: 0, is_task: true });
    staged.program.buffers = vec![Buffer { name: "all".to_owned(), main }];
    staged.program.levels = vec![Level { name: "only".to_owned(), serial: false }];
}
