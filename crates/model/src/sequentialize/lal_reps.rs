//! A fixed set of threads becomes sequential (Lal and Reps, Formal Methods in System Design 35, 2009): the translation that the papers start from.
//!
//! The threads are the buffers, which must not post; they switch at zields. As with several buffers (`buffers`), each global has a copy for each of K rounds, the
//! threads run one after the other, each through all rounds, and what rounds begin with is guessed and checked. With nothing posted there is
//! nothing to order: each thread is called.

use super::buffers::{mark, rounds_of_buffers};
use super::build::{FALSE, assign, place, stmt};
use super::staged::Staged;
use crate::ir::{Block, Span, StmtKind, VarRef};

/// Translates a program whose tasks post nothing.
pub(super) fn lal_reps(staged: &mut Staged, rounds: u32) {
    let round = rounds_of_buffers(staged, rounds);
    mark(staged, FALSE);
    staged.rewrite_bodies(|_, stmt, out| out.extend((stmt.kind != StmtKind::Yield).then_some(stmt)));
    let span = Span::default();
    let harness = std::mem::take(&mut staged.harness);
    let mut body: Block = harness.before;
    for buffer in &staged.program.buffers {
        body.extend(round.map(|round| assign(place(VarRef::Global(round)), FALSE, span)));
        let halted = staged.flags.halted.map(VarRef::Global);
        body.extend(halted.map(|halted| assign(place(halted), FALSE, span)));
        staged.reset_idle(&mut body);
        body.push(stmt(StmtKind::Call { proc: buffer.main, args: Vec::new(), result: None }, span));
    }
    body.extend(harness.after);
    super::priorities::finish(staged, harness.locals, body);
}
