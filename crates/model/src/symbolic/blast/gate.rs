//! Gates: the circuit of the terms, one bit at a time.
//!
//! A wire is the output of a gate or its negation, so negation costs nothing. Gates are hash-consed and folded when they are made:
//! constants, equal and opposite inputs; exclusive-or, choice and majority have their negations moved to the output.

use rustc_hash::FxHashMap;

/// The output of a gate, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Wire(u32);

impl Wire {
    pub(super) const FALSE: Wire = Wire(0);
    pub(super) const TRUE: Wire = Wire(1);

    pub(super) fn constant(value: bool) -> Wire {
        if value { Wire::TRUE } else { Wire::FALSE }
    }

    /// The place of its gate.
    #[inline]
    pub(super) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 != 0
    }

    #[inline]
    pub(super) fn as_constant(self) -> Option<bool> {
        (self.gate() == 0).then_some(self.is_negated())
    }

    /// The wire, negated if `by` is.
    #[inline]
    fn flipped_by(self, by: bool) -> Wire {
        Wire(self.0 ^ u32::from(by))
    }

    fn positive(self) -> Wire {
        Wire(self.0 & !1)
    }
}

impl std::ops::Not for Wire {
    type Output = Wire;

    #[inline]
    fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

/// What a gate computes. None has a constant input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Gate {
    /// The constant: the first gate, and the only one of its kind.
    False,
    /// Anything: a bit of an input.
    Free,
    /// Both.
    And(Wire, Wire),
    /// All of a part of the list of inputs of wide gates, at least three: where it starts, and how many.
    All(u32, u32),
    /// One of the two, which are not negated.
    Xor(Wire, Wire),
    /// The second if the first, otherwise the third. The first two are not negated.
    Mux(Wire, Wire, Wire),
    /// At least two of the three, of which at most one is negated.
    Majority(Wire, Wire, Wire),
}

/// All gates, each after its inputs.
pub(super) struct Gates {
    list: Vec<Gate>,
    /// The inputs of [`Gate::All`].
    wide: Vec<Wire>,
    /// The gates that are neither free nor wide.
    known: FxHashMap<Gate, Wire>,
}

impl Gates {
    pub(super) fn new() -> Gates {
        Gates { list: vec![Gate::False], wide: Vec::new(), known: FxHashMap::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(super) fn gate(&self, place: usize) -> Gate {
        self.list[place]
    }

    pub(super) fn inputs_of_all(&self, start: u32, count: u32) -> &[Wire] {
        &self.wide[start as usize..(start + count) as usize]
    }

    pub(super) fn bytes(&self) -> u64 {
        let wide = self.wide.capacity() * size_of::<Wire>();
        let known = self.known.capacity() * (size_of::<(Gate, Wire)>() + 1);
        (self.list.capacity() * size_of::<Gate>() + wide + known) as u64
    }

    /// A wire that can be anything.
    pub(super) fn free(&mut self) -> Wire {
        self.push(Gate::Free)
    }

    pub(super) fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let (a, b) = (a.min(b), a.max(b));
        match a.as_constant() {
            Some(true) => b,
            Some(false) => a,
            None if a == b => a,
            None if a == !b => Wire::FALSE,
            None => self.make(Gate::And(a, b)),
        }
    }

    pub(super) fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    /// All of a list, which is sorted and cleared on the way.
    pub(super) fn all(&mut self, list: &mut Vec<Wire>) -> Wire {
        list.sort_unstable();
        list.dedup();
        // Opposites are neighbours.
        let never = list.first() == Some(&Wire::FALSE) || list.windows(2).any(|pair| pair[0] == !pair[1]);
        let rest = if list.first() == Some(&Wire::TRUE) { &list[1..] } else { &list[..] };
        let all = match *rest {
            _ if never => Wire::FALSE,
            [] => Wire::TRUE,
            [one] => one,
            [one, other] => self.and(one, other),
            _ => {
                let start = self.wide.len() as u32;
                self.wide.extend_from_slice(rest);
                self.push(Gate::All(start, rest.len() as u32))
            }
        };
        list.clear();
        all
    }

    pub(super) fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        let (a, b) = (a.min(b), a.max(b));
        let xor = match a {
            Wire::FALSE => b,
            _ if a == b => Wire::FALSE,
            _ => self.make(Gate::Xor(a, b)),
        };
        xor.flipped_by(negated)
    }

    /// `a` if `c`, otherwise `b`.
    pub(super) fn mux(&mut self, c: Wire, a: Wire, b: Wire) -> Wire {
        let (c, a, b) = if c.is_negated() { (!c, b, a) } else { (c, a, b) };
        if c == Wire::FALSE || a == b {
            return b;
        }
        if a == !b {
            return self.xor(c, b);
        }
        // What the branches know from the condition.
        let a = if a.gate() == c.gate() { Wire::constant(a == c) } else { a };
        let b = if b.gate() == c.gate() { Wire::constant(b != c) } else { b };
        match (a.as_constant(), b.as_constant()) {
            (Some(true), _) => return self.or(c, b),
            (Some(false), _) => return self.and(!c, b),
            (_, Some(true)) => return self.or(!c, a),
            (_, Some(false)) => return self.and(c, a),
            _ => (),
        }
        let negated = a.is_negated();
        self.make(Gate::Mux(c, a.positive(), b.flipped_by(negated))).flipped_by(negated)
    }

    /// At least two of the three.
    pub(super) fn majority(&mut self, a: Wire, b: Wire, c: Wire) -> Wire {
        let mut three = [a, b, c];
        three.sort_unstable();
        let [a, b, c] = three;
        match a.as_constant() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => (),
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let negated = three.iter().filter(|wire| wire.is_negated()).count() >= 2;
        let [a, b, c] = three.map(|wire| wire.flipped_by(negated));
        self.make(Gate::Majority(a, b, c)).flipped_by(negated)
    }

    fn make(&mut self, gate: Gate) -> Wire {
        if let Some(&wire) = self.known.get(&gate) {
            return wire;
        }
        let wire = self.push(gate);
        self.known.insert(gate, wire);
        wire
    }

    fn push(&mut self, gate: Gate) -> Wire {
        assert!(self.list.len() < 1 << 31, "the limit of memory is reached before");
        self.list.push(gate);
        Wire((self.list.len() as u32 - 1) << 1)
    }
}
