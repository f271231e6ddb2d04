//! One copy of each procedure for each buffer and level that it runs in, and as a task apart from calls.
//!
//! So that what a statement does is known where it stands: at which level a post puts its task, whether a yield does anything, which
//! interrupt lines are looked at. (A test of the level at run time is what Figs 6 and 7 of the 2012 paper print; copies are smaller
//! formulas.) Yields at serial levels, and zields where there is one buffer, do nothing and go. A `pause` is a yield and a zield. The look at
//! interrupt lines becomes a loop that lowers those that are raised and posts their handlers (section 3.3).
//!
//! Marks are left where tasks begin and where they go on, so that an execution of the source can be told from one of the translation.

use std::collections::HashMap;

use super::build::{FALSE, TRUE, add_global, assign, or, place, read, rewrite, stmt, variable};
use super::staged::{Flags, Harness, Kind, Role, Staged};
use crate::ir::{
    Block, BufferId, Expr, GlobalId, LevelId, Mark, Proc, ProcId, Program, Scalar, Span, Stmt, StmtKind,
    VarRef,
};

/// A copy that is wanted.
type Wanted = (ProcId, Role);

struct Instances<'p> {
    program: &'p Program,
    numbers: HashMap<Wanted, ProcId>,
    wanted: Vec<Wanted>,
    /// The globals of the interrupt lines.
    lines: Vec<GlobalId>,
    polls: Polls,
}

/// For each buffer, if it has lines that are looked at: whether one is raised, and what handles it.
pub(super) type Polls = Vec<Option<(Expr, Block)>>;

/// Makes the copies.
pub(super) fn instances(program: &Program) -> (Staged, Polls) {
    let mut globals = program.globals.clone();
    let mut add =
        |name: &str| add_global(&mut globals, variable(name, Scalar::Bool, (0, 1), None, Span::default()));
    let lines = program.lines.iter().map(|line| add(&line.name)).collect();
    let error = add("error");
    let mut instances = Instances {
        program,
        numbers: HashMap::new(),
        wanted: Vec::new(),
        lines,
        polls: vec![None; program.buffers.len()],
    };
    let mut buffers = program.buffers.clone();
    for (n, buffer) in buffers.iter_mut().enumerate() {
        // A copy of its own: if the procedure is posted too, that is a task like any other.
        instances.wanted.push((buffer.main, Role { buffer: n as u32, level: 0, is_task: true }));
        buffer.main = ProcId(n as u32);
    }
    let mut procs = Vec::new();
    while let Some(&wanted) = instances.wanted.get(procs.len()) {
        procs.push(instances.copy(wanted));
    }
    let Instances { wanted, polls, .. } = instances;
    let (mains, others) = wanted.split_at(buffers.len());
    for ((_, role), proc) in wanted.iter().zip(&mut procs) {
        proc.name = name(program, &wanted, proc, *role);
    }
    for (_, proc) in others.iter().zip(&mut procs[mains.len()..]).filter(|(other, _)| mains.contains(other)) {
        proc.name += "_posted";
    }
    let staged = Staged {
        kinds: vec![Kind::Shared; globals.len()],
        roles: wanted.iter().map(|(_, role)| *role).collect(),
        harness: Harness::default(),
        flags: Flags { error, halted: None, unfinished: None },
        rows: None,
        idle: Vec::new(),
        conditions: Vec::new(),
        program: Program {
            source: program.source.clone(),
            levels: program.levels.clone(),
            buffers,
            lines: Vec::new(),
            enums: program.enums.clone(),
            globals,
            procs,
            finals: program.finals.clone(),
        },
    };
    (staged, polls)
}

/// The name of a copy: what tells it from the others of its procedure.
fn name(program: &Program, wanted: &[Wanted], proc: &Proc, role: Role) -> String {
    let same = |(other, _): &&Wanted| program.procs[other.index()].name == proc.name;
    let others: Vec<Role> = wanted.iter().filter(same).map(|(_, role)| *role).collect();
    let mut name = proc.name.clone();
    if others.iter().any(|other| other.buffer != role.buffer) {
        name += &format!("_{}", program.buffers[role.buffer as usize].name);
    }
    if others.iter().any(|other| other.level != role.level) {
        name += &format!("_{}", program.levels[role.level as usize].name);
    }
    if role.is_task && others.contains(&Role { is_task: false, ..role }) {
        name += "_task";
    }
    name
}

impl Instances<'_> {
    fn number(&mut self, proc: ProcId, role: Role) -> ProcId {
        let next = ProcId(self.wanted.len() as u32);
        let number = *self.numbers.entry((proc, role)).or_insert(next);
        if number == next {
            self.wanted.push((proc, role));
        }
        number
    }

    fn copy(&mut self, (id, role): Wanted) -> Proc {
        let proc = &self.program.procs[id.index()];
        let mut body = rewrite(proc.body.clone(), &mut |stmt, out| self.stmt(role, stmt, out));
        if role.is_task {
            body.insert(
                0,
                stmt(
                    StmtKind::Mark(Mark::Begin(BufferId(role.buffer), LevelId(role.level)), Vec::new()),
                    proc.span,
                ),
            );
        }
        Proc { body, ..proc.clone() }
    }

    fn stmt(&mut self, role: Role, Stmt { kind, span }: Stmt, out: &mut Block) {
        let yields = !self.program.levels[role.level as usize].serial;
        let zields = self.program.buffers.len() > 1;
        let mut point = |kind: Option<StmtKind>| {
            out.extend(kind.map(|kind| stmt(kind, span)));
            out.push(stmt(StmtKind::Mark(Mark::GoesOn, Vec::new()), span));
        };
        match kind {
            StmtKind::Call { proc, args, result } => {
                let proc = self.number(proc, Role { is_task: false, ..role });
                out.push(stmt(StmtKind::Call { proc, args, result }, span));
            }
            StmtKind::Post { proc, args, level } => {
                let level = level.unwrap_or(LevelId(role.level));
                let proc = self.number(proc, Role { level: level.0, is_task: true, ..role });
                out.push(stmt(StmtKind::Mark(Mark::Post, Vec::new()), span));
                out.push(stmt(StmtKind::Post { proc, args, level: Some(level) }, span));
            }
            // It is still something that the task does (`idle`).
            StmtKind::Yield if !yields => out.push(stmt(StmtKind::Mark(Mark::MakesWay, Vec::new()), span)),
            StmtKind::Zield if !zields => {}
            StmtKind::Yield | StmtKind::Zield => point(Some(kind)),
            StmtKind::Pause => {
                point(yields.then_some(StmtKind::Yield));
                if zields {
                    point(Some(StmtKind::Zield));
                }
            }
            StmtKind::Raise(line) => {
                out.push(assign(place(VarRef::Global(self.lines[line.index()])), TRUE, span));
            }
            StmtKind::Poll => self.poll(role, span, out),
            kind => out.push(stmt(kind, span)),
        }
    }

    /// Looks at the lines of the buffer until none is raised, the first one first.
    fn poll(&mut self, role: Role, span: Span, out: &mut Block) {
        let program = self.program;
        let mut handle = Block::new();
        let mut raised: Expr = FALSE;
        for (line, &flag) in program.lines.iter().zip(&self.lines.clone()).rev() {
            if line.buffer.0 != role.buffer {
                continue;
            }
            let proc = self.number(line.handler, Role { level: line.level.0, is_task: true, ..role });
            let post = StmtKind::Post { proc, args: Vec::new(), level: Some(line.level) };
            let flag = VarRef::Global(flag);
            let mark = StmtKind::Mark(Mark::Post, Vec::new());
            let taken = vec![assign(place(flag), FALSE, span), stmt(mark, span), stmt(post, span)];
            handle = vec![stmt(StmtKind::If(read(flag), taken, handle), span)];
            raised = or(read(flag), raised);
        }
        if !handle.is_empty() {
            self.polls[role.buffer as usize] = Some((raised.clone(), handle.clone()));
            out.push(stmt(StmtKind::While(raised, handle), span));
        }
    }
}
