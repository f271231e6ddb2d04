//! From the intermediate representation to flat code.

use super::{Code, Ex, Instr, ProcCode, Target, Wait, expr::Leaf, live};
use crate::ir::{Block, Expr, Place, ProcId, Program, Span, Stmt, StmtKind, VarRef};

struct Compiler<'p> {
    program: &'p Program,
    globals: Vec<u32>,
    /// First slots of the locals of the present procedure.
    locals: Vec<u32>,
    proc: ProcId,
    instrs: Vec<Instr>,
    spans: Vec<Span>,
    proc_of: Vec<ProcId>,
    messages: Vec<String>,
}

pub(super) fn compile(program: Program) -> Code {
    let enums = &program.enums;
    let (mut globals, mut init, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    let (mut global_of, mut plain) = (Vec::new(), Vec::new());
    for (number, var) in program.globals.iter().enumerate() {
        globals.push(init.len() as u32);
        init.extend_from_slice(&var.init);
        ranges.resize(init.len(), var.ty.range(enums));
        global_of.resize(init.len(), Some(number as u32));
        plain.resize(init.len(), var.plain);
    }
    let first_line = init.len() as u32;
    let slots = init.len() + program.lines.len();
    init.resize(slots, 0);
    ranges.resize(slots, (0, 1));
    global_of.resize(slots, None);
    plain.resize(slots, false);
    let mut lines_of = vec![Vec::new(); program.buffers.len()];
    for (number, line) in program.lines.iter().enumerate() {
        lines_of[line.buffer.index()].push(crate::ir::LineId(number as u32));
    }
    let mut compiler = Compiler {
        program: &program,
        globals,
        locals: Vec::new(),
        proc: ProcId(0),
        instrs: Vec::new(),
        spans: Vec::new(),
        proc_of: Vec::new(),
        messages: Vec::new(),
    };
    let procs: Vec<ProcCode> = (0..program.procs.len()).map(|n| compiler.proc(ProcId(n as u32))).collect();
    let finals = program.finals.iter().map(|f| compiler.expr(&f.condition)).collect();
    let Compiler { globals, instrs, spans, proc_of, messages, .. } = compiler;
    let live = live::analyse(&instrs, &procs);
    let resolved = (0..instrs.len()).map(|pc| resolve(&instrs, pc)).collect();
    let waits = (0..instrs.len()).map(|pc| wait(&instrs, pc)).collect();
    let is_own: Vec<bool> = instrs.iter().map(is_own).collect();
    let comes_to_yield = procs.iter().map(|proc| {
        let rest = proc.entry as usize..instrs.len();
        let first = rest.into_iter().find(|&pc| !is_own[pc]);
        first.is_some_and(|pc| matches!(instrs[pc], Instr::Yield))
    });
    let comes_to_yield = comes_to_yield.collect();
    Code {
        instrs,
        spans,
        proc_of,
        procs,
        globals,
        init,
        ranges,
        global_of,
        plain,
        first_line,
        lines_of,
        serial: program.levels.iter().map(|level| level.serial).collect(),
        finals,
        messages,
        is_own,
        comes_to_yield,
        resolved,
        waits,
        live,
        program,
    }
}

impl Compiler<'_> {
    fn proc(&mut self, id: ProcId) -> ProcCode {
        let proc = &self.program.procs[id.index()];
        let enums = &self.program.enums;
        self.proc = id;
        self.locals.clear();
        let (mut frame, mut locals) = (Vec::new(), Vec::new());
        for (number, var) in proc.locals.iter().enumerate() {
            self.locals.push(frame.len() as u32);
            locals.extend((0..var.size()).map(|index| (number as u32, index)));
            frame.extend_from_slice(&var.init);
        }
        let entry = self.instrs.len() as u32;
        self.block(&proc.body);
        let end = if proc.result.is_some() { Instr::NoResult } else { Instr::Return(None) };
        self.emit(end, proc.span);
        ProcCode {
            entry,
            ranges: proc.locals[..proc.params as usize].iter().map(|var| var.ty.range(enums)).collect(),
            frame,
            locals,
            result: proc.result.map_or((i32::MIN, i32::MAX), |ty| ty.range(enums)),
        }
    }

    fn emit(&mut self, instr: Instr, span: Span) -> usize {
        self.instrs.push(instr);
        self.spans.push(span);
        self.proc_of.push(self.proc);
        self.instrs.len() - 1
    }

    fn here(&self) -> u32 {
        self.instrs.len() as u32
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        let instr = match &stmt.kind {
            StmtKind::If(condition, then, other) => return self.branch(condition, then, other, span),
            StmtKind::While(condition, body) => {
                let start = self.here();
                let condition = self.expr(condition);
                let exit = self.emit(Instr::JumpIfNot(condition, 0), span);
                self.block(body);
                self.emit(Instr::Jump(start), span);
                return self.land(exit);
            }
            StmtKind::Assign(place, value) => Instr::Set(self.target(place), self.expr(value)),
            StmtKind::Choose(place, lo, hi) => {
                Instr::Choose(self.target(place), self.expr(lo), self.expr(hi))
            }
            StmtKind::Assume(condition) => Instr::Assume(self.expr(condition)),
            StmtKind::Assert(condition, message) => {
                self.messages.push(message.clone());
                Instr::Assert(self.expr(condition), self.messages.len() as u32 - 1)
            }
            StmtKind::Await(condition) => Instr::Await(self.expr(condition)),
            StmtKind::Lock(place) => Instr::Lock(self.target(place)),
            StmtKind::Unlock(place) => Instr::Unlock(self.target(place)),
            StmtKind::Call { proc, args, result } => Instr::Call {
                proc: *proc,
                args: self.exprs(args),
                result: result.as_ref().map(|place| self.target(place)),
            },
            StmtKind::Return(value) => Instr::Return(value.as_ref().map(|value| self.expr(value))),
            StmtKind::Post { proc, args, level } => {
                Instr::Post { proc: *proc, args: self.exprs(args), level: *level }
            }
            StmtKind::Yield => Instr::Yield,
            StmtKind::Zield => Instr::Zield,
            StmtKind::Pause => {
                self.emit(Instr::Pause, span);
                Instr::Zield
            }
            StmtKind::Raise(line) => Instr::Raise(*line),
            StmtKind::Poll => Instr::Poll,
            StmtKind::Mark(..) => return,
        };
        self.emit(instr, span);
    }

    fn branch(&mut self, condition: &Expr, then: &Block, other: &Block, span: Span) {
        let condition = self.expr(condition);
        let to_other = self.emit(Instr::JumpIfNot(condition, 0), span);
        self.block(then);
        if other.is_empty() {
            return self.land(to_other);
        }
        let to_end = self.emit(Instr::Jump(0), span);
        self.land(to_other);
        self.block(other);
        self.land(to_end);
    }

    /// A jump that was emitted before goes here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.instrs[jump] {
            Instr::Jump(to) | Instr::JumpIfNot(_, to) => *to = here,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    fn exprs(&self, exprs: &[Expr]) -> Box<[Ex]> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&self, expr: &Expr) -> Ex {
        match expr {
            Expr::Const(value) => Ex::Leaf(Leaf::Const(*value)),
            Expr::Read(place) => {
                let (slot, is_global) = self.slot(place.var);
                match (&place.index, is_global) {
                    (None, true) => Ex::Leaf(Leaf::Global(slot)),
                    (None, false) => Ex::Leaf(Leaf::Local(slot)),
                    (Some(index), true) => Ex::GlobalAt(slot, Box::new(self.expr(index))),
                    (Some(index), false) => Ex::LocalAt(slot, Box::new(self.expr(index))),
                }
            }
            Expr::Unary(op, operand) => Ex::Unary(*op, Box::new(self.expr(operand))),
            Expr::Binary(op, left, right) => Ex::binary(*op, self.expr(left), self.expr(right)),
            Expr::If(parts) => {
                let [condition, then, other] = &**parts;
                Ex::If(Box::new([self.expr(condition), self.expr(then), self.expr(other)]))
            }
            Expr::Bound(value, len) => Ex::Bound(Box::new(self.expr(value)), *len),
        }
    }

    fn slot(&self, var: VarRef) -> (u32, bool) {
        match var {
            VarRef::Global(id) => (self.globals[id.index()], true),
            VarRef::Local(id) => (self.locals[id.index()], false),
        }
    }

    fn target(&self, place: &Place) -> Target {
        let (slot, is_global) = self.slot(place.var);
        let (lo, hi) = self.program.var(self.proc, place.var).ty.range(&self.program.enums);
        Target { slot, is_global, index: place.index.as_ref().map(|index| self.expr(index)), lo, hi }
    }
}

/// Whether an instruction touches nothing but locals.
fn is_own(instr: &Instr) -> bool {
    match instr {
        Instr::Jump(_) => true,
        Instr::JumpIfNot(condition, _) => !condition.reads_globals(),
        Instr::Set(target, value) => {
            let index = target.index.as_ref();
            !target.is_global && !value.reads_globals() && !index.is_some_and(Ex::reads_globals)
        }
        _ => false,
    }
}

/// Where control is behind all jumps.
fn resolve(instrs: &[Instr], mut pc: usize) -> u32 {
    for _ in 0..instrs.len() {
        match instrs[pc] {
            Instr::Jump(to) => pc = to as usize,
            _ => break,
        }
    }
    pc as u32
}

/// The `await` or `lock` that is the next thing a task does: what only passes control on, or looks at the lines, is not.
fn wait(instrs: &[Instr], mut pc: usize) -> Option<Wait> {
    let mut looks = false;
    for _ in 0..instrs.len() {
        pc = match instrs[pc] {
            Instr::Poll => {
                looks = true;
                pc + 1
            }
            Instr::Jump(to) => to as usize,
            Instr::Await(_) | Instr::Lock(_) => return Some(Wait { pc: pc as u32, looks }),
            _ => return None,
        };
    }
    None
}
