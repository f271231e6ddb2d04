//! Expressions. Values are 32-bit two's complement; a bool is 0 or 1.
//!
//! A choice inside an expression has several values. They are found by evaluating the whole expression again and again, each time
//! with another sequence of picks, until all sequences are through.

use super::ast::{Expr, Kind, Op, Place, Type};

/// One sequence of picks, and what follows it.
#[derive(Default)]
pub struct Picker {
    /// What was picked, and out of how many.
    picks: Vec<(u32, u32)>,
    at: usize,
}

impl Picker {
    /// A number below `of`, which is not 0.
    pub fn pick(&mut self, of: u32) -> u32 {
        if self.at == self.picks.len() {
            self.picks.push((0, of));
        }
        let (picked, _) = self.picks[self.at];
        self.at += 1;
        picked
    }

    /// Goes on to the next sequence, in lexical order.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((picked, of)) = self.picks.pop() {
            if picked + 1 < of {
                self.picks.push((picked + 1, of));
                return true;
            }
        }
        false
    }
}

/// What `f` gives for every sequence of picks.
pub fn every<T>(mut f: impl FnMut(&mut Picker) -> T) -> Vec<T> {
    let mut picker = Picker::default();
    let mut all = vec![f(&mut picker)];
    while picker.advance() {
        all.push(f(&mut picker));
    }
    all
}

/// The variables that an expression sees.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    /// Globals, each a list: arrays have several.
    pub globals: &'a [Vec<i32>],
    pub locals: &'a [i32],
}

/// A variable, its index evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Global(usize, usize),
    Local(usize),
}

impl Env<'_> {
    pub fn target(self, place: &Place, picker: &mut Picker) -> Result<Target, Kind> {
        Ok(match place {
            Place::Global(global) => Target::Global(*global, 0),
            Place::Local(local) => Target::Local(*local),
            Place::Element(global, index) => {
                let index = self.eval(index, picker)?;
                if index < 0 || index as usize >= self.globals[*global].len() {
                    return Err(Kind::Index);
                }
                Target::Global(*global, index as usize)
            }
        })
    }

    pub fn eval(self, expr: &Expr, picker: &mut Picker) -> Result<i32, Kind> {
        Ok(match expr {
            Expr::Int(value) => *value,
            Expr::Bool(value) => i32::from(*value),
            Expr::Read(place) => match self.target(place, picker)? {
                Target::Global(global, index) => self.globals[global][index],
                Target::Local(local) => self.locals[local],
            },
            Expr::Not(e) => i32::from(self.eval(e, picker)? == 0),
            Expr::Negate(e) => self.eval(e, picker)?.wrapping_neg(),
            Expr::Complement(e) => !self.eval(e, picker)?,
            Expr::Binary(op, a, b) => self.binary(*op, a, b, picker)?,
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                if self.eval(c, picker)? != 0 { self.eval(a, picker)? } else { self.eval(b, picker)? }
            }
            Expr::Star => picker.pick(2) as i32,
            Expr::Choose(lo, hi) => {
                let lo = self.eval(lo, picker)?;
                let hi = self.eval(hi, picker)?;
                if lo > hi {
                    return Err(Kind::NoChoice);
                }
                lo + picker.pick((hi - lo + 1) as u32) as i32
            }
        })
    }

    fn binary(self, op: Op, a: &Expr, b: &Expr, picker: &mut Picker) -> Result<i32, Kind> {
        let a = self.eval(a, picker)?;
        match (op, a) {
            (Op::Or, 1) => return Ok(1),
            (Op::And, 0) => return Ok(0),
            _ => {}
        }
        let b = self.eval(b, picker)?;
        Ok(match op {
            Op::Or | Op::And => b,
            Op::Eq => i32::from(a == b),
            Op::Ne => i32::from(a != b),
            Op::Lt => i32::from(a < b),
            Op::Le => i32::from(a <= b),
            Op::Gt => i32::from(a > b),
            Op::Ge => i32::from(a >= b),
            Op::BitOr => a | b,
            Op::BitXor => a ^ b,
            Op::BitAnd => a & b,
            Op::Shl => a.wrapping_shl(b as u32 & 31),
            Op::Shr => a.wrapping_shr(b as u32 & 31),
            Op::Add => a.wrapping_add(b),
            Op::Sub => a.wrapping_sub(b),
            Op::Mul => a.wrapping_mul(b),
            Op::Div | Op::Rem if b == 0 => return Err(Kind::Division),
            Op::Div => a.wrapping_div(b),
            Op::Rem => a.wrapping_rem(b),
        })
    }

    /// The arguments of a call or a post, from left to right; each must be in its parameter's range.
    pub fn arguments(self, args: &[Expr], types: &[Type], picker: &mut Picker) -> Result<Vec<i32>, Kind> {
        let values = args.iter().map(|arg| self.eval(arg, picker)).collect::<Result<Vec<_>, _>>()?;
        if values.iter().zip(types).any(|(value, ty)| !ty.contains(*value)) {
            return Err(Kind::Range);
        }
        Ok(values)
    }

    /// A condition without choices.
    pub fn holds(self, condition: &Expr) -> Result<bool, Kind> {
        let mut picker = Picker::default();
        let value = self.eval(condition, &mut picker)?;
        assert!(picker.picks.is_empty(), "no choice in the condition of an await or a final: {condition:?}");
        Ok(value != 0)
    }
}
