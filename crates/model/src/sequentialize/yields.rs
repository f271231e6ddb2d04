//! Yields go away (2012 paper, section 5.1, Fig. 6): K2 rounds for the tasks of a level, from the post that opens it to the end of the last.
//!
//! Each global has a copy for each round of the level that runs. Every task has a round of its own, whose copy it works on; where it yields it may
//! go on in a later one. A post to a higher level saves the copies, guesses those that its rounds begin with, and checks them when that level
//! has nothing left to do; then the last of them is what the poster goes on with. A task that is posted to its poster's level begins in its
//! poster's round at the earliest; one that is posted to a lower level, in the round of the task that was interrupted there.
//!
//! Deviations. The rounds of interrupted tasks (`R` in Fig. 6) are handed on to tasks as parameters and kept in registers, so nothing has to save
//! them. Levels at which nobody yields have one round and one copy; with one round everywhere the translation is the identity. What nobody writes there is not guessed.

use super::build::{
    FALSE, assign, change_places, constant, equal, named_after, not, place, read, stmt, variable, visit,
};
use super::copies::{Copies, assume_equal, copy, guess, twin, value};
use super::reach::writes;
use super::staged::{Context, Kind, Rows, Staged};
use crate::ir::{
    Block, Expr, GlobalId, LevelId, LocalId, Mark, ProcId, Scalar, Span, Stmt, StmtKind, Var, VarRef,
};

struct Yields {
    /// How many rounds the tasks of each level have.
    rounds: Vec<u32>,
    copies: Copies,
    /// The round of the task that runs.
    round: GlobalId,
    /// The rounds of interrupted tasks, for levels that tasks are posted to from above.
    below: Vec<Option<GlobalId>>,
}

/// Translates.
pub(super) fn yields(staged: &mut Staged, most: u32) {
    let rounds = rounds(staged, most);
    if rounds.iter().all(|&rounds| rounds == 1) {
        staged.rewrite_bodies(|_, stmt, out| out.extend((stmt.kind != StmtKind::Yield).then_some(stmt)));
        return super::buffers::mark(staged, FALSE);
    }
    let changing = staged.changing(&[Kind::Shared, Kind::Own]);
    let copies = Copies::make(staged, &changing, most);
    let ty = Scalar::Range(0, most as i32 - 1);
    let register = |name: &str| variable(name, ty, (0, most as i32 - 1), None, Span::default());
    let round = staged.add_global(register("task_round"), Kind::Register);
    let mut below = vec![None; rounds.len()];
    for level in posted_from_above(staged).into_iter().filter(|&level| rounds[level as usize] > 1) {
        let name = format!("round_at_{}", staged.program.levels[level as usize].name);
        below[level as usize] = Some(staged.add_global(register(&name), Kind::Register));
    }
    let yields = Yields { rounds, copies, round, below };
    yields.translate(staged);
    yields.harness(staged);
    staged.rows = Some(Rows { sizes: yields.copies.sizes().collect(), rounds: yields.rounds });
}

/// The rounds that each level has: more than one only if somebody yields there.
fn rounds(staged: &Staged, most: u32) -> Vec<u32> {
    let mut rounds = vec![1; staged.program.levels.len()];
    for (proc, role) in staged.program.procs.iter().zip(&staged.roles) {
        visit(&proc.body, &mut |stmt| {
            if stmt.kind == StmtKind::Yield {
                rounds[role.level as usize] = most;
            }
        });
    }
    rounds
}

fn posted_from_above(staged: &Staged) -> Vec<u32> {
    let mut levels = Vec::new();
    for (proc, role) in staged.program.procs.iter().zip(&staged.roles) {
        visit(&proc.body, &mut |stmt| {
            if let StmtKind::Post { level: Some(LevelId(to)), .. } = stmt.kind
                && to < role.level
            {
                levels.push(to);
            }
        });
    }
    levels.sort_unstable();
    levels.dedup();
    levels
}

impl Yields {
    /// The copy that a task of a level works on.
    fn row(&self, level: u32) -> Expr {
        if self.rounds[level as usize] > 1 { value(self.round) } else { FALSE }
    }

    /// A local for the round in which a task has come to a yield.
    fn round_before(&self, span: Span) -> Var {
        let last = self.copies.rows as i32 - 1;
        variable("round_before", Scalar::Range(0, last), (0, last), None, span)
    }

    /// The registers that a task of a level begins by setting.
    fn registers(&self, level: u32) -> Vec<GlobalId> {
        let own = (self.rounds[level as usize] > 1).then_some(self.round);
        own.into_iter().chain(self.below[..level as usize].iter().flatten().copied()).collect()
    }

    fn translate(&self, staged: &mut Staged) {
        for (proc, role) in staged.program.procs.iter_mut().zip(&staged.roles) {
            let row = self.row(role.level);
            change_places(&mut proc.body, &mut |place| self.copies.select(place, &row));
        }
        let params = staged.program.procs.iter().map(|proc| proc.locals[..proc.params as usize].to_vec());
        let copied = self.copies.sizes().map(|(global, size)| {
            let (saved, guessed) = (twin(staged, global, "saved"), twin(staged, global, "guess"));
            Copied { global, size, range: staged.range(saved.ty), saved, guessed }
        });
        let known = Known {
            params: params.collect(),
            levels: staged.roles.iter().map(|role| role.level).collect(),
            copied: copied.collect(),
            writes: writes(staged),
            enums: staged.program.enums.clone(),
        };
        staged.rewrite_bodies(|context, Stmt { kind, span }, out| match kind {
            StmtKind::Yield if self.rounds[context.role.level as usize] > 1 => {
                let last_round = context.local(self.round_before(span));
                out.push(assign(place(last_round), value(self.round), span));
                let last = constant(self.rounds[context.role.level as usize] - 1);
                let advance = StmtKind::Choose(place(VarRef::Global(self.round)), value(self.round), last);
                out.push(stmt(advance, span));
            }
            StmtKind::Yield => {}
            StmtKind::Mark(Mark::IdleIfPutOff, _) if self.rounds[context.role.level as usize] > 1 => {
                let idle = context.local(super::idle::idle());
                let before = read(context.local(self.round_before(span)));
                out.push(assign(place(idle), not(equal(before, value(self.round))), span));
            }
            StmtKind::Mark(mark @ (Mark::Begin(..) | Mark::GoesOn), mut times) => {
                times.push(self.row(context.role.level));
                out.push(stmt(StmtKind::Mark(mark, times), span));
            }
            StmtKind::Post { proc, args, .. } => {
                Post { yields: self, known: &known, proc, span }.translate(context, args, out);
            }
            kind => out.push(stmt(kind, span)),
        });
        let main = staged.program.buffers[0].main;
        for at in 0..staged.program.procs.len() {
            let registers = self.registers(known.levels[at]);
            if ProcId(at as u32) != main && staged.roles[at].is_task && !registers.is_empty() {
                add_params(staged, at, &registers);
            }
        }
        let first = assign(place(VarRef::Global(self.round)), FALSE, Span::default());
        staged.program.procs[main.index()].body.insert(0, first);
    }

    fn harness(&self, staged: &mut Staged) {
        let rounds = self.rounds[0];
        self.copies.select_in_harness(&mut staged.harness, rounds - 1);
        if rounds > 1 {
            super::buffers::guess_rounds(staged, &self.copies, rounds);
        }
    }
}

/// Registers become parameters of a task, which begins by setting them.
fn add_params(staged: &mut Staged, at: usize, registers: &[GlobalId]) {
    let vars = registers.iter().map(|id| {
        let register = &staged.program.globals[id.index()];
        Var { name: named_after("its", &register.name), ..register.clone() }
    });
    let (vars, old) = (vars.collect(), staged.program.procs[at].params);
    staged.add_params(ProcId(at as u32), vars);
    let set = registers.iter().zip(old..).map(|(&id, local)| {
        assign(place(VarRef::Global(id)), read(VarRef::Local(LocalId(local))), Span::default())
    });
    staged.program.procs[at].body.splice(0..0, set.collect::<Vec<_>>());
}

/// A global with copies, and room to keep them and what is guessed of them.
struct Copied {
    global: VarRef,
    size: u32,
    saved: Var,
    guessed: Var,
    range: (i32, i32),
}

/// What posts need to know.
struct Known {
    params: Vec<Vec<Var>>,
    levels: Vec<u32>,
    copied: Vec<Copied>,
    /// For each procedure, the globals that are written in its course.
    writes: Vec<Vec<bool>>,
    enums: Vec<crate::ir::Enum>,
}

/// A post that is translated.
struct Post<'a> {
    yields: &'a Yields,
    known: &'a Known,
    proc: ProcId,
    span: Span,
}

impl Post<'_> {
    fn translate(self, context: &mut Context, mut args: Vec<Expr>, out: &mut Block) {
        let Post { yields, known, proc, span } = self;
        let (from, level) = (context.role.level, known.levels[proc.index()]);
        for register in yields.registers(level) {
            let own = register == yields.round;
            args.push(match () {
                // A level that is opened begins with its first round; there, its poster's round is that of the interrupted task.
                () if own && level > from => FALSE,
                () if !own && yields.below[from as usize] == Some(register) => value(yields.round),
                () if own && level < from => {
                    value(yields.below[level as usize].expect("it is posted to from above"))
                }
                () => value(register),
            });
        }
        let [ours, theirs] = [from, level].map(|level| yields.rounds[level as usize]);
        if level <= from || (ours == 1 && theirs == 1) {
            return out.push(stmt(StmtKind::Post { proc, args, level: Some(LevelId(level)) }, span));
        }
        // Arguments are evaluated before the copies change.
        context.keep_arguments(&mut args, &known.params[proc.index()], &known.enums, span, out);
        let last = yields.copies.rows as i32 - 1;
        let var = variable("saved_round", Scalar::Range(0, last), (0, last), None, span);
        let round = (ours > 1).then(|| context.local(var));
        if let Some(kept) = round {
            out.push(assign(place(kept), value(yields.round), span));
            args.iter_mut().filter(|arg| **arg == value(yields.round)).for_each(|arg| *arg = read(kept));
        }
        let mut after = Block::new();
        for copied in &known.copied {
            self.open(context, copied, round.map(read), (ours, theirs), out, &mut after);
        }
        out.push(stmt(StmtKind::Post { proc, args, level: Some(LevelId(level)) }, span));
        out.append(&mut after);
        out.extend(round.map(|kept| assign(place(VarRef::Global(yields.round)), read(kept), span)));
    }

    /// The copies of a global for a level that is opened, and what becomes of them afterwards. `round`: that of the poster, if it has several.
    fn open(
        &self,
        context: &mut Context,
        copied: &Copied,
        round: Option<Expr>,
        (ours, theirs): (u32, u32),
        before: &mut Block,
        after: &mut Block,
    ) {
        let &Copied { global, size, .. } = copied;
        let VarRef::Global(id) = global else { unreachable!("only globals have copies") };
        let kept = round.map(|round| (context.local(copied.saved.clone()), round));
        if let Some((kept, round)) = &kept {
            copy(*kept, global, copied.saved.len, 0..size * ours, before);
            move_row(global, FALSE, *kept, round.clone(), size, before);
        }
        if self.known.writes[self.proc.index()][id.index()] {
            if theirs > 1 {
                let var = context.local(copied.guessed.clone());
                guess(var, global, &copied.guessed, copied.range, size..size * theirs, before);
                for index in 0..size * (theirs - 1) {
                    let ended = Copies::at(global, FALSE, size, index);
                    after.push(assume_equal(ended, Copies::at(var, FALSE, size, index + size)));
                }
            }
            match &kept {
                Some((kept, round)) => {
                    move_row(*kept, round.clone(), global, constant(theirs - 1), size, after);
                }
                None => move_row(global, FALSE, global, constant(theirs - 1), size, after),
            }
        } else {
            // Nobody writes it there: every round finds what the first one does.
            for row in 1..theirs {
                move_row(global, constant(row), global, FALSE, size, before);
            }
        }
        if let Some((kept, _)) = kept {
            copy(global, kept, copied.saved.len, 0..size * ours, after);
        }
    }
}

/// Copies a row to another.
fn move_row(to: VarRef, to_row: Expr, from: VarRef, from_row: Expr, size: u32, out: &mut Block) {
    for index in 0..size {
        let value = Expr::Read(Copies::at(from, from_row.clone(), size, index));
        out.push(assign(Copies::at(to, to_row.clone(), size, index), value, Span::default()));
    }
}
