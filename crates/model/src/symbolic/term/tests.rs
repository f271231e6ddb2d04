//! Terms keep their meaning when they are simplified, and their intervals hold.

use super::random::{Forest, NARROW, WIDE};
use super::{Evaluation, Node, Term, Terms};

#[test]
fn terms_have_the_values_of_what_they_were_made_from_and_intervals_contain_them() {
    for seed in 0..3000 {
        let forest = Forest::grow(seed, if seed % 2 == 0 { NARROW } else { WIDE }, 8, 60);
        for (at, values) in forest.assignments.iter().enumerate() {
            let mut evaluation = Evaluation::new();
            for (term, expected) in &forest.grown {
                let value = evaluation.value(&forest.terms, *term, &|input| values[input as usize]);
                let node = forest.terms.node(*term);
                assert_eq!(value, expected[at], "seed {seed}, {term:?} = {node:?}, inputs {values:?}");
                let (lo, hi) = forest.terms.interval(*term);
                assert!(lo <= value && value <= hi, "seed {seed}, {term:?} = {node:?}: {value}, {lo}..={hi}");
            }
        }
    }
}

#[test]
fn a_term_has_a_larger_number_than_its_operands_and_is_no_constant_unless_it_says_so() {
    for seed in 0..200 {
        let forest = Forest::grow(seed, WIDE, 1, 60);
        for place in 0..forest.terms.len() {
            let term = Term(place as u32);
            let node = forest.terms.node(term);
            assert!(node.operands().all(|operand| operand < term), "seed {seed}, {term:?} = {node:?}");
            let (lo, hi) = forest.terms.interval(term);
            let constant = matches!(node, Node::Constant(_) | Node::Input(_));
            assert!(lo < hi || constant, "seed {seed}, {term:?} = {node:?}");
        }
    }
}

/// The rules that an unrolled program lives on.
#[test]
fn choices_and_comparisons_are_simplified() {
    let mut terms = Terms::new();
    let (c, d) = (terms.input(0, 1), terms.input(0, 1));
    let (x, y) = (terms.input(0, 9), terms.input(20, 30));
    let [three, five, seven] = [3, 5, 7].map(|value| terms.constant(value));
    let not_c = terms.not(c);

    assert_eq!(terms.ite(c, x, x), x);
    assert_eq!(terms.ite(c, Term::TRUE, Term::FALSE), c);
    assert_eq!(terms.ite(c, Term::FALSE, Term::TRUE), not_c);
    assert_eq!(terms.ite(not_c, x, y), terms.ite(c, y, x));
    let inner = terms.ite(c, three, x);
    assert_eq!(terms.ite(c, inner, y), terms.ite(c, three, y));
    assert_eq!(terms.and(c, not_c), Term::FALSE);
    assert_eq!(terms.or(c, not_c), Term::TRUE);

    // A program counter.
    let next = terms.ite(c, three, five);
    assert_eq!(terms.equal(next, three), c);
    assert_eq!(terms.equal(next, five), not_c);
    assert_eq!(terms.equal(next, seven), Term::FALSE);
    let later = terms.ite(d, seven, next);
    let not_d = terms.not(d);
    assert_eq!(terms.equal(later, three), terms.and(not_d, c));

    assert_eq!(terms.less(x, y), Term::TRUE);
    assert_eq!(terms.equal(x, y), Term::FALSE);
    assert_eq!(terms.overflows_add(x, y), Term::FALSE);
    let more = terms.add(x, three);
    assert_eq!(terms.sub(more, three), x);
    let (below, zero) = (terms.less(more, five), terms.constant(2));
    assert_eq!(below, terms.less(x, zero));
    assert_eq!(terms.less(x, Term::TRUE), terms.equal(x, Term::FALSE));
}

#[test]
fn a_chain_of_a_million_terms_is_evaluated() {
    let mut terms = Terms::new();
    let c = terms.input(0, 1);
    let mut sum = terms.input(0, 1000);
    for step in 0..500_000 {
        let step = terms.constant(step % 7);
        let more = terms.add(sum, step);
        let double = terms.mul(more, sum);
        sum = terms.ite(c, double, more);
    }
    assert!(terms.len() > 1_000_000);
    terms.evaluate(sum, &|_| 1);
    terms.evaluate(sum, &|_| 0);
}
