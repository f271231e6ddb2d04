//! From terms to gates to clauses.
//!
//! A term gets as many bits as its interval needs, and no gates for bits that the interval fixes: narrow numbers make narrow circuits.
//! That is sound because intervals hold wherever the inputs are in their ranges, and the ranges are said in clauses as soon as an
//! input is seen. Everything is done once: a later question adds only what it has new.

mod circuit;
mod clauses;
mod gate;

use rustsat::types::Lit;

use super::term::{Node, Term, Terms, bits};
use circuit::Number;
use clauses::Clauses;
use gate::{Gates, Wire};

/// Where clauses go.
pub(super) trait Sink {
    /// Takes a clause.
    fn clause(&mut self, clause: &[Lit]);

    /// Whether there is time and memory to go on. It is asked now and then.
    fn go_on(&self) -> Result<(), Interrupted>;
}

/// The work was ended in between. It can be taken up again.
#[derive(Debug)]
pub(super) struct Interrupted;

/// A truth value on the side of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It is always so.
    Known(bool),
    /// It is what a literal is.
    Literal(Lit),
}

/// How many terms are done between two looks at whether to go on.
const STRIDE: u32 = 1 << 10;

/// The bits of a term: a part of [`Blaster::wires`].
#[derive(Clone, Copy)]
struct Part {
    start: u32,
    /// [`Part::MISSING`] if the term has no gates yet.
    len: u32,
}

impl Part {
    const MISSING: Part = Part { start: 0, len: u32::MAX };

    fn is_missing(self) -> bool {
        self.len == u32::MAX
    }
}

/// What has become of the terms.
pub(super) struct Blaster {
    gates: Gates,
    clauses: Clauses,
    /// By term.
    parts: Vec<Part>,
    wires: Vec<Wire>,
    stack: Vec<Term>,
    /// The bits of the term that is being done.
    out: Vec<Wire>,
}

impl Blaster {
    pub(super) fn new() -> Blaster {
        Blaster {
            gates: Gates::new(),
            clauses: Clauses::new(),
            parts: Vec::new(),
            wires: Vec::new(),
            stack: Vec::new(),
            out: Vec::new(),
        }
    }

    /// How many variables the solver has.
    pub(super) fn variables(&self) -> u32 {
        self.clauses.variables()
    }

    /// The memory that gates take, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let parts = self.parts.capacity() * size_of::<Part>() + self.wires.capacity() * size_of::<Wire>();
        self.gates.bytes() + self.clauses.bytes() + parts as u64
    }

    /// The literal of a truth value, with the clauses that make it so.
    pub(super) fn truth(
        &mut self,
        terms: &Terms,
        term: Term,
        sink: &mut dyn Sink,
    ) -> Result<Truth, Interrupted> {
        assert!(terms.is_truth(term), "only a truth value can be asserted or assumed");
        self.blast(terms, term, sink)?;
        let wire = self.number(terms, term).at(0);
        match wire.as_constant() {
            Some(value) => Ok(Truth::Known(value)),
            None => Ok(Truth::Literal(self.clauses.literal(&self.gates, wire, sink)?)),
        }
    }

    /// The value of a term whose bits are inputs, from those of the literals; `None` if the solver has not seen it.
    pub(super) fn value(&self, terms: &Terms, input: Term, literal: impl Fn(Lit) -> bool) -> Option<i32> {
        self.parts.get(input.index()).filter(|part| !part.is_missing())?;
        let number = self.number(terms, input);
        let mut value = 0;
        for place in 0..32 {
            let wire = number.at(place);
            let one = match (wire.as_constant(), self.clauses.known(wire)) {
                (Some(known), _) => known,
                (None, Some(lit)) => literal(lit),
                (None, None) => unreachable!("the bits of an input have variables"),
            };
            value |= i32::from(one) << place;
        }
        Some(value)
    }

    /// Makes the gates of a term and of all that it uses.
    fn blast(&mut self, terms: &Terms, term: Term, sink: &mut dyn Sink) -> Result<(), Interrupted> {
        if self.parts.len() < terms.len() {
            self.parts.resize(terms.len(), Part::MISSING);
        }
        self.stack.clear();
        self.stack.push(term);
        let mut done = 0;
        while let Some(&term) = self.stack.last() {
            if !self.parts[term.index()].is_missing() {
                self.stack.pop();
                continue;
            }
            let node = terms.node(term);
            let before = self.stack.len();
            self.stack.extend(node.operands().filter(|operand| self.parts[operand.index()].is_missing()));
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            let mut out = std::mem::take(&mut self.out);
            out.clear();
            match node {
                Node::Input(_) => self.input(terms, term, &mut out, sink)?,
                _ => self.operation(terms, node, terms.interval(term), &mut out),
            }
            self.parts[term.index()] = Part { start: self.wires.len() as u32, len: out.len() as u32 };
            assert!(self.wires.len() < u32::MAX as usize - 64, "the limit of memory is reached before");
            self.wires.extend_from_slice(&out);
            self.out = out;
            done += 1;
            if done % STRIDE == 0 {
                sink.go_on()?;
            }
        }
        Ok(())
    }

    fn number(&self, terms: &Terms, term: Term) -> Number<'_> {
        let Part { start, len } = self.parts[term.index()];
        let bits = &self.wires[start as usize..(start + len) as usize];
        Number { bits, signed: terms.interval(term).0 < 0 }
    }

    /// The bits of a node whose operands have theirs.
    fn operation(&mut self, terms: &Terms, node: Node, interval: (i32, i32), out: &mut Vec<Wire>) {
        let width = width(interval);
        let (parts, wires, gates) = (&self.parts, &self.wires, &mut self.gates);
        let number = |term: Term| {
            let Part { start, len } = parts[term.index()];
            let bits = &wires[start as usize..(start + len) as usize];
            Number { bits, signed: terms.interval(term).0 < 0 }
        };
        let divides = |divisor: Term| matches!(terms.interval(divisor), (..=0, 0..));
        match node {
            Node::Input(_) => unreachable!("an input is no operation"),
            Node::Constant(_) => out.resize(width, Wire::FALSE),
            Node::Not(a) => out.push(!number(a).at(0)),
            Node::And(a, b) => out.push(gates.and(number(a).at(0), number(b).at(0))),
            Node::Ite(c, a, b) => {
                let (c, a, b) = (number(c).at(0), number(a), number(b));
                out.extend((0..width).map(|place| gates.mux(c, a.at(place), b.at(place))));
            }
            Node::Equal(a, b) => out.push(gates.equal(number(a), number(b))),
            Node::Less(a, b) => out.push(gates.less(number(a), number(b))),
            Node::Add(a, b) => gates.add(number(a), number(b), width, out),
            Node::Sub(a, b) => gates.sub(number(a), number(b), width, out),
            Node::Mul(a, b) => gates.mul(number(a), number(b), width, out),
            Node::Div(a, b) => {
                let [quotient, _] = gates.div_rem(number(a), number(b), divides(b), width);
                out.extend(quotient);
            }
            Node::Rem(a, b) => {
                let [_, rest] = gates.div_rem(number(a), number(b), divides(b), width);
                out.extend(rest);
            }
            Node::BitAnd(a, b) => {
                let (a, b) = (number(a), number(b));
                out.extend((0..width).map(|place| gates.and(a.at(place), b.at(place))));
            }
            Node::BitOr(a, b) => {
                let (a, b) = (number(a), number(b));
                out.extend((0..width).map(|place| gates.or(a.at(place), b.at(place))));
            }
            Node::BitXor(a, b) => {
                let (a, b) = (number(a), number(b));
                out.extend((0..width).map(|place| gates.xor(a.at(place), b.at(place))));
            }
            Node::ShiftLeft(a, b) => gates.shift_left(number(a), number(b), width, out),
            Node::ShiftRight(a, b) => gates.shift_right(number(a), number(b), width, out),
            Node::AddOverflows(a, b) => out.push(gates.add_overflows(number(a), number(b))),
            Node::SubOverflows(a, b) => out.push(gates.sub_overflows(number(a), number(b))),
            Node::MulOverflows(a, b) => out.push(gates.mul_overflows(number(a), number(b))),
        }
        assert_eq!(out.len(), width, "as many bits as the interval needs");
        for place in fixed(interval) {
            out[place] = Wire::constant(interval.0 >> place & 1 != 0);
        }
    }

    /// Free bits, and clauses that keep them in the range.
    fn input(
        &mut self,
        terms: &Terms,
        term: Term,
        out: &mut Vec<Wire>,
        sink: &mut dyn Sink,
    ) -> Result<(), Interrupted> {
        let interval = terms.interval(term);
        let width = width(interval);
        let fixed = fixed(interval);
        let mut lits = Vec::new();
        for place in 0..fixed.start {
            let wire = self.gates.free();
            let lit = self.clauses.literal(&self.gates, wire, sink)?;
            // With the sign turned over, numbers with a sign are ordered like those without.
            let sign = interval.0 < 0 && place + 1 == width;
            lits.push(if sign { !lit } else { lit });
            out.push(wire);
        }
        out.extend(fixed.map(|place| Wire::constant(interval.0 >> place & 1 != 0)));
        let turned = if interval.0 < 0 { 1 << (width - 1) } else { 0 };
        let (least, most) = (interval.0 as u32 ^ turned, interval.1 as u32 ^ turned);
        let has = |bound: u32, place: usize| bound >> place & 1 != 0;
        let mut clause = Vec::new();
        for place in 0..lits.len() {
            // Above a bit that the bound has not, all others as in the bound: too much. The same from below.
            if !has(most, place) {
                clause.clear();
                clause.push(!lits[place]);
                clause.extend((place + 1..lits.len()).filter(|&at| has(most, at)).map(|at| !lits[at]));
                sink.clause(&clause);
            }
            if has(least, place) {
                clause.clear();
                clause.push(lits[place]);
                clause.extend((place + 1..lits.len()).filter(|&at| !has(least, at)).map(|at| lits[at]));
                sink.clause(&clause);
            }
        }
        Ok(())
    }
}

/// How many bits an interval needs: without a sign if it has nothing negative.
fn width((lo, hi): (i32, i32)) -> usize {
    let bits = bits(lo).max(bits(hi));
    (bits + u32::from(lo < 0)) as usize
}

/// The places, from one to the top, at which all of an interval have the same bit.
fn fixed((lo, hi): (i32, i32)) -> std::ops::Range<usize> {
    let differ = 32 - (lo ^ hi).leading_zeros() as usize;
    let width = width((lo, hi));
    differ.min(width)..width
}
