//! Expressions as Boogie text. Each is written as the sort of value that is wanted where it stands.

use super::Writer;
use crate::ir::{Binary, Expr, Place, Scalar, Unary, VarRef};

/// The functions that stand for operators; the prover knows them by the name behind.
pub(super) const FUNCTIONS: [(&str, &str, &str); 17] = [
    ("$neg", "bvneg", "(a: bv32): bv32"),
    ("$not", "bvnot", "(a: bv32): bv32"),
    ("$add", "bvadd", "(a: bv32, b: bv32): bv32"),
    ("$sub", "bvsub", "(a: bv32, b: bv32): bv32"),
    ("$mul", "bvmul", "(a: bv32, b: bv32): bv32"),
    ("$div", "bvsdiv", "(a: bv32, b: bv32): bv32"),
    ("$rem", "bvsrem", "(a: bv32, b: bv32): bv32"),
    ("$and", "bvand", "(a: bv32, b: bv32): bv32"),
    ("$or", "bvor", "(a: bv32, b: bv32): bv32"),
    ("$xor", "bvxor", "(a: bv32, b: bv32): bv32"),
    ("$shl", "bvshl", "(a: bv32, b: bv32): bv32"),
    ("$shr", "bvashr", "(a: bv32, b: bv32): bv32"),
    ("$lt", "bvslt", "(a: bv32, b: bv32): bool"),
    ("$le", "bvsle", "(a: bv32, b: bv32): bool"),
    ("$gt", "bvsgt", "(a: bv32, b: bv32): bool"),
    ("$ge", "bvsge", "(a: bv32, b: bv32): bool"),
    ("$number", "", "(a: bool): bv32"),
];

/// The two sorts of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Truth,
    Number,
}

impl Sort {
    pub(super) fn of(ty: Scalar) -> Sort {
        match ty {
            Scalar::Bool | Scalar::Lock => Sort::Truth,
            Scalar::Int | Scalar::Range(..) | Scalar::Enum(_) => Sort::Number,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::Truth => "bool",
            Sort::Number => "bv32",
        }
    }

    pub(super) fn value(self, value: i32) -> String {
        match self {
            Sort::Truth => (value != 0).to_string(),
            Sort::Number if value < 0 => format!("$neg({}bv32)", value.unsigned_abs()),
            Sort::Number => format!("{value}bv32"),
        }
    }
}

impl Writer<'_> {
    /// The sort of what a variable holds.
    pub(super) fn sort(&self, var: VarRef) -> Sort {
        Sort::of(match var {
            VarRef::Global(id) => self.program.globals[id.index()].ty,
            VarRef::Local(id) => self.running().locals[id.index()].ty,
        })
    }

    pub(super) fn place(&self, place: &Place) -> String {
        let name = match place.var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.scope().locals[id.index()],
        };
        match &place.index {
            None => name.clone(),
            Some(index) => format!("{name}[{}]", self.expr(index, Sort::Number)),
        }
    }

    /// A condition that stands by itself.
    pub(super) fn condition(&self, expr: &Expr) -> String {
        let text = self.truth(expr);
        if is_between(expr) { bare(text) } else { text }
    }

    fn truth(&self, expr: &Expr) -> String {
        self.expr(expr, Sort::Truth)
    }

    /// An expression as a value of this sort.
    pub(super) fn expr(&self, expr: &Expr, wanted: Sort) -> String {
        let (text, sort) = match expr {
            Expr::Const(value) => return wanted.value(*value),
            Expr::Read(place) => (self.place(place), self.sort(place.var)),
            Expr::Bound(index, _) => (self.expr(index, Sort::Number), Sort::Number),
            Expr::Unary(op, operand) => self.unary(*op, operand),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::If(parts) => {
                let [yes, no] = [&parts[1], &parts[2]].map(|part| self.expr(part, wanted));
                (format!("(if {} then {yes} else {no})", self.truth(&parts[0])), wanted)
            }
        };
        convert(text, sort, wanted)
    }

    fn unary(&self, op: Unary, operand: &Expr) -> (String, Sort) {
        match op {
            Unary::Not => (format!("!{}", self.truth(operand)), Sort::Truth),
            Unary::Negate => (format!("$neg({})", self.expr(operand, Sort::Number)), Sort::Number),
            Unary::Complement => (format!("$not({})", self.expr(operand, Sort::Number)), Sort::Number),
        }
    }

    fn binary(&self, op: Binary, left: &Expr, right: &Expr) -> (String, Sort) {
        let both = |sort| (self.expr(left, sort), self.expr(right, sort));
        let between = |sign, sort| {
            let (text, right) = both(sort);
            // A chain of one operator needs no parentheses.
            let chained = matches!(left, Expr::Binary(inner, ..) if *inner == op && is_chain(op));
            let left = if chained { bare(text) } else { text };
            (format!("({left} {sign} {right})"), Sort::Truth)
        };
        let function = |name, sort| {
            let (left, right) = both(Sort::Number);
            (format!("{name}({left}, {right})"), sort)
        };
        // Only the low five bits of the second operand count.
        let shift = |name| {
            let left = self.expr(left, Sort::Number);
            let right = match right {
                Expr::Const(value) => Sort::Number.value(value & 31),
                right => format!("$and({}, 31bv32)", self.expr(right, Sort::Number)),
            };
            (format!("{name}({left}, {right})"), Sort::Number)
        };
        match op {
            Binary::Or => between("||", Sort::Truth),
            Binary::And => between("&&", Sort::Truth),
            Binary::Equal => between("==", self.compared(left, right)),
            Binary::Differ => between("!=", self.compared(left, right)),
            Binary::Less => function("$lt", Sort::Truth),
            Binary::LessOrEqual => function("$le", Sort::Truth),
            Binary::Greater => function("$gt", Sort::Truth),
            Binary::GreaterOrEqual => function("$ge", Sort::Truth),
            Binary::BitOr => function("$or", Sort::Number),
            Binary::BitXor => function("$xor", Sort::Number),
            Binary::BitAnd => function("$and", Sort::Number),
            Binary::ShiftLeft => shift("$shl"),
            Binary::ShiftRight => shift("$shr"),
            Binary::Add => function("$add", Sort::Number),
            Binary::Subtract => function("$sub", Sort::Number),
            Binary::Multiply => function("$mul", Sort::Number),
            Binary::Divide => function("$div", Sort::Number),
            Binary::Remainder => function("$rem", Sort::Number),
        }
    }

    /// As what two values are compared: as truth values if both can only be that.
    fn compared(&self, left: &Expr, right: &Expr) -> Sort {
        match (self.natural(left), self.natural(right)) {
            (Some(Sort::Truth), None | Some(Sort::Truth)) | (None, Some(Sort::Truth)) => {
                // Of constants only 0 and 1 are truth values; another one differs from both.
                let fits = |expr: &Expr| !matches!(expr, Expr::Const(value) if !(0..=1).contains(value));
                if fits(left) && fits(right) { Sort::Truth } else { Sort::Number }
            }
            _ => Sort::Number,
        }
    }

    /// The sort that an expression has by itself; constants have none.
    fn natural(&self, expr: &Expr) -> Option<Sort> {
        match expr {
            Expr::Const(_) => None,
            Expr::Read(place) => Some(self.sort(place.var)),
            Expr::Bound(..) => Some(Sort::Number),
            Expr::Unary(Unary::Not, _) => Some(Sort::Truth),
            Expr::Unary(..) => Some(Sort::Number),
            Expr::Binary(op, ..) => Some(match op {
                Binary::Or
                | Binary::And
                | Binary::Equal
                | Binary::Differ
                | Binary::Less
                | Binary::LessOrEqual
                | Binary::Greater
                | Binary::GreaterOrEqual => Sort::Truth,
                _ => Sort::Number,
            }),
            Expr::If(parts) => match (self.natural(&parts[1]), self.natural(&parts[2])) {
                (Some(Sort::Number), _) | (_, Some(Sort::Number)) => Some(Sort::Number),
                (yes, no) => yes.or(no),
            },
        }
    }
}

/// Whether it is written as an operator between its operands, in parentheses.
fn is_between(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(Binary::Or | Binary::And | Binary::Equal | Binary::Differ, ..))
}

fn is_chain(op: Binary) -> bool {
    matches!(op, Binary::Or | Binary::And)
}

/// A text without the parentheses around it.
fn bare(text: String) -> String {
    text[1..text.len() - 1].to_owned()
}

/// A value of one sort as one of another.
pub(super) fn convert(text: String, from: Sort, to: Sort) -> String {
    match (from, to) {
        (Sort::Truth, Sort::Number) => format!("$number({text})"),
        (Sort::Number, Sort::Truth) => format!("({text} != 0bv32)"),
        _ => text,
    }
}
