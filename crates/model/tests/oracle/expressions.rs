//! The expressions of random programs, and the variables in them.

use super::ast::{Expr, Op, Place, Type};
use super::sketch::Sketch;
use super::write::{binary, int, v};

impl Sketch {
    /// The variables of certain types, of globals only or of all.
    pub fn places(&mut self, fits: impl Fn(Type) -> bool, locals: bool) -> Vec<Place> {
        let mut places = vec![];
        for (i, global) in self.program.globals.iter().enumerate().filter(|(_, global)| fits(global.ty)) {
            places.push(match global.len {
                None => Place::Global(i),
                Some(len) => {
                    // Once in a while by a variable, which may lie outside.
                    let variable = self
                        .program
                        .globals
                        .iter()
                        .position(|global| global.len.is_none() && global.ty != Type::Bool);
                    let index = match variable {
                        Some(variable) if self.rng.once_in(6) => Expr::Read(Place::Global(variable)),
                        _ => int(self.rng.below(len) as i32),
                    };
                    Place::Element(i, Box::new(index))
                }
            });
        }
        if locals {
            for (i, &ty) in self.locals.iter().enumerate() {
                if fits(ty) && !self.counters.contains(&i) {
                    places.push(Place::Local(i));
                }
            }
        }
        places
    }

    pub fn type_of(&self, place: &Place) -> Type {
        match place {
            Place::Global(global) | Place::Element(global, _) => self.program.globals[*global].ty,
            Place::Local(local) => self.locals[*local],
        }
    }

    /// A value that is in the range of a type, most of the time.
    pub fn fitting(&mut self, ty: Type) -> Expr {
        if ty == Type::Bool {
            return self.condition(true);
        }
        let e = self.integer(2, true);
        if matches!(e, Expr::Int(_)) { e } else { self.wrapped(e, ty) }
    }

    pub fn wrapped(&mut self, e: Expr, ty: Type) -> Expr {
        match ty {
            Type::Range(_, hi) if !self.rng.once_in(8) => binary(Op::Rem, e, int(hi + 1)),
            _ => e,
        }
    }

    pub fn integer(&mut self, depth: usize, choices: bool) -> Expr {
        match self.rng.below(if depth == 0 { 5 } else { 10 }) {
            0 if !self.around.is_empty() => v(self.rng.pick(&self.around)),
            0 | 1 => int(self.rng.below(3) as i32),
            2..=4 => {
                let places = self.places(|ty| ty != Type::Bool, true);
                if places.is_empty() { int(1) } else { Expr::Read(self.rng.pick(&places)) }
            }
            5 if choices => Expr::Choose(Box::new(int(0)), Box::new(int(self.rng.within(1, 2) as i32))),
            6 if self.rng.once_in(4) => {
                let condition = self.condition(choices);
                let yes = self.integer(depth - 1, choices);
                let no = self.integer(depth - 1, choices);
                Expr::Cond(Box::new([condition, yes, no]))
            }
            7 if self.rng.once_in(4) => {
                let e = Box::new(self.integer(depth - 1, choices));
                if self.rng.once_in(2) { Expr::Negate(e) } else { Expr::Complement(e) }
            }
            _ => {
                let op = self.rng.weighted(&[
                    (8, Op::Add),
                    (3, Op::Sub),
                    (2, Op::Mul),
                    (1, Op::Div),
                    (1, Op::Rem),
                    (1, Op::BitAnd),
                    (1, Op::BitOr),
                    (1, Op::BitXor),
                    (1, Op::Shl),
                    (1, Op::Shr),
                ]);
                let a = self.integer(depth - 1, choices);
                let b = self.integer(depth - 1, choices);
                // By zero only now and then, and never by a constant zero.
                let divides = matches!(op, Op::Div | Op::Rem) && (b == int(0) || !self.rng.once_in(3));
                binary(op, a, if divides { int(2) } else { b })
            }
        }
    }

    pub fn comparison(&mut self, choices: bool) -> Expr {
        let op = self.rng.pick(&[Op::Eq, Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
        let places = self.places(|ty| ty != Type::Bool, true);
        if places.is_empty() {
            // Not a comparison of constants: what they decide is not read.
            let places = self.places(|_| true, false);
            return Expr::Read(self.rng.pick(&places));
        }
        let a = Expr::Read(self.rng.pick(&places));
        let depth = usize::from(self.rng.once_in(4));
        let b = self.integer(depth, choices);
        binary(op, a, b)
    }

    /// A bool.
    pub fn condition(&mut self, choices: bool) -> Expr {
        match self.rng.below(12) {
            0 if choices => Expr::Star,
            1 => Expr::Not(Box::new(self.condition(choices))),
            2 | 3 => {
                let op = self.rng.pick(&[Op::And, Op::Or]);
                let a = self.condition(choices);
                let b = self.condition(choices);
                binary(op, a, b)
            }
            4..=6 => {
                let places = self.places(|ty| ty == Type::Bool, true);
                if places.is_empty() { self.comparison(choices) } else { Expr::Read(self.rng.pick(&places)) }
            }
            _ => self.comparison(choices),
        }
    }

    /// A condition without choices that holds more often than not.
    pub fn check(&mut self) -> Expr {
        let places = self.places(|ty| ty != Type::Bool, true);
        if places.is_empty() || self.rng.once_in(6) {
            return self.condition(false);
        }
        let place = self.rng.pick(&places);
        self.differs(place)
    }

    /// A variable does not have a value that it seldom has.
    pub fn differs(&mut self, place: Place) -> Expr {
        match self.type_of(&place) {
            Type::Bool => Expr::Not(Box::new(Expr::Read(place))),
            Type::Range(_, hi) => binary(Op::Ne, Expr::Read(place), int(hi)),
            Type::Int => binary(Op::Ne, Expr::Read(place), int(3)),
        }
    }
}
