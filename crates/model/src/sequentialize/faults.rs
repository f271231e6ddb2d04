//! What can go wrong becomes a flag (2012 paper, appendix B): `error` is raised and the task returns.
//!
//! The flag is a global like any other, so that translations carry it through rounds; `stops` makes everybody return who sees it raised. Faults
//! that the program leaves implicit are made explicit: values outside of the type of their place, indices, division by zero, choices
//! among nothing, a procedure that ends without its result; and overflow, if asked. What the types rule out is not checked. Afterwards
//! expressions can be evaluated in any order.

use super::build::{FALSE, TRUE, and, assign, binary, equal, not, of_type, or, place, read, stmt, variable};
use super::staged::{Context, Staged};
use crate::ir::{Binary, Block, Enum, Expr, Mark, Place, Scalar, Span, Stmt, StmtKind, Unary, Var, VarRef};

/// Makes faults explicit. `overflow`: arithmetic that wraps around is one.
pub(super) fn faults(staged: &mut Staged, overflow: bool) {
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
        let mut check = Checks { globals: &globals, enums: &enums, context, overflow, error, span, out };
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
    pub(super) fn finals(&mut self, overflow: bool) {
        let (globals, enums) = (&self.program.globals, &self.program.enums);
        let fine = not(equal(read(VarRef::Global(self.flags.error)), TRUE));
        let message = "something went wrong".to_owned();
        self.harness.after.push(stmt(StmtKind::Assert(fine, message), Span::default()));
        for last in self.program.finals.drain(..) {
            let mut condition = last.condition;
            let typed = Types { globals, locals: &[], enums, overflow };
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
    overflow: bool,
    error: VarRef,
    span: Span,
    out: &'a mut Block,
}

impl Checks<'_> {
    fn types(&self) -> Types<'_> {
        let Checks { globals, enums, overflow, .. } = *self;
        Types { globals, locals: &self.context.locals, enums, overflow }
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

/// What is known of expressions by the types of variables.
struct Types<'a> {
    globals: &'a [Var],
    locals: &'a [Var],
    enums: &'a [Enum],
    overflow: bool,
}

impl Types<'_> {
    fn var(&self, var: VarRef) -> &Var {
        match var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.locals[id.index()],
        }
    }

    /// The smallest and largest value of an expression, as far as that is easily told.
    fn interval(&self, expr: &Expr) -> (i64, i64) {
        let all = (i32::MIN as i64, i32::MAX as i64);
        let fits = |(lo, hi): (i64, i64)| if lo < all.0 || hi > all.1 { all } else { (lo, hi) };
        match expr {
            Expr::Const(value) => (*value as i64, *value as i64),
            Expr::Read(place) => {
                let (lo, hi) = self.var(place.var).ty.range(self.enums);
                (lo as i64, hi as i64)
            }
            Expr::Bound(_, len) => (0, *len as i64 - 1),
            Expr::Unary(Unary::Not, _) => (0, 1),
            Expr::Unary(Unary::Complement, operand) => {
                let (lo, hi) = self.interval(operand);
                (!hi, !lo)
            }
            Expr::Unary(Unary::Negate, _) => self.exact(expr).map_or(all, fits),
            Expr::If(parts) => {
                let (a, b) = (self.interval(&parts[1]), self.interval(&parts[2]));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Expr::Binary(op, ..) => match op {
                Binary::Add | Binary::Subtract | Binary::Multiply => self.exact(expr).map_or(all, fits),
                Binary::Remainder | Binary::Divide | Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
                    self.rough(expr)
                }
                Binary::ShiftLeft | Binary::ShiftRight => all,
                _ => (0, 1),
            },
        }
    }

    /// The interval of what arithmetic would make without wrapping around.
    fn exact(&self, expr: &Expr) -> Option<(i64, i64)> {
        match expr {
            Expr::Unary(Unary::Negate, operand) => {
                let (lo, hi) = self.interval(operand);
                Some((-hi, -lo))
            }
            Expr::Binary(op, left, right) => {
                let ((a, b), (c, d)) = (self.interval(left), self.interval(right));
                match op {
                    Binary::Add => Some((a + c, b + d)),
                    Binary::Subtract => Some((a - d, b - c)),
                    Binary::Multiply => {
                        let all = [a * c, a * d, b * c, b * d];
                        Some((*all.iter().min()?, *all.iter().max()?))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn rough(&self, expr: &Expr) -> (i64, i64) {
        let all = (i32::MIN as i64, i32::MAX as i64);
        let Expr::Binary(op, left, right) = expr else { return all };
        let ((a, b), (c, d)) = (self.interval(left), self.interval(right));
        match op {
            Binary::Remainder if a >= 0 && c > 0 => (0, b.min(d - 1)),
            Binary::Divide if a >= 0 && c > 0 => (a / d, b / c),
            Binary::BitAnd if a >= 0 && c >= 0 => (0, b.min(d)),
            Binary::BitOr | Binary::BitXor if a >= 0 && c >= 0 => {
                (0, (b.max(d) as u64 + 1).next_power_of_two() as i64 - 1)
            }
            _ => all,
        }
    }

    /// The value is within a range.
    fn inside(&self, value: &Expr, (lo, hi): (i32, i32)) -> Expr {
        let (from, until) = self.interval(value);
        let lower = match from >= lo as i64 {
            true => TRUE,
            false => binary(Binary::LessOrEqual, Expr::Const(lo), value.clone()),
        };
        let upper = match until <= hi as i64 {
            true => TRUE,
            false => binary(Binary::LessOrEqual, value.clone(), Expr::Const(hi)),
        };
        and(lower, upper)
    }

    /// What must hold for an expression to be evaluated without a fault.
    fn safe(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Const(_) => TRUE,
            Expr::Read(place) => place.index.as_ref().map_or(TRUE, |index| self.safe(index)),
            Expr::Unary(op, operand) => {
                let safe = self.safe(operand);
                match op {
                    Unary::Negate if self.overflow => {
                        let least = Expr::Const(i32::MIN);
                        let may = self.interval(operand).0 == i32::MIN as i64;
                        let fits = if may { not(equal(stripped(operand), least)) } else { TRUE };
                        and(safe, fits)
                    }
                    _ => safe,
                }
            }
            Expr::Bound(value, len) => {
                let inside = self.inside(&stripped(value), (0, *len as i32 - 1));
                and(self.safe(value), inside)
            }
            Expr::If(parts) => {
                let [condition, then, other] = &**parts;
                let (first, then, other) = (self.safe(condition), self.safe(then), self.safe(other));
                let condition = stripped(condition);
                let rest = and(or(not(condition.clone()), then), or(condition, other));
                and(first, rest)
            }
            Expr::Binary(op, left, right) => {
                let (first, second) = (self.safe(left), self.safe(right));
                match op {
                    Binary::And => and(first, or(not(stripped(left)), second)),
                    Binary::Or => and(first, or(stripped(left), second)),
                    _ => and(and(first, second), self.fits(*op, left, right)),
                }
            }
        }
    }

    /// An operator does nothing wrong with its operands.
    fn fits(&self, op: Binary, left: &Expr, right: &Expr) -> Expr {
        let (a, b) = (stripped(left), stripped(right));
        let (whole_a, whole_b) = (self.interval(left), self.interval(right));
        let mut fits = TRUE;
        if matches!(op, Binary::Divide | Binary::Remainder) && whole_b.0 <= 0 && whole_b.1 >= 0 {
            fits = not(equal(b.clone(), FALSE));
        }
        if !self.overflow {
            return fits;
        }
        let expr = binary(op, left.clone(), right.clone());
        let inside = self.exact(&expr).is_some_and(|(lo, hi)| lo >= i32::MIN as i64 && hi <= i32::MAX as i64);
        let sum = binary(op, a.clone(), b.clone());
        let below = |left: Expr, right: Expr| binary(Binary::Less, left, right);
        let sign = |left: Expr| below(left, FALSE);
        let whole = match op {
            Binary::Add | Binary::Subtract | Binary::Multiply if inside => TRUE,
            // The signs of both are that of the sum, or they differ.
            Binary::Add => or(not(equal(sign(a.clone()), sign(b))), equal(sign(a), sign(sum))),
            Binary::Subtract => or(equal(sign(a.clone()), sign(b)), equal(sign(a), sign(sum))),
            Binary::Multiply => {
                let divides = equal(binary(Binary::Divide, sum, b.clone()), a.clone());
                let least = and(equal(b.clone(), Expr::Const(-1)), equal(a, Expr::Const(i32::MIN)));
                or(equal(b, FALSE), and(not(least), divides))
            }
            Binary::Divide if whole_a.0 == i32::MIN as i64 && whole_b.0 <= -1 && whole_b.1 >= -1 => {
                not(and(equal(a, Expr::Const(i32::MIN)), equal(b, Expr::Const(-1))))
            }
            _ => TRUE,
        };
        and(fits, whole)
    }
}

fn stripped(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    strip(&mut expr);
    expr
}

/// Takes out the checks of indices.
fn strip(expr: &mut Expr) {
    while let Expr::Bound(inner, _) = expr {
        *expr = std::mem::replace(inner, FALSE);
    }
    match expr {
        Expr::Const(_) | Expr::Bound(..) => {}
        Expr::Read(place) => place.index.iter_mut().for_each(|index| strip(index)),
        Expr::Unary(_, operand) => strip(operand),
        Expr::Binary(_, left, right) => {
            strip(left);
            strip(right);
        }
        Expr::If(parts) => parts.iter_mut().for_each(strip),
    }
}
