//! Values: what expressions are worth, and what variables hold. A map at an index that is not known is a choice among its elements.

use super::Unroller;
use crate::ir::{Binary, Expr, Place, Unary, VarRef};
use crate::symbolic::term::Term;

/// A variable, as it is found in memory.
struct Found {
    start: u32,
    is_global: bool,
    len: Option<u32>,
}

/// Which elements of a map are meant.
enum Index {
    /// This one.
    At(u32),
    /// Row `row`, element `inner`, of rows that are `size` long.
    Row { row: Term, size: u32, inner: Term },
}

impl Unroller<'_> {
    fn find(&self, var: VarRef) -> Found {
        let proc = self.frame.proc.index();
        let (start, is_global) = match var {
            VarRef::Global(id) => (self.global_starts[id.index()], true),
            VarRef::Local(id) => (self.local_starts[proc][id.index()], false),
        };
        Found { start, is_global, len: self.program.var(self.frame.proc, var).len }
    }

    fn slot(&mut self, found: &Found, at: u32) -> &mut Term {
        let slots = if found.is_global { &mut self.globals } else { &mut self.frame.locals };
        &mut slots[(found.start + at) as usize]
    }

    /// Which elements an index may mean; indices of rows are taken apart.
    fn index(&mut self, index: &Expr) -> Index {
        if let Expr::Binary(Binary::Add, left, inner) = index
            && let Expr::Binary(Binary::Multiply, row, size) = &**left
            && let Expr::Const(size) = **size
            && size > 1
        {
            let (row, inner) = (self.eval(row), self.eval(inner));
            let (rows, inners) = (self.terms.interval(row), self.terms.interval(inner));
            // Only if nothing wraps around.
            let fits = rows.0 >= 0 && i64::from(rows.1) * i64::from(size) < i64::from(i32::MAX - size);
            if fits && inners.0 >= 0 && inners.1 < size {
                return match (self.terms.as_constant(row), self.terms.as_constant(inner)) {
                    (Some(row), Some(inner)) => Index::At((row * size + inner) as u32),
                    _ => Index::Row { row, size: size as u32, inner },
                };
            }
        }
        let row = self.eval(index);
        match self.terms.as_constant(row) {
            Some(at) => Index::At(at as u32),
            None => Index::Row { row, size: 1, inner: Term::FALSE },
        }
    }

    /// The values that an index may have in a map of so many.
    fn candidates(&self, index: Term, count: u32) -> std::ops::Range<u32> {
        let (lo, hi) = self.terms.interval(index);
        let last = count as i64 - 1;
        ((lo as i64).clamp(0, last) as u32)..((hi as i64).clamp(0, last) as u32 + 1)
    }

    fn read(&mut self, place: &Place) -> Term {
        let found = self.find(place.var);
        let Some(len) = found.len else { return *self.slot(&found, 0) };
        let index = place.index.as_ref().expect("a map is read at an index");
        match self.index(index) {
            // An index outside of the map is an error that was made out before.
            Index::At(at) => *self.slot(&found, at.min(len - 1)),
            Index::Row { row, size, inner } => {
                let rows = self.candidates(row, len.div_ceil(size));
                let inners = self.candidates(inner, size);
                let mut value = None;
                for at in rows.rev() {
                    let mut element = None;
                    for within in inners.clone().rev() {
                        let here = *self.slot(&found, (at * size + within).min(len - 1));
                        element = Some(self.pick(inner, within, here, element));
                    }
                    let element = element.expect("a row has an element");
                    value = Some(self.pick(row, at, element, value));
                }
                value.expect("a map has an element")
            }
        }
    }

    /// `here` if an index is `at`, else `other`, if there is one.
    fn pick(&mut self, index: Term, at: u32, here: Term, other: Option<Term>) -> Term {
        let Some(other) = other else { return here };
        let at = self.terms.constant(at as i32);
        let is_here = self.terms.equal(index, at);
        self.terms.ite(is_here, here, other)
    }

    /// Gives a place its value.
    pub(super) fn write(&mut self, place: &Place, value: Term) {
        let found = self.find(place.var);
        let Some(len) = found.len else {
            *self.slot(&found, 0) = value;
            return;
        };
        let index = place.index.as_ref().expect("a map is written at an index");
        match self.index(index) {
            Index::At(at) => *self.slot(&found, at.min(len - 1)) = value,
            Index::Row { row, size, inner } => {
                for at in self.candidates(row, len.div_ceil(size)) {
                    for within in self.candidates(inner, size) {
                        let place = at * size + within;
                        if place >= len {
                            continue;
                        }
                        let old = *self.slot(&found, place);
                        let [row_at, inner_at] = [at, within].map(|at| self.terms.constant(at as i32));
                        let row_is = self.terms.equal(row, row_at);
                        let inner_is = self.terms.equal(inner, inner_at);
                        let is_here = self.terms.and(row_is, inner_is);
                        *self.slot(&found, place) = self.terms.ite(is_here, value, old);
                    }
                }
            }
        }
    }

    /// What an expression is worth.
    pub(super) fn eval(&mut self, expr: &Expr) -> Term {
        match expr {
            Expr::Const(value) => self.terms.constant(*value),
            Expr::Read(place) => self.read(place),
            Expr::Bound(inner, _) => self.eval(inner),
            Expr::Unary(op, operand) => {
                let operand = self.eval(operand);
                match op {
                    Unary::Not => self.terms.not(operand),
                    Unary::Negate => self.terms.negate(operand),
                    Unary::Complement => self.terms.complement(operand),
                }
            }
            Expr::If(parts) => {
                let [condition, then, other] = &**parts;
                let (condition, then, other) = (self.eval(condition), self.eval(then), self.eval(other));
                self.terms.ite(condition, then, other)
            }
            Expr::Binary(op, left, right) => {
                let left = self.eval(left);
                // What is not evaluated need not be looked at.
                match (op, self.terms.as_constant(left)) {
                    (Binary::And, Some(0)) => return Term::FALSE,
                    (Binary::Or, Some(1)) => return Term::TRUE,
                    _ => {}
                }
                let right = self.eval(right);
                self.operate(*op, left, right)
            }
        }
    }

    fn operate(&mut self, op: Binary, left: Term, right: Term) -> Term {
        let terms = &mut *self.terms;
        match op {
            Binary::Or => terms.or(left, right),
            Binary::And => terms.and(left, right),
            Binary::Equal => terms.equal(left, right),
            Binary::Differ => terms.not_equal(left, right),
            Binary::Less => terms.less(left, right),
            Binary::LessOrEqual => terms.less_or_equal(left, right),
            Binary::Greater => terms.less(right, left),
            Binary::GreaterOrEqual => terms.less_or_equal(right, left),
            Binary::BitOr => terms.bit_or(left, right),
            Binary::BitXor => terms.bit_xor(left, right),
            Binary::BitAnd => terms.bit_and(left, right),
            Binary::ShiftLeft => terms.shift_left(left, right),
            Binary::ShiftRight => terms.shift_right(left, right),
            Binary::Add => terms.add(left, right),
            Binary::Subtract => terms.sub(left, right),
            Binary::Multiply => terms.mul(left, right),
            Binary::Divide => terms.div(left, right),
            Binary::Remainder => terms.rem(left, right),
        }
    }
}

/// Whether the value of an expression depends on globals.
pub(super) fn reads_globals(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) => false,
        Expr::Read(Place { var, index }) => {
            matches!(var, VarRef::Global(_)) || index.as_ref().is_some_and(|index| reads_globals(index))
        }
        Expr::Unary(_, operand) | Expr::Bound(operand, _) => reads_globals(operand),
        Expr::Binary(_, left, right) => reads_globals(left) || reads_globals(right),
        Expr::If(parts) => parts.iter().any(reads_globals),
    }
}
