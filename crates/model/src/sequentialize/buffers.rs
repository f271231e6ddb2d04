//! Several buffers become one (2012 paper, section 4, Fig. 5): K1 rounds, in each of which the buffers have control one after the other.
//!
//! Each shared global has a copy for each round. The buffers run one after the other, each through all rounds: at a zield a task may go
//! on with the copy of a later round. The values at the start of each round but the first are guessed, and must be those
//! that the round before ends with once all buffers have run (the predicate S_M). Levels move up by one, so that all tasks
//! of a buffer end before the next one begins.
//!
//! Errata: the round is a global of the buffer, and later translations copy it like any other; so is whether the buffer has halted.

use super::build::{FALSE, assign, constant, place, stmt, variable};
use super::copies::{Copies, assume_equal, guess, twin, value};
use super::idle;
use super::staged::{Kind, Role, Staged};
use crate::ir::{
    Block, Buffer, Expr, GlobalId, Level, LevelId, LocalId, Mark, Proc, Scalar, Span, StmtKind, VarRef,
};

/// Translates; with one buffer only marks are changed.
pub(super) fn buffers(staged: &mut Staged, rounds: u32) {
    if staged.program.buffers.len() < 2 {
        return mark(staged, constant(0));
    }
    let round = rounds_of_buffers(staged, rounds);
    idle::hand_on(staged, round, rounds);
    shift(staged);
    drive(staged, round);
}

/// Copies for each round, if there are several; at a zield a task may go on in a later one.
pub(super) fn rounds_of_buffers(staged: &mut Staged, rounds: u32) -> Option<GlobalId> {
    let round = match rounds {
        1 => {
            idle::check(staged, None, 1);
            None
        }
        _ => Some(copy(staged, rounds)),
    };
    mark(staged, round.map_or(constant(0), value));
    let claims = staged.idle.clone();
    staged.rewrite_bodies(|context, statement, out| match (&statement.kind, round) {
        (StmtKind::Zield, None) => {}
        (StmtKind::Zield, Some(round)) => {
            idle::advance(&claims, context, round, rounds, statement.span, out);
        }
        _ => out.push(statement),
    });
    round
}

/// Marks say in which round they are.
pub(super) fn mark(staged: &mut Staged, round: Expr) {
    staged.rewrite_bodies(|_, mut stmt, out| {
        if let StmtKind::Mark(Mark::Begin(..) | Mark::GoesOn, times) = &mut stmt.kind {
            times.push(round.clone());
        }
        out.push(stmt);
    });
}

/// Copies of all shared globals, and the round.
pub(super) fn copy(staged: &mut Staged, rounds: u32) -> GlobalId {
    let shared = staged.changing(&[Kind::Shared]);
    let copies = Copies::make(staged, &shared, rounds);
    let ty = Scalar::Range(0, rounds as i32 - 1);
    let var = variable("round", ty, (0, rounds as i32 - 1), None, Span::default());
    let round = staged.add_global(var, Kind::Own);
    staged.change_places(|place| copies.select(place, &value(round)));
    idle::check(staged, Some((&copies, round)), rounds);
    copies.select_in_harness(&mut staged.harness, rounds - 1);
    guess_rounds(staged, &copies, copies.rows);
    round
}

/// The harness guesses the values that rounds begin with, and checks them.
pub(super) fn guess_rounds(staged: &mut Staged, copies: &Copies, rounds: u32) {
    let mut checks = Block::new();
    for (var, size) in copies.sizes() {
        let twin = twin(staged, var, "guess");
        let range = staged.range(twin.ty);
        let guessed = VarRef::Local(LocalId(staged.harness.locals.len() as u32));
        guess(guessed, var, &twin, range, size..size * rounds, &mut staged.harness.before);
        staged.harness.locals.push(twin);
        for index in 0..size * (rounds - 1) {
            let ended = Copies::at(var, constant(0), size, index);
            checks.push(assume_equal(ended, Copies::at(guessed, constant(0), size, index + size)));
        }
    }
    staged.harness.after.splice(0..0, checks);
}

/// Makes room for a level below all others.
fn shift(staged: &mut Staged) {
    staged.program.levels.insert(0, Level { name: "between_buffers".to_owned(), serial: false });
    staged.roles.iter_mut().for_each(|role| role.level += 1);
    staged.rewrite_bodies(|_, mut stmt, out| {
        if let StmtKind::Post { level: Some(level), .. } = &mut stmt.kind {
            level.0 += 1;
        }
        out.push(stmt);
    });
}

/// The task that lets the buffers run one after the other.
fn drive(staged: &mut Staged, round: Option<GlobalId>) {
    let span = Span::default();
    let mut body = Block::new();
    for buffer in std::mem::take(&mut staged.program.buffers) {
        body.extend(round.map(|round| assign(place(VarRef::Global(round)), FALSE, span)));
        let halted = staged.flags.halted.map(VarRef::Global);
        body.extend(halted.map(|halted| assign(place(halted), FALSE, span)));
        staged.reset_idle(&mut body);
        let post = StmtKind::Post { proc: buffer.main, args: Vec::new(), level: Some(LevelId(1)) };
        body.push(stmt(post, span));
    }
    let name = "every_buffer".to_owned();
    let proc = Proc { name, params: 0, locals: Vec::new(), result: None, body, span };
    let main = staged.add_proc(proc, Role { buffer: 0, level: 0, is_task: true });
    staged.program.buffers = vec![Buffer { name: "all".to_owned(), main }];
}
