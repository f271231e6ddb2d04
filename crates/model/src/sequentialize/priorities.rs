//! One buffer with priorities becomes sequential (2012 paper, section 5.2, Fig. 7): posts become calls.
//!
//! A task that interrupts its poster is called; its values are those that the poster has reached, and the poster goes on with what it leaves. A
//! task that does not is called too, but out of time: it begins with the values that its level will have reached by then, which are
//! guessed, and the poster goes on with its own. For each level, `next` holds what the next task that is posted there will find. Each
//! guess is checked once the value is there. With one level this is the translation of Emmi, Qadeer and Rakamarić, POPL 2011, section 5.1.
//!
//! Errata: arguments are evaluated before the globals change. The predicate S_P asks whether main has ended; here it always has.
//!
//! Deviations. Globals that nobody writes in the course of a task are not guessed. Nothing is guessed for levels that are never posted to from the same level or from above, and for tasks in whose course
//! nobody else is posted to their level, the call is all there is. Registers are kept, not guessed: every task begins by setting them.

use super::build::{change_places, named_after, stmt, variable};
use super::copies::{assume_equal, copy, guess, twin};
use super::reach::{in_course, writes};
use super::staged::{Context, Kind, Staged};
use crate::ir::{Block, Buffer, Expr, Level, Proc, ProcId, Span, Stmt, StmtKind, Var, VarRef};

/// A global, with room to keep what it was and what was guessed of it.
struct Kept {
    global: VarRef,
    var: Var,
    range: (i32, i32),
    /// How much of it the tasks of each level use.
    used: Vec<u32>,
    /// What the next task of each level will find.
    next: Vec<Option<VarRef>>,
}

/// Translates. What is left is a sequential program whose only task is the harness.
pub(super) fn priorities(staged: &mut Staged) {
    let levels = staged.program.levels.len();
    let (joins, writes) = (joins(staged), writes(staged));
    let main = staged.program.buffers[0].main;
    let joined = joins[main.index()].clone();
    let changing = staged.changing(&[Kind::Shared, Kind::Own]);
    let registers: Vec<(VarRef, Var)> = staged
        .changing(&[Kind::Register])
        .into_iter()
        .map(|id| (VarRef::Global(id), twin(staged, VarRef::Global(id), "saved")))
        .collect();
    let mut all = Vec::new();
    for id in changing {
        let global = VarRef::Global(id);
        let var = staged.program.globals[id.index()].clone();
        let used = (0..levels).map(|level| used(staged, global, &var, level)).collect();
        let next = (0..levels).map(|level| {
            let name = named_after(&format!("next_at_{}", staged.program.levels[level].name), &var.name);
            let next = Var { name, ..var.clone() };
            joined[level].then(|| VarRef::Global(staged.add_global(next, Kind::Timeless)))
        });
        let next = next.collect();
        all.push(Kept { global, range: staged.range(var.ty), var, used, next });
    }
    let params: Vec<Vec<Var>> =
        staged.program.procs.iter().map(|proc| proc.locals[..proc.params as usize].to_vec()).collect();
    let to: Vec<usize> = staged.roles.iter().map(|role| role.level as usize).collect();
    let enums = staged.program.enums.clone();
    let priorities = Priorities { all, registers, joins, writes, params, enums };
    staged.rewrite_bodies(|context, Stmt { kind, span }, out| match kind {
        StmtKind::Post { proc, args, .. } if to[proc.index()] > context.role.level as usize => {
            priorities.interrupt(context, (proc, to[proc.index()]), args, span, out);
        }
        StmtKind::Post { proc, args, .. } => {
            priorities.put_off(context, (proc, to[proc.index()]), args, span, out);
        }
        kind => out.push(stmt(kind, span)),
    });
    priorities.harness(staged, joined[0]);
}

/// How many elements of a global the tasks of a level use.
fn used(staged: &Staged, global: VarRef, var: &Var, level: usize) -> u32 {
    let rows = staged.rows.as_ref().and_then(|rows| {
        let (_, size) = rows.sizes.iter().find(|(id, _)| *id == global)?;
        Some(size * rows.rounds[level])
    });
    rows.unwrap_or(var.size())
}

/// For each procedure, the levels that are posted to in its course from the same level or from above.
fn joins(staged: &Staged) -> Vec<Vec<bool>> {
    in_course(staged, staged.program.levels.len(), |at, stmt| match &stmt.kind {
        StmtKind::Post { proc, .. } => {
            let to = staged.roles[proc.index()].level;
            (to <= staged.roles[at].level).then_some(to as usize)
        }
        _ => None,
    })
}

struct Priorities {
    all: Vec<Kept>,
    registers: Vec<(VarRef, Var)>,
    joins: Vec<Vec<bool>>,
    /// For each procedure, the globals that are written in its course.
    writes: Vec<Vec<bool>>,
    params: Vec<Vec<Var>>,
    enums: Vec<crate::ir::Enum>,
}

impl Priorities {
    /// The globals that are written in the course of a procedure, and the others.
    fn split(&self, proc: ProcId) -> (Vec<&Kept>, Vec<&Kept>) {
        let writes = &self.writes[proc.index()];
        self.all.iter().partition(|kept| match kept.global {
            VarRef::Global(id) => writes[id.index()],
            VarRef::Local(_) => unreachable!("only globals are shared"),
        })
    }

    /// Any values for what the next task of a level will find after one, and the check that it does.
    fn guess(&self, context: &mut Context, written: &[&Kept], level: usize, out: &mut Block) -> Block {
        let mut checks = Block::new();
        for kept in written {
            let next = kept.next[level].expect("the level is posted to");
            let name = named_after(&format!("guess_{level}"), &kept.var.name);
            let guessed =
                context.local(variable(&name, kept.var.ty, kept.range, kept.var.len, Span::default()));
            guess(guessed, next, &kept.var, kept.range, 0..kept.used[level], out);
            for index in 0..kept.used[level] {
                let at = |var| super::build::nth(var, kept.var.len, index);
                checks.push(assume_equal(at(kept.global), at(guessed)));
            }
        }
        checks
    }

    /// A task that interrupts its poster.
    fn interrupt(
        &self,
        context: &mut Context,
        (proc, level): (ProcId, usize),
        args: Vec<Expr>,
        span: Span,
        out: &mut Block,
    ) {
        let call = stmt(StmtKind::Call { proc, args, result: None }, span);
        if !self.joins[proc.index()][level] {
            return out.push(call);
        }
        let (written, same) = self.split(proc);
        for kept in same {
            let next = kept.next[level].expect("the level is posted to");
            copy(next, kept.global, kept.var.len, 0..kept.used[level], out);
        }
        let mut checks = self.guess(context, &written, level, out);
        out.push(call);
        out.append(&mut checks);
        for kept in written {
            let next = kept.next[level].expect("the level is posted to");
            copy(kept.global, next, kept.var.len, 0..kept.used[level], out);
        }
    }

    /// A task that has to wait until its level is next.
    fn put_off(
        &self,
        context: &mut Context,
        (proc, level): (ProcId, usize),
        mut args: Vec<Expr>,
        span: Span,
        out: &mut Block,
    ) {
        context.keep_arguments(&mut args, &self.params[proc.index()], &self.enums, span, out);
        let own = context.role.level as usize;
        let mut restore = Block::new();
        let mut save =
            |context: &mut Context, prefix: &str, var: VarRef, like: &Var, used: u32, out: &mut Block| {
                let name = named_after(prefix, &like.name);
                let saved = context.local(Var { name, ..like.clone() });
                copy(saved, var, like.len, 0..used, out);
                copy(var, saved, like.len, 0..used, &mut restore);
            };
        for (register, saved) in &self.registers {
            save(context, "kept", *register, saved, 1, out);
        }
        for kept in &self.all {
            save(context, "kept", kept.global, &kept.var, kept.used[own], out);
            for between in level + 1..=own {
                if let Some(next) = kept.next[between].filter(|_| self.joins[proc.index()][between]) {
                    let prefix = format!("kept_next_{between}");
                    save(context, &prefix, next, &kept.var, kept.used[between], out);
                }
            }
        }
        for kept in &self.all {
            let next = kept.next[level].expect("the level is posted to");
            copy(kept.global, next, kept.var.len, 0..kept.used[level], out);
        }
        let mut checks = self.guess(context, &self.split(proc).0, level, out);
        out.push(stmt(StmtKind::Call { proc, args, result: None }, span));
        out.append(&mut checks);
        out.append(&mut restore);
    }

    /// The harness becomes the program: it guesses, calls main and checks.
    fn harness(&self, staged: &mut Staged, joined: bool) {
        let span = Span::default();
        let main = staged.program.buffers[0].main;
        let harness = std::mem::take(&mut staged.harness);
        let role = staged.roles[main.index()];
        let (mut before, mut after) = (harness.before, harness.after);
        let mut context = Context { role, locals: harness.locals, result: None };
        let mut checks = Block::new();
        if joined {
            let (written, same) = self.split(main);
            for kept in same {
                let next = kept.next[0].expect("the level is posted to");
                copy(next, kept.global, kept.var.len, 0..kept.used[0], &mut before);
            }
            checks = self.guess(&mut context, &written, 0, &mut before);
            let next = |var: VarRef| self.all.iter().find(|kept| kept.global == var)?.next[0];
            change_places(&mut after, &mut |place| place.var = next(place.var).unwrap_or(place.var));
        }
        let mut body = before;
        body.push(stmt(StmtKind::Call { proc: main, args: Vec::new(), result: None }, span));
        body.append(&mut checks);
        body.append(&mut after);
        finish(staged, context.locals, body);
    }
}

/// The program is sequential: this is what it does.
pub(super) fn finish(staged: &mut Staged, locals: Vec<Var>, body: Block) {
    let name = "sequential".to_owned();
    let proc = Proc { name, params: 0, locals, result: None, body, span: Span::default() };
    staged.program.procs.push(proc);
    let main = ProcId(staged.program.procs.len() as u32 - 1);
    staged.program.buffers = vec![Buffer { name: "all".to_owned(), main }];
    staged.program.levels = vec![Level { name: "only".to_owned(), serial: false }];
}
