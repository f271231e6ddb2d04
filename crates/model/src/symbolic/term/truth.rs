//! Making truth values, choices and comparisons.
//!
//! Comparisons with a constant are pushed into sums with constants and, where one branch decides, into choices: a program counter that is
//! `ite(c, 3, old)` equals 5 where `c` does not hold and the old one does. [`DEPTH`] bounds how far.

use super::{Node, Term, Terms};

/// How many choices a comparison with a constant is pushed through.
const DEPTH: u32 = 4;

/// A comparison with a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    Equal,
    Less,
}

impl Terms {
    /// The other truth value.
    pub fn not(&mut self, a: Term) -> Term {
        assert!(self.is_truth(a));
        match self.node(a) {
            Node::Constant(value) => self.truth(value == 0),
            Node::Not(x) => x,
            _ => self.make(Node::Not(a)),
        }
    }

    /// Whether both hold.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        assert!(self.is_truth(a) && self.is_truth(b));
        let (a, b) = (a.min(b), a.max(b));
        // 0 and 1 are the first terms.
        if a == Term::FALSE || a == b {
            return a;
        }
        if a == Term::TRUE {
            return b;
        }
        if self.opposite(a, b) {
            return Term::FALSE;
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(y) {
                Node::And(p, q) => {
                    if p == x || q == x {
                        return y;
                    }
                    if self.opposite(p, x) || self.opposite(q, x) {
                        return Term::FALSE;
                    }
                }
                Node::Not(inner) => {
                    if let Node::And(p, q) = self.node(inner) {
                        if self.opposite(p, x) || self.opposite(q, x) {
                            return x;
                        }
                        if p == x || q == x {
                            let other = self.not(if p == x { q } else { p });
                            return self.and(x, other);
                        }
                    }
                    // x is 3, so it is not 5.
                    if self.other_constant(x, inner) {
                        return x;
                    }
                }
                _ => (),
            }
        }
        if self.other_constant(a, b) {
            return Term::FALSE;
        }
        self.make(Node::And(a, b))
    }

    /// Whether either holds.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    /// Whether the second holds where the first does.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(b);
        let against = self.and(a, not);
        self.not(against)
    }

    /// Whether all hold.
    pub fn all(&mut self, list: &[Term]) -> Term {
        list.iter().fold(Term::TRUE, |all, &term| self.and(all, term))
    }

    /// Whether any holds.
    pub fn any(&mut self, list: &[Term]) -> Term {
        list.iter().fold(Term::FALSE, |any, &term| self.or(any, term))
    }

    /// The second where the first holds, otherwise the third.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        assert!(self.is_truth(c));
        if a == b || c == Term::TRUE {
            return a;
        }
        if c == Term::FALSE {
            return b;
        }
        if let Node::Not(x) = self.node(c) {
            return self.ite(x, b, a);
        }
        let (a, b) = (self.under(c, true, a), self.under(c, false, b));
        if a == b {
            return a;
        }
        if self.is_truth(a) && self.is_truth(b) {
            match (self.as_constant(a), self.as_constant(b)) {
                (Some(1), _) => return self.or(c, b),
                (Some(_), _) => {
                    let c = self.not(c);
                    return self.and(c, b);
                }
                (_, Some(0)) => return self.and(c, a),
                (_, Some(_)) => return self.implies(c, a),
                _ if self.opposite(a, b) => return self.equal(c, a),
                _ => (),
            }
        }
        // A choice in a branch with the other branch in it: one choice, with a longer condition.
        if let Node::Ite(d, x, y) = self.node(b) {
            if x == a {
                let either = self.or(c, d);
                return self.ite_of(either, a, y);
            }
            if y == a {
                let only = self.implies(d, c);
                return self.ite_of(only, a, x);
            }
        }
        if let Node::Ite(d, x, y) = self.node(a) {
            if y == b {
                let both = self.and(c, d);
                return self.ite_of(both, x, b);
            }
            if x == b {
                let not = self.not(d);
                let both = self.and(c, not);
                return self.ite_of(both, y, b);
            }
        }
        self.make(Node::Ite(c, a, b))
    }

    /// Whether they are equal.
    pub fn equal(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return Term::TRUE;
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (_, Some(k)) => return self.compare(Is::Equal, a, k, DEPTH),
            (Some(k), _) => return self.compare(Is::Equal, b, k, DEPTH),
            _ => (),
        }
        let ((lo, hi), (least, most)) = (self.interval(a), self.interval(b));
        if hi < least || most < lo {
            return Term::FALSE;
        }
        let (a, b) = (a.min(b), a.max(b));
        match (self.node(a), self.node(b)) {
            (Node::Not(x), _) if self.is_truth(b) => {
                let same = self.equal(x, b);
                self.not(same)
            }
            (_, Node::Not(x)) if self.is_truth(a) => {
                let same = self.equal(a, x);
                self.not(same)
            }
            (Node::Add(x, k), Node::Add(y, l)) if k == l => self.equal(x, y),
            // Changed or not: the same where not, and otherwise it depends.
            (_, Node::Ite(c, x, y)) if x == a => {
                let same = self.equal(y, a);
                self.or(c, same)
            }
            (_, Node::Ite(c, x, y)) if y == a => {
                let same = self.equal(x, a);
                self.implies(c, same)
            }
            _ => self.make(Node::Equal(a, b)),
        }
    }

    /// Whether they differ.
    pub fn not_equal(&mut self, a: Term, b: Term) -> Term {
        let same = self.equal(a, b);
        self.not(same)
    }

    /// Whether the first is less.
    pub fn less(&mut self, a: Term, b: Term) -> Term {
        let ((lo, hi), (least, most)) = (self.interval(a), self.interval(b));
        if hi < least {
            return Term::TRUE;
        }
        if lo >= most || a == b {
            return Term::FALSE;
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (_, Some(k)) => self.compare(Is::Less, a, k, DEPTH),
            (Some(k), _) => {
                // Not the largest number, as something is above it.
                let most = self.compare(Is::Less, b, k + 1, DEPTH);
                self.not(most)
            }
            _ if self.is_truth(a) && self.is_truth(b) => {
                let not = self.not(a);
                self.and(not, b)
            }
            _ => self.make(Node::Less(a, b)),
        }
    }

    /// Whether the first is less, or they are equal.
    pub fn less_or_equal(&mut self, a: Term, b: Term) -> Term {
        let greater = self.less(b, a);
        self.not(greater)
    }

    fn compare(&mut self, is: Is, x: Term, k: i32, depth: u32) -> Term {
        if let Some(known) = self.decided(is, x, k) {
            return self.truth(known);
        }
        let (lo, hi) = self.interval(x);
        if is == Is::Less {
            if k - 1 == lo {
                return self.compare(Is::Equal, x, lo, depth);
            }
            if k == hi {
                let largest = self.compare(Is::Equal, x, hi, depth);
                return self.not(largest);
            }
        } else if self.is_truth(x) {
            return if k == 1 { x } else { self.not(x) };
        }
        let node = self.node(x);
        match node {
            Node::Add(y, by)
                if let Some(by) = self.as_constant(by)
                    && (is == Is::Equal || self.exact(node)) =>
            {
                return self.compare(is, y, k.wrapping_sub(by), depth);
            }
            Node::Sub(from, y) if let Some(from) = self.as_constant(from) => {
                if is == Is::Equal {
                    return self.compare(is, y, from.wrapping_sub(k), depth);
                }
                if self.exact(node) {
                    // from - y < k where y > from - k, and that is in the interval of y and not its end.
                    let most = self.compare(Is::Less, y, from.wrapping_sub(k).wrapping_add(1), depth);
                    return self.not(most);
                }
            }
            Node::Ite(c, a, b) if depth > 0 => {
                let decided = [self.decided(is, a, k), self.decided(is, b, k)];
                if decided != [None, None] {
                    let [a, b] = [(a, decided[0]), (b, decided[1])].map(|(branch, known)| match known {
                        Some(known) => self.truth(known),
                        None => self.compare(is, branch, k, depth - 1),
                    });
                    return self.ite(c, a, b);
                }
            }
            _ => (),
        }
        let k = self.constant(k);
        self.make(if is == Is::Equal { Node::Equal(x, k) } else { Node::Less(x, k) })
    }

    fn decided(&self, is: Is, x: Term, k: i32) -> Option<bool> {
        let (lo, hi) = self.interval(x);
        match is {
            Is::Equal if k < lo || hi < k => Some(false),
            Is::Equal => (lo == hi).then_some(true),
            Is::Less if hi < k => Some(true),
            Is::Less => (lo >= k).then_some(false),
        }
    }

    /// A term where a condition holds, or does not: what one level shows.
    fn under(&mut self, c: Term, holds: bool, term: Term) -> Term {
        if term == c {
            return self.truth(holds);
        }
        match self.node(term) {
            Node::Not(x) if x == c => self.truth(!holds),
            Node::Ite(d, a, b) if d == c => {
                if holds {
                    a
                } else {
                    b
                }
            }
            Node::And(a, b) if a == c || b == c => match holds {
                true if a == c => b,
                true => a,
                false => Term::FALSE,
            },
            _ => term,
        }
    }

    /// A choice whose condition may have become constant or negated, and whose branches are simplified.
    fn ite_of(&mut self, c: Term, a: Term, b: Term) -> Term {
        match self.node(c) {
            Node::Constant(value) => {
                if value != 0 {
                    a
                } else {
                    b
                }
            }
            Node::Not(x) => self.make(Node::Ite(x, b, a)),
            _ => self.make(Node::Ite(c, a, b)),
        }
    }

    fn opposite(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    /// Whether both compare the same with constants, and those differ.
    fn other_constant(&self, a: Term, b: Term) -> bool {
        match (self.node(a), self.node(b)) {
            (Node::Equal(x, k), Node::Equal(y, l)) => {
                x == y && k != l && self.as_constant(k).is_some() && self.as_constant(l).is_some()
            }
            _ => false,
        }
    }
}
