//! Programs on which one engine was wrong once, and programs that tell a translation from one in which something small is left out.

use caissa_model::explicit::Rounds;

use crate::small::compile;
use crate::symbolic::engines::agreed;
use crate::symbolic::mixed::ROUNDS;

/// A task that has ended, whose elder sibling goes on.
const ELDER: &str = "var a: bool;
var b: bool;
proc main() { post y(); post x(); }
proc y() { if b { post w(); } }
proc x() { b := true; post z(); }
proc w() { a := true; }
proc z() { assert !a; }";

/// Programs that went wrong once, with rounds of buffers and tasks, and whether they fail within them.
const ONCE_WRONG: [(&str, (u32, u32), bool); 9] = [
    // Who has to wait behind an interruption at a serial level says nothing of the others there.
    (
        "levels serial l0 < l1;
buffer a runs first;
buffer b runs second;
var x: 0..2;
var y: bool;
proc first() { post task(); post nothing() at l1; await y; x := 2; }
proc task() { assert x != 2; }
proc nothing() { skip; }
proc second() { y := true; }",
        (2, 1),
        true,
    ),
    // A line that is raised when an atomic block is interrupted.
    (
        "levels l0 < l1 < l2;
interrupt line in main runs handler at l2;
var x: 0..3;
proc main() { atomic { raise line; post task() at l1; } x := 3; }
proc task() { assert x != 1; }
proc handler() { x := 1; }",
        (1, 1),
        true,
    ),
    (
        "levels l0 < l1 < l2;
interrupt line in main runs handler at l2;
var x: 0..3;
proc main() { atomic { raise line; part(); } x := 3; }
proc part() { post task() at l1; }
proc task() { x := 2; }
proc handler() { assert x != 2; }",
        (1, 1),
        false,
    ),
    // A main that is posted is a task like any other: it begins when it was posted, and its buffer has begun.
    (
        "var h: 0..12;
var again: bool;
proc main() { post task(); yield; h := (2 * h + 1) % 13; assert h != 6; }
proc task() { post other(); }
proc other() {
    yield;
    if !again { again := true; post main(); }
    h := (2 * h + 3) % 13;
    assert h != 6;
}",
        (1, 3),
        true,
    ),
    (
        "buffer a runs first;
buffer b runs second;
var again: bool;
var x: 0..2;
proc first() { zield; assert x != 1; }
proc second() { if !again { again := true; x := 1; post second(); } else { x := 2; } }",
        (2, 2),
        false,
    ),
    // The order is that of a walk over who posted whom, also through higher levels, and when those in between have ended.
    (
        "levels l0 < l1;
var x: bool;
proc main() { post a() at l1; }
proc a() { post b(); post c() at l0; }
proc b() { post d() at l0; }
proc c() { x := true; }
proc d() { assert !x; }",
        (1, 1),
        false,
    ),
    (
        "levels l0 < l1;
var x: bool;
proc main() { post a() at l1; }
proc a() { post b(); post c() at l0; }
proc b() { post d() at l0; }
proc c() { assert !x; }
proc d() { x := true; }",
        (1, 1),
        true,
    ),
    (ELDER, (1, 2), true),
    (ELDER, (1, 1), false),
];

#[test]
fn what_went_wrong_once() {
    for (text, (buffers, tasks), fails) in ONCE_WRONG {
        let said = agreed(&compile(text), Rounds { buffers, tasks, reorder: true }, text);
        assert_eq!(said.map(|kind| kind.is_some()), Ok(fails), "{text}");
    }
}

/// Engines agree on these within any rounds.
const TELLING: [&str; 14] = [
    // A wait whose condition goes wrong while a line is raised: the line comes first.
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
interrupt line in a runs handler at l1;
var x: 0..3 = 2;
proc first() { await 2 / x == 2; }
proc handler() { x := 1; }
proc second() { atomic { x := 0; raise line; } }",
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
interrupt line in a runs handler at l1;
var x: 0..3 = 2;
var done: bool;
proc first() { await 2 / x == 2; assert !done; }
proc handler() { x := 1; done := true; }
proc second() { atomic { x := 0; raise line; } }",
    // What is kept of the levels between, where a task posts to a lower one.
    "levels l0 < l1 < l2;
var x: 0..7;
var y: bool;
proc main() { post a() at l1; }
proc a() { x := 1; post c() at l2; x := 2; }
proc c() { post p() at l0; post d() at l1; }
proc p() { x := 4; post q() at l1; }
proc q() { post r(); x := 5; }
proc r() { x := 6; assert !y; }
proc d() { y := x == 2; }",
    "levels l0 < l1 < l2;
var x: 0..7;
var y: bool;
proc main() { post a() at l1; }
proc a() { x := 1; post p() at l0; post d() at l1; x := 2; }
proc p() { x := 4; post q() at l1; }
proc q() { post r(); x := 5; }
proc r() { x := 6; assert !y; }
proc d() { y := x == 2; }",
    // Who claims that all have to wait says nothing of tasks that are posted later,
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
var z: bool;
proc first() { post nothing() at l1; await z; post u(); }
proc u() { assert !z; }
proc nothing() { skip; }
proc second() { z := true; }",
    // nor of those that were not there yet.
    "levels l0 < l1 < l2;
buffer a runs first;
buffer b runs second;
var z: bool;
proc first() { post w() at l1; post u() at l1; }
proc w() { post nothing() at l2; await z; }
proc u() { assert !z; }
proc nothing() { skip; }
proc second() { z := true; }",
    // Who waits behind an interruption may be put off,
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
var z: bool;
var y: bool;
proc first() { post u(); post nothing() at l1; await z; assert y; }
proc u() { y := true; }
proc nothing() { skip; }
proc second() { z := true; }",
    // and leaves its buffer if all others wait too.
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
var z: bool;
var y: bool;
proc first() { post u(); post nothing() at l1; await z; }
proc u() { y := true; }
proc nothing() { skip; }
proc second() { assert y; }",
    // A line that is raised by who goes on first.
    "levels l0 < l1;
interrupt line in main runs handler at l1;
var x: 0..3;
proc main() { post t(); yield; assert x != 1; }
proc t() { atomic { raise line; } }
proc handler() { x := 1; }",
    // A line that is raised when the handler of another one begins.
    "levels l0 < l1 < l2;
interrupt i0 in main runs h0 at l1;
interrupt i1 in main runs h1 at l2;
var x: 0..3;
var y: bool;
proc main() { atomic { raise i0; raise i1; } y := true; }
proc h0() { assert x != 1; }
proc h1() { x := 1; }",
    // A wait behind a branch that interrupts.
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
var z: bool;
var y: bool = true;
proc first() { post u(); if y { post nothing() at l1; } await z; assert y; }
proc u() { if y { yield; } await !y; }
proc nothing() { skip; }
proc second() { z := true; y := false; }",
    // Who yields before it waits may be put off at either.
    "buffer a runs first;
buffer b runs second;
var z: bool;
var y: bool;
proc first() { post u(); yield; await z; assert y; }
proc u() { y := true; }
proc second() { z := true; }",
    // Tasks that are posted from above may be reordered.
    "levels l0 < l1;
var x: bool;
proc main() { post a() at l1; }
proc a() { post d1() at l0; post d2() at l0; }
proc d1() { assert !x; }
proc d2() { x := true; }",
    // A handler lets a wait come to hold.
    "levels l0 < l1;
buffer a runs first;
buffer b runs second;
interrupt line in a runs handler at l1;
var z: bool;
var y: bool;
proc first() { post u(); await z; }
proc u() { await y; y := false; }
proc handler() { y := true; }
proc second() { raise line; zield; assert !y; }",
];

#[test]
fn small_things_are_not_left_out() {
    let (mut wrong, mut right) = (0, 0);
    for text in TELLING {
        let code = compile(text);
        for (buffers, tasks) in ROUNDS {
            for reorder in [true, false] {
                match agreed(&code, Rounds { buffers, tasks, reorder }, text) {
                    Ok(Some(_)) => wrong += 1,
                    Ok(None) => right += 1,
                    // With the most rounds some questions are too large for a test.
                    Err(_) => {}
                }
            }
        }
    }
    assert!(wrong > 40 && right > 60, "{wrong} wrong, {right} right");
}
