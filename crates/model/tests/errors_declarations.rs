//! Mistakes in what is declared: constants, records, what runs at which level.

use crate::shown::{check, check_set};

#[test]
fn what_runs() {
    check(
        r"proc start() { }
",
        r"
error: there is no procedure `main`
 |
 = help: declare `proc main() { ... }`, or say what is to run: `buffer NAME runs PROCEDURE;`
",
    );
    check(
        r"proc main(a: int) { }
",
        r"
error: the procedure that a buffer runs can have no parameters
 --> test.cai:1:6
  |
1 | proc main(a: int) { }
  |      ^^^^
  |
  = help: use another procedure, which calls this one
",
    );
    check(
        r"buffer b runs f;
proc f(): int { return 1; }
",
        r"
error: the procedure that a buffer runs can have no result
 --> test.cai:1:15
  |
1 | buffer b runs f;
  |               ^
2 | proc f(): int { return 1; }
  | ------------- it is declared here
  |
  = help: use another procedure, which calls this one
",
    );
    check(
        r"levels low < high;
levels other;
proc main() { }
",
        r"
error: levels are declared twice
 --> test.cai:2:1
  |
1 | levels low < high;
  | ----------------- the first time
2 | levels other;
  | ^^^^^^^^^^^^
  |
  = help: say the order of all levels in one declaration
",
    );
}

#[test]
fn constants() {
    check(
        r"const A = B;
const B = C + 1;
const C = A;
proc main() { }
",
        r"
error: the constant `A` is defined by itself
 --> test.cai:1:7
  |
1 | const A = B;
  |       ^
  |
  = help: A needs B needs C needs A: give one of them a value of its own
",
    );
    check(
        r"const A = 1 / 0;
const B = 2147483647 + 1;
const C = -(-2147483648);
const D = 1 << 40;
proc main() { }
",
        r"
error: this constant divides by zero
 --> test.cai:1:11
  |
1 | const A = 1 / 0;
  |           ^^^^^
  |
  = help: use another divisor

error: this constant overflows
 --> test.cai:2:11
  |
2 | const B = 2147483647 + 1;
  |           ^^^^^^^^^^^^^^
  |
  = help: an `int` is between -2147483648 and 2147483647

error: this constant overflows
 --> test.cai:3:11
  |
3 | const C = -(-2147483648);
  |           ^^^^^^^^^^^^^^
  |
  = help: an `int` is between -2147483648 and 2147483647
",
    );
    check(
        r"var x: int;
const A = x;
enum E { e }
const B = e;
const C = *;
var y: 0..x;
var z: [int; choose(1, 2)];
var w: int = x + 1;
proc main() { }
",
        r"
error: this must be a constant, and is a variable
 --> test.cai:2:11
  |
2 | const A = x;
  |           ^
  |
  = help: numbers, constants and operators can stand here

error: a constant is an `int` or a `bool`
 --> test.cai:4:11
  |
4 | const B = e;
  |           ^
  |
  = help: members of enums are constants already

error: `*` cannot stand in a constant
 --> test.cai:5:11
  |
5 | const C = *;
  |           ^
  |
  = help: choices are made by tasks: use it in a procedure

error: this must be a constant, and is a variable
 --> test.cai:6:11
  |
6 | var y: 0..x;
  |           ^
  |
  = help: numbers, constants and operators can stand here

error: `choose` cannot stand in a constant
 --> test.cai:7:14
  |
7 | var z: [int; choose(1, 2)];
  |              ^^^^^^^^^^^^
  |
  = help: choices are made by tasks: use it in a procedure

error: this must be a constant, and is a variable
 --> test.cai:8:14
  |
8 | var w: int = x + 1;
  |              ^
  |
  = help: numbers, constants and operators can stand here
",
    );
}

#[test]
fn constants_that_are_set() {
    check_set(
        r"const N = 3;
const FAST = false;
proc main() { }
",
        &[("M", "4"), ("N", "many"), ("FAST", "1"), ("N", "99999999999")],
        r"
error: there is no constant `M` to be set
 |
 = help: the constants are N, FAST

error: `N` cannot be set to `99999999999`
 |
 = help: it is an `int`: set it to a number between -2147483648 and 2147483647

error: `FAST` cannot be set to `1`
 |
 = help: it is a `bool`: set it to true or false
",
    );
    check_set(
        r"proc main() { }
",
        &[("N", "4")],
        r"
error: there is no constant `N` to be set
 |
 = help: the file has no constants
",
    );
    check_set(
        r"const COUNT = 3;
proc main() { }
",
        &[("CONT", "4")],
        r"
error: there is no constant `CONT` to be set
 |
 = help: did you mean `COUNT`? The constants are COUNT
",
    );
}

#[test]
fn records() {
    check(
        r"record A { b: B }
record B { a: [A; 2] }
record C { c: C }
record D { }
enum E { }
var d: D;
proc main() { }
",
        r"
error: the record `A` contains itself
 --> test.cai:1:8
  |
1 | record A { b: B }
  |        ^
  |
  = help: records have a fixed size; to point to another one use an index into an array of them

error: the record `C` contains itself
 --> test.cai:3:8
  |
3 | record C { c: C }
  |        ^
  |
  = help: records have a fixed size; to point to another one use an index into an array of them

error: the record `D` has no fields
 --> test.cai:4:8
  |
4 | record D { }
  |        ^
  |
  = help: give it at least one field

error: the enum `E` has no members
 --> test.cai:5:6
  |
5 | enum E { }
  |      ^
  |
  = help: a variable of it could have no value; give it at least one member
",
    );
}
