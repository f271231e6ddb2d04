//! Making numbers: arithmetic and operations on bits.

use super::interval::{self, difference, fits, product, sum};
use super::{Node, Term, Terms, evaluate};

impl Terms {
    /// The sum; it wraps.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        let node = Node::Add(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        match (self.node(a), self.as_constant(b)) {
            (_, Some(0)) => a,
            (Node::Add(x, k), Some(more)) if let Some(k) = self.as_constant(k) => {
                let k = self.constant(k.wrapping_add(more));
                self.add(x, k)
            }
            (Node::Sub(k, x), Some(more)) if let Some(k) = self.as_constant(k) => {
                let k = self.constant(k.wrapping_add(more));
                self.sub(k, x)
            }
            _ => self.make(node),
        }
    }

    /// The difference; it wraps.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let node = Node::Sub(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        if a == b {
            return Term::FALSE;
        }
        if let Some(k) = self.as_constant(b) {
            let k = self.constant(k.wrapping_neg());
            return self.add(a, k);
        }
        match (self.as_constant(a), self.node(b)) {
            (Some(k), Node::Sub(less, x)) if let Some(less) = self.as_constant(less) => {
                let k = self.constant(k.wrapping_sub(less));
                self.add(x, k)
            }
            (Some(k), Node::Add(x, less)) if let Some(less) = self.as_constant(less) => {
                let k = self.constant(k.wrapping_sub(less));
                self.sub(k, x)
            }
            _ => self.make(node),
        }
    }

    /// The product; it wraps.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        let node = Node::Mul(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        match (self.node(a), self.as_constant(b)) {
            (_, Some(0)) => Term::FALSE,
            (_, Some(1)) => a,
            (_, Some(-1)) => self.negate(a),
            (Node::Mul(x, k), Some(times)) if let Some(k) = self.as_constant(k) => {
                let k = self.constant(k.wrapping_mul(times));
                self.mul(x, k)
            }
            _ if self.is_truth(a) => self.ite(a, b, Term::FALSE),
            _ if self.is_truth(b) => self.ite(b, a, Term::FALSE),
            _ => self.make(node),
        }
    }

    /// The quotient towards 0. `x / 0` is 0, and the quotient of the least number and -1 wraps.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        let node = Node::Div(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        match self.as_constant(b) {
            Some(0) => Term::FALSE,
            Some(1) => a,
            Some(-1) => self.negate(a),
            Some(k) if k > 0 && k.count_ones() == 1 && self.interval(a).0 >= 0 => {
                let places = self.constant(k.trailing_zeros() as i32);
                self.shift_right(a, places)
            }
            _ => self.make(node),
        }
    }

    /// What the quotient leaves; it has the sign of the first. `x % 0` is 0.
    pub fn rem(&mut self, a: Term, b: Term) -> Term {
        let node = Node::Rem(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        let ((lo, hi), (least, most)) = (self.interval(a), self.interval(b));
        // The first is nearer to 0 than any of the second.
        let largest = lo.unsigned_abs().max(hi.unsigned_abs());
        if (least > 0 && largest < least as u32) || (most < 0 && largest < most.unsigned_abs()) {
            return a;
        }
        match self.as_constant(b) {
            Some(k) if k > 0 && k.count_ones() == 1 && lo >= 0 => {
                let mask = self.constant(k - 1);
                self.bit_and(a, mask)
            }
            _ => self.make(node),
        }
    }

    /// The negative; it wraps.
    pub fn negate(&mut self, a: Term) -> Term {
        self.sub(Term::FALSE, a)
    }

    /// All bits turned over.
    pub fn complement(&mut self, a: Term) -> Term {
        let ones = self.constant(-1);
        self.sub(ones, a)
    }

    /// The bits that both have.
    pub fn bit_and(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        let node = Node::BitAnd(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        if self.is_truth(a) && self.is_truth(b) {
            return self.and(a, b);
        }
        let (lo, hi) = self.interval(a);
        match self.as_constant(b) {
            Some(0) => Term::FALSE,
            Some(-1) => a,
            // A mask of ones that is wide enough.
            Some(mask) if mask > 0 && mask & mask.wrapping_add(1) == 0 && lo >= 0 && hi <= mask => a,
            _ if a == b => a,
            _ => self.make(node),
        }
    }

    /// The bits that either has.
    pub fn bit_or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        let node = Node::BitOr(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        if self.is_truth(a) && self.is_truth(b) {
            return self.or(a, b);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(-1) => b,
            _ if a == b => a,
            _ => self.make(node),
        }
    }

    /// The bits that one of the two has.
    pub fn bit_xor(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        let node = Node::BitXor(a, b);
        if let Some(known) = self.folded(node) {
            return known;
        }
        if self.is_truth(a) && self.is_truth(b) {
            return self.not_equal(a, b);
        }
        match self.as_constant(b) {
            Some(0) => a,
            Some(-1) => self.complement(a),
            _ if a == b => Term::FALSE,
            _ => self.make(node),
        }
    }

    /// The first, by as many places to the left as the low five bits of the second say.
    pub fn shift_left(&mut self, a: Term, places: Term) -> Term {
        let places = self.low_five_bits(places);
        let node = Node::ShiftLeft(a, places);
        match self.folded(node) {
            Some(known) => known,
            None if places == Term::FALSE => a,
            None if a == Term::FALSE => a,
            None => self.make(node),
        }
    }

    /// The first, by as many places to the right as the low five bits of the second say, filled with its sign.
    pub fn shift_right(&mut self, a: Term, places: Term) -> Term {
        let places = self.low_five_bits(places);
        let node = Node::ShiftRight(a, places);
        match self.folded(node) {
            Some(known) => known,
            None if places == Term::FALSE => a,
            None => self.make(node),
        }
    }

    /// Whether the exact sum does not fit.
    pub fn overflows_add(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        match fits(sum(self.interval(a), self.interval(b))) {
            Some(fits) => self.truth(!fits),
            None => self.make(Node::AddOverflows(a, b)),
        }
    }

    /// Whether the exact difference does not fit.
    pub fn overflows_sub(&mut self, a: Term, b: Term) -> Term {
        match fits(difference(self.interval(a), self.interval(b))) {
            Some(fits) => self.truth(!fits),
            None if a == b => Term::FALSE,
            None => self.make(Node::SubOverflows(a, b)),
        }
    }

    /// Whether the exact product does not fit.
    pub fn overflows_mul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.constant_last(a, b);
        match fits(product(self.interval(a), self.interval(b))) {
            Some(fits) => self.truth(!fits),
            None => self.make(Node::MulOverflows(a, b)),
        }
    }

    /// Whether the exact negative does not fit.
    pub fn overflows_negate(&mut self, a: Term) -> Term {
        let least = self.constant(i32::MIN);
        self.equal(a, least)
    }

    /// The value of a node of constants.
    fn folded(&mut self, node: Node) -> Option<Term> {
        if !node.operands().all(|operand| self.as_constant(operand).is_some()) {
            return None;
        }
        let value = evaluate::apply(node, |operand| self.interval(operand).0);
        Some(self.constant(value))
    }

    fn low_five_bits(&mut self, places: Term) -> Term {
        match self.interval(places) {
            (0.., ..=31) => places,
            _ => {
                let mask = self.constant(31);
                self.bit_and(places, mask)
            }
        }
    }

    /// Operands whose order does not matter: a constant comes last, otherwise the older term first.
    fn constant_last(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(_), None) => (b, a),
            (None, Some(_)) => (a, b),
            _ => (a.min(b), a.max(b)),
        }
    }

    /// Whether a sum, or a difference, of terms never wraps.
    pub(super) fn exact(&self, node: Node) -> bool {
        let range = match node {
            Node::Add(a, b) => sum(self.interval(a), self.interval(b)),
            Node::Sub(a, b) => difference(self.interval(a), self.interval(b)),
            _ => return false,
        };
        interval::fits(range) == Some(true)
    }
}
