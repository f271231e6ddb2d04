//! Expressions as the engines evaluate them: variables are slots, and operators on variables and constants are nodes of their own.

use super::Fault;
use crate::ir::{Binary, Unary};

/// What expressions read.
pub(crate) trait Memory {
    /// The value of a global.
    fn global(&mut self, slot: u32) -> i32;
    /// The value of a local of the running frame.
    fn local(&mut self, slot: u32) -> i32;
}

/// A constant or a scalar variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf {
    Const(i32),
    Global(u32),
    Local(u32),
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Ex {
    Leaf(Leaf),
    GlobalAt(u32, Box<Ex>),
    LocalAt(u32, Box<Ex>),
    Unary(Unary, Box<Ex>),
    /// Neither `And` nor `Or`.
    Binary(Binary, Box<(Ex, Ex)>),
    /// As `Binary`.
    Leaves(Binary, Leaf, Leaf),
    And(Box<(Ex, Ex)>),
    Or(Box<(Ex, Ex)>),
    If(Box<[Ex; 3]>),
    Bound(Box<Ex>, u32),
}

impl Leaf {
    #[inline(always)]
    fn value(self, memory: &mut impl Memory) -> i32 {
        match self {
            Leaf::Const(value) => value,
            Leaf::Global(slot) => memory.global(slot),
            Leaf::Local(slot) => memory.local(slot),
        }
    }
}

impl Ex {
    /// An operator with two operands.
    pub(super) fn binary(op: Binary, left: Ex, right: Ex) -> Ex {
        match (op, left, right) {
            (Binary::And, left, right) => Ex::And(Box::new((left, right))),
            (Binary::Or, left, right) => Ex::Or(Box::new((left, right))),
            (_, Ex::Leaf(left), Ex::Leaf(right)) => Ex::Leaves(op, left, right),
            (_, left, right) => Ex::Binary(op, Box::new((left, right))),
        }
    }

    /// Its value.
    #[inline]
    pub(crate) fn eval(&self, memory: &mut impl Memory) -> Result<i32, Fault> {
        match self {
            Ex::Leaf(leaf) => Ok(leaf.value(memory)),
            Ex::Leaves(op, left, right) => {
                let left = left.value(memory);
                apply(*op, left, right.value(memory))
            }
            other => other.eval_rest(memory),
        }
    }

    fn eval_rest(&self, memory: &mut impl Memory) -> Result<i32, Fault> {
        Ok(match self {
            Ex::Leaf(_) | Ex::Leaves(..) => return self.eval(memory),
            Ex::GlobalAt(base, index) => {
                let index = index.eval(memory)?;
                memory.global(base + index as u32)
            }
            Ex::LocalAt(base, index) => {
                let index = index.eval(memory)?;
                memory.local(base + index as u32)
            }
            Ex::Unary(op, operand) => {
                let value = operand.eval(memory)?;
                match op {
                    Unary::Not => (value == 0) as i32,
                    Unary::Negate => value.wrapping_neg(),
                    Unary::Complement => !value,
                }
            }
            Ex::Binary(op, operands) => {
                let left = operands.0.eval(memory)?;
                return apply(*op, left, operands.1.eval(memory)?);
            }
            Ex::And(operands) => {
                if operands.0.eval(memory)? == 0 {
                    return Ok(0);
                }
                return operands.1.eval(memory);
            }
            Ex::Or(operands) => {
                if operands.0.eval(memory)? != 0 {
                    return Ok(1);
                }
                return operands.1.eval(memory);
            }
            Ex::If(parts) => {
                let part = if parts[0].eval(memory)? != 0 { &parts[1] } else { &parts[2] };
                return part.eval(memory);
            }
            Ex::Bound(value, len) => {
                let index = value.eval(memory)?;
                if index as u32 >= *len {
                    return Err(Fault::Index { index, len: *len });
                }
                index
            }
        })
    }

    /// Whether it reads a global.
    pub(super) fn reads_globals(&self) -> bool {
        let leaf = |leaf: &Leaf| matches!(leaf, Leaf::Global(_));
        match self {
            Ex::Leaf(only) => leaf(only),
            Ex::Leaves(_, left, right) => leaf(left) || leaf(right),
            Ex::GlobalAt(..) => true,
            Ex::LocalAt(_, part) | Ex::Unary(_, part) | Ex::Bound(part, _) => part.reads_globals(),
            Ex::Binary(_, parts) | Ex::And(parts) | Ex::Or(parts) => {
                parts.0.reads_globals() || parts.1.reads_globals()
            }
            Ex::If(parts) => parts.iter().any(Ex::reads_globals),
        }
    }

    /// Calls `f` with every local that it may read: its first slot, and whether it is a map.
    pub(super) fn locals(&self, f: &mut impl FnMut(u32, bool)) {
        match self {
            Ex::Leaf(leaf) => leaf.locals(f),
            Ex::Leaves(_, left, right) => {
                left.locals(f);
                right.locals(f);
            }
            Ex::GlobalAt(_, part) | Ex::Unary(_, part) | Ex::Bound(part, _) => part.locals(f),
            Ex::LocalAt(base, index) => {
                f(*base, true);
                index.locals(f);
            }
            Ex::Binary(_, parts) | Ex::And(parts) | Ex::Or(parts) => {
                parts.0.locals(f);
                parts.1.locals(f);
            }
            Ex::If(parts) => parts.iter().for_each(|part| part.locals(f)),
        }
    }
}

impl Leaf {
    fn locals(self, f: &mut impl FnMut(u32, bool)) {
        if let Leaf::Local(slot) = self {
            f(slot, false);
        }
    }
}

#[inline(always)]
fn apply(op: Binary, a: i32, b: i32) -> Result<i32, Fault> {
    Ok(match op {
        Binary::Equal => (a == b) as i32,
        Binary::Differ => (a != b) as i32,
        Binary::Less => (a < b) as i32,
        Binary::LessOrEqual => (a <= b) as i32,
        Binary::Greater => (a > b) as i32,
        Binary::GreaterOrEqual => (a >= b) as i32,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::ShiftLeft => a.wrapping_shl(b as u32),
        Binary::ShiftRight => a.wrapping_shr(b as u32),
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide if b == 0 => return Err(Fault::Division),
        Binary::Divide => a.wrapping_div(b),
        Binary::Remainder if b == 0 => return Err(Fault::Division),
        Binary::Remainder => a.wrapping_rem(b),
        Binary::And | Binary::Or => unreachable!("they are nodes of their own"),
    })
}
