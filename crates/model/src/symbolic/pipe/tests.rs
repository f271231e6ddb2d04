//! z3 answers as BatSat does; bad solvers end in clear words, and soon.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Pipe;
use super::reply::{Scan, arguments, values};
use crate::symbolic::decide::{Answer, Decide, Limits, Trouble, batsat};
use crate::symbolic::term::random::{Forest, NARROW, Random, WIDE};
use crate::symbolic::term::{Term, Terms};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn z3_agrees_with_batsat_on_random_questions() {
    let mut answers = [0, 0];
    for seed in 0..25 {
        let forest = Forest::grow(seed, if seed % 2 == 0 { NARROW } else { WIDE }, 1, 40);
        let mut random = Random(seed);
        let mut pipe = Pipe::start("z3 -in", SOON, Limits::default()).unwrap();
        let mut sat = batsat(Limits::default());
        let truths = forest.truths();
        for &truth in truths.iter().take(12) {
            let question = [truth, random.of(&truths)];
            let answer = pipe.solve(&forest.terms, &question).unwrap();
            assert_eq!(answer, sat.solve(&forest.terms, &question).unwrap(), "seed {seed}, {question:?}");
            answers[answer as usize] += 1;
            if answer == Answer::Unsatisfiable {
                continue;
            }
            let values: Vec<i32> = (forest.terms.inputs().iter())
                .map(|&input| pipe.value(&forest.terms, input).unwrap())
                .collect();
            for truth in question {
                let value = forest.terms.evaluate(truth, &|input| values[input as usize]);
                assert_eq!(value, 1, "seed {seed}, {question:?}, inputs {values:?}");
            }
        }
    }
    assert!(answers.into_iter().all(|count| count > 20), "both answers are seen: {answers:?}");
}

/// For fixed inputs no term has another value than it must have.
#[test]
fn z3_computes_the_values_of_terms() {
    for seed in 0..60 {
        let mut forest = Forest::grow(seed, WIDE, 2, 40);
        let mut pipe = Pipe::start("z3 -in", SOON, Limits::default()).unwrap();
        for (at, values) in forest.assignments.iter().enumerate() {
            let terms = &mut forest.terms;
            let mut question = Vec::new();
            for (&input, &value) in forest.inputs.iter().zip(values) {
                let value = terms.constant(value);
                question.push(terms.equal(input, value));
            }
            let mut wrong = Term::FALSE;
            for (term, expected) in &forest.grown {
                let expected = terms.constant(expected[at]);
                let differs = terms.not_equal(*term, expected);
                wrong = terms.or(wrong, differs);
            }
            assert_eq!(pipe.solve(terms, &question), Ok(Answer::Satisfiable), "seed {seed}");
            question.push(wrong);
            assert_eq!(
                pipe.solve(terms, &question),
                Ok(Answer::Unsatisfiable),
                "seed {seed}, inputs {values:?}"
            );
        }
    }
}

#[test]
fn what_is_asserted_stays_and_what_is_assumed_does_not() {
    let mut terms = Terms::new();
    let x = terms.input(-5, 5);
    let unseen = terms.input(7, 9);
    let three = terms.constant(3);
    let (equal, less) = (terms.equal(x, three), terms.less(x, three));
    let mut pipe = Pipe::start("z3 -in", SOON, Limits::default()).unwrap();
    assert_eq!(pipe.solve(&terms, &[equal, less]), Ok(Answer::Unsatisfiable));
    assert_eq!(pipe.solve(&terms, &[equal]), Ok(Answer::Satisfiable));
    assert_eq!(pipe.value(&terms, x), Ok(3));
    assert_eq!(pipe.value(&terms, unseen), Ok(7));
    pipe.assert(&terms, less).unwrap();
    assert_eq!(pipe.solve(&terms, &[equal]), Ok(Answer::Unsatisfiable));
    assert_eq!(pipe.solve(&terms, &[]), Ok(Answer::Satisfiable));
    assert!(pipe.value(&terms, x).unwrap() < 3);
    assert!(pipe.size().bytes > 100);
}

/// One question to a bad solver, which has half a second; it must be over soon after.
fn ask(command: &str) -> Trouble {
    let start = Instant::now();
    let mut terms = Terms::new();
    let (x, y) = (terms.input(0, 1000), terms.input(0, 1000));
    let truth = terms.less(x, y);
    let mut pipe = match Pipe::start(command, Duration::from_millis(500), Limits::default()) {
        Ok(pipe) => pipe,
        Err(trouble) => return trouble,
    };
    let mut asked = pipe.solve(&terms, &[truth]);
    if asked == Ok(Answer::Satisfiable) {
        asked = pipe.value(&terms, x).map(|_| Answer::Satisfiable);
    }
    let trouble = asked.expect_err("it has no answer");
    if !matches!(trouble, Trouble::Unknown { .. }) {
        assert_eq!(pipe.solve(&terms, &[truth]), Err(trouble.clone()), "{command}");
    }
    drop(pipe);
    assert!(start.elapsed() < Duration::from_secs(3), "{command}: {:?}", start.elapsed());
    trouble
}

#[test]
fn a_solver_that_is_missing() {
    let wanted = [
        ("there-is-no-such-solver -in", "is it installed"),
        ("", "no program is named"),
        ("  ", "no program is named"),
    ];
    for (command, said) in wanted {
        let trouble = ask(command);
        assert!(matches!(trouble, Trouble::Missing { .. }), "{trouble}");
        assert!(trouble.to_string().contains(said), "{trouble}");
    }
}

#[test]
fn a_solver_that_dies() {
    let trouble = ask("sh -c 'echo first >&2; echo license expired >&2; exit 3'");
    assert!(trouble.to_string().contains("exit status: 3"), "{trouble}");
    assert!(trouble.to_string().contains("license expired"), "{trouble}");
    let trouble = ask("sh -c 'read line; kill -9 $$'");
    assert!(trouble.to_string().contains("signal: 9"), "{trouble}");
    let trouble = ask("true");
    assert!(matches!(trouble, Trouble::Died { .. }), "{trouble}");
    // In the middle of a reply.
    let trouble = ask("sh -c 'echo sat; printf \"((in.0 \"'");
    assert!(matches!(trouble, Trouble::Died { .. }), "{trouble}");
}

#[test]
fn a_solver_that_closes_its_output() {
    let trouble = ask("sh -c 'exec >&-; sleep 5'");
    assert!(trouble.to_string().contains("it closed its output"), "{trouble}");
}

#[test]
fn a_solver_that_hangs() {
    for command in ["sleep 30", "sh -c 'sleep 30; echo sat'", "sh -c 'exec <&-; sleep 30'"] {
        let trouble = ask(command);
        assert!(matches!(trouble, Trouble::Hung { .. }), "{command}: {trouble}");
    }
}

#[test]
fn a_solver_that_does_not_know() {
    let trouble = ask("sh -c 'echo unknown; cat >/dev/null'");
    assert!(matches!(trouble, Trouble::Unknown { .. }), "{trouble}");
}

#[test]
fn a_solver_that_says_nonsense() {
    for command in [
        "sh -c 'echo hello; cat >/dev/null'",
        "cat",
        "sh -c 'echo \"(error \\\"line 1\\\")\"; cat'",
        "sh -c 'echo sat; echo \"((in.0 #x00000001) (in.1 12))\"; cat'",
        // Out of its range, and a value that is missing.
        "sh -c 'echo sat; echo \"((in.0 #xffffffff) (in.1 #x00000000))\"; cat'",
        "sh -c 'echo sat; echo \"((in.1 #x00000000))\"; cat'",
        "head -c 3000000 /dev/zero",
    ] {
        let trouble = ask(command);
        assert!(matches!(trouble, Trouble::Nonsense { .. }), "{command}: {trouble}");
        assert!(trouble.to_string().len() < 5000);
    }
}

#[test]
fn a_solver_with_much_to_say_on_its_standard_error_is_heard() {
    let mut terms = Terms::new();
    let x = terms.input(0, 1);
    let loud = "sh -c 'head -c 1000000 /dev/zero >&2; echo success; echo unsat; cat >/dev/null'";
    let mut pipe = Pipe::start(loud, SOON, Limits::default()).unwrap();
    assert_eq!(pipe.solve(&terms, &[x]), Ok(Answer::Unsatisfiable));
}

/// Neither side reads: the text does not fit in the pipe.
#[test]
fn a_long_text_to_a_solver_that_does_not_read_ends_in_time() {
    let mut terms = Terms::new();
    let mut truth = Term::TRUE;
    for _ in 0..800 {
        let (x, y) = (terms.input(0, 1000), terms.input(0, 1000));
        let less = terms.less(x, y);
        truth = terms.and(truth, less);
    }
    for (command, hangs) in [("sleep 30", true), ("sh -c 'cat >/dev/null; sleep 1'", true), ("z3 -in", false)]
    {
        let deadline = Duration::from_secs(if hangs { 1 } else { 60 });
        let mut pipe = Pipe::start(command, deadline, Limits::default()).unwrap();
        match pipe.solve(&terms, &[truth]) {
            Ok(answer) => assert!(!hangs && answer == Answer::Satisfiable),
            Err(trouble) => assert!(hangs && matches!(trouble, Trouble::Hung { .. }), "{command}: {trouble}"),
        }
    }
}

#[test]
fn a_solver_that_takes_long_is_stopped() {
    let mut terms = Terms::new();
    let x = terms.input(0, 1);
    let limits = Limits::default();
    let stop = limits.stop.clone();
    let mut pipe = Pipe::start("sleep 30", SOON, limits).unwrap();
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        assert_eq!(pipe.solve(&terms, &[x]), Err(Trouble::Stopped));
    });
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn replies_are_taken_apart() {
    let first = |said: &[u8], ended| Scan::default().first(said, ended);
    assert_eq!(first(b"  sat\nrest", false), Some((2, 5)));
    assert_eq!(first(b"sat", false), None);
    assert_eq!(first(b"sat", true), Some((0, 3)));
    assert_eq!(first(b"(error \"a ) b\") ", false), Some((0, 15)));
    assert_eq!(first(b"((a b)", true), None);
    assert_eq!(first(b" \n", true), None);
    let all = values("((a.0 #x0000000A)\n (|b.1| (_ bv4294967295 32)) (c.2 true) (d.3 #b101))").unwrap();
    let of = |name: &str| all[name];
    assert_eq!([of("a.0"), of("b.1"), of("c.2"), of("d.3")], [10, -1, 1, 5]);
    for bad in ["", "sat", "((a", "((a 5))", "((a #x1) b)", "((a #x1)) more", "((a (- 5)))"] {
        assert_eq!(values(bad), None, "{bad}");
    }
    assert_eq!(arguments(" z3  -in 'a b' \"c 'd\"e '' "), ["z3", "-in", "a b", "c 'de", ""]);
}

#[test]
fn a_solver_that_never_ends_a_reply() {
    let mut terms = Terms::new();
    let x = terms.input(0, 1);
    let mut pipe = Pipe::start("cat /dev/zero", SOON, Limits::default()).unwrap();
    let trouble = pipe.solve(&terms, &[x]).unwrap_err();
    assert!(matches!(trouble, Trouble::Nonsense { .. }), "{trouble}");
}
