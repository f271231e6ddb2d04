//! Mistakes in statements: calls, posts, results, locks, choices, and yields inside `atomic`.

use crate::shown::check;

#[test]
fn calls_and_posts() {
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    f(1);
    f(1, 2, 3);
    f(b, 1);
    x := h();
    b := f(1, 2);
    post f(1, 2);
    post h(1);
    h(a[b]);
}
proc f(p: int, q: int): int { return p; }
proc h() { }
",
        r"
error: `f` has 2 arguments, and 1 is given
  --> test.cai:10:5
   |
10 |     f(1);
   |     ^
...
19 | proc f(p: int, q: int): int { return p; }
   | --------------------------- declared here

error: `f` has 2 arguments, and 3 are given
  --> test.cai:11:5
   |
11 |     f(1, 2, 3);
   |     ^
...
19 | proc f(p: int, q: int): int { return p; }
   | --------------------------- declared here

error: expected `int`, found `bool`
  --> test.cai:12:7
   |
12 |     f(b, 1);
   |       ^
   |
   = help: make it a number: `b ? 1 : 0`

error: `h` has no result
  --> test.cai:13:10
   |
13 |     x := h();
   |          ^
...
20 | proc h() { }
   | -------- declared here
   |
   = help: call it by itself: `h(...);`, or give it a result

error: `f` gives `int`, and this is `bool`
  --> test.cai:14:5
   |
14 |     b := f(1, 2);
   |     ^
...
19 | proc f(p: int, q: int): int { return p; }
   | --------------------------- declared here
   |
   = help: use a variable of its type

error: `f` has a result, which nobody would get
  --> test.cai:15:10
   |
15 |     post f(1, 2);
   |          ^
...
19 | proc f(p: int, q: int): int { return p; }
   | --------------------------- declared here
   |
   = help: post a procedure without a result; it can call this one

error: `h` has 0 arguments, and 1 is given
  --> test.cai:16:10
   |
16 |     post h(1);
   |          ^
...
20 | proc h() { }
   | -------- declared here

error: `h` has 0 arguments, and 1 is given
  --> test.cai:17:5
   |
17 |     h(a[b]);
   |     ^
...
20 | proc h() { }
   | -------- declared here

error: expected `int`, found `bool`
  --> test.cai:17:9
   |
17 |     h(a[b]);
   |         ^
   |
   = help: make it a number: `b ? 1 : 0`
",
    );
}

#[test]
fn returns() {
    check(
        r"proc main() { return 1; }
proc f(): int { return; }
proc g(): int { return true; }
proc h(): int { skip; }
proc i(): int { if * { return 1; } }
proc j(): int { if * { return 1; } else { skip; } }
proc k(): int { while true { skip; } }
proc n(): int { }
proc o(): int { while * { skip; } }
proc p(): int { while * { return 1; } }
",
        r"
error: this procedure has no result
 --> test.cai:1:22
  |
1 | proc main() { return 1; }
  |                      ^
  |
  = help: write `return;`, or give the procedure a result: `proc f(): int`

error: this procedure has a result
 --> test.cai:2:17
  |
2 | proc f(): int { return; }
  |                 ^^^^^^
  |
  = help: say which: `return ...;`

error: expected `int`, found `bool`
 --> test.cai:3:24
  |
3 | proc g(): int { return true; }
  |                        ^^^^
  |
  = help: make it a number: `true ? 1 : 0`

error: `h` ends here without a result
 --> test.cai:4:23
  |
4 | proc h(): int { skip; }
  | -------------         ^
  | |
  | it has a result
  |
  = help: end it with `return ...;`

error: `j` ends here without a result
 --> test.cai:6:51
  |
6 | proc j(): int { if * { return 1; } else { skip; } }
  | ------------- it has a result                     ^
  |
  = help: end it with `return ...;`

error: `n` ends here without a result
 --> test.cai:8:17
  |
8 | proc n(): int { }
  | -------------   ^
  | |
  | it has a result
  |
  = help: end it with `return ...;`

error: `o` ends here without a result
 --> test.cai:9:35
  |
9 | proc o(): int { while * { skip; } }
  | ------------- it has a result     ^
  |
  = help: end it with `return ...;`
",
    );
}

#[test]
fn havoc_needs_a_finite_type() {
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    havoc x;
    havoc a;
    havoc a[1];
    havoc l;
    havoc m;
    havoc 1;
}
",
        r"
error: `havoc` of `int`
  --> test.cai:10:11
   |
10 |     havoc x;
   |           ^
   |
   = help: say which values are of interest: `x := choose(0, 9);`, or give it a range as its type

error: an array cannot be changed as a whole
  --> test.cai:11:11
   |
11 |     havoc a;
   |           ^
   |
   = help: name an element of it: `a[i]`

error: `havoc` of `int`
  --> test.cai:12:11
   |
12 |     havoc a[1];
   |           ^^^^
   |
   = help: say which values are of interest: `a[1] := choose(0, 9);`, or give it a range as its type

error: `havoc` of `lock`
  --> test.cai:13:11
   |
13 |     havoc l;
   |           ^
   |
   = help: use `lock m;` and `unlock m;`

error: this is no variable
  --> test.cai:15:11
   |
15 |     havoc 1;
   |           ^
   |
   = help: a variable, an element `a[i]` of an array or a field `r.f` of a record can stand here
",
    );
}

#[test]
fn locks_are_locks() {
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    lock x;
    unlock a;
    lock l;
    lock 3;
}
",
        r"
error: expected a lock, found `int`
  --> test.cai:10:10
   |
10 |     lock x;
   |          ^
   |
   = help: locks are globals: `var m: lock;`

error: an array cannot be changed as a whole
  --> test.cai:11:12
   |
11 |     unlock a;
   |            ^
   |
   = help: name an element of it: `a[i]`

error: this is no variable
  --> test.cai:13:10
   |
13 |     lock 3;
   |          ^
   |
   = help: a variable, an element `a[i]` of an array or a field `r.f` of a record can stand here
",
    );
}

#[test]
fn choices_where_there_are_none() {
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    await *;
    await x == choose(0, 1);
}
final *;
final x == choose(0, 1);
",
        r"
error: a choice in `await`
  --> test.cai:10:11
   |
10 |     await *;
   |           ^
   |
   = help: what is waited for must not change by itself; choose before: `if * { await e; }`

error: a choice in `await`
  --> test.cai:11:11
   |
11 |     await x == choose(0, 1);
   |           ^^^^^^^^^^^^^^^^^
   |
   = help: what is waited for must not change by itself; choose before: `if * { await e; }`

error: `*` cannot stand in `final`
  --> test.cai:13:7
   |
13 | final *;
   |       ^
   |
   = help: choices are made by tasks: use it in a procedure

error: `choose` cannot stand in `final`
  --> test.cai:14:12
   |
14 | final x == choose(0, 1);
   |            ^^^^^^^^^^^^
   |
   = help: choices are made by tasks: use it in a procedure
",
    );
}

#[test]
fn final_conditions_are_about_globals() {
    check(
        r"var x: int;
final x;
final y == 1;
proc main() { var y: int; }
",
        r"
error: expected `bool`, found `int`
 --> test.cai:2:7
  |
2 | final x;
  |       ^
  |
  = help: compare it with a number: `x != 0`

error: there is no variable `y`
 --> test.cai:3:7
  |
3 | final y == 1;
  |       ^
  |
  = help: declare it: `var y: ...;`
",
    );
}

#[test]
fn yields_inside_atomic() {
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    atomic {
        yield;
        zield;
        pause;
        if * { yield; }
    }
    yield;
}
",
        r"
error: `yield` inside `atomic`
  --> test.cai:11:9
   |
10 |     atomic {
   |     ------ nothing else runs while this does
11 |         yield;
   |         ^^^^^
   |
   = help: move the `yield` out of the block, or split the block in two

error: `zield` inside `atomic`
  --> test.cai:12:9
   |
10 |     atomic {
   |     ------ nothing else runs while this does
11 |         yield;
12 |         zield;
   |         ^^^^^
   |
   = help: move the `zield` out of the block, or split the block in two

error: `pause` inside `atomic`
  --> test.cai:13:9
   |
10 |     atomic {
   |     ------ nothing else runs while this does
...
13 |         pause;
   |         ^^^^^
   |
   = help: move the `pause` out of the block, or split the block in two

error: `yield` inside `atomic`
  --> test.cai:14:16
   |
10 |     atomic {
   |     ------ nothing else runs while this does
...
14 |         if * { yield; }
   |                ^^^^^
   |
   = help: move the `yield` out of the block, or split the block in two
",
    );
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    atomic { outer(); }
    outer();
}
proc outer() {
    middle();
}
proc middle() { if * { inner(); } }
proc inner() { pause; middle(); }
",
        r"
error: this reaches a `pause` inside `atomic`
  --> test.cai:10:14
   |
10 |     atomic { outer(); }
   |              ^^^^^^^ by way of `outer`, `middle`, `inner`
...
17 | proc inner() { pause; middle(); }
   |                ----- the `pause`
   |
   = help: call it outside of `atomic`, or call a procedure that does not yield
",
    );
    check(
        r"enum Mode { idle, busy }
record Slot { owner: int }
var x: int;
var b: bool;
var m: Mode;
var l: lock;
var a: [int; 3];
var s: Slot;
proc main() {
    atomic { f(); }
}
proc f() { post g(); atomic { x := 1; } }
proc g() { yield; atomic { h(); } }
proc h() { g(); }
",
        r"
error: this reaches a `yield` inside `atomic`
  --> test.cai:13:28
   |
13 | proc g() { yield; atomic { h(); } }
   |            -----           ^^^ by way of `h`, `g`
   |            |
   |            the `yield`
   |
   = help: call it outside of `atomic`, or call a procedure that does not yield
",
    );
}
