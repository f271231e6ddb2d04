//! Circuits of the operations, for numbers of any width.
//!
//! Every circuit computes as many low bits as it is asked for. Operands are extended as needed: with zeros, or with their sign. Carries
//! ripple; what is constant folds away, so that a sum with a constant, or a product by one, needs few gates.

use super::gate::{Gates, Wire};

/// The bits of a number, the lowest first. Of a signed one the last is the sign, and all above it are like it; otherwise they are zeros.
#[derive(Clone, Copy)]
pub(super) struct Number<'a> {
    pub(super) bits: &'a [Wire],
    pub(super) signed: bool,
}

impl Number<'_> {
    #[inline]
    pub(super) fn at(self, place: usize) -> Wire {
        match self.bits.get(place) {
            Some(&wire) => wire,
            None => self.sign(),
        }
    }

    /// Whether it is negative.
    pub(super) fn sign(self) -> Wire {
        match self.bits.last() {
            Some(&wire) if self.signed => wire,
            _ => Wire::FALSE,
        }
    }

    /// How many bits it needs with a sign.
    fn signed_width(self) -> usize {
        self.bits.len() + usize::from(!self.signed)
    }

    fn is_constant(self) -> bool {
        self.bits.iter().all(|wire| wire.as_constant().is_some())
    }
}

/// How many bits show everything of both.
fn common_width(a: Number, b: Number) -> usize {
    match a.signed || b.signed {
        true => a.signed_width().max(b.signed_width()),
        false => a.bits.len().max(b.bits.len()),
    }
}

impl Gates {
    /// The sum and the carry of three bits.
    fn full_adder(&mut self, a: Wire, b: Wire, c: Wire) -> (Wire, Wire) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }

    pub(super) fn add(&mut self, a: Number, b: Number, width: usize, out: &mut Vec<Wire>) {
        let mut carry = Wire::FALSE;
        for place in 0..width {
            let sum;
            (sum, carry) = self.full_adder(a.at(place), b.at(place), carry);
            out.push(sum);
        }
    }

    pub(super) fn sub(&mut self, a: Number, b: Number, width: usize, out: &mut Vec<Wire>) {
        let mut carry = Wire::TRUE;
        for place in 0..width {
            let sum;
            (sum, carry) = self.full_adder(a.at(place), !b.at(place), carry);
            out.push(sum);
        }
    }

    /// Rows are added up, one for each bit of the multiplier; that of its sign is taken away.
    pub(super) fn mul(&mut self, a: Number, b: Number, width: usize, out: &mut Vec<Wire>) {
        // The constant, or the shorter one, makes the rows.
        let swap = !b.is_constant() && (a.is_constant() || a.bits.len() < b.bits.len());
        let (a, b) = if swap { (b, a) } else { (a, b) };
        out.resize(width, Wire::FALSE);
        for (row, &bit) in b.bits.iter().enumerate().take(width) {
            let away = b.signed && row + 1 == b.bits.len();
            if bit == Wire::FALSE {
                continue;
            }
            let mut carry = Wire::constant(away);
            for (place, sum) in out[row..].iter_mut().enumerate() {
                let partial = self.and(a.at(place), bit);
                let partial = if away { !partial } else { partial };
                (*sum, carry) = self.full_adder(*sum, partial, carry);
            }
        }
    }

    pub(super) fn add_overflows(&mut self, a: Number, b: Number) -> Wire {
        let mut exact = Vec::new();
        self.add(a, b, common_width(a, b) + 1, &mut exact);
        self.does_not_fit(&exact, a.signed || b.signed)
    }

    pub(super) fn sub_overflows(&mut self, a: Number, b: Number) -> Wire {
        let mut exact = Vec::new();
        self.sub(a, b, a.signed_width().max(b.signed_width()) + 1, &mut exact);
        self.does_not_fit(&exact, true)
    }

    pub(super) fn mul_overflows(&mut self, a: Number, b: Number) -> Wire {
        let signed = a.signed || b.signed;
        let width = |number: Number| if signed { number.signed_width() } else { number.bits.len() };
        let mut exact = Vec::new();
        self.mul(a, b, width(a) + width(b), &mut exact);
        self.does_not_fit(&exact, signed)
    }

    /// Whether a number needs more than 32 bits with its sign.
    fn does_not_fit(&mut self, exact: &[Wire], signed: bool) -> Wire {
        let number = Number { bits: exact, signed };
        let sign = number.sign();
        let mut alike = Vec::new();
        for &bit in exact.get(31..).unwrap_or_default() {
            alike.push(!self.xor(bit, sign));
        }
        !self.all(&mut alike)
    }

    /// The quotient and the remainder of the amounts, by subtracting where it goes; then their signs. `b` must not be 0 if it is not
    /// `zero_too`; otherwise both are 0 where it is.
    pub(super) fn div_rem(&mut self, a: Number, b: Number, zero_too: bool, width: usize) -> [Vec<Wire>; 2] {
        let (dividend, divisor) = (self.amount(a), self.amount(b));
        let mut quotient = vec![Wire::FALSE; dividend.len()];
        let mut rest = vec![Wire::FALSE; divisor.len()];
        let mut shifted = Vec::new();
        let mut less = Vec::new();
        for place in (0..dividend.len()).rev() {
            shifted.clear();
            shifted.push(dividend[place]);
            shifted.extend_from_slice(&rest);
            less.clear();
            let mut carry = Wire::TRUE;
            for (at, &bit) in shifted.iter().enumerate() {
                let take = divisor.get(at).copied().unwrap_or(Wire::FALSE);
                let sum;
                (sum, carry) = self.full_adder(bit, !take, carry);
                less.push(sum);
            }
            quotient[place] = carry;
            for at in 0..rest.len() {
                rest[at] = self.mux(carry, less[at], shifted[at]);
            }
        }
        let signs = [self.xor(a.sign(), b.sign()), a.sign()];
        let counts = match zero_too {
            true => !self.all(&mut divisor.iter().map(|&bit| !bit).collect()),
            false => Wire::TRUE,
        };
        let mut results = [quotient, rest];
        for (result, sign) in results.iter_mut().zip(signs) {
            let amount = Number { bits: result, signed: false };
            let mut signed = self.negate_if(sign, amount, width);
            for bit in &mut signed {
                *bit = self.and(*bit, counts);
            }
            *result = signed;
        }
        results
    }

    /// The number without its sign, in as many bits.
    fn amount(&mut self, a: Number) -> Vec<Wire> {
        self.negate_if(a.sign(), a, a.bits.len())
    }

    fn negate_if(&mut self, negate: Wire, a: Number, width: usize) -> Vec<Wire> {
        let mut carry = negate;
        let mut out = Vec::with_capacity(width);
        for place in 0..width {
            let bit = self.xor(a.at(place), negate);
            out.push(self.xor(bit, carry));
            carry = self.and(bit, carry);
        }
        out
    }

    pub(super) fn shift_left(&mut self, a: Number, places: Number, width: usize, out: &mut Vec<Wire>) {
        out.extend((0..width).map(|place| a.at(place)));
        for (log, &bit) in places.bits.iter().enumerate() {
            let by = 1 << log;
            for place in (0..width).rev() {
                let from = if place >= by { out[place - by] } else { Wire::FALSE };
                out[place] = self.mux(bit, from, out[place]);
            }
        }
    }

    pub(super) fn shift_right(&mut self, a: Number, places: Number, width: usize, out: &mut Vec<Wire>) {
        out.extend_from_slice(a.bits);
        for (log, &bit) in places.bits.iter().enumerate() {
            let by = 1 << log;
            for place in 0..out.len() {
                let from = out.get(place + by).copied().unwrap_or(a.sign());
                out[place] = self.mux(bit, from, out[place]);
            }
        }
        out.resize(width, a.sign());
    }

    pub(super) fn equal(&mut self, a: Number, b: Number) -> Wire {
        let width = common_width(a, b);
        let mut alike = Vec::with_capacity(width);
        for place in 0..width {
            alike.push(!self.xor(a.at(place), b.at(place)));
        }
        self.all(&mut alike)
    }

    /// From the lowest bit up: the higher one decides, unless both have the same. With a sign, it is the other way round there.
    pub(super) fn less(&mut self, a: Number, b: Number) -> Wire {
        let width = common_width(a, b);
        let mut less = Wire::FALSE;
        for place in 0..width {
            let (x, y) = (a.at(place), b.at(place));
            let last = place + 1 == width && (a.signed || b.signed);
            less = if last { self.majority(x, !y, less) } else { self.majority(!x, y, less) };
        }
        less
    }
}
