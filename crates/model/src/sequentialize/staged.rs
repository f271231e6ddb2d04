//! A program on its way from concurrent to sequential.
//!
//! Between two translations it is a program, with what the next translation has to know of its procedures and globals, and the
//! validity predicate of the translations so far (2012 paper, section 4): a [`Harness`] around the whole execution, which guesses initial
//! values before and checks them afterwards. A translation that copies the globals rewrites the harness too: what is done before
//! is about the first of its copies, what is done afterwards about the last; that is the composition of section 4.1.

use super::build::{add_global, add_local, assign, change_places, of_type, place, read, rewrite};
use crate::ir::{Block, GlobalId, Place, ProcId, Program, Scalar, StmtKind, Var, VarRef};

/// How a global takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has a value at each time, which all buffers see.
    Shared,
    /// It has a value at each time of one buffer.
    Own,
    /// It belongs to the task that runs: each begins by setting it.
    Register,
    /// It only ever changes one way, and when does not matter.
    Timeless,
}

/// What a procedure is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Role {
    /// It runs in this buffer and at this level only.
    pub(super) buffer: u32,
    pub(super) level: u32,
    /// It is posted, or the first of its buffer, and not called; else it is called only.
    pub(super) is_task: bool,
}

/// What is done before and after the whole execution.
#[derive(Clone, Debug, Default)]
pub(super) struct Harness {
    pub(super) locals: Vec<Var>,
    pub(super) before: Block,
    pub(super) after: Block,
}

/// The globals that the stages share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// Something went wrong; nothing goes on.
    pub(super) error: GlobalId,
    /// The buffer does not go on; if there are several.
    pub(super) halted: Option<GlobalId>,
    /// Some buffer did not.
    pub(super) unfinished: Option<GlobalId>,
}

/// Globals that have a copy for each round of tasks.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Which, and how long each copy is.
    pub(super) sizes: Vec<(VarRef, u32)>,
    /// How many of the copies each level uses.
    pub(super) rounds: Vec<u32>,
}

/// A program on its way.
#[derive(Clone, Debug)]
pub(super) struct Staged {
    pub(super) program: Program,
    /// For each procedure.
    pub(super) roles: Vec<Role>,
    /// For each global.
    pub(super) kinds: Vec<Kind>,
    pub(super) harness: Harness,
    pub(super) flags: Flags,
    /// Once yields are gone, if there are several rounds of tasks.
    pub(super) rows: Option<Rows>,
    /// What is said of levels at which tasks wait, and the conditions for which they do, by the numbers in marks.
    pub(super) idle: Vec<Option<super::idle::Level>>,
    pub(super) conditions: Vec<Option<crate::ir::Expr>>,
}

impl Staged {
    /// A new global.
    pub(super) fn add_global(&mut self, var: Var, kind: Kind) -> GlobalId {
        self.kinds.push(kind);
        add_global(&mut self.program.globals, var)
    }

    /// A new procedure.
    pub(super) fn add_proc(&mut self, proc: crate::ir::Proc, role: Role) -> ProcId {
        self.program.procs.push(proc);
        self.roles.push(role);
        ProcId(self.program.procs.len() as u32 - 1)
    }

    /// Gives a procedure further parameters, behind those it has.
    pub(super) fn add_params(&mut self, proc: ProcId, vars: Vec<Var>) {
        let proc = &mut self.program.procs[proc.index()];
        let (old, count) = (proc.params, vars.len() as u32);
        change_places(&mut proc.body, &mut |place| {
            if let VarRef::Local(id) = &mut place.var
                && id.0 >= old
            {
                id.0 += count;
            }
        });
        proc.locals.splice(old as usize..old as usize, vars);
        proc.params += count;
    }

    /// The smallest and largest value of a type.
    pub(super) fn range(&self, ty: Scalar) -> (i32, i32) {
        ty.range(&self.program.enums)
    }

    /// Globals of these kinds that are written somewhere; the others never change.
    pub(super) fn changing(&self, kinds: &[Kind]) -> Vec<GlobalId> {
        let mut written = vec![false; self.program.globals.len()];
        let mut note = |place: &Place| {
            if let VarRef::Global(id) = place.var {
                written[id.index()] = true;
            }
        };
        for proc in &self.program.procs {
            super::build::visit(&proc.body, &mut |stmt| match &stmt.kind {
                StmtKind::Assign(place, _)
                | StmtKind::Choose(place, ..)
                | StmtKind::Lock(place)
                | StmtKind::Unlock(place)
                | StmtKind::Call { result: Some(place), .. } => note(place),
                _ => {}
            });
        }
        let all = (0..self.program.globals.len() as u32).map(GlobalId);
        all.filter(|id| written[id.index()] && kinds.contains(&self.kinds[id.index()])).collect()
    }

    /// Forgets what procedures do that nobody comes to.
    pub(super) fn forget_unreached(&mut self) {
        let mut left: Vec<ProcId> = self.program.buffers.iter().map(|buffer| buffer.main).collect();
        let mut reached = vec![false; self.program.procs.len()];
        while let Some(proc) = left.pop() {
            if !std::mem::replace(&mut reached[proc.index()], true) {
                super::build::visit(&self.program.procs[proc.index()].body, &mut |stmt| {
                    if let StmtKind::Call { proc, .. } | StmtKind::Post { proc, .. } = stmt.kind {
                        left.push(proc);
                    }
                });
            }
        }
        for (proc, _) in self.program.procs.iter_mut().zip(reached).filter(|(_, reached)| !reached) {
            (proc.body, proc.result) = (Block::new(), None);
        }
    }

    /// Rewrites the bodies of all procedures, each statement with what is known of its procedure.
    pub(super) fn rewrite_bodies(&mut self, mut each: impl FnMut(&mut Context, crate::ir::Stmt, &mut Block)) {
        for at in 0..self.program.procs.len() {
            let mut context = Context {
                role: self.roles[at],
                locals: std::mem::take(&mut self.program.procs[at].locals),
                result: self.program.procs[at].result,
            };
            let body = std::mem::take(&mut self.program.procs[at].body);
            let body = rewrite(body, &mut |stmt, out| each(&mut context, stmt, out));
            self.program.procs[at].locals = context.locals;
            self.program.procs[at].body = body;
        }
    }

    /// Changes every place in bodies.
    pub(super) fn change_places(&mut self, mut each: impl FnMut(&mut Place)) {
        for proc in &mut self.program.procs {
            change_places(&mut proc.body, &mut each);
        }
    }
}

/// The procedure whose body is rewritten.
pub(super) struct Context {
    pub(super) role: Role,
    pub(super) locals: Vec<Var>,
    pub(super) result: Option<Scalar>,
}

impl Context {
    /// Evaluates the arguments of a post into locals: the globals are about to change.
    pub(super) fn keep_arguments(
        &mut self,
        args: &mut [crate::ir::Expr],
        params: &[Var],
        enums: &[crate::ir::Enum],
        span: crate::ir::Span,
        out: &mut Block,
    ) {
        for (at, (arg, param)) in args.iter_mut().zip(params).enumerate() {
            if !matches!(arg, crate::ir::Expr::Const(_)) {
                let kept = self.local(of_type(&format!("argument_{at}"), param.ty, enums, span));
                out.push(assign(place(kept), std::mem::replace(arg, read(kept)), span));
            }
        }
    }

    /// A local of this name: the one that is there, or a new one.
    pub(super) fn local(&mut self, var: Var) -> VarRef {
        add_local(&mut self.locals, var)
    }
}
