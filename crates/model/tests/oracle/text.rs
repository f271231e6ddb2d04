//! Programs as text in the language of models.
//!
//! Names say what they are and which: g global, m lock, l level, b buffer, i interrupt line, p procedure, v local. Parentheses
//! stand only where the precedence of operators needs them, so that reading the text tests it.

use std::fmt::{self, Display, Write};

use super::ast::{Block, Expr, Op, Place, Proc, Program, Stmt, Type};

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let implicit: Vec<&str> = [(self.implicit_yields, "yields"), (self.implicit_zields, "zields")]
            .into_iter()
            .filter_map(|(on, word)| on.then_some(word))
            .collect();
        if !implicit.is_empty() {
            writeln!(f, "implicit {};", implicit.join(", "))?;
        }
        let levels: Vec<String> = self
            .levels
            .iter()
            .enumerate()
            .map(|(level, serial)| format!("{}l{level}", if *serial { "serial " } else { "" }))
            .collect();
        writeln!(f, "levels {};", levels.join(" < "))?;
        for (buffer, main) in self.buffers.iter().enumerate() {
            writeln!(f, "buffer b{buffer} runs p{main};")?;
        }
        for (i, line) in self.lines.iter().enumerate() {
            writeln!(f, "interrupt i{i} in b{} runs p{} at l{};", line.buffer, line.handler, line.level)?;
        }
        for (i, global) in self.globals.iter().enumerate() {
            let ty = match global.len {
                Some(len) => format!("[{}; {len}]", global.ty),
                None => global.ty.to_string(),
            };
            writeln!(f, "var g{i}: {ty} = {};", Value(global.ty, global.init))?;
        }
        for lock in 0..self.locks {
            writeln!(f, "var m{lock}: lock;")?;
        }
        for condition in &self.finals {
            writeln!(f, "final {condition};")?;
        }
        for (i, proc) in self.procs.iter().enumerate() {
            write_proc(f, i, proc)?;
        }
        Ok(())
    }
}

fn write_proc(f: &mut fmt::Formatter<'_>, number: usize, proc: &Proc) -> fmt::Result {
    let params: Vec<String> = (0..proc.params).map(|i| format!("v{i}: {}", proc.locals[i])).collect();
    write!(f, "proc p{number}({})", params.join(", "))?;
    if let Some(ty) = proc.result {
        write!(f, ": {ty}")?;
    }
    writeln!(f, " {{")?;
    let counters = proc.counters();
    for (i, ty) in proc.locals.iter().enumerate().skip(proc.params) {
        if !counters.contains(&i) {
            writeln!(f, "    var v{i}: {ty};")?;
        }
    }
    f.write_str(&block(&proc.body, 1))?;
    writeln!(f, "}}")
}

struct Value(Type, i32);

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Type::Bool => write!(f, "{}", self.1 != 0),
            Type::Int | Type::Range(..) => write!(f, "{}", self.1),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => write!(f, "bool"),
            Type::Int => write!(f, "int"),
            Type::Range(lo, hi) => write!(f, "{lo}..{hi}"),
        }
    }
}

fn block(body: &Block, depth: usize) -> String {
    body.iter().map(|stmt| statement(stmt, depth)).collect()
}

fn braces(body: &Block, depth: usize) -> String {
    format!("{{\n{}{}}}", block(body, depth + 1), "    ".repeat(depth))
}

fn statement(stmt: &Stmt, depth: usize) -> String {
    let mut text = "    ".repeat(depth);
    let simple = match stmt {
        Stmt::Skip => "skip".to_owned(),
        Stmt::Assign(place, e) => format!("{place} := {e}"),
        Stmt::Havoc(place) => format!("havoc {place}"),
        Stmt::Assume(e) => format!("assume {e}"),
        Stmt::Assert(e) => format!("assert {e}"),
        Stmt::Await(e) => format!("await {e}"),
        Stmt::Lock(lock) => format!("lock m{lock}"),
        Stmt::Unlock(lock) => format!("unlock m{lock}"),
        Stmt::Call { proc, args, into } => match into {
            Some(place) => format!("{place} := p{proc}({})", list(args)),
            None => format!("p{proc}({})", list(args)),
        },
        Stmt::Return(None) => "return".to_owned(),
        Stmt::Return(Some(e)) => format!("return {e}"),
        Stmt::Post { proc, args, level: None } => format!("post p{proc}({})", list(args)),
        Stmt::Post { proc, args, level: Some(level) } => format!("post p{proc}({}) at l{level}", list(args)),
        Stmt::Yield => "yield".to_owned(),
        Stmt::Zield => "zield".to_owned(),
        Stmt::Pause => "pause".to_owned(),
        Stmt::Raise(line) => format!("raise i{line}"),
        compound => {
            text += &compound_statement(compound, depth);
            text.push('\n');
            return text;
        }
    };
    let _ = writeln!(text, "{simple};");
    text
}

fn compound_statement(stmt: &Stmt, depth: usize) -> String {
    match stmt {
        Stmt::If(e, yes, no) if no.is_empty() => format!("if {e} {}", braces(yes, depth)),
        Stmt::If(e, yes, no) => format!("if {e} {} else {}", braces(yes, depth), braces(no, depth)),
        Stmt::While(e, body) => format!("while {e} {}", braces(body, depth)),
        Stmt::For { local, lo, hi, body } => format!("for v{local} in {lo}..{hi} {}", braces(body, depth)),
        Stmt::Either(branches) => {
            let branches: Vec<String> = branches.iter().map(|branch| braces(branch, depth)).collect();
            format!("either {}", branches.join(" or "))
        }
        Stmt::Atomic(body) => format!("atomic {}", braces(body, depth)),
        simple => unreachable!("{simple:?} is a simple statement"),
    }
}

fn list(args: &[Expr]) -> String {
    args.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ")
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Global(global) => write!(f, "g{global}"),
            Place::Element(global, index) => write!(f, "g{global}[{index}]"),
            Place::Local(local) => write!(f, "v{local}"),
        }
    }
}

/// How tightly `?:` binds, unary operators, and operands.
const LOOSEST: u8 = 0;
const UNARY: u8 = 11;
const OPERAND: u8 = 12;

impl Op {
    /// Its sign, and how tightly it binds.
    fn sign(self) -> (&'static str, u8) {
        match self {
            Op::Or => ("||", 1),
            Op::And => ("&&", 2),
            Op::Eq => ("==", 3),
            Op::Ne => ("!=", 3),
            Op::Lt => ("<", 4),
            Op::Le => ("<=", 4),
            Op::Gt => (">", 4),
            Op::Ge => (">=", 4),
            Op::BitOr => ("|", 5),
            Op::BitXor => ("^", 6),
            Op::BitAnd => ("&", 7),
            Op::Shl => ("<<", 8),
            Op::Shr => (">>", 8),
            Op::Add => ("+", 9),
            Op::Sub => ("-", 9),
            Op::Mul => ("*", 10),
            Op::Div => ("/", 10),
            Op::Rem => ("%", 10),
        }
    }
}

impl Expr {
    fn tightness(&self) -> u8 {
        match self {
            Expr::Cond(_) => LOOSEST,
            Expr::Binary(op, ..) => op.sign().1,
            Expr::Not(_) | Expr::Negate(_) | Expr::Complement(_) => UNARY,
            Expr::Int(value) if *value < 0 => UNARY,
            _ => OPERAND,
        }
    }
}

/// An operand, in parentheses if it binds less tightly than its place asks for.
fn operand(e: &Expr, least: u8) -> String {
    if e.tightness() < least { format!("({e})") } else { e.to_string() }
}

impl Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Bool(value) => write!(f, "{value}"),
            Expr::Read(place) => write!(f, "{place}"),
            Expr::Not(e) => write!(f, "!{}", operand(e, OPERAND)),
            Expr::Negate(e) => write!(f, "-{}", operand(e, OPERAND)),
            Expr::Complement(e) => write!(f, "~{}", operand(e, OPERAND)),
            Expr::Binary(op, a, b) => {
                let (sign, tightness) = op.sign();
                // Comparisons are not chained.
                let left = if (3..=4).contains(&tightness) { tightness + 1 } else { tightness };
                write!(f, "{} {sign} {}", operand(a, left), operand(b, tightness + 1))
            }
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                write!(
                    f,
                    "{} ? {} : {}",
                    operand(c, LOOSEST + 1),
                    operand(a, LOOSEST + 1),
                    operand(b, LOOSEST)
                )
            }
            Expr::Star => write!(f, "*"),
            Expr::Choose(lo, hi) => write!(f, "choose({lo}, {hi})"),
        }
    }
}
