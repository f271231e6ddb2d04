//! Mistakes with names.

use crate::shown::check;

#[test]
fn names_that_stand_for_nothing() {
    check(
        r"var pending: int;
proc main() {
    pnding := 1;
    pending := 2;
    var local: int = Pending;
    locl := 1;
    zzz := 1;
}
",
        r"
error: there is no variable `pnding`
 --> test.cai:3:5
  |
3 |     pnding := 1;
  |     ^^^^^^
  |
  = help: did you mean `pending`?

error: there is no variable `Pending`
 --> test.cai:5:22
  |
5 |     var local: int = Pending;
  |                      ^^^^^^^
  |
  = help: did you mean `pending`?

error: there is no variable `locl`
 --> test.cai:6:5
  |
6 |     locl := 1;
  |     ^^^^
  |
  = help: did you mean `local`?

error: there is no variable `zzz`
 --> test.cai:7:5
  |
7 |     zzz := 1;
  |     ^^^
  |
  = help: declare it: `var zzz: ...;`
",
    );
    check(
        r"proc main() {
    wrok();
    post work2();
    raise irq;
}
proc work() { }
",
        r"
error: there is no procedure `wrok`
 --> test.cai:2:5
  |
2 |     wrok();
  |     ^^^^
  |
  = help: did you mean `work`?

error: there is no procedure `work2`
 --> test.cai:3:10
  |
3 |     post work2();
  |          ^^^^^
  |
  = help: did you mean `work`?

error: there is no interrupt line `irq`
 --> test.cai:4:11
  |
4 |     raise irq;
  |           ^^^
  |
  = help: declare it: `interrupt irq in BUFFER runs PROCEDURE at LEVEL;`
",
    );
    check(
        r"enum Mode { idle }
var m: Mod;
var s: string;
proc main() { m := idl; }
",
        r"
error: there is no type `Mod`
 --> test.cai:2:8
  |
2 | var m: Mod;
  |        ^^^
  |
  = help: did you mean `Mode`?

error: there is no type `string`
 --> test.cai:3:8
  |
3 | var s: string;
  |        ^^^^^^
  |
  = help: types are `bool`, `int`, ranges like `0..3`, names of enums and records, `lock`, and arrays like `[int; 4]`

error: there is no variable `idl`
 --> test.cai:4:20
  |
4 | proc main() { m := idl; }
  |                    ^^^
  |
  = help: did you mean `idle`?
",
    );
    check(
        r"record Slot { owner: int }
var s: Slot;
proc main() { s.onwer := 1; s.full := 2; }
",
        r"
error: the record `Slot` has no field `onwer`
 --> test.cai:3:17
  |
3 | proc main() { s.onwer := 1; s.full := 2; }
  |                 ^^^^^
  |
  = help: did you mean `owner`?

error: the record `Slot` has no field `full`
 --> test.cai:3:31
  |
3 | proc main() { s.onwer := 1; s.full := 2; }
  |                               ^^^^
  |
  = help: its fields are `owner`
",
    );
}

#[test]
fn each_mistake_is_reported_once() {
    check(
        r"var x: Unknown;
const N = M;
proc main() {
    x := 1;
    if x == true { x := x + 1; }
    var y: [int; N] = [x, N];
    y[0] := y[1] && x;
    f(x, y[0]);
}
proc f(a: Unknown2, b: int) { var z: bool = a; }
",
        r"
error: there is no type `Unknown`
 --> test.cai:1:8
  |
1 | var x: Unknown;
  |        ^^^^^^^
  |
  = help: types are `bool`, `int`, ranges like `0..3`, names of enums and records, `lock`, and arrays like `[int; 4]`

error: there is no constant `M`
 --> test.cai:2:11
  |
2 | const N = M;
  |           ^
  |
  = help: declare it: `const M = ...;`

error: there is no type `Unknown2`
  --> test.cai:10:11
   |
10 | proc f(a: Unknown2, b: int) { var z: bool = a; }
   |           ^^^^^^^^
   |
   = help: types are `bool`, `int`, ranges like `0..3`, names of enums and records, `lock`, and arrays like `[int; 4]`
",
    );
}

#[test]
fn unknown_levels_and_buffers() {
    check(
        r"levels passive < dispatch;
proc main() { post main() at dispach; post main() at high; }
",
        r"
error: there is no level `dispach`
 --> test.cai:2:30
  |
2 | proc main() { post main() at dispach; post main() at high; }
  |                              ^^^^^^^
  |
  = help: did you mean `dispatch`? The levels are `passive`, `dispatch`

error: there is no level `high`
 --> test.cai:2:54
  |
2 | proc main() { post main() at dispach; post main() at high; }
  |                                                      ^^^^
  |
  = help: the levels are `passive`, `dispatch`
",
    );
    check(
        r"proc main() { post main() at high; }
",
        r"
error: there is no level `high`
 --> test.cai:1:30
  |
1 | proc main() { post main() at high; }
  |                              ^^^^
  |
  = help: the levels are `base`
",
    );
    check(
        r"buffer b runs start;
interrupt irq in c runs handler at base;
proc start() { }
proc handler() { }
",
        r"
error: there is no buffer `c`
 --> test.cai:2:18
  |
2 | interrupt irq in c runs handler at base;
  |                  ^
  |
  = help: the buffers are `b`
",
    );
    check(
        r"interrupt irq in main runs nobody at top;
proc main() { }
",
        r"
error: there is no procedure `nobody`
 --> test.cai:1:28
  |
1 | interrupt irq in main runs nobody at top;
  |                            ^^^^^^
  |
  = help: declare it: `proc nobody() { ... }`

error: there is no level `top`
 --> test.cai:1:38
  |
1 | interrupt irq in main runs nobody at top;
  |                                      ^^^
  |
  = help: the levels are `base`
",
    );
}

#[test]
fn names_are_declared_once() {
    check(
        r"var x: int;
proc x() { }
enum E { a, b, a }
record R { f: int, f: bool }
proc main() { x := 1; }
",
        r"
error: `x` is declared twice
 --> test.cai:2:6
  |
1 | var x: int;
  |     - the first time
2 | proc x() { }
  |      ^ the second time
  |
  = help: all declarations of a file share one name space; rename one of the two

error: `a` is declared twice
 --> test.cai:3:16
  |
3 | enum E { a, b, a }
  |          -     ^ the second time
  |          |
  |          the first time
  |
  = help: all declarations of a file share one name space; rename one of the two

error: the field `f` is declared twice
 --> test.cai:4:20
  |
4 | record R { f: int, f: bool }
  |            -       ^
  |            |
  |            the first time
  |
  = help: rename one of the two
",
    );
}

#[test]
fn locals_hide_nothing() {
    check(
        r"var x: int;
proc main() {
    var x: int;
    var y: int;
    if * { var y: bool; }
    for y in 0..1 { skip; }
    if * { var z: int; }
    z := 1;
}
proc f(main: int, a: int, a: int) { }
",
        r"
error: `x` is a variable already
 --> test.cai:3:9
  |
1 | var x: int;
  |     - declared here
2 | proc main() {
3 |     var x: int;
  |         ^
  |
  = help: a local cannot hide another name; choose a new one

error: there is a variable `y` already
 --> test.cai:5:16
  |
4 |     var y: int;
  |         - declared here
5 |     if * { var y: bool; }
  |                ^
  |
  = help: a local cannot hide another name; choose a new one

error: there is a variable `y` already
 --> test.cai:6:9
  |
4 |     var y: int;
  |         - declared here
5 |     if * { var y: bool; }
6 |     for y in 0..1 { skip; }
  |         ^
  |
  = help: a local cannot hide another name; choose a new one

error: there is no variable `z`
 --> test.cai:8:5
  |
8 |     z := 1;
  |     ^
  |
  = help: the block that `z` was declared in has ended; declare it before that block

error: `main` is a procedure already
  --> test.cai:10:8
   |
 2 | proc main() {
   |      ---- declared here
...
10 | proc f(main: int, a: int, a: int) { }
   |        ^^^^
   |
   = help: a local cannot hide another name; choose a new one

error: there is a variable `a` already
  --> test.cai:10:27
   |
10 | proc f(main: int, a: int, a: int) { }
   |                   -       ^
   |                   |
   |                   declared here
   |
   = help: a local cannot hide another name; choose a new one
",
    );
}

#[test]
fn the_wrong_kind_of_name() {
    check(
        r"const N = 3;
enum E { a }
var x: int;
var v: x;
proc main() {
    N := 4;
    a := 1;
    main := 2;
    x := main;
    x();
    x := E;
    raise x;
    for i in 0..3 { i := 1; }
}
",
        r"
error: `x` is a variable, not a type
 --> test.cai:4:8
  |
3 | var x: int;
  |     - declared here
4 | var v: x;
  |        ^

error: `N` is a constant, not a variable
 --> test.cai:6:5
  |
1 | const N = 3;
  |       - declared here
...
6 |     N := 4;
  |     ^

error: `a` is a member of an enum, not a variable
 --> test.cai:7:5
  |
2 | enum E { a }
  |          - declared here
...
7 |     a := 1;
  |     ^

error: `main` is a procedure, not a variable
 --> test.cai:8:5
  |
5 | proc main() {
  |      ---- declared here
...
8 |     main := 2;
  |     ^^^^

error: `main` is a procedure, not a variable
 --> test.cai:9:10
  |
5 | proc main() {
  |      ---- declared here
...
9 |     x := main;
  |          ^^^^

error: `x` is a variable, not a procedure
  --> test.cai:10:5
   |
 3 | var x: int;
   |     - declared here
...
10 |     x();
   |     ^

error: `E` is an enum, not a variable
  --> test.cai:11:10
   |
 2 | enum E { a }
   |      - declared here
...
11 |     x := E;
   |          ^

error: `x` is a variable, not an interrupt line
  --> test.cai:12:11
   |
 3 | var x: int;
   |     - declared here
...
12 |     raise x;
   |           ^

error: the variable of a `for` cannot be changed
  --> test.cai:13:21
   |
13 |     for i in 0..3 { i := 1; }
   |         -           ^
   |         |
   |         it counts this loop
   |
   = help: use a `while` loop with a variable of your own
",
    );
}
