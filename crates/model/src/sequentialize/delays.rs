//! K-delay depth-first scheduling becomes sequential (POPL 2011, sections 5.1 to 5.3): posts become calls.
//!
//! For one buffer and one level. The depth-first scheduler (Scheduler 4) runs what a task posts before what was there, round by round; a delay puts a task off
//! to the next round. So tasks run in the order in which they would be called, but for the values of globals: a posted task finds those
//! that its round will have reached by then, which are guessed (`next`), and what the task makes of them is guessed too
//! (`guess`), for whoever comes next in that round. Where a task yields it lines up behind what it has posted, like a new task that
//! it posts last, perhaps with delays: the guess about what it has done so far is checked, and a new one begins.
//!
//! Errata: K delays make K + 1 rounds and need K + 1 copies. Arguments are evaluated before the globals change. With K = 0 this is section 5.1.
//! An execution that takes a task that has to wait is discarded: the scheduler does not skip it.

use super::build::{
    FALSE, assign, binary, constant, element, in_row, named_after, nth, place, read, stmt, variable,
};
use super::copies::{assume_equal, copy, guess, twin, value};
use super::staged::{Context, Kind, Staged};
use crate::ir::{
    Binary, Block, Expr, GlobalId, LocalId, Mark, ProcId, Scalar, Span, Stmt, StmtKind, Var, VarRef,
};

/// A global, with what is guessed of it.
struct Kept {
    global: VarRef,
    var: Var,
    range: (i32, i32),
    /// What the next task of each round will find.
    next: VarRef,
    /// What the task that runs will leave.
    guess: VarRef,
}

struct Delays {
    all: Vec<Kept>,
    /// The round of the task that runs, and the delays that are left; none if there are no delays.
    round: Option<(GlobalId, GlobalId)>,
    most: u32,
    params: Vec<Vec<Var>>,
    enums: Vec<crate::ir::Enum>,
}

/// Translates, with at most so many delays.
pub(super) fn delays(staged: &mut Staged, most: u32) {
    let changing = staged.changing(&[Kind::Shared, Kind::Own]);
    let round = (most > 0).then(|| {
        let number = |name: &str, init: i32| {
            let range = (0, most as i32);
            let var = variable(name, Scalar::Range(range.0, range.1), range, None, Span::default());
            Var { init: vec![init], ..var }
        };
        let round = staged.add_global(number("round", 0), Kind::Register);
        (round, staged.add_global(number("delays_left", most as i32), Kind::Timeless))
    });
    let mut all = Vec::new();
    for id in changing {
        let (global, var) = (VarRef::Global(id), staged.program.globals[id.index()].clone());
        let copies = var.init.repeat(most as usize + 1);
        let next = Var {
            name: named_after("next", &var.name),
            len: Some(copies.len() as u32),
            init: copies,
            ..var.clone()
        };
        let next = VarRef::Global(staged.add_global(next, Kind::Timeless));
        let left = Var { name: named_after("guess", &var.name), ..var.clone() };
        let guess = VarRef::Global(staged.add_global(left, Kind::Register));
        all.push(Kept { global, range: staged.range(var.ty), var, next, guess });
    }
    let params =
        staged.program.procs.iter().map(|proc| proc.locals[..proc.params as usize].to_vec()).collect();
    let delays = Delays { all, round, most, params, enums: staged.program.enums.clone() };
    staged.rewrite_bodies(|context, Stmt { kind, span }, out| match kind {
        StmtKind::Post { proc, args, .. } => delays.post(context, proc, args, span, out),
        StmtKind::Yield => delays.line_up_again(context, out),
        StmtKind::Mark(mark @ (Mark::Begin(..) | Mark::GoesOn), mut times) => {
            times.extend([FALSE, delays.row()]);
            out.push(stmt(StmtKind::Mark(mark, times), span));
        }
        kind => out.push(stmt(kind, span)),
    });
    delays.harness(staged);
}

impl Delays {
    fn row(&self) -> Expr {
        self.round.map_or(FALSE, |(round, _)| value(round))
    }

    /// The check that the guess of what a task leaves was right.
    fn check(&self, out: &mut Block) {
        for kept in &self.all {
            for index in 0..kept.var.size() {
                let at = |var| nth(var, kept.var.len, index);
                out.push(assume_equal(at(kept.global), at(kept.guess)));
            }
        }
    }

    /// A task lines up: any delays that are left, then the values that its round has reached, and a guess of what it will make of them.
    fn line_up(&self, context: &mut Context, out: &mut Block) {
        let span = Span::default();
        if let Some((round, left)) = self.round {
            let range = (0, self.most as i32);
            let delayed = variable("delayed", Scalar::Range(range.0, range.1), range, None, span);
            let delayed = context.local(delayed);
            out.push(stmt(StmtKind::Choose(place(delayed), FALSE, value(left)), span));
            for (global, op) in [(left, Binary::Subtract), (round, Binary::Add)] {
                let changed = binary(op, value(global), read(delayed));
                out.push(assign(place(VarRef::Global(global)), changed, span));
            }
        }
        for kept in &self.all {
            let size = kept.var.size();
            for index in 0..size {
                let next = element(kept.next, in_row(self.row(), size, Some(constant(index))));
                out.push(assign(nth(kept.global, kept.var.len, index), Expr::Read(next.clone()), span));
                let guessed = nth(kept.guess, kept.var.len, index);
                let (lo, hi) = kept.range;
                out.push(stmt(StmtKind::Choose(guessed.clone(), Expr::Const(lo), Expr::Const(hi)), span));
                out.push(assign(next, Expr::Read(guessed), span));
            }
        }
    }

    fn line_up_again(&self, context: &mut Context, out: &mut Block) {
        self.check(out);
        self.line_up(context, out);
    }

    fn post(&self, context: &mut Context, proc: ProcId, mut args: Vec<Expr>, span: Span, out: &mut Block) {
        context.keep_arguments(&mut args, &self.params[proc.index()], &self.enums, span, out);
        let mut restore = Block::new();
        let mut save = |context: &mut Context, var: VarRef, like: &Var, prefix: &str, out: &mut Block| {
            let saved = context.local(Var { name: named_after(prefix, &like.name), ..like.clone() });
            copy(saved, var, like.len, 0..like.size(), out);
            copy(var, saved, like.len, 0..like.size(), &mut restore);
        };
        for kept in &self.all {
            save(context, kept.global, &kept.var, "kept", out);
            save(context, kept.guess, &kept.var, "kept_guess", out);
        }
        if let Some((round, _)) = self.round {
            let range = (0, self.most as i32);
            let like = variable("round", Scalar::Range(range.0, range.1), range, None, span);
            save(context, VarRef::Global(round), &like, "saved", out);
        }
        self.line_up(context, out);
        out.push(stmt(StmtKind::Call { proc, args, result: None }, span));
        self.check(out);
        out.append(&mut restore);
    }

    /// The harness becomes the program.
    fn harness(&self, staged: &mut Staged) {
        let span = Span::default();
        let main = staged.program.buffers[0].main;
        let harness = std::mem::take(&mut staged.harness);
        let (mut body, mut after, mut locals) = (harness.before, harness.after, harness.locals);
        let mut checks = Block::new();
        self.check(&mut checks);
        for kept in &self.all {
            let size = kept.var.size();
            let twin = twin(staged, kept.next, "guess");
            let guessed = VarRef::Local(LocalId(locals.len() as u32));
            guess(guessed, kept.next, &twin, kept.range, 0..size * (self.most + 1), &mut body);
            locals.push(twin);
            for index in 0..size {
                let first = Expr::Read(element(guessed, constant(index)));
                body.push(assign(nth(kept.guess, kept.var.len, index), first, span));
            }
            for index in 0..size * self.most {
                let ended = element(kept.next, constant(index));
                checks.push(assume_equal(ended, element(guessed, constant(index + size))));
            }
        }
        super::build::change_places(&mut after, &mut |place| {
            if let Some(kept) = self.all.iter().find(|kept| kept.global == place.var) {
                let index = place.index.take().map(|index| *index);
                *place = element(kept.next, in_row(constant(self.most), kept.var.size(), index));
            }
        });
        body.push(stmt(StmtKind::Call { proc: main, args: Vec::new(), result: None }, span));
        body.append(&mut checks);
        body.append(&mut after);
        super::priorities::finish(staged, locals, body);
    }
}
