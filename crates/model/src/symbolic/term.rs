//! Terms: what an unrolled program computes, as a graph without cycles.
//!
//! There is one sort: every term is a 32-bit two's complement integer, and a truth value is a term that is 0 or 1. Equal terms are one
//! term (hash-consing), so an unrolling that computes something twice holds it once. A term is simplified when it is made, by rules that
//! look one level down (`truth`, `number`); there is no rewriting later.
//!
//! Every term carries an interval of the values that it can have. It decides comparisons, turns terms into constants, and tells the
//! translation to gates how many bits a term needs. Intervals hold in every assignment of the inputs that respects the ranges
//! of the inputs; what a condition on the path says is not used.
//!
//! A term is made after the terms that it uses, so its number is larger than theirs. Graphs are as deep as an execution is long: whatever
//! walks them keeps its own stack.

mod evaluate;
mod interval;
mod number;
#[cfg(test)]
pub(super) mod random;
#[cfg(test)]
mod tests;
mod truth;

use rustc_hash::FxHashMap;

pub use evaluate::Evaluation;
pub(super) use interval::bits;

/// A term, by its place in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl Term {
    /// The constant 0.
    pub const FALSE: Term = Term(0);
    /// The constant 1.
    pub const TRUE: Term = Term(1);

    /// Its place in [`Terms`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a term is computed. Arithmetic wraps; operands called truth values are 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Always the same.
    Constant(i32),
    /// A value from outside, by its number.
    Input(u32),
    /// The other truth value.
    Not(Term),
    /// Both truth values.
    And(Term, Term),
    /// The second where the first, a truth value, is 1; otherwise the third.
    Ite(Term, Term, Term),
    /// Whether they are equal.
    Equal(Term, Term),
    /// Whether the first is less.
    Less(Term, Term),
    /// Their sum.
    Add(Term, Term),
    /// Their difference.
    Sub(Term, Term),
    /// Their product.
    Mul(Term, Term),
    /// Their quotient towards 0; 0 if the second is 0.
    Div(Term, Term),
    /// What the quotient leaves, with the sign of the first; 0 if the second is 0.
    Rem(Term, Term),
    /// The bits that both have.
    BitAnd(Term, Term),
    /// The bits that either has.
    BitOr(Term, Term),
    /// The bits that one has.
    BitXor(Term, Term),
    /// The first, by so many places to the left; the second is in `0..=31`.
    ShiftLeft(Term, Term),
    /// The first, by so many places to the right, filled with its sign; the second is in `0..=31`.
    ShiftRight(Term, Term),
    /// Whether their exact sum is no 32-bit integer.
    AddOverflows(Term, Term),
    /// Whether their exact difference is no 32-bit integer.
    SubOverflows(Term, Term),
    /// Whether their exact product is no 32-bit integer.
    MulOverflows(Term, Term),
}

impl Node {
    /// The terms that it uses.
    #[inline]
    pub fn operands(self) -> impl Iterator<Item = Term> {
        let list = match self {
            Node::Constant(_) | Node::Input(_) => [None; 3],
            Node::Not(a) => [Some(a), None, None],
            Node::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
            Node::And(a, b) | Node::Equal(a, b) | Node::Less(a, b) => [Some(a), Some(b), None],
            Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => [Some(a), Some(b), None],
            Node::Div(a, b) | Node::Rem(a, b) => [Some(a), Some(b), None],
            Node::BitAnd(a, b) | Node::BitOr(a, b) | Node::BitXor(a, b) => [Some(a), Some(b), None],
            Node::ShiftLeft(a, b) | Node::ShiftRight(a, b) => [Some(a), Some(b), None],
            Node::AddOverflows(a, b) | Node::SubOverflows(a, b) | Node::MulOverflows(a, b) => {
                [Some(a), Some(b), None]
            }
        };
        list.into_iter().flatten()
    }
}

/// All terms of a question.
pub struct Terms {
    nodes: Vec<Node>,
    /// Of each term: the least and the largest value that it can have. They differ, unless the term is a constant.
    intervals: Vec<(i32, i32)>,
    /// The terms that are not inputs, by their nodes.
    known: FxHashMap<Node, Term>,
    /// The inputs, by their numbers.
    inputs: Vec<Term>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// No terms but 0 and 1.
    pub fn new() -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            intervals: Vec::new(),
            known: FxHashMap::default(),
            inputs: Vec::new(),
        };
        assert_eq!((terms.constant(0), terms.constant(1)), (Term::FALSE, Term::TRUE));
        terms
    }

    /// A constant.
    pub fn constant(&mut self, value: i32) -> Term {
        self.keep(Node::Constant(value), (value, value))
    }

    /// A constant truth value.
    pub fn truth(&self, value: bool) -> Term {
        if value { Term::TRUE } else { Term::FALSE }
    }

    /// A new value from outside, which can be anything in `lo..=hi`. Inputs are numbered from 0, also those that can have one value only.
    pub fn input(&mut self, lo: i32, hi: i32) -> Term {
        assert!(lo <= hi, "an input needs a value: {lo}..={hi} has none");
        let term = self.push(Node::Input(self.inputs.len() as u32), (lo, hi));
        self.inputs.push(term);
        if lo == hi { self.constant(lo) } else { term }
    }

    /// How a term is computed.
    #[inline]
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    /// The least and the largest value that a term can have, as far as is known.
    #[inline]
    pub fn interval(&self, term: Term) -> (i32, i32) {
        self.intervals[term.index()]
    }

    /// The value of a constant.
    #[inline]
    pub fn as_constant(&self, term: Term) -> Option<i32> {
        match self.node(term) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether a term is a truth value: can only be 0 or 1.
    #[inline]
    pub fn is_truth(&self, term: Term) -> bool {
        let (lo, hi) = self.interval(term);
        lo >= 0 && hi <= 1
    }

    /// How many terms there are.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The inputs, in the order of their numbers. (An input with one value only is there, but what [`Terms::input`] gave is a constant.)
    pub fn inputs(&self) -> &[Term] {
        &self.inputs
    }

    /// The number of an input.
    pub fn input_number(&self, term: Term) -> Option<u32> {
        match self.node(term) {
            Node::Input(number) => Some(number),
            _ => None,
        }
    }

    /// The memory that the terms take, in bytes.
    pub fn bytes(&self) -> u64 {
        let entry = size_of::<(Node, Term)>() + 1;
        let list = size_of::<Node>() + size_of::<(i32, i32)>();
        (self.nodes.capacity() * list + self.known.capacity() * entry) as u64
    }

    /// The value of a term, for values of the inputs. For many terms see [`Evaluation`].
    pub fn evaluate(&self, term: Term, input: &dyn Fn(u32) -> i32) -> i32 {
        Evaluation::new().value(self, term, input)
    }

    /// The term with this node: an old one, a new one, or a constant if its interval has one value.
    fn make(&mut self, node: Node) -> Term {
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let interval = interval::of(self, node);
        if interval.0 == interval.1 {
            return self.constant(interval.0);
        }
        self.keep(node, interval)
    }

    fn keep(&mut self, node: Node, interval: (i32, i32)) -> Term {
        let next = Term(self.nodes.len() as u32);
        let term = *self.known.entry(node).or_insert(next);
        if term == next {
            self.push(node, interval);
        }
        term
    }

    fn push(&mut self, node: Node, interval: (i32, i32)) -> Term {
        let place = u32::try_from(self.nodes.len()).ok().filter(|&place| place < u32::MAX);
        self.nodes.push(node);
        self.intervals.push(interval);
        Term(place.expect("fewer than 2^32 terms: the limit of memory is reached before"))
    }
}
