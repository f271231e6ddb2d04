//! Looks at interrupt lines that can find none raised go away.
//!
//! A line is raised by another buffer while that has control, or by the task itself. So after a task has looked, and until it zields or raises a line,
//! no line of its buffer is raised; nor are any when another task of the buffer goes on, if every task has looked since its last zield when it
//! yields, ends or is interrupted by what it posts. Where that holds for all tasks of a program, as it does if looks stand where section 3.3 of the 2012 paper puts them, most of them
//! go. Each look that stays brings a copy of the handler with it; where a buffer has one line only, it need not look again after that.

use super::build::visit;
use super::instances::Polls;
use super::staged::{Role, Staged};
use crate::ir::{Block, Expr, ProcId, StmtKind};

/// Takes out looks.
pub(super) fn polls(staged: &mut Staged, polls: &Polls) {
    let mains: Vec<ProcId> = staged.program.buffers[1..].iter().map(|buffer| buffer.main).collect();
    let mut switches_are_clean = true;
    // Once to learn whether tasks have looked when others go on, once to take out looks.
    for takes_out in [false, true] {
        for at in 0..staged.program.procs.len() {
            let role = staged.roles[at];
            let Some((raised, handlers)) = &polls[role.buffer as usize] else { continue };
            let is_only = matches!(raised, Expr::Read(_));
            let mut flow =
                Flow { raised, is_only, role, assumes: switches_are_clean, keeps: true, takes_out };
            // Other buffers have run before it; other lines may be raised when it begins.
            let mut is_first = mains.contains(&ProcId(at as u32));
            visit(handlers, &mut |stmt| {
                is_first |=
                    matches!(stmt.kind, StmtKind::Post { proc, .. } if proc.index() == at) && !is_only;
            });
            let clean = role.is_task && !is_first && switches_are_clean;
            let mut body = std::mem::take(&mut staged.program.procs[at].body);
            let end = flow.block(&mut body, clean);
            staged.program.procs[at].body = body;
            switches_are_clean &= flow.keeps && (!role.is_task || end != Some(false));
        }
    }
}

struct Flow<'a> {
    /// The condition of a look.
    raised: &'a Expr,
    /// It is about one line.
    is_only: bool,
    role: Role,
    /// No line is raised when tasks go on.
    assumes: bool,
    /// This one sees to that as far as it has come.
    keeps: bool,
    takes_out: bool,
}

impl Flow<'_> {
    /// Whether no line is raised behind a block; none if its end is not reached.
    fn block(&mut self, block: &mut Block, clean: bool) -> Option<bool> {
        let mut clean = Some(clean);
        let mut at = 0;
        while at < block.len() {
            let Some(before) = clean else { break };
            if matches!(&block[at].kind, StmtKind::While(condition, _) if condition == self.raised) {
                if before && self.takes_out {
                    block.remove(at);
                    continue;
                }
                if self.assumes && self.is_only && self.takes_out {
                    // The handler has looked since its last zield.
                    let StmtKind::While(condition, body) =
                        std::mem::replace(&mut block[at].kind, StmtKind::Yield)
                    else {
                        unreachable!("it is one")
                    };
                    block[at].kind = StmtKind::If(condition, body, Block::new());
                }
                // If a handler has run it has looked; if not nothing was raised.
                clean = Some(true);
                at += 1;
                continue;
            }
            clean = self.stmt(&mut block[at].kind, before);
            at += 1;
        }
        clean
    }

    fn stmt(&mut self, kind: &mut StmtKind, clean: bool) -> Option<bool> {
        match kind {
            StmtKind::If(_, then, other) => {
                let (then, other) = (self.block(then, clean), self.block(other, clean));
                match (then, other) {
                    (Some(then), Some(other)) => Some(then && other),
                    (then, other) => then.or(other),
                }
            }
            StmtKind::While(_, body) => {
                // Whatever it does may have been done before.
                let mut probe = body.clone();
                let mut quiet = Flow { takes_out: false, ..*self };
                let stays = clean && quiet.block(&mut probe, true) != Some(false);
                self.block(body, stays);
                Some(stays)
            }
            StmtKind::Return(_) => {
                self.keeps &= clean || !self.role.is_task;
                None
            }
            StmtKind::Yield => {
                self.keeps &= clean;
                Some(self.assumes && clean)
            }
            StmtKind::Zield | StmtKind::Call { .. } => Some(false),
            StmtKind::Post { level: Some(level), .. } if level.0 <= self.role.level => Some(clean),
            // The other task runs at once.
            StmtKind::Post { .. } => {
                self.keeps &= clean;
                Some(clean && self.assumes)
            }
            // It has looked before it goes on.
            StmtKind::Await(_) | StmtKind::Lock(_) => Some(self.assumes),
            // Perhaps to a line.
            StmtKind::Assign(..) if self.is_raise(kind) => Some(false),
            _ => Some(clean),
        }
    }

    /// Whether something is assigned to a line of the buffer.
    fn is_raise(&self, kind: &StmtKind) -> bool {
        let StmtKind::Assign(to, _) = kind else { return false };
        let mut found = false;
        let mut raised = self.raised.clone();
        super::build::change_places_in(&mut raised, &mut |place| found |= place.var == to.var);
        found
    }
}
