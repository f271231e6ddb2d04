//! Terms as text in SMT-LIB 2 (version 2.6, logic QF_BV): numbers are `(_ BitVec 32)`, truth values `Bool`.
//!
//! Every term that is computed gets a definition, after those of its operands, so that nothing is nested deeply and nothing is said twice;
//! constants and negations are written where they stand. Ranges of inputs are asserted. SMT-LIB gives division by 0 another value than
//! terms have, so it is written out where the divisor can be 0.

#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::term::{Node, Term, Terms};

/// A complete file that asks whether all of some truth values can hold. `name` gives names to inputs, by number; what SMT-LIB does not
/// allow in names is replaced, and the number is appended.
pub fn print(terms: &Terms, asserted: &[Term], name: &dyn Fn(u32) -> Option<String>) -> String {
    let mut text = String::from("(set-logic QF_BV)\n");
    let mut said = Said::new(Naming::Defined);
    for &truth in asserted {
        said.define(terms, truth, name, &mut text);
    }
    for &truth in asserted {
        text.push_str("(assert ");
        said.truth(terms, truth, &mut text);
        text.push_str(")\n");
    }
    text.push_str("(check-sat)\n");
    text
}

/// How a term that is computed gets its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// By a definition: shorter, and for people.
    Defined,
    /// By a declaration and an equation. Solvers that replace a defined name by what it stands for, as z3 does, walk through all of that
    /// each time; equations spare them that.
    Equated,
}

/// Which terms have been declared or defined.
pub(super) struct Said {
    naming: Naming,
    /// By term.
    done: Vec<bool>,
    stack: Vec<Term>,
    /// The names of inputs, by number; empty for those that are not declared.
    pub(super) names: Vec<String>,
    /// How many definitions, declarations and ranges there are.
    pub(super) commands: u64,
}

impl Said {
    /// Nothing yet.
    pub(super) fn new(naming: Naming) -> Said {
        Said { naming, done: Vec::new(), stack: Vec::new(), names: Vec::new(), commands: 0 }
    }

    /// Defines a term and all that it uses, as far as they are not defined already.
    pub(super) fn define(
        &mut self,
        terms: &Terms,
        term: Term,
        name: &dyn Fn(u32) -> Option<String>,
        text: &mut String,
    ) {
        if self.done.len() < terms.len() {
            self.done.resize(terms.len(), false);
        }
        self.stack.push(term);
        while let Some(&term) = self.stack.last() {
            if self.done[term.index()] {
                self.stack.pop();
                continue;
            }
            let node = terms.node(term);
            let before = self.stack.len();
            self.stack.extend(node.operands().filter(|operand| !self.done[operand.index()]));
            if self.stack.len() > before {
                continue;
            }
            self.stack.pop();
            self.done[term.index()] = true;
            match node {
                Node::Constant(_) | Node::Not(_) => (),
                Node::Input(number) => self.declare(terms, term, number, name(number), text),
                _ => {
                    let sort = if is_bool(terms, term) { "Bool" } else { "(_ BitVec 32)" };
                    let name = term.index();
                    match self.naming {
                        Naming::Defined => put(text, format_args!("(define-fun t{name} () {sort} ")),
                        Naming::Equated => {
                            put(text, format_args!("(declare-fun t{name} () {sort})\n(assert (= t{name} "));
                        }
                    }
                    self.operation(terms, node, is_bool(terms, term), text);
                    text.push_str(if self.naming == Naming::Defined { ")\n" } else { "))\n" });
                    self.commands += 1;
                }
            }
        }
    }

    fn declare(&mut self, terms: &Terms, term: Term, number: u32, name: Option<String>, text: &mut String) {
        let name = symbol(name.as_deref().unwrap_or("in"), number);
        self.commands += 1;
        if is_bool(terms, term) {
            put(text, format_args!("(declare-fun {name} () Bool)\n"));
        } else {
            put(text, format_args!("(declare-fun {name} () (_ BitVec 32))\n"));
            let (lo, hi) = terms.interval(term);
            if (lo, hi) != (i32::MIN, i32::MAX) {
                self.commands += 1;
                let (lo, hi) = (hex(lo), hex(hi));
                put(text, format_args!("(assert (and (bvsle {lo} {name}) (bvsle {name} {hi})))\n"));
            }
        }
        if self.names.len() <= number as usize {
            self.names.resize(number as usize + 1, String::new());
        }
        self.names[number as usize] = name;
    }

    /// A defined term, as a truth value.
    pub(super) fn truth(&self, terms: &Terms, term: Term, text: &mut String) {
        match terms.node(term) {
            Node::Constant(value) => text.push_str(if value == 0 { "false" } else { "true" }),
            Node::Not(x) => {
                text.push_str("(not ");
                // Two negations are none, so this does not go deeper.
                self.truth(terms, x, text);
                text.push(')');
            }
            _ if is_bool(terms, term) => self.name(terms, term, text),
            _ => {
                text.push_str("(= ");
                self.name(terms, term, text);
                text.push_str(" #x00000001)");
            }
        }
    }

    /// A defined term, as a number.
    fn number(&self, terms: &Terms, term: Term, text: &mut String) {
        match terms.node(term) {
            Node::Constant(value) => text.push_str(&hex(value)),
            _ if is_bool(terms, term) => {
                text.push_str("(ite ");
                self.truth(terms, term, text);
                text.push_str(" #x00000001 #x00000000)");
            }
            _ => self.name(terms, term, text),
        }
    }

    fn name(&self, terms: &Terms, term: Term, text: &mut String) {
        match terms.node(term) {
            Node::Input(number) => text.push_str(&self.names[number as usize]),
            _ => put(text, format_args!("t{}", term.index())),
        }
    }

    fn operation(&self, terms: &Terms, node: Node, bool: bool, text: &mut String) {
        let truth = |term: Term| {
            let mut text = String::new();
            self.truth(terms, term, &mut text);
            text
        };
        let number = |term: Term| {
            let mut text = String::new();
            self.number(terms, term, &mut text);
            text
        };
        let (word, a, b) = match node {
            Node::Constant(_) | Node::Input(_) | Node::Not(_) => unreachable!("it has no definition"),
            Node::And(a, b) => return put(text, format_args!("(and {} {})", truth(a), truth(b))),
            Node::Ite(c, a, b) => {
                let (a, b) = if bool { (truth(a), truth(b)) } else { (number(a), number(b)) };
                return put(text, format_args!("(ite {} {a} {b})", truth(c)));
            }
            Node::Equal(a, b) if is_bool(terms, a) && is_bool(terms, b) => {
                return put(text, format_args!("(= {} {})", truth(a), truth(b)));
            }
            Node::AddOverflows(a, b) => return overflow("bvadd", 1, &number(a), &number(b), text),
            Node::SubOverflows(a, b) => return overflow("bvsub", 1, &number(a), &number(b), text),
            Node::MulOverflows(a, b) => return overflow("bvmul", 32, &number(a), &number(b), text),
            Node::Equal(a, b) => ("=", a, b),
            Node::Less(a, b) => ("bvslt", a, b),
            Node::Add(a, b) => ("bvadd", a, b),
            Node::Sub(a, b) => ("bvsub", a, b),
            Node::Mul(a, b) => ("bvmul", a, b),
            Node::Div(a, b) => ("bvsdiv", a, b),
            Node::Rem(a, b) => ("bvsrem", a, b),
            Node::BitAnd(a, b) => ("bvand", a, b),
            Node::BitOr(a, b) => ("bvor", a, b),
            Node::BitXor(a, b) => ("bvxor", a, b),
            Node::ShiftLeft(a, b) => ("bvshl", a, b),
            Node::ShiftRight(a, b) => ("bvashr", a, b),
        };
        let divides = matches!(node, Node::Div(..) | Node::Rem(..));
        let zero = divides && matches!(terms.interval(b), (..=0, 0..));
        let (a, b) = (number(a), number(b));
        if zero {
            put(text, format_args!("(ite (= {b} #x00000000) #x00000000 ({word} {a} {b}))"));
        } else {
            put(text, format_args!("({word} {a} {b})"));
        }
    }
}

/// Whether the exact result, computed with more bits, differs from the wrapped one.
fn overflow(word: &str, more: u32, a: &str, b: &str, text: &mut String) {
    let wide = format_args!("(_ sign_extend {more})").to_string();
    put(text, format_args!("(distinct ({word} ({wide} {a}) ({wide} {b})) ({wide} ({word} {a} {b})))"));
}

/// Whether a term is a `Bool` in the text. Other terms that are 0 or 1 are numbers, and compared with 1 where a truth value is meant.
fn is_bool(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::Not(_) | Node::And(..) | Node::Equal(..) | Node::Less(..) => true,
        Node::AddOverflows(..) | Node::SubOverflows(..) | Node::MulOverflows(..) => true,
        Node::Constant(_) | Node::Input(_) | Node::Ite(..) => terms.is_truth(term),
        _ => false,
    }
}

fn hex(value: i32) -> String {
    format!("#x{value:08x}")
}

/// A symbol for an input. Only those of inputs have a dot, so none is taken twice.
fn symbol(name: &str, number: u32) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
    let mut symbol: String = name.chars().map(legal).collect();
    // Names that start with a dot are the solver's.
    if !symbol.starts_with(|c: char| c.is_ascii_alphabetic()) {
        symbol.insert_str(0, "in_");
    }
    put(&mut symbol, format_args!(".{number}"));
    symbol
}

/// Appends text, which cannot fail.
pub(super) fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("text grows");
}
