//! The text is as readable as it can be, and z3 reads it without complaint.

use std::io::Write;
use std::process::{Command, Stdio};

use super::print;
use crate::symbolic::decide::{Answer, Decide, Limits, batsat};
use crate::symbolic::term::Terms;
use crate::symbolic::term::random::{Forest, NARROW, WIDE};

#[test]
fn a_small_question_as_text() {
    let mut terms = Terms::new();
    let (x, d, flag) = (terms.input(0, 9), terms.input(i32::MIN, i32::MAX), terms.input(0, 1));
    let quotient = terms.div(x, d);
    let not = terms.not(flag);
    let chosen = terms.ite(flag, quotient, x);
    let three = terms.constant(3);
    let truth = terms.less(three, chosen);
    let text =
        print(&terms, &[truth, not], &|number| Some(["slots[x]", "d", "2"][number as usize].to_owned()));
    let expected = "\
(set-logic QF_BV)
(declare-fun slots_x_.0 () (_ BitVec 32))
(assert (and (bvsle #x00000000 slots_x_.0) (bvsle slots_x_.0 #x00000009)))
(declare-fun d.1 () (_ BitVec 32))
(define-fun t5 () (_ BitVec 32) (ite (= d.1 #x00000000) #x00000000 (bvsdiv slots_x_.0 d.1)))
(declare-fun in_2.2 () Bool)
(define-fun t7 () (_ BitVec 32) (ite in_2.2 t5 slots_x_.0))
(define-fun t10 () Bool (bvslt t7 #x00000004))
(assert (not t10))
(assert (not in_2.2))
(check-sat)
";
    assert_eq!(text, expected);
}

#[test]
fn z3_reads_it_without_complaint_and_agrees() {
    for seed in 0..30 {
        let forest = Forest::grow(seed, if seed % 2 == 0 { NARROW } else { WIDE }, 1, 25);
        let Some(&truth) = forest.truths().last() else { continue };
        let text = print(&forest.terms, &[truth], &|_| None);
        let mut child = Command::new("z3")
            .arg("-in")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("z3 is installed");
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let answer = batsat(Limits::default()).solve(&forest.terms, &[truth]).unwrap();
        let expected = if answer == Answer::Satisfiable { "sat\n" } else { "unsat\n" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "seed {seed}\n{text}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "seed {seed}\n{text}");
    }
}
