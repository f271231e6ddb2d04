//! Prints programs: for people who look into a translation, and for tests that compare.
//!
//! It looks like the source, with everything implicit written out. Names hold `#`, `@` and `.` where the source had none: `x#2` is the
//! second local `x` of a procedure, `#1` one that the source does not have, `f@atomic` a variant, `slots.owner` a field. `bound(i, n)`
//! is the check of an index; directly inside brackets it is left out if it is that of the whole map, and not of a constant.

use std::fmt::{self, Write};

use super::{Binary, Block, Expr, Place, Proc, ProcId, Program, Scalar, Stmt, StmtKind, Unary, Var, VarRef};

pub(super) fn program(program: &Program, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let levels = program.levels.iter().map(|level| match level.serial {
        true => format!("serial {}", level.name),
        false => level.name.clone(),
    });
    writeln!(f, "levels {};", levels.collect::<Vec<_>>().join(" < "))?;
    for buffer in &program.buffers {
        writeln!(f, "buffer {} runs {};", buffer.name, program.procs[buffer.main.index()].name)?;
    }
    for line in &program.lines {
        let (buffer, level) = (&program.buffers[line.buffer.index()], &program.levels[line.level.index()]);
        let handler = &program.procs[line.handler.index()].name;
        writeln!(f, "interrupt {} in {} runs {handler} at {};", line.name, buffer.name, level.name)?;
    }
    for list in &program.enums {
        writeln!(f, "enum {} {{ {} }}", list.name, list.members.join(", "))?;
    }
    for var in &program.globals {
        f.write_str(if var.plain { "plain " } else { "" })?;
        variable(program, var, f)?;
    }
    // Conditions of terminated states name globals only, so any procedure will do.
    let globals = Printer { program, proc: None };
    for last in &program.finals {
        let message = quoted(&last.message);
        writeln!(f, "final {}, {message};", globals.show(&last.condition, Some(Scalar::Bool)))?;
    }
    for (at, proc) in program.procs.iter().enumerate() {
        writeln!(f)?;
        Printer { program, proc: Some(ProcId(at as u32)) }.proc(proc, f)?;
    }
    Ok(())
}

fn variable(program: &Program, var: &Var, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "var {}: ", var.name)?;
    match var.len {
        None => f.write_str(&type_name(program, var.ty))?,
        Some(len) => write!(f, "[{}; {len}]", type_name(program, var.ty))?,
    }
    let value = |&value: &i32| var.ty.show(value, &program.enums);
    let first = var.init[0];
    if var.init.iter().any(|&value| value != first) {
        write!(f, " = [{}]", var.init.iter().map(value).collect::<Vec<_>>().join(", "))?;
    } else if first != 0 {
        write!(f, " = {}", value(&first))?;
    }
    f.write_str(";\n")
}

fn type_name(program: &Program, ty: Scalar) -> String {
    match ty {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int => "int".to_owned(),
        Scalar::Range(lo, hi) => format!("{lo}..{hi}"),
        Scalar::Enum(id) => program.enums[id.index()].name.clone(),
        Scalar::Lock => "lock".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// Prints what stands in a procedure.
struct Printer<'p> {
    program: &'p Program,
    proc: Option<ProcId>,
}

impl Printer<'_> {
    fn proc(&self, proc: &Proc, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (params, locals) = proc.locals.split_at(proc.params as usize);
        let params = params.iter().map(|var| format!("{}: {}", var.name, type_name(self.program, var.ty)));
        write!(f, "proc {}({})", proc.name, params.collect::<Vec<_>>().join(", "))?;
        if let Some(ty) = proc.result {
            write!(f, ": {}", type_name(self.program, ty))?;
        }
        f.write_str(" {\n")?;
        for var in locals {
            f.write_str("    ")?;
            variable(self.program, var, f)?;
        }
        self.block(&proc.body, 1, f)?;
        f.write_str("}\n")
    }

    fn block(&self, block: &Block, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = block.iter().filter(|stmt| !matches!(stmt.kind, StmtKind::Mark(..)));
        shown.into_iter().try_for_each(|stmt| self.stmt(stmt, depth, f))
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = 4 * depth;
        write!(f, "{:indent$}", "")?;
        match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                writeln!(f, "if {} {{", self.condition(condition))?;
                self.block(yes, depth + 1, f)?;
                if !no.is_empty() {
                    writeln!(f, "{:indent$}}} else {{", "")?;
                    self.block(no, depth + 1, f)?;
                }
                writeln!(f, "{:indent$}}}", "")
            }
            StmtKind::While(condition, body) => {
                writeln!(f, "while {} {{", self.condition(condition))?;
                self.block(body, depth + 1, f)?;
                writeln!(f, "{:indent$}}}", "")
            }
            simple => writeln!(f, "{};", self.simple(simple)),
        }
    }

    fn simple(&self, kind: &StmtKind) -> String {
        match kind {
            StmtKind::Assign(place, value) => {
                format!("{} := {}", self.place(place), self.show(value, Some(self.var(place.var).ty)))
            }
            StmtKind::Choose(place, Expr::Const(0), Expr::Const(1))
                if self.var(place.var).ty == Scalar::Bool =>
            {
                format!("{} := *", self.place(place))
            }
            StmtKind::Choose(place, lo, hi) if self.is_any(place, lo, hi) => {
                format!("havoc {}", self.place(place))
            }
            StmtKind::Choose(place, lo, hi) => {
                let ty = Some(self.var(place.var).ty);
                format!("{} := choose({}, {})", self.place(place), self.show(lo, ty), self.show(hi, ty))
            }
            StmtKind::Assume(condition) => format!("assume {}", self.condition(condition)),
            StmtKind::Assert(condition, message) => {
                format!("assert {}, {}", self.condition(condition), quoted(message))
            }
            StmtKind::Await(condition) => format!("await {}", self.condition(condition)),
            StmtKind::Lock(place) => format!("lock {}", self.place(place)),
            StmtKind::Unlock(place) => format!("unlock {}", self.place(place)),
            StmtKind::Call { proc, args, result } => match result {
                Some(place) => format!("{} := {}", self.place(place), self.invoke(*proc, args)),
                None => self.invoke(*proc, args),
            },
            StmtKind::Return(None) => "return".to_owned(),
            StmtKind::Return(Some(value)) => {
                let result = self.proc.and_then(|proc| self.program.procs[proc.index()].result);
                format!("return {}", self.show(value, result))
            }
            StmtKind::Post { proc, args, level } => {
                let level = level.map(|level| format!(" at {}", self.program.levels[level.index()].name));
                format!("post {}{}", self.invoke(*proc, args), level.unwrap_or_default())
            }
            StmtKind::Yield => "yield".to_owned(),
            StmtKind::Zield => "zield".to_owned(),
            StmtKind::Pause => "pause".to_owned(),
            StmtKind::Raise(line) => format!("raise {}", self.program.lines[line.index()].name),
            StmtKind::Poll => "poll".to_owned(),
            StmtKind::If(..) | StmtKind::While(..) => unreachable!("they have blocks"),
            StmtKind::Mark(..) => unreachable!("marks are not shown"),
        }
    }

    /// Whether a choice is among all members of an enum, which are no integers.
    fn is_any(&self, place: &Place, lo: &Expr, hi: &Expr) -> bool {
        let ty = self.var(place.var).ty;
        let (least, most) = ty.range(&self.program.enums);
        matches!(ty, Scalar::Enum(_)) && *lo == Expr::Const(least) && *hi == Expr::Const(most)
    }

    fn invoke(&self, proc: ProcId, args: &[Expr]) -> String {
        let callee = &self.program.procs[proc.index()];
        let args = args.iter().zip(&callee.locals).map(|(arg, param)| self.show(arg, Some(param.ty)));
        format!("{}({})", callee.name, args.collect::<Vec<_>>().join(", "))
    }

    fn var(&self, var: VarRef) -> &Var {
        match (var, self.proc) {
            (VarRef::Global(id), _) => &self.program.globals[id.index()],
            (VarRef::Local(id), Some(proc)) => &self.program.procs[proc.index()].locals[id.index()],
            (VarRef::Local(_), None) => unreachable!("a local outside of procedures"),
        }
    }

    fn place(&self, place: &Place) -> String {
        let var = self.var(place.var);
        match &place.index {
            None => var.name.clone(),
            Some(index) => {
                let index = match &**index {
                    Expr::Bound(inner, len)
                        if Some(*len) == var.len && !matches!(**inner, Expr::Const(_)) =>
                    {
                        inner
                    }
                    other => other,
                };
                format!("{}[{}]", var.name, self.show(index, None))
            }
        }
    }

    fn condition(&self, expr: &Expr) -> String {
        self.show(expr, Some(Scalar::Bool))
    }

    /// An expression; constants in the words of their type, if that is known.
    fn show(&self, expr: &Expr, ty: Option<Scalar>) -> String {
        let mut text = String::new();
        self.write(expr, ty, 0, &mut text).expect("strings take everything");
        text
    }

    /// The type of an expression, as far as it shows in the text.
    fn type_of(&self, expr: &Expr) -> Option<Scalar> {
        match expr {
            Expr::Read(place) => Some(self.var(place.var).ty),
            Expr::If(parts) => self.type_of(&parts[1]).or_else(|| self.type_of(&parts[2])),
            Expr::Unary(Unary::Not, _) => Some(Scalar::Bool),
            Expr::Binary(op, ..) => precedence(*op).2,
            _ => None,
        }
    }

    fn write(&self, expr: &Expr, ty: Option<Scalar>, outer: u8, text: &mut String) -> fmt::Result {
        match expr {
            Expr::Const(value) => text.write_str(&match ty {
                Some(ty) if ty != Scalar::Lock => ty.show(*value, &self.program.enums),
                _ => value.to_string(),
            }),
            Expr::Read(place) => text.write_str(&self.place(place)),
            Expr::Bound(index, len) => write!(text, "bound({}, {len})", self.show(index, None)),
            Expr::Unary(op, operand) => {
                text.write_str(match op {
                    Unary::Not => "!",
                    Unary::Negate => "-",
                    Unary::Complement => "~",
                })?;
                let ty = if *op == Unary::Not { Some(Scalar::Bool) } else { None };
                self.write(operand, ty, 11, text)
            }
            Expr::Binary(op, left, right) => {
                let (sign, level, result) = precedence(*op);
                let operands = match op {
                    Binary::And | Binary::Or => Some(Scalar::Bool),
                    Binary::Equal | Binary::Differ => self.type_of(left).or_else(|| self.type_of(right)),
                    _ => None,
                };
                debug_assert!(result.is_some(), "operators have a type");
                let open = level < outer;
                text.write_str(if open { "(" } else { "" })?;
                self.write(left, operands, level, text)?;
                write!(text, " {sign} ")?;
                self.write(right, operands, level + 1, text)?;
                text.write_str(if open { ")" } else { "" })
            }
            Expr::If(parts) => {
                text.write_str(if outer > 0 { "(" } else { "" })?;
                self.write(&parts[0], Some(Scalar::Bool), 1, text)?;
                text.write_str(" ? ")?;
                self.write(&parts[1], ty, 0, text)?;
                text.write_str(" : ")?;
                self.write(&parts[2], ty, 0, text)?;
                text.write_str(if outer > 0 { ")" } else { "" })
            }
        }
    }
}

/// The sign of an operator, how tightly it binds, and the type of what it makes.
fn precedence(op: Binary) -> (&'static str, u8, Option<Scalar>) {
    let (sign, level) = match op {
        Binary::Or => ("||", 1),
        Binary::And => ("&&", 2),
        Binary::Equal => ("==", 3),
        Binary::Differ => ("!=", 3),
        Binary::Less => ("<", 4),
        Binary::LessOrEqual => ("<=", 4),
        Binary::Greater => (">", 4),
        Binary::GreaterOrEqual => (">=", 4),
        Binary::BitOr => ("|", 5),
        Binary::BitXor => ("^", 6),
        Binary::BitAnd => ("&", 7),
        Binary::ShiftLeft => ("<<", 8),
        Binary::ShiftRight => (">>", 8),
        Binary::Add => ("+", 9),
        Binary::Subtract => ("-", 9),
        Binary::Multiply => ("*", 10),
        Binary::Divide => ("/", 10),
        Binary::Remainder => ("%", 10),
    };
    (sign, level, Some(if level <= 4 { Scalar::Bool } else { Scalar::Int }))
}
