//! What a model does wrong by itself: a finding, with its trace, in both engines.

use crate::run::{Scratch, caissa, typed};

/// A model, the kind of its bug, where and what it is, and a part of its trace.
struct Case {
    text: &'static str,
    kind: &'static str,
    place: &'static str,
    message: &'static str,
    shown: &'static str,
}

const CASES: [Case; 10] = [
    Case {
        text: "implicit yields;\nvar d: int = 1;\nproc main() { post a(); post b(); }\nproc a() { d := 0; }\n\
               proc b() { if d != 0 { d := 10 / d; } }\n",
        kind: "division",
        place: "5:24",
        message: "division by zero",
        shown: "d := 10 / d  [d = 0]",
    },
    Case {
        text: "var x: int;\nproc main() { x := 7 % x; }\n",
        kind: "division",
        place: "2:15",
        message: "division by zero",
        shown: "x := 7 % x  [x = 0]",
    },
    Case {
        text: "implicit yields;\nvar i: int;\nvar t: [int; 3];\nproc main() { post a(); post b(); }\n\
               proc a() { i := 3; }\nproc b() { t[i] := 1; }\n",
        kind: "index",
        place: "6:12",
        message: "index 3 is outside of 0..2",
        shown: "t[i] := 1  [i = 3]",
    },
    Case {
        text: "var t: [int; 3];\nproc main() { var i: int = -1; i := t[i]; }\n",
        kind: "index",
        place: "2:32",
        message: "index -1 is outside of 0..2",
        shown: "i := t[i]",
    },
    Case {
        text: "implicit yields;\nvar n: 0..3 = 3;\nproc main() { post up(); post down(); }\n\
               proc up() { n := n + 1; }\nproc down() { n := n - 1; }\n",
        kind: "range",
        place: "4:13",
        message: "value 4 is outside of 0..3",
        shown: "n := n + 1  [n = 3]",
    },
    Case {
        text: "proc main() { f(0); }\nproc f(n: int) { f(n + 1); }\n",
        kind: "recursion",
        place: "2:18",
        message: "calls are nested more than 1000 deep",
        shown: "more steps of T0",
    },
    Case {
        text: "var x: int;\nproc main() { f(); }\nproc f() { x := x + 1; yield; g(); }\nproc g() { f(); }\n",
        kind: "recursion",
        place: "3:",
        message: "calls are nested more than 1000 deep",
        shown: "x := x + 1",
    },
    Case {
        text: "var m: lock;\nproc main() { unlock m; }\n",
        kind: "unlock",
        place: "2:15",
        message: "unlock of a lock that is free",
        shown: "unlock m",
    },
    Case {
        text: "var n: int;\nproc main() { n := n; n := choose(1, n); }\n",
        kind: "choice",
        place: "2:23",
        message: "choose(1, 0) has no value to choose",
        shown: "n := n",
    },
    Case {
        text: "var stop: bool;\nproc main() { post other(); while !stop { skip; } }\nproc other() { stop := true; }\n",
        kind: "good-samaritan",
        place: "2:29",
        message: "runs for ever without a scheduling point",
        shown: "while !stop  [stop = false]",
    },
];

#[test]
fn faults_are_findings_with_traces_that_replay() {
    for case in CASES {
        for engine in ["stateless", "explicit"] {
            let scratch = Scratch::new();
            let path = scratch.write("fault.cai", case.text);
            let run = caissa(&["check", &path, "--engine", engine]);
            run.expect(1, &["caissa found a bug: ", case.message, case.shown, " fails --"]);
            let json = caissa(&["check", &path, "--engine", engine, "--json"]).expect(1, &[]).json();
            let again = typed(&format!("{} --json", run.replay_line()), scratch.path()).expect(1, &[]).json();
            for json in [json, again] {
                let location = json.text("location").expect("a fault has a place");
                assert!(location.contains(&format!("fault.cai:{}", case.place)), "{location}\n{run}");
                assert_eq!(json.text("kind"), Some(case.kind), "{run}");
                assert_eq!(json.text("message"), Some(case.message), "{run}");
            }
        }
    }
}

#[test]
fn what_is_within_its_limits_is_no_fault() {
    let fine = "\
implicit yields;
var n: 0..3;
var t: [int; 3];
var m: lock;
proc main() {
    post up();
    post up();
    t[2] := 7 / (t[0] + 1) % 2;
    lock m;
    unlock m;
    n := choose(1, 1);
    down(900);
}
proc up() { n := n + 1; }
proc down(depth: int) { if depth > 0 { down(depth - 1); } }
";
    for engine in ["stateless", "explicit"] {
        let scratch = Scratch::new();
        let path = scratch.write("fine.cai", fine);
        caissa(&["check", &path, "--engine", engine]).expect(0, &["verified"]);
    }
}

#[test]
fn a_model_that_posts_for_ever_comes_to_an_end_of_its_budget() {
    let scratch = Scratch::new();
    let path = scratch
        .write("posts.cai", "proc main() { post more(); }\nproc more() { post more(); post more(); }\n");
    let small = ["--search", "preemptions", "--max-steps", "300", "--max-executions", "3"];
    let run = caissa(&[&["check", &path][..], &small].concat());
    run.expect(
        0,
        &["incomplete: 3 executions were cut off", "To look at it: caissa replay cai1:", "more tasks"],
    );
    let run = caissa(&["check", &path, "--engine", "explicit", "--max-executions", "300"]);
    run.expect(0, &["incomplete: no bug was found so far, but the budget `--max-executions` was used up."]);
}
