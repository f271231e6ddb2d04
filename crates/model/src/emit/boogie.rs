//! Sequential programs as Boogie 2 text, for Boogie with Z3 as a bounded model checker.
//!
//! Numbers are `bv32`, with functions that the prover knows, so that arithmetic wraps around; truth values are `bool`, maps are
//! Boogie's maps from `bv32`. All functions are total, so what `&&`, `||` and `? :` do not evaluate is of no concern. A procedure cannot assign
//! its parameters there: one that does works on copies.
//!
//! How to call Boogie, and what its bounds mean, stands in the head of the text ([`HEAD`]). It was found out by experiment with version 2.4.1, and
//! tests/emit.rs holds it fast: what lies beyond a bound is neither an error nor anything else. Truth values as `bool` instead of numbers
//! save Z3 a tenth to a third of its time.

mod expr;

use self::expr::{FUNCTIONS, Sort, convert};
use super::names::{Names, unmarked};
use super::page::Page;
use super::{Reached, expr_reads, reached, statements, written};
use crate::ir::{
    Block, Expr, GlobalId, LocalId, Place, Proc, ProcId, Program, Span, Stmt, StmtKind, Var, VarRef,
};

/// Longer maps get their initial value by a lambda, not element by element.
const LONG_MAP: u32 = 16;

/// How far Boogie is to look, in the command line of the head and in the attributes of the procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How often a loop goes round, together with all loops inside of it.
    pub loops: u32,
    /// How many frames of one procedure there may be at once.
    pub frames: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { loops: 8, frames: 4 }
    }
}

/// A sequential program as Boogie text.
///
/// # Panics
///
/// If the program is not sequential.
pub fn boogie(program: &Program, bounds: Bounds) -> String {
    let reached = reached(program);
    let mut outer = Names::new('#', WORDS);
    let globals = program.globals.iter().map(|var| outer.take(valid(&var.name))).collect();
    let mut procs = Names::new('#', WORDS);
    let procs = program.procs.iter().map(|proc| procs.take(valid(&proc.name))).collect();
    let mut page = Page::new(&program.source, "  ");
    page.verbatim(&head(program, bounds));
    let mut writer = Writer { program, reached, bounds, page, globals, procs, scope: None };
    writer.globals();
    writer.start();
    for proc in writer.reached.procs.clone() {
        writer.proc(proc, &outer);
    }
    writer.page.finish()
}

/// Words that are taken in the language.
const WORDS: &str = "
    RNA RNE RTN RTP RTZ assert assume async axiom bool break bv1 bv8 bv16 bv32 bv64 call complete const div else ensures exists
    extends false forall free function goto havoc if implementation int invariant lambda mod modifies old par procedure real requires
    return returns roundNearestTiesToAway roundNearestTiesToEven roundTowardNegative roundTowardPositive roundTowardZero then true
    type unique var where while yield
";

/// What stands at the beginning of the text. Words in capitals are filled in.
const HEAD: &str = "\
// The sequential program of SOURCE, for Boogie 2.4 and Z3:
//
//   boogie /noinfer /useArrayTheory /proverOpt:OPTIMIZE_FOR_BV=true /errorLimit:1 /loopUnroll:ARRIVALS FILE.bpl
//
// All executions within two bounds are checked; those beyond them are left out without a word.
// - /loopUnroll:ARRIVALS lets a loop go round ROUNDS times. All rounds inside of an outermost loop count together: its own, and those of the
//   loops in it and in the procedures that it calls.
// - {:inline FRAMES}: as many calls of one procedure may be under way at once (by /inline:assume, which is the default).
// Rounds and calls are copied out, so work grows fast with the bounds. The verdict is in the last line that Boogie prints, not in its status.
//
// Add /timeLimit:SECONDS at will. Without /useArrayTheory maps are slow. Other ways to treat loops and calls give false alarms here: no
// /loopUnroll at all, /soundLoopUnrolling, /stratifiedInline, /vc:local. `Prover error: [...] unknown parameter 'model_compress'`
// only says that Z3 is newer than Boogie.

";

fn head(program: &Program, bounds: Bounds) -> String {
    let source = program.source.name.replace(['\n', '\r'], " ");
    let Bounds { loops, frames } = bounds;
    // It counts how often control comes to a loop, and the last time is the one that leaves it.
    let mut text = HEAD
        .replace("ARRIVALS", &(u64::from(loops) + 1).to_string())
        .replace("ROUNDS", &loops.to_string())
        .replace("FRAMES", &frames.to_string())
        .replace("SOURCE", &source);
    for (name, builtin, ty) in FUNCTIONS {
        text += &match builtin {
            "" => format!("function {{:inline true}} {name}{ty} {{ if a then 1bv32 else 0bv32 }}\n"),
            _ => format!("function {{:bvbuiltin \"{builtin}\"}} {name}{ty};\n"),
        };
    }
    text.push('\n');
    text
}

/// A name that Boogie can read: `#` and `.` are letters there, `@` is not.
fn valid(name: &str) -> String {
    unmarked(name).replace('@', ".")
}

fn type_name(var: &Var) -> String {
    match var.len {
        None => Sort::of(var.ty).name().to_owned(),
        Some(_) => format!("[bv32]{}", Sort::of(var.ty).name()),
    }
}

struct Writer<'p> {
    program: &'p Program,
    reached: Reached,
    bounds: Bounds,
    page: Page,
    globals: Vec<String>,
    procs: Vec<String>,
    /// The procedure being written.
    scope: Option<Scope>,
}

/// The names inside of a procedure.
struct Scope {
    proc: ProcId,
    locals: Vec<String>,
    /// Where its result goes.
    result: String,
    /// Where values go that are on their way: a number and a truth value. Declared if they are used.
    passing: [String; 2],
}

impl<'p> Writer<'p> {
    fn globals(&mut self) {
        for (var, name) in self.program.globals.iter().zip(&self.globals) {
            self.page.line_at(var.span, &format!("var {name}: {};", type_name(var)));
        }
    }

    /// The procedure that is checked: initial values, the main procedure, final conditions.
    fn start(&mut self) {
        let main = self.program.buffers[0].main;
        self.page.verbatim("\n");
        let all: Vec<GlobalId> = (0..self.program.globals.len()).map(|at| GlobalId(at as u32)).collect();
        self.page.line("procedure {:entrypoint} $start()");
        self.modifies(&all);
        self.page.open(Span::default(), "{");
        if let Some(ty) = self.program.procs[main.index()].result {
            self.page.line(&format!("var result: {};", Sort::of(ty).name()));
        }
        for (at, var) in self.program.globals.iter().enumerate() {
            self.begin(&self.globals[at].clone(), var);
        }
        let result = if self.program.procs[main.index()].result.is_some() { "result := " } else { "" };
        self.page.line(&format!("call {result}{}();", self.procs[main.index()]));
        for last in &self.program.finals {
            let text = format!("assert {};", self.condition(&last.condition));
            self.page.line_about(last.span, &text, &last.message);
        }
        self.page.close("}");
    }

    fn modifies(&mut self, globals: &[GlobalId]) {
        if !globals.is_empty() {
            let names = globals.iter().map(|global| self.globals[global.index()].as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            self.page.line(&format!("  modifies {names};"));
        }
    }

    /// Gives a variable its initial value.
    fn begin(&mut self, name: &str, var: &Var) {
        let sort = Sort::of(var.ty);
        let Some(len) = var.len else {
            self.page.line(&format!("{name} := {};", sort.value(var.init[0])));
            return;
        };
        // A map is total: what lies outside of its length is never read.
        let most = most_frequent(&var.init);
        let all = sort.value(most);
        if len > LONG_MAP {
            self.page.line(&format!("{name} := (lambda $i: bv32 :: {all});"));
        }
        for (at, &value) in var.init.iter().enumerate() {
            if len <= LONG_MAP || value != most {
                self.page.line(&format!("{name}[{at}bv32] := {};", sort.value(value)));
            }
        }
    }

    fn proc(&mut self, id: ProcId, outer: &Names<'_>) {
        let proc = &self.program.procs[id.index()];
        let mut names = outer.inside();
        let locals: Vec<String> = proc.locals.iter().map(|var| names.take(valid(&var.name))).collect();
        let assigned = assigned_params(proc);
        let params: Vec<String> = (0..proc.params as usize)
            .map(|at| match assigned[at] {
                true => names.take(format!("{}#in", locals[at])),
                false => locals[at].clone(),
            })
            .collect();
        let result = names.take("result".to_owned());
        let passing = [names.take("number".to_owned()), names.take("truth".to_owned())];
        let declared =
            params.iter().zip(&proc.locals).map(|(name, var)| format!("{name}: {}", type_name(var)));
        let declared = declared.collect::<Vec<_>>().join(", ");
        let returns = match proc.result {
            Some(ty) => format!(" returns ({result}: {})", Sort::of(ty).name()),
            None => String::new(),
        };
        self.page.verbatim("\n");
        let frames = self.bounds.frames;
        let name = &self.procs[id.index()];
        self.page.line_at(proc.span, &format!("procedure {{:inline {frames}}} {name}({declared}){returns}"));
        let writes: Vec<GlobalId> = self.reached.writes(id).collect();
        self.modifies(&writes);
        self.page.open(Span::default(), "{");
        for (at, (name, var)) in locals.iter().zip(&proc.locals).enumerate() {
            if at >= params.len() || assigned[at] {
                self.page.line(&format!("var {name}: {};", type_name(var)));
            }
        }
        for ((name, sort), used) in passing.iter().zip([Sort::Number, Sort::Truth]).zip(self.passes(proc)) {
            if used {
                self.page.line(&format!("var {name}: {};", sort.name()));
            }
        }
        for (at, (name, var)) in locals.iter().zip(&proc.locals).enumerate() {
            match params.get(at) {
                Some(param) if assigned[at] => self.page.line(&format!("{name} := {param};")),
                Some(_) => {}
                None => self.begin(name, var),
            }
        }
        self.scope = Some(Scope { proc: id, locals, result, passing });
        self.block(&proc.body);
        self.scope = None;
        self.page.close("}");
    }

    /// Which of the passing values a procedure needs.
    fn passes(&self, proc: &Proc) -> [bool; 2] {
        let mut needed = [false; 2];
        statements(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Choose(place, lo, hi) => {
                needed[0] |= matches!(self.chosen(proc, place, lo, hi), Chosen::Passing);
            }
            StmtKind::Call { proc: callee, result, .. } => {
                if let Some(ty) = self.program.procs[callee.index()].result {
                    let sort = Sort::of(ty);
                    let direct = result.as_ref().is_some_and(|place| self.is_direct(proc, place, sort));
                    needed[(sort == Sort::Truth) as usize] |= !direct;
                }
            }
            _ => {}
        });
        needed
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let value = self.expr(value, self.sort(place.var));
                self.page.line_at(span, &format!("{} := {value};", self.place(place)));
            }
            StmtKind::Choose(place, lo, hi) => self.choose(place, lo, hi, span),
            StmtKind::Assume(condition) => {
                self.page.line_at(span, &format!("assume {};", self.condition(condition)));
            }
            StmtKind::Assert(condition, message) => {
                self.page.line_about(span, &format!("assert {};", self.condition(condition)), message);
            }
            StmtKind::If(condition, yes, no) => {
                self.page.open(span, &format!("if ({}) {{", self.condition(condition)));
                self.block(yes);
                if !no.is_empty() {
                    self.page.between("} else {");
                    self.block(no);
                }
                self.page.close("}");
            }
            StmtKind::While(condition, body) => {
                self.page.open(span, &format!("while ({}) {{", self.condition(condition)));
                self.block(body);
                self.page.close("}");
            }
            StmtKind::Call { proc, args, result } => self.call(*proc, args, result.as_ref(), span),
            StmtKind::Return(None) => self.page.line_at(span, "return;"),
            StmtKind::Return(Some(value)) => {
                let scope = self.scope();
                let ty = self.program.procs[scope.proc.index()].result.expect("a result has a type");
                let text = format!("{} := {};", scope.result, self.expr(value, Sort::of(ty)));
                self.page.line_at(span, &text);
                self.page.line("return;");
            }
            StmtKind::Mark(..) => {}
            other => unreachable!("not sequential: {other:?}"),
        }
    }

    fn choose(&mut self, place: &Place, lo: &Expr, hi: &Expr, span: Span) {
        let [number, _] = self.scope().passing.clone();
        let chosen = self.chosen(self.running(), place, lo, hi);
        let name = if chosen == Chosen::Passing { number } else { self.place(place) };
        self.page.line_at(span, &format!("havoc {name};"));
        if chosen != Chosen::Truth {
            let (lo, hi) = (self.expr(lo, Sort::Number), self.expr(hi, Sort::Number));
            self.page.line(&format!("assume $le({lo}, {name}) && $le({name}, {hi});"));
        }
        if chosen == Chosen::Passing {
            let value = convert(name, Sort::Number, self.sort(place.var));
            self.page.line(&format!("{} := {value};", self.place(place)));
        }
    }

    /// How a choice is written.
    fn chosen(&self, proc: &Proc, place: &Place, lo: &Expr, hi: &Expr) -> Chosen {
        if place.index.is_some() {
            return Chosen::Passing;
        }
        if Sort::of(self.var(proc, place.var).ty) == Sort::Truth {
            let any = matches!((lo, hi), (Expr::Const(0), Expr::Const(1)));
            return if any { Chosen::Truth } else { Chosen::Passing };
        }
        let mut own = false;
        [lo, hi].iter().for_each(|bound| expr_reads(bound, &mut |var| own |= var == place.var));
        if own { Chosen::Passing } else { Chosen::There }
    }

    fn call(&mut self, callee: ProcId, args: &[Expr], result: Option<&Place>, span: Span) {
        let proc = &self.program.procs[callee.index()];
        let args = args.iter().zip(&proc.locals).map(|(arg, param)| self.expr(arg, Sort::of(param.ty)));
        let args = args.collect::<Vec<_>>().join(", ");
        let name = &self.procs[callee.index()];
        let Some(ty) = proc.result else {
            self.page.line_at(span, &format!("call {name}({args});"));
            return;
        };
        let sort = Sort::of(ty);
        match result {
            Some(place) if self.is_direct(self.running(), place, sort) => {
                self.page.line_at(span, &format!("call {} := {name}({args});", self.place(place)));
            }
            _ => {
                let passing = self.scope().passing[(sort == Sort::Truth) as usize].clone();
                self.page.line_at(span, &format!("call {passing} := {name}({args});"));
                if let Some(place) = result {
                    let value = convert(passing, sort, self.sort(place.var));
                    self.page.line(&format!("{} := {value};", self.place(place)));
                }
            }
        }
    }

    /// Whether a result of this sort can go to a place at once.
    fn is_direct(&self, proc: &Proc, place: &Place, sort: Sort) -> bool {
        place.index.is_none() && Sort::of(self.var(proc, place.var).ty) == sort
    }

    fn scope(&self) -> &Scope {
        self.scope.as_ref().expect("statements stand in procedures")
    }

    fn running(&self) -> &'p Proc {
        &self.program.procs[self.scope().proc.index()]
    }

    fn var(&self, proc: &'p Proc, var: VarRef) -> &'p Var {
        match var {
            VarRef::Global(id) => &self.program.globals[id.index()],
            VarRef::Local(id) => &proc.locals[id.index()],
        }
    }
}

/// How a choice is written.
#[derive(PartialEq, Eq)]
enum Chosen {
    /// The place gets any truth value.
    Truth,
    /// The place gets any value, of which the bounds are then assumed.
    There,
    /// The same by way of another variable.
    Passing,
}

/// Which parameters a procedure assigns.
fn assigned_params(proc: &Proc) -> Vec<bool> {
    let mut assigned = vec![false; proc.params as usize];
    statements(&proc.body, &mut |stmt| {
        if let Some(Place { var: VarRef::Local(LocalId(at)), .. }) = written(&stmt.kind)
            && let Some(param) = assigned.get_mut(*at as usize)
        {
            *param = true;
        }
    });
    assigned
}

/// The value that most elements have; of several, the least.
fn most_frequent(values: &[i32]) -> i32 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0]));
    runs.max_by_key(|&(len, value)| (len, std::cmp::Reverse(value))).map_or(0, |(_, value)| value)
}
