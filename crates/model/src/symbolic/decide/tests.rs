//! Solvers agree with the meaning of terms, and with each other.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Answer, Decide, Limits, Trouble, batsat};
use crate::symbolic::term::random::{Forest, NARROW, Random, WIDE};
use crate::symbolic::term::{Term, Terms};

/// For fixed inputs a term can have its value, and no other.
fn circuits_compute_values(seeds: std::ops::Range<u64>, make: impl Fn() -> Box<dyn Decide>) {
    for seed in seeds {
        let mut forest = Forest::grow(seed, if seed % 2 == 0 { NARROW } else { WIDE }, 4, 30);
        let mut solver = make();
        for (at, values) in forest.assignments.iter().enumerate() {
            let mut question = Vec::new();
            for (&input, &value) in forest.inputs.iter().zip(values) {
                let value = forest.terms.constant(value);
                question.push(forest.terms.equal(input, value));
            }
            for (term, expected) in &forest.grown {
                let expected = forest.terms.constant(expected[at]);
                let same = forest.terms.equal(*term, expected);
                for (truth, answer) in
                    [(same, Answer::Satisfiable), (forest.terms.not(same), Answer::Unsatisfiable)]
                {
                    question.push(truth);
                    let said = solver.solve(&forest.terms, &question).unwrap();
                    let node = forest.terms.node(*term);
                    assert_eq!(said, answer, "seed {seed}, {term:?} = {node:?}, inputs {values:?}");
                    question.pop();
                }
            }
        }
    }
}

#[test]
fn circuits_compute_the_values_of_terms() {
    circuits_compute_values(0..150, || Box::new(batsat(Limits::default())));
}

/// Every truth value of a forest is asked for, alone and with another one: a model is one, and no assignment contradicts `Unsatisfiable`.
/// What is asked later of the same solver is answered as by a new one.
fn models_are_models(seeds: std::ops::Range<u64>, make: impl Fn() -> Box<dyn Decide>) {
    let mut answers = [0, 0];
    for seed in seeds {
        let forest = Forest::grow(seed, if seed % 2 == 0 { NARROW } else { WIDE }, 4, 40);
        let mut random = Random(seed);
        let mut old = make();
        let truths = forest.truths();
        for &truth in &truths {
            let question = [truth, random.of(&truths)];
            let mut fresh = make();
            fresh.assert(&forest.terms, question[0]).unwrap();
            let expected = fresh.solve(&forest.terms, &question[1..]).unwrap();
            let answer = old.solve(&forest.terms, &question).unwrap();
            assert_eq!(answer, expected, "seed {seed}, {question:?}");
            answers[answer as usize] += 1;
            if answer == Answer::Satisfiable {
                check_model(&forest.terms, &question, &mut *old, seed);
                check_model(&forest.terms, &question, &mut *fresh, seed);
            } else {
                let holds = |at: usize, term: Term| {
                    forest.grown.iter().find(|grown| grown.0 == term).is_some_and(|grown| grown.1[at] == 1)
                };
                let all = |at| question.iter().all(|&term| holds(at, term));
                assert!(!(0..forest.assignments.len()).any(all), "seed {seed}, {question:?}");
            }
        }
    }
    assert!(answers.into_iter().all(|count| count > 20), "both answers are seen: {answers:?}");
}

fn check_model(terms: &Terms, question: &[Term], solver: &mut dyn Decide, seed: u64) {
    let values: Vec<i32> = terms.inputs().iter().map(|&input| solver.value(terms, input).unwrap()).collect();
    for (&input, value) in terms.inputs().iter().zip(&values) {
        let (lo, hi) = terms.interval(input);
        assert!((lo..=hi).contains(value), "seed {seed}: {value} is not in {lo}..={hi}");
    }
    for &truth in question {
        let value = terms.evaluate(truth, &|input| values[input as usize]);
        assert_eq!(value, 1, "seed {seed}, {question:?}, inputs {values:?}");
    }
}

#[test]
fn models_are_models_and_later_questions_are_answered_as_first_ones() {
    models_are_models(0..120, || Box::new(batsat(Limits::default())));
}

/// All values of two narrow numbers, for every operation of two.
#[test]
fn operations_on_narrow_numbers_are_right_for_all_values() {
    for ranges in [[(0, 7), (0, 7)], [(-4, 3), (-4, 3)], [(-8, 2), (0, 5)], [(3, 9), (-3, -1)]] {
        let mut terms = Terms::new();
        let [a, b] = ranges.map(|(lo, hi)| terms.input(lo, hi));
        let made = [
            Terms::add,
            Terms::sub,
            Terms::mul,
            Terms::div,
            Terms::rem,
            Terms::less,
            Terms::equal,
            Terms::bit_and,
            Terms::bit_or,
            Terms::bit_xor,
            Terms::shift_left,
            Terms::shift_right,
        ]
        .map(|operation: fn(&mut Terms, Term, Term) -> Term| operation(&mut terms, a, b));
        let mut solver = batsat(Limits::default());
        for x in ranges[0].0..=ranges[0].1 {
            for y in ranges[1].0..=ranges[1].1 {
                let mut question: Vec<Term> = Vec::new();
                for (input, value) in [(a, x), (b, y)] {
                    let value = terms.constant(value);
                    question.push(terms.equal(input, value));
                }
                let mut wrong = Term::FALSE;
                for term in made {
                    let value = terms.evaluate(term, &|input| [x, y][input as usize]);
                    let value = terms.constant(value);
                    let differs = terms.not_equal(term, value);
                    wrong = terms.or(wrong, differs);
                }
                assert_eq!(solver.solve(&terms, &question).unwrap(), Answer::Satisfiable, "{x}, {y}");
                question.push(wrong);
                assert_eq!(solver.solve(&terms, &question).unwrap(), Answer::Unsatisfiable, "{x}, {y}");
            }
        }
    }
}

/// A product of two numbers of so many bits is that of their parts, multiplied out: hard to see for a solver.
fn hard(terms: &mut Terms, bits: u32) -> Term {
    let most = (1 << bits) - 1;
    let (a, b, c) = (terms.input(0, most), terms.input(0, most), terms.input(0, most));
    let sum = terms.add(b, c);
    let left = terms.mul(a, sum);
    let (ab, ac) = (terms.mul(a, b), terms.mul(a, c));
    let right = terms.add(ab, ac);
    terms.not_equal(left, right)
}

fn a_question_is_stopped(make: impl Fn(Limits) -> Box<dyn Decide>) {
    let mut terms = Terms::new();
    let question = hard(&mut terms, 14);
    let limits = Limits::default();
    let stop = limits.stop.clone();
    let mut solver = make(limits);
    let asked = std::thread::scope(|scope| {
        let stopper = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        assert_eq!(solver.solve(&terms, &[question]), Err(Trouble::Stopped));
        stopper.join().unwrap()
    });
    assert!(asked.elapsed() < Duration::from_secs(1), "it ended {:?} after it was asked to", asked.elapsed());
    assert_eq!(solver.solve(&terms, &[]), Err(Trouble::Stopped));
    stop.store(false, Ordering::Relaxed);
    assert_eq!(solver.solve(&terms, &[]), Ok(Answer::Satisfiable));
}

#[test]
fn a_hard_question_is_stopped() {
    a_question_is_stopped(|limits| Box::new(batsat(limits)));
}

#[cfg(feature = "cadical")]
#[test]
fn cadical_does_the_same() {
    use super::cadical;

    circuits_compute_values(0..30, || Box::new(cadical(Limits::default())));
    models_are_models(0..20, || Box::new(cadical(Limits::default())));
    a_question_is_stopped(|limits| Box::new(cadical(limits)));
}

#[test]
fn a_question_that_needs_more_memory_than_there_is_ends() {
    let mut terms = Terms::new();
    let question = hard(&mut terms, 14);
    // For the clauses of the question, and for what is learnt.
    for limit in [50_000, 3_000_000] {
        let mut solver = batsat(Limits { memory: Some(limit), ..Limits::default() });
        assert_eq!(solver.solve(&terms, &[question]), Err(Trouble::Memory { limit }));
    }
}

#[test]
fn what_can_never_hold_needs_no_search() {
    let mut terms = Terms::new();
    let mut solver = batsat(Limits::default());
    let x = terms.input(5, 7);
    assert_eq!(solver.solve(&terms, &[Term::FALSE]), Ok(Answer::Unsatisfiable));
    assert_eq!(solver.solve(&terms, &[Term::TRUE]), Ok(Answer::Satisfiable));
    assert_eq!(solver.value(&terms, x), Ok(5));
    solver.assert(&terms, Term::FALSE).unwrap();
    assert_eq!(solver.solve(&terms, &[]), Ok(Answer::Unsatisfiable));
}
