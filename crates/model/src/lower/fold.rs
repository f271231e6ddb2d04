//! Makes typed expressions and folds what is constant.
//!
//! At run time arithmetic wraps around and division by zero is a bug, so that is what folding keeps: what would be a bug stays in the
//! program. Where only constants may stand both are mistakes.

use super::typed::{Expr, ExprKind, Facts, Place};
use crate::ir::{Binary, Scalar, Unary};

/// Why a constant has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Undefined {
    Overflow,
    DivisionByZero,
}

impl Expr {
    pub(super) fn value(value: i32, ty: Scalar) -> Expr {
        Expr { kind: ExprKind::Const(value), ty, facts: Facts::NONE }
    }

    pub(super) fn int(value: i32) -> Expr {
        Expr::value(value, Scalar::Int)
    }

    pub(super) fn read(place: Place) -> Expr {
        let ty = match place.ty {
            Scalar::Range(..) => Scalar::Int,
            ty => ty,
        };
        let facts = place.facts;
        Expr { kind: ExprKind::Read(place), ty, facts }
    }

    pub(super) fn choose(lo: Expr, hi: Expr, ty: Scalar) -> Expr {
        let facts = lo.facts | hi.facts | Facts::CHOICE | Facts::FAILS;
        Expr { kind: ExprKind::Choose(Box::new([lo, hi])), ty, facts }
    }

    /// An index that must be below `len`.
    pub(super) fn bound(self, len: u32) -> Expr {
        match self.constant() {
            Some(value) if (0..i64::from(len)).contains(&i64::from(value)) => self,
            _ => {
                let facts = self.facts | Facts::FAILS;
                Expr { kind: ExprKind::Bound(Box::new(self), len), ty: Scalar::Int, facts }
            }
        }
    }

    pub(super) fn unary(op: Unary, operand: Expr, strict: bool) -> Result<Expr, Undefined> {
        let ty = operand.ty;
        if let Some(value) = operand.constant() {
            let folded = match op {
                Unary::Not => Some(i32::from(value == 0)),
                Unary::Negate => value.checked_neg(),
                Unary::Complement => Some(!value),
            };
            match folded {
                Some(folded) => return Ok(Expr::value(folded, ty)),
                None if strict => return Err(Undefined::Overflow),
                None => {}
            }
        }
        let facts = operand.facts;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, facts })
    }

    pub(super) fn binary(op: Binary, left: Expr, right: Expr, strict: bool) -> Result<Expr, Undefined> {
        let ty = result(op);
        match (op, left.constant(), right.constant()) {
            (Binary::And, Some(0), _) => return Ok(Expr::value(0, ty)),
            (Binary::Or, Some(0), _) | (Binary::And, Some(_), _) => return Ok(right),
            (Binary::Or, Some(_), _) => return Ok(Expr::value(1, ty)),
            (Binary::And, _, Some(1)) | (Binary::Or, _, Some(0)) => return Ok(left),
            // What is undefined for a constant is left for the program to do.
            (_, Some(a), Some(b)) => match compute(op, a, b) {
                Ok(value) => return Ok(Expr::value(value, ty)),
                Err(undefined) if strict => return Err(undefined),
                Err(_) => {}
            },
            _ => {}
        }
        let mut facts = left.facts | right.facts;
        if matches!(op, Binary::Divide | Binary::Remainder) && right.constant().is_none_or(|value| value == 0)
        {
            facts = facts | Facts::FAILS;
        }
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, facts })
    }

    /// All operands with the same, associative operator between them: as a tree that is not deep.
    pub(super) fn balanced(op: Binary, operands: Vec<Expr>, strict: bool) -> Result<Expr, Undefined> {
        let mut row = operands;
        while row.len() > 1 {
            let mut next = Vec::with_capacity(row.len().div_ceil(2));
            let mut rest = row.into_iter();
            while let Some(left) = rest.next() {
                next.push(match rest.next() {
                    Some(right) => Expr::binary(op, left, right, strict)?,
                    None => left,
                });
            }
            row = next;
        }
        Ok(row.pop().expect("a chain has operands"))
    }

    pub(super) fn conditional(condition: Expr, yes: Expr, no: Expr) -> Expr {
        match condition.constant() {
            Some(0) => no,
            Some(_) => yes,
            None => {
                let facts = condition.facts | yes.facts | no.facts;
                let ty = yes.ty;
                Expr { kind: ExprKind::If(Box::new([condition, yes, no])), ty, facts }
            }
        }
    }
}

/// The type of what an operator makes.
fn result(op: Binary) -> Scalar {
    use Binary::*;
    match op {
        Or | And | Equal | Differ | Less | LessOrEqual | Greater | GreaterOrEqual => Scalar::Bool,
        BitOr | BitXor | BitAnd | ShiftLeft | ShiftRight | Add | Subtract | Multiply | Divide | Remainder => {
            Scalar::Int
        }
    }
}

fn compute(op: Binary, a: i32, b: i32) -> Result<i32, Undefined> {
    let fits = |result: Option<i32>| result.ok_or(Undefined::Overflow);
    Ok(match op {
        Binary::Or => i32::from(a != 0 || b != 0),
        Binary::And => i32::from(a != 0 && b != 0),
        Binary::Equal => i32::from(a == b),
        Binary::Differ => i32::from(a != b),
        Binary::Less => i32::from(a < b),
        Binary::LessOrEqual => i32::from(a <= b),
        Binary::Greater => i32::from(a > b),
        Binary::GreaterOrEqual => i32::from(a >= b),
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::ShiftLeft => a.wrapping_shl(b as u32),
        Binary::ShiftRight => a.wrapping_shr(b as u32),
        Binary::Add => fits(a.checked_add(b))?,
        Binary::Subtract => fits(a.checked_sub(b))?,
        Binary::Multiply => fits(a.checked_mul(b))?,
        Binary::Divide | Binary::Remainder if b == 0 => return Err(Undefined::DivisionByZero),
        Binary::Divide => fits(a.checked_div(b))?,
        Binary::Remainder => a.wrapping_rem(b),
    })
}
