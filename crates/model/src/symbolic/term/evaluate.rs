//! The value of terms, for given values of the inputs: the meaning that gates and SMT-LIB must agree with.

use super::{Node, Term, Terms};

/// Values of terms under one assignment of the inputs. What was computed for one term is kept for the next.
#[derive(Default)]
pub struct Evaluation {
    values: Vec<i32>,
    known: Vec<bool>,
    /// Terms to be computed, the next one last.
    stack: Vec<Term>,
}

impl Evaluation {
    /// Knows no value yet.
    pub fn new() -> Evaluation {
        Evaluation::default()
    }

    /// The value of a term. `input` gives those of the inputs by number and must not change between calls.
    pub fn value(&mut self, terms: &Terms, term: Term, input: &dyn Fn(u32) -> i32) -> i32 {
        if self.values.len() < terms.len() {
            self.values.resize(terms.len(), 0);
            self.known.resize(terms.len(), false);
        }
        self.stack.push(term);
        while let Some(&term) = self.stack.last() {
            if self.known[term.index()] {
                self.stack.pop();
                continue;
            }
            let node = terms.node(term);
            let missing = match node {
                // Of the branches only the one that counts is computed.
                Node::Ite(c, a, b) => self.missing(c).or_else(|| {
                    let taken = if self.values[c.index()] != 0 { a } else { b };
                    self.missing(taken)
                }),
                _ => node.operands().find_map(|operand| self.missing(operand)),
            };
            if let Some(operand) = missing {
                self.stack.push(operand);
                continue;
            }
            self.values[term.index()] = match node {
                Node::Input(number) => input(number),
                _ => apply(node, |operand| self.values[operand.index()]),
            };
            self.known[term.index()] = true;
            self.stack.pop();
        }
        self.values[term.index()]
    }

    fn missing(&self, term: Term) -> Option<Term> {
        (!self.known[term.index()]).then_some(term)
    }
}

/// One operation. The branch of an `Ite` that is not taken is not asked for.
pub(super) fn apply(node: Node, value: impl Fn(Term) -> i32) -> i32 {
    let exact = |a: Term| i64::from(value(a));
    let overflows = |result: i64| i32::from(i32::try_from(result).is_err());
    match node {
        Node::Constant(constant) => constant,
        Node::Input(_) => unreachable!("an input is no operation"),
        Node::Not(a) => i32::from(value(a) == 0),
        Node::And(a, b) => i32::from(value(a) != 0 && value(b) != 0),
        Node::Ite(c, a, b) => value(if value(c) != 0 { a } else { b }),
        Node::Equal(a, b) => i32::from(value(a) == value(b)),
        Node::Less(a, b) => i32::from(value(a) < value(b)),
        Node::Add(a, b) => value(a).wrapping_add(value(b)),
        Node::Sub(a, b) => value(a).wrapping_sub(value(b)),
        Node::Mul(a, b) => value(a).wrapping_mul(value(b)),
        Node::Div(a, b) => match value(b) {
            0 => 0,
            divisor => value(a).wrapping_div(divisor),
        },
        Node::Rem(a, b) => match value(b) {
            0 => 0,
            divisor => value(a).wrapping_rem(divisor),
        },
        Node::BitAnd(a, b) => value(a) & value(b),
        Node::BitOr(a, b) => value(a) | value(b),
        Node::BitXor(a, b) => value(a) ^ value(b),
        Node::ShiftLeft(a, b) => value(a).wrapping_shl(value(b) as u32),
        Node::ShiftRight(a, b) => value(a).wrapping_shr(value(b) as u32),
        Node::AddOverflows(a, b) => overflows(exact(a) + exact(b)),
        Node::SubOverflows(a, b) => overflows(exact(a) - exact(b)),
        Node::MulOverflows(a, b) => overflows(exact(a) * exact(b)),
    }
}
