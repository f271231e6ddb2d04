//! What can go wrong becomes a flag (2012 paper, appendix B): `error` is raised and the task returns.
//!
//! The flag is a global like any other, so that translations carry it through rounds; `stops` makes everybody return who sees it raised. Faults
//! that the program leaves implicit are made explicit: values outside of the type of their place, indices, division by zero, choices
//! among nothing, a procedure that ends without its result. What the types rule out is not checked. Afterwards
//! expressions can be evaluated in any order.

use super::build::{FALSE, TRUE, and, assign, binary, equal, not, of_type, or, place, read, stmt, variable};
use super::staged::{Context, Staged};
use super::types::{Types, strip};
use crate::ir::{Binary, Block, Enum, Expr, Mark, Place, Scalar, Span, Stmt, StmtKind, Var, VarRef};

/// Makes faults explicit.
pub(super) fn faults(staged: &mut Staged) {
    let globals = staged.program.globals.clone();
    let enums = staged.program.enums.clone();
    let params: Vec<Vec<Scalar>> = staged
        .program
        .procs
        .iter()
        .map(|proc| proc.locals[..proc.params as usize].iter().map(|var| var.ty).collect())
        .collect();
    let results: Vec<Option<Scalar>> = staged.program.procs.iter().map(|proc| proc.result).collect();
    let error = VarRef::Global(staged.flags.error);
    for proc in &mut staged.program.procs {
        if proc.result.is_some() {
            let none = StmtKind::Assert(FALSE, "the procedure ends without a result".to_owned());
            proc.body.push(stmt(none, proc.span));
        }
    }
    let mut conditions = std::mem::take(&mut staged.conditions);
    staged.rewrite_bodies(|context, Stmt { mut kind, span }, out| {
        let mut check = Checks { globals: &globals, enums: &enums, context, error, span, out };
        match &mut kind {
            StmtKind::Assign(to, value) => {
                check.expr(value);
                check.place(to);
                check.range(value, check.ty(to));
            }
            StmtKind::Choose(to, lo, hi) => {
                check.place(to);
                check.expr(lo);
                check.expr(hi);
                return check.choose(to.clone(), lo.clone(), hi.clone());
            }
            StmtKind::Assume(condition) => check.expr(condition),
            StmtKind::Assert(condition, _) => {
                check.expr(condition);
                let condition = condition.clone();
                return check.require(condition);
            }
            StmtKind::If(condition, ..) => check.expr(condition),
            StmtKind::While(condition, body) => {
                let mut again = Block::new();
                check.expr(condition);
                Checks { out: &mut again, ..check }.expr(condition);
                body.append(&mut again);
            }
            StmtKind::Call { proc, args, result } => {
                for (arg, &ty) in args.iter_mut().zip(&params[proc.index()]) {
                    check.expr(arg);
                    check.range(arg, ty);
                }
                if let Some(to) = result {
                    return check.call(*proc, std::mem::take(args), to.clone(), results[proc.index()]);
                }
            }
            StmtKind::Post { proc, args, .. } => {
                for (arg, &ty) in args.iter_mut().zip(&params[proc.index()]) {
                    check.expr(arg);
                    check.range(arg, ty);
                }
            }
            StmtKind::Return(Some(value)) => {
                check.expr(value);
                let ty = check.context.result.unwrap_or(Scalar::Int);
                check.range(value, ty);
            }
            // A wait that would go wrong does not wait.
            StmtKind::Mark(Mark::ComesUp, values) => {
                let Expr::Const(number) = values[0] else { unreachable!("it has a number") };
                if let Some(blocked) = &mut conditions[number as usize] {
                    let safe = check.types().safe(blocked);
                    strip(blocked);
                    *blocked = and(safe, blocked.clone());
                }
            }
            _ => {}
        }
        out.push(Stmt { kind, span });
    });
    staged.conditions = conditions;
}

impl Staged {
    /// The harness asserts that nothing went wrong, and that final conditions hold if everything has come to its end.
    pub(super) fn finals(&mut self) {
        let (globals, enums) = (&self.program.globals, &self.program.enums);
        let fine = not(equal(read(VarRef::Global(self.flags.error)), TRUE));
        let message = "something went wrong".to_owned();
        self.harness.after.push(stmt(StmtKind::Assert(fine, message), Span::default()));
        for last in self.program.finals.drain(..) {
            let mut condition = last.condition;
            let typed = Types { globals, locals: &[], enums, overflow: false };
            let safe = typed.safe(&condition);
            strip(&mut condition);
            let mut holds = and(safe, condition);
            if let Some(unfinished) = self.flags.unfinished {
                holds = or(read(VarRef::Global(unfinished)), holds);
            }
            // Who meets a limit does not come to an end.
            holds = or(not(equal(read(VarRef::Global(self.flags.error)), FALSE)), holds);
            self.harness.after.push(stmt(StmtKind::Assert(holds, last.message), last.span));
        }
    }
}

struct Checks<'a> {
    globals: &'a [Var],
    enums: &'a [Enum],
    context: &'a mut Context,
    error: VarRef,
    span: Span,
    out: &'a mut Block,
}

impl Checks<'_> {
    fn types(&self) -> Types<'_> {
        let Checks { globals, enums, .. } = *self;
        Types { globals, locals: &self.context.locals, enums, overflow: false }
    }

    fn ty(&self, place: &Place) -> Scalar {
        self.types().var(place.var).ty
    }

    /// What must hold, else the task is wrong and returns.
    fn require(&mut self, condition: Expr) {
        if condition == TRUE {
            return;
        }
        let result = self
            .context
            .result
            .map(|ty| Expr::Const(0.clamp(ty.range(self.enums).0, ty.range(self.enums).1)));
        let stops =
            vec![assign(place(self.error), TRUE, self.span), stmt(StmtKind::Return(result), self.span)];
        match condition {
            FALSE => self.out.extend(stops),
            condition => self.out.push(stmt(StmtKind::If(not(condition), stops, Block::new()), self.span)),
        }
    }

    /// An expression that is evaluated: it does nothing wrong, and from here on need not be looked at again.
    fn expr(&mut self, expr: &mut Expr) {
        let safe = self.types().safe(expr);
        strip(expr);
        self.require(safe);
    }

    fn place(&mut self, place: &mut Place) {
        if let Some(index) = &mut place.index {
            self.expr(index);
        }
    }

    /// A value that goes to a place of a type.
    fn range(&mut self, value: &Expr, ty: Scalar) {
        let inside = self.types().inside(value, ty.range(self.enums));
        self.require(inside);
    }

    /// A choice, marked with how far the value is from the smallest one.
    fn choose(mut self, to: Place, lo: Expr, hi: Expr) {
        let nonempty = match self.types().interval(&hi).0 >= self.types().interval(&lo).1 {
            true => TRUE,
            false => binary(Binary::LessOrEqual, lo.clone(), hi.clone()),
        };
        self.require(nonempty);
        let (from, until) = (self.types().interval(&lo).0, self.types().interval(&hi).1);
        // As the place is, if that can hold them all: a truth value is no number.
        let (least, most) = self.ty(&to).range(self.enums);
        let ty = match (from, until) {
            _ if least as i64 <= from && until <= most as i64 => self.ty(&to),
            (from, until) if from <= until => Scalar::Range(from as i32, until as i32),
            _ => Scalar::Int,
        };
        let chosen = self.context.local(of_type("chosen", ty, self.enums, self.span));
        let lowest = match lo {
            Expr::Const(_) => lo.clone(),
            _ => {
                let lowest = self.context.local(variable("lowest", Scalar::Int, (0, 0), None, self.span));
                self.out.push(assign(place(lowest), lo.clone(), self.span));
                read(lowest)
            }
        };
        self.out.push(stmt(StmtKind::Choose(place(chosen), lowest.clone(), hi), self.span));
        let above = match lowest {
            FALSE => read(chosen),
            lowest => binary(Binary::Subtract, read(chosen), lowest),
        };
        self.out.push(stmt(StmtKind::Mark(Mark::Chosen, vec![above]), self.span));
        let ty = self.ty(&to);
        self.range(&read(chosen), ty);
        self.out.push(assign(to, read(chosen), self.span));
    }

    /// A call whose result goes to a place, which is looked at afterwards.
    fn call(mut self, proc: crate::ir::ProcId, args: Vec<Expr>, mut to: Place, result: Option<Scalar>) {
        let result = result.unwrap_or(Scalar::Int);
        let got = self.context.local(of_type("result", result, self.enums, self.span));
        let call = StmtKind::Call { proc, args, result: Some(place(got)) };
        self.out.push(stmt(call, self.span));
        self.place(&mut to);
        let ty = self.ty(&to);
        self.range(&read(got), ty);
        self.out.push(assign(to, read(got), self.span));
    }
}
