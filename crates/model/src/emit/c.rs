//! Sequential programs as C99 text, for verifiers that follow the rules of SV-COMP (CBMC, CPAchecker, ESBMC), and to be run.
//!
//! All values are `int32_t`, truth values too. What C leaves undefined in arithmetic is done by functions through `uint32_t`; that a
//! number that is too large becomes the one with the same bits when it is cast to `int32_t` is left to the implementation by the standard, and
//! done so by all of them. Expressions have no effect, so the order in which C evaluates operands does not matter.
//!
//! The same text can be run (`-DCAISSA_RUN`): choices are then read from the standard input, and the globals are printed at the end. One
//! that defines `CAISSA_OWN_WORDS` has `choose`, `assume`, `check` and `show` of its own; so tests run many programs in one process.

use super::names::{Names, unmarked};
use super::page::Page;
use super::{reached, reads, statements};
use crate::ir::{
    Binary, Block, Expr, Place, Proc, ProcId, Program, Span, Stmt, StmtKind, Unary, Var, VarRef,
};

/// A sequential program as C text.
///
/// # Panics
///
/// If the program is not sequential.
pub fn c(program: &Program) -> String {
    let reached = reached(program);
    let mut outer = Names::new('_', WORDS);
    // Prefixes keep them apart from all that the C library and the compiler know.
    let globals = program.globals.iter().map(|var| outer.take(format!("g_{}", valid(&var.name)))).collect();
    let procs = program.procs.iter().map(|proc| outer.take(format!("proc_{}", valid(&proc.name)))).collect();
    let page = Page::new(&program.source, "    ");
    let mut writer = Writer { program, page, globals, procs, locals: Vec::new(), passing: String::new() };
    writer.page.verbatim(&HEAD.replace("SOURCE", &in_comment(&program.source.name)));
    writer.page.verbatim(PRELUDE);
    writer.page.verbatim("\n");
    writer.globals();
    writer.page.verbatim("\n");
    for &proc in &reached.procs {
        let types = program.procs[proc.index()].locals[..program.procs[proc.index()].params as usize].iter();
        let types = types.map(|_| "int32_t").collect::<Vec<_>>().join(", ");
        writer.page.line(&format!("{};", writer.signature(proc, &types)));
    }
    for &proc in &reached.procs {
        writer.proc(proc, &outer);
    }
    writer.main();
    writer.page.finish()
}

const HEAD: &str = "\
/* The sequential program of SOURCE.
 *
 * To verify: `reach_error` is never called; the words are those of SV-COMP. For instance
 *   cbmc --unwind N FILE.c
 * Executions that an assumption rules out end in CAISSA_ASSUME; as SV-COMP does that since 2020: -D'CAISSA_ASSUME(h)=if (!(h)) abort()'.
 *
 * To run: choices are read from the standard input. The status is 0 if the program ends, 1 if an assertion fails, 2 if the
 * execution is discarded, and 3 if a choice is missing.
 *   cc -std=c99 -DCAISSA_RUN FILE.c && echo 1 0 2 | ./a.out
 */
";

/// What every text needs: how choices, assumptions and assertions are done, and arithmetic.
const PRELUDE: &str = include_str!("c/prelude.h");

/// Words that locals cannot be called: those of the language, those of the prelude, and macros in small letters.
const WORDS: &str = "
    add asm assert assume auto break case char check choose const continue default divide do double else enum errno extern float for
    fortran goto if inline int int32_t linux long main modulo multiply negate reach_error register restrict return shift_left
    shift_right short show signed sizeof static stderr stdin stdout struct subtract switch typedef typeof uint32_t union unix unsigned void
    volatile while
";

/// A name that C can read.
fn valid(name: &str) -> String {
    // The source has no name for what holds intermediate values.
    let name = if name.starts_with('#') { format!("t{name}") } else { unmarked(name) };
    name.replace(['#', '@', '.'], "_")
}

/// A name for a local, apart from what the language reserves and from what looks like a macro.
fn local_name(name: &str) -> String {
    let name = valid(name);
    let reserved = name.starts_with('_') || !name.contains(|c: char| c.is_ascii_lowercase());
    if reserved { format!("v_{name}") } else { name }
}

fn in_comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}

/// A text as a literal; trigraphs are broken up.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' | '?' => literal.extend(['\\', c]),
            '\n' => literal.push_str("\\n"),
            c if c.is_control() => literal.push(' '),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

struct Writer<'p> {
    program: &'p Program,
    page: Page,
    globals: Vec<String>,
    procs: Vec<String>,
    /// Names inside of the procedure being written: its locals, and a value on its way.
    locals: Vec<String>,
    passing: String,
}

impl<'p> Writer<'p> {
    fn globals(&mut self) {
        for (var, name) in self.program.globals.iter().zip(&self.globals) {
            self.page.line_at(var.span, &declaration(name, var));
        }
    }

    /// What begins the program: the main procedure, then the final conditions.
    fn main(&mut self) {
        self.page.verbatim("\n");
        self.page.open(Span::default(), "int main(void) {");
        self.page.line(&format!("{}();", self.procs[self.program.buffers[0].main.index()]));
        for last in &self.program.finals {
            let text = format!("check({}, {});", self.expr(&last.condition), quoted(&last.message));
            self.page.line_at(last.span, &text);
        }
        self.page.verbatim("#ifdef CAISSA_RUN\n");
        for (var, name) in self.program.globals.iter().zip(&self.globals) {
            let (address, len) = if var.len.is_some() { ("", var.size()) } else { ("&", 1) };
            self.page.line(&format!("show({}, {address}{name}, {len});", quoted(&var.name)));
        }
        self.page.verbatim("#endif\n");
        self.page.line("return 0;");
        self.page.close("}");
    }

    fn signature(&self, proc: ProcId, params: &str) -> String {
        let result = if self.program.procs[proc.index()].result.is_some() { "int32_t" } else { "void" };
        let params = if params.is_empty() { "void" } else { params };
        format!("static {result} {}({params})", self.procs[proc.index()])
    }

    fn proc(&mut self, id: ProcId, outer: &Names<'_>) {
        let proc = &self.program.procs[id.index()];
        let mut names = outer.inside();
        self.locals = proc.locals.iter().map(|var| names.take(local_name(&var.name))).collect();
        self.passing = names.take("result".to_owned());
        let (params, locals) = self.locals.split_at(proc.params as usize);
        let params = params.iter().map(|name| format!("int32_t {name}")).collect::<Vec<_>>().join(", ");
        let head = format!("{} {{", self.signature(id, &params));
        self.page.verbatim("\n");
        self.page.open(proc.span, &head);
        for (name, var) in locals.iter().zip(&proc.locals[proc.params as usize..]) {
            self.page.line(&declaration(name, var));
        }
        for (name, read) in self.locals.iter().zip(read_locals(proc)) {
            if !read {
                self.page.line(&format!("(void){name};"));
            }
        }
        self.block(&proc.body);
        // The end of a procedure with a result is not reached, but not every compiler sees it.
        if proc.result.is_some() && !matches!(proc.body.last(), Some(Stmt { kind: StmtKind::Return(_), .. }))
        {
            self.page.line("return 0;");
        }
        self.page.close("}");
    }

    fn block(&mut self, block: &'p Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.page.line_at(span, &format!("{} = {};", self.place(place), self.expr(value)));
            }
            StmtKind::Choose(place, lo, hi) => {
                let text = format!("{} = choose({}, {});", self.place(place), self.expr(lo), self.expr(hi));
                self.page.line_at(span, &text);
            }
            StmtKind::Assume(condition) => {
                self.page.line_at(span, &format!("assume({});", self.expr(condition)));
            }
            StmtKind::Assert(condition, message) => {
                let text = format!("check({}, {});", self.expr(condition), quoted(message));
                self.page.line_at(span, &text);
            }
            StmtKind::If(condition, yes, no) => {
                self.page.open(span, &format!("if ({}) {{", self.expr(condition)));
                self.block(yes);
                if !no.is_empty() {
                    self.page.between("} else {");
                    self.block(no);
                }
                self.page.close("}");
            }
            StmtKind::While(condition, body) => {
                self.page.open(span, &format!("while ({}) {{", self.expr(condition)));
                self.block(body);
                self.page.close("}");
            }
            StmtKind::Call { proc, args, result } => self.call(*proc, args, result.as_ref(), span),
            StmtKind::Return(None) => self.page.line_at(span, "return;"),
            StmtKind::Return(Some(value)) => {
                self.page.line_at(span, &format!("return {};", self.expr(value)));
            }
            StmtKind::Mark(..) => {}
            other => unreachable!("not sequential: {other:?}"),
        }
    }

    fn call(&mut self, callee: ProcId, args: &[Expr], result: Option<&Place>, span: Span) {
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Vec<_>>().join(", ");
        let call = format!("{}({args})", self.procs[callee.index()]);
        match result {
            None => self.page.line_at(span, &format!("{call};")),
            Some(place) if place.index.is_none() => {
                self.page.line_at(span, &format!("{} = {call};", self.place(place)));
            }
            // C may look where the element is before the call; here that comes after it.
            Some(place) => {
                self.page.open(span, "{");
                self.page.line(&format!("int32_t {} = {call};", self.passing));
                self.page.line(&format!("{} = {};", self.place(place), self.passing));
                self.page.close("}");
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        let name = match place.var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.locals[id.index()],
        };
        match &place.index {
            None => name.clone(),
            Some(index) => format!("{name}[{}]", self.expr(index)),
        }
    }

    /// An expression. Operands that are operators themselves are in parentheses, whatever binds more tightly.
    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(i32::MIN) => "INT32_MIN".to_owned(),
            Expr::Const(value) => value.to_string(),
            Expr::Read(place) => self.place(place),
            Expr::Bound(index, _) => self.expr(index),
            Expr::Unary(Unary::Not, operand) => format!("!{}", self.operand(operand)),
            Expr::Unary(Unary::Complement, operand) => format!("~{}", self.operand(operand)),
            Expr::Unary(Unary::Negate, operand) => format!("negate({})", self.expr(operand)),
            Expr::Binary(op, left, right) => match operator(*op) {
                // A chain of one operator needs no parentheses.
                Operator::Sign(sign @ ("&&" | "||")) if matches!(&**left, Expr::Binary(inner, ..) if inner == op) =>
                {
                    format!("{} {sign} {}", self.expr(left), self.operand(right))
                }
                Operator::Sign(sign) => format!("{} {sign} {}", self.operand(left), self.operand(right)),
                Operator::Function(name) => format!("{name}({}, {})", self.expr(left), self.expr(right)),
            },
            Expr::If(parts) => {
                let [condition, yes, no] = [0, 1, 2].map(|at| self.operand(&parts[at]));
                format!("{condition} ? {yes} : {no}")
            }
        }
    }

    fn operand(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        let inner = if let Expr::Bound(inner, _) = expr { inner } else { expr };
        match inner {
            Expr::Const(0..) | Expr::Const(i32::MIN) | Expr::Read(_) => text,
            Expr::Unary(Unary::Negate, _) => text,
            Expr::Binary(op, ..) if matches!(operator(*op), Operator::Function(_)) => text,
            _ => format!("({text})"),
        }
    }
}

/// How an operator is written.
enum Operator {
    Sign(&'static str),
    Function(&'static str),
}

fn operator(op: Binary) -> Operator {
    match op {
        Binary::Or => Operator::Sign("||"),
        Binary::And => Operator::Sign("&&"),
        Binary::Equal => Operator::Sign("=="),
        Binary::Differ => Operator::Sign("!="),
        Binary::Less => Operator::Sign("<"),
        Binary::LessOrEqual => Operator::Sign("<="),
        Binary::Greater => Operator::Sign(">"),
        Binary::GreaterOrEqual => Operator::Sign(">="),
        Binary::BitOr => Operator::Sign("|"),
        Binary::BitXor => Operator::Sign("^"),
        Binary::BitAnd => Operator::Sign("&"),
        Binary::ShiftLeft => Operator::Function("shift_left"),
        Binary::ShiftRight => Operator::Function("shift_right"),
        Binary::Add => Operator::Function("add"),
        Binary::Subtract => Operator::Function("subtract"),
        Binary::Multiply => Operator::Function("multiply"),
        Binary::Divide => Operator::Function("divide"),
        Binary::Remainder => Operator::Function("modulo"),
    }
}

/// A variable with its initial value.
fn declaration(name: &str, var: &Var) -> String {
    let value = |value: &i32| if *value == i32::MIN { "INT32_MIN".to_owned() } else { value.to_string() };
    match var.len {
        None => format!("int32_t {name} = {};", value(&var.init[0])),
        Some(len) if var.init.iter().all(|&value| value == 0) => format!("int32_t {name}[{len}] = {{0}};"),
        Some(len) => {
            let values = var.init.iter().map(value).collect::<Vec<_>>().join(", ");
            format!("int32_t {name}[{len}] = {{{values}}};")
        }
    }
}

/// Which locals a procedure reads: compilers complain of the others.
fn read_locals(proc: &Proc) -> Vec<bool> {
    let mut read = vec![false; proc.locals.len()];
    statements(&proc.body, &mut |stmt| {
        reads(stmt, &mut |var| {
            if let VarRef::Local(id) = var {
                read[id.index()] = true;
            }
        });
    });
    read
}
