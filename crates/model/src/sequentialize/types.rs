//! What the types of variables say about expressions: which values they can have, and what must hold for them to be evaluated without a fault.

use super::build::{FALSE, TRUE, and, binary, equal, not, or};
use crate::ir::{Binary, Enum, Expr, Unary, Var, VarRef};

/// What is known of expressions by the types of variables.
pub(super) struct Types<'a> {
    pub(super) globals: &'a [Var],
    pub(super) locals: &'a [Var],
    pub(super) enums: &'a [Enum],
    /// Arithmetic that wraps around is a fault.
    pub(super) overflow: bool,
}

impl Types<'_> {
    pub(super) fn var(&self, var: VarRef) -> &Var {
        match var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.locals[id.index()],
        }
    }

    /// The smallest and largest value of an expression, as far as that is easily told.
    pub(super) fn interval(&self, expr: &Expr) -> (i64, i64) {
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
    pub(super) fn inside(&self, value: &Expr, (lo, hi): (i32, i32)) -> Expr {
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
    pub(super) fn safe(&self, expr: &Expr) -> Expr {
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
pub(super) fn strip(expr: &mut Expr) {
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
