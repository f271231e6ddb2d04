//! Where implicit yields, zields and looks at the interrupt lines are written out.
//!
//! Before a simple statement or the evaluation of a condition that accesses a global which is not plain: a yield and then a zield, as
//! the file asks for them. Inside `atomic` there are none; one of each comes before the block, if there is such an access in it or in
//! what it calls.
//!
//! If the program has interrupt lines the task looks at them directly before an access of any global, and before each statement that
//! other tasks can notice, also before each yield (2012 paper, section 3.3). Inside `atomic` it looks before `await` and `lock` only,
//! where it may have to make way anyway; so a block is one step for interrupts too.

use super::emit::Emitter;
use super::typed::{Facts, Init, StmtKind};
use crate::ir::{self, Span};

/// What is put before shared accesses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Implicit {
    pub(super) yields: bool,
    pub(super) zields: bool,
}

impl StmtKind {
    /// What a simple statement does by itself, or the arguments of a call: not the procedure that is called, nor where its result goes.
    pub(super) fn facts(&self) -> Facts {
        let notices = Facts::NOTICES;
        match self {
            StmtKind::Assign(place, value) => place.facts | value.facts,
            StmtKind::Init(inits) => inits.iter().fold(Facts::NONE, |facts, init| {
                facts
                    | match init {
                        Init::One(_, value) | Init::Fill(_, _, value) => value.facts,
                    }
            }),
            StmtKind::Havoc(place, ..) => place.facts,
            StmtKind::Assume(value) | StmtKind::Assert(value, _) => value.facts,
            StmtKind::Await(value) => value.facts | notices | Facts::SHARED,
            StmtKind::Lock(place) | StmtKind::Unlock(place) => place.facts,
            StmtKind::Call { args, .. } => args.iter().fold(Facts::NONE, |facts, arg| facts | arg.facts),
            StmtKind::Post { args, .. } => args.iter().fold(notices, |facts, arg| facts | arg.facts),
            StmtKind::Return(value) => value.as_ref().map_or(Facts::NONE, |value| value.facts),
            StmtKind::Raise(_) => notices | Facts::SHARED,
            StmtKind::Yield | StmtKind::Zield | StmtKind::Pause => notices,
            StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::For { .. }
            | StmtKind::Either(_)
            | StmtKind::Atomic(_) => unreachable!("not a simple statement"),
        }
    }
}

impl Emitter<'_> {
    /// What comes before something that does this.
    pub(super) fn points(&self, facts: Facts, span: Span, out: &mut ir::Block) {
        if self.atomic {
            return;
        }
        if facts.has(Facts::SHARED) {
            if self.implicit.yields {
                self.look(span, out);
                out.push(ir::Stmt { kind: ir::StmtKind::Yield, span });
            }
            if self.implicit.zields {
                self.look(span, out);
                out.push(ir::Stmt { kind: ir::StmtKind::Zield, span });
            }
        }
        if facts.has(Facts::NOTICES) {
            self.look(span, out);
        }
    }

    /// Before a statement that may block, also inside `atomic`.
    pub(super) fn points_before_blocking(&self, facts: Facts, span: Span, out: &mut ir::Block) {
        match self.atomic {
            true => self.look(span, out),
            false => self.points(facts, span, out),
        }
    }

    /// Looks at the lines, if there are any.
    pub(super) fn look(&self, span: Span, out: &mut ir::Block) {
        if self.has_lines {
            out.push(ir::Stmt { kind: ir::StmtKind::Poll, span });
        }
    }
}
