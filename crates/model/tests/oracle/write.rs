//! Short forms for programs made by hand.

use super::ast::{Block, Expr, Global, Line, Op, Place, Proc, Program, Stmt, Type};

pub fn int(value: i32) -> Expr {
    Expr::Int(value)
}

/// Reads a global.
pub fn g(global: usize) -> Expr {
    Expr::Read(Place::Global(global))
}

/// Reads a local.
pub fn v(local: usize) -> Expr {
    Expr::Read(Place::Local(local))
}

pub fn binary(op: Op, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

pub fn eq(a: Expr, b: Expr) -> Expr {
    binary(Op::Eq, a, b)
}

pub fn ne(a: Expr, b: Expr) -> Expr {
    binary(Op::Ne, a, b)
}

pub fn lt(a: Expr, b: Expr) -> Expr {
    binary(Op::Lt, a, b)
}

pub fn add(a: Expr, b: Expr) -> Expr {
    binary(Op::Add, a, b)
}

pub fn set(global: usize, e: Expr) -> Stmt {
    Stmt::Assign(Place::Global(global), e)
}

pub fn set_local(local: usize, e: Expr) -> Stmt {
    Stmt::Assign(Place::Local(local), e)
}

/// Appends a digit to a global: it becomes a log of what happened in which order.
pub fn log(global: usize, digit: i32) -> Stmt {
    set(global, add(binary(Op::Mul, g(global), int(10)), int(digit)))
}

pub fn post(proc: usize) -> Stmt {
    Stmt::Post { proc, args: vec![], level: None }
}

pub fn post_at(proc: usize, level: usize) -> Stmt {
    Stmt::Post { proc, args: vec![], level: Some(level) }
}

pub fn call(proc: usize) -> Stmt {
    Stmt::Call { proc, args: vec![], into: None }
}

pub fn proc(body: Block) -> Proc {
    Proc { body, ..Proc::default() }
}

/// A procedure with parameters and locals that are all `int`.
pub fn proc_with(params: usize, locals: usize, body: Block) -> Proc {
    Proc { params, locals: vec![Type::Int; locals], result: None, body }
}

/// One buffer, which runs procedure 0, and one level that is not serial.
pub fn program(globals: &[i32], procs: Vec<Proc>) -> Program {
    Program {
        globals: globals.iter().map(|&init| Global { ty: Type::Int, init, len: None }).collect(),
        levels: vec![false],
        buffers: vec![0],
        procs,
        ..Program::default()
    }
}

impl Program {
    /// With so many buffers, which run the first procedures.
    pub fn buffers(self, count: usize) -> Program {
        Program { buffers: (0..count).collect(), ..self }
    }

    /// With these levels; true is serial.
    pub fn levels(self, levels: &[bool]) -> Program {
        Program { levels: levels.to_vec(), ..self }
    }

    pub fn locks(self, locks: usize) -> Program {
        Program { locks, ..self }
    }

    pub fn line(mut self, buffer: usize, handler: usize, level: usize) -> Program {
        self.lines.push(Line { buffer, handler, level });
        self
    }

    pub fn ends_with(mut self, condition: Expr) -> Program {
        self.finals.push(condition);
        self
    }
}
