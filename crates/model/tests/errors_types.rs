//! Mistakes with types.

use crate::shown::check;

#[test]
fn values_of_the_wrong_type() {
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
    x := b;
    b := x;
    m := 1;
    x := busy;
    if x { skip; }
    while m { skip; }
    assert x + 1;
    x := choose(b, 1);
}
",
        r"
error: expected `int`, found `bool`
  --> test.cai:10:10
   |
10 |     x := b;
   |          ^
   |
   = help: make it a number: `b ? 1 : 0`

error: expected `bool`, found `int`
  --> test.cai:11:10
   |
11 |     b := x;
   |          ^
   |
   = help: compare it with a number: `x != 0`

error: expected `Mode`, found `int`
  --> test.cai:12:10
   |
12 |     m := 1;
   |          ^
   |
   = help: its values are `idle`, `busy`

error: expected `int`, found `Mode`
  --> test.cai:13:10
   |
13 |     x := busy;
   |          ^^^^
   |
   = help: members of enums are no numbers

error: expected `bool`, found `int`
  --> test.cai:14:8
   |
14 |     if x { skip; }
   |        ^
   |
   = help: compare it with a number: `x != 0`

error: expected `bool`, found `Mode`
  --> test.cai:15:11
   |
15 |     while m { skip; }
   |           ^
   |
   = help: compare it with a member: `m == ...`

error: expected `bool`, found `int`
  --> test.cai:16:12
   |
16 |     assert x + 1;
   |            ^^^^^
   |
   = help: compare it with a number: `x + 1 != 0`

error: expected `int`, found `bool`
  --> test.cai:17:17
   |
17 |     x := choose(b, 1);
   |                 ^
   |
   = help: make it a number: `b ? 1 : 0`
",
    );
}

#[test]
fn operands_of_the_wrong_type() {
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
    b := x && b;
    x := b + 1;
    b := m < busy;
    b := x == b;
    b := m == 1;
    b := b & b;
    b := b | b;
    b := !x;
    x := -b;
    b := 1 < x < 3;
    x := b ? 1 : b;
    b := x == 1 == b;
}
",
        r"
error: `&&` needs a `bool`, found `int`
  --> test.cai:10:10
   |
10 |     b := x && b;
   |          ^
   |
   = help: compare it with a number: `x != 0`

error: `+` needs an `int`, found `bool`
  --> test.cai:11:10
   |
11 |     x := b + 1;
   |          ^
   |
   = help: make it a number: `b ? 1 : 0`

error: `<` needs an `int`, found `Mode`
  --> test.cai:12:10
   |
12 |     b := m < busy;
   |          ^
   |
   = help: enums have no order; `==` and `!=` compare them

error: `==` compares `int` with `bool`
  --> test.cai:13:15
   |
13 |     b := x == b;
   |          -    ^ this is `bool`
   |          |
   |          this is `int`
   |
   = help: both sides must have the same type

error: `==` compares `Mode` with `int`
  --> test.cai:14:15
   |
14 |     b := m == 1;
   |          -    ^ this is `int`
   |          |
   |          this is `Mode`
   |
   = help: both sides must have the same type

error: `&` needs an `int`, found `bool`
  --> test.cai:15:10
   |
15 |     b := b & b;
   |          ^
   |
   = help: of `bool`s it is `&&`

error: `|` needs an `int`, found `bool`
  --> test.cai:16:10
   |
16 |     b := b | b;
   |          ^
   |
   = help: of `bool`s it is `||`

error: expected `bool`, found `int`
  --> test.cai:17:11
   |
17 |     b := !x;
   |           ^
   |
   = help: compare it with a number: `x != 0`

error: expected `int`, found `bool`
  --> test.cai:18:11
   |
18 |     x := -b;
   |           ^
   |
   = help: make it a number: `b ? 1 : 0`

error: `<` compares numbers, and on its left there is a `bool`
  --> test.cai:19:16
   |
19 |     b := 1 < x < 3;
   |          ----- ^
   |          |
   |          a `bool`
   |
   = help: `a < b < c` is written `a < b && b < c`

error: `? :` gives `int` or `bool`
  --> test.cai:20:18
   |
20 |     x := b ? 1 : b;
   |              -   ^ this is `bool`
   |              |
   |              this is `int`
   |
   = help: both must have the same type
",
    );
}

#[test]
fn wholes_and_parts() {
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
    a := 1;
    x := a;
    s := s;
    b := a == a;
    x := x[1];
    x := x.f;
    x := a.f;
    x := s[1];
    x := 1[2];
    l := l;
    x := l;
    a[b] := 1;
}
",
        r"
error: an array cannot be changed as a whole
  --> test.cai:10:5
   |
10 |     a := 1;
   |     ^
   |
   = help: name an element of it: `a[i]`

error: an array cannot be used as a whole
  --> test.cai:11:10
   |
11 |     x := a;
   |          ^
   |
   = help: name an element of it: `a[i]`

error: the record `Slot` cannot be changed as a whole
  --> test.cai:12:5
   |
12 |     s := s;
   |     ^
   |
   = help: name a field of it: `r.f`

error: the record `Slot` cannot be used as a whole
  --> test.cai:12:10
   |
12 |     s := s;
   |          ^
   |
   = help: name a field of it: `r.f`

error: an array cannot be used as a whole
  --> test.cai:13:10
   |
13 |     b := a == a;
   |          ^
   |
   = help: name an element of it: `a[i]`

error: an array cannot be used as a whole
  --> test.cai:13:15
   |
13 |     b := a == a;
   |               ^
   |
   = help: name an element of it: `a[i]`

error: this is `int`, which has no elements
  --> test.cai:14:10
   |
14 |     x := x[1];
   |          ^
   |
   = help: only arrays have elements: `var a: [int; 4];`

error: this is `int`, which has no fields
  --> test.cai:15:10
   |
15 |     x := x.f;
   |          ^
   |
   = help: only records have fields

error: this is an array, which has no fields
  --> test.cai:16:10
   |
16 |     x := a.f;
   |          ^
   |
   = help: only records have fields

error: this is the record `Slot`, which has no elements
  --> test.cai:17:10
   |
17 |     x := s[1];
   |          ^
   |
   = help: only arrays have elements: `var a: [int; 4];`

error: this is no variable
  --> test.cai:18:10
   |
18 |     x := 1[2];
   |          ^
   |
   = help: only variables have elements and fields

error: a lock cannot be assigned
  --> test.cai:19:5
   |
19 |     l := l;
   |     ^
   |
   = help: use `lock m;` and `unlock m;`

error: a lock has no value
  --> test.cai:20:10
   |
20 |     x := l;
   |          ^
   |
   = help: use `lock m;` and `unlock m;`, and a `bool` beside it if you must know who holds it

error: expected `int`, found `bool`
  --> test.cai:21:7
   |
21 |     a[b] := 1;
   |       ^
   |
   = help: make it a number: `b ? 1 : 0`
",
    );
}

#[test]
fn initial_values() {
    check(
        r"var a: [int; 3] = [1, 2];
var b: [int; 2] = [1, true];
var c: int = [1];
var d: [[int; 2]; 2] = [1, [2]];
var e: lock = 1;
record R { x: int }
var f: R = 1;
var g: 0..3 = 4;
var h: [R; 2] = [1, 2];
proc main() { var i: [int; 2] = [1]; var j: R = 2; var k: int = k; var n: lock; }
",
        r"
error: the array has 3 elements, and this list 2
 --> test.cai:1:19
  |
1 | var a: [int; 3] = [1, 2];
  |                   ^^^^^^
  |
  = help: give a value for each, or one value without brackets for all

error: expected `int`, found `bool`
 --> test.cai:2:23
  |
2 | var b: [int; 2] = [1, true];
  |                       ^^^^
  |
  = help: make it a number: `true ? 1 : 0`

error: a list cannot be the value of `int`
 --> test.cai:3:14
  |
3 | var c: int = [1];
  |              ^^^
  |
  = help: lists give the elements of arrays

error: the array has 2 elements, and this list 1
 --> test.cai:4:28
  |
4 | var d: [[int; 2]; 2] = [1, [2]];
  |                            ^^^
  |
  = help: give a value for each, or one value without brackets for all

error: `lock` has no initial value
 --> test.cai:5:15
  |
5 | var e: lock = 1;
  |               ^
  |
  = help: locks are free at first

error: the record `R` has no initial value
 --> test.cai:7:12
  |
7 | var f: R = 1;
  |            ^
  |
  = help: records begin with the default values of their fields; assign other values to the fields

error: 4 is not in the range 0..3
 --> test.cai:8:15
  |
8 | var g: 0..3 = 4;
  |               ^
  |
  = help: give it a value of its type

error: the record `R` has no initial value
 --> test.cai:9:18
  |
9 | var h: [R; 2] = [1, 2];
  |                  ^
  |
  = help: records begin with the default values of their fields; assign other values to the fields

error: the record `R` has no initial value
 --> test.cai:9:21
  |
9 | var h: [R; 2] = [1, 2];
  |                     ^
  |
  = help: records begin with the default values of their fields; assign other values to the fields

error: the array has 2 elements, and this list 1
  --> test.cai:10:33
   |
10 | proc main() { var i: [int; 2] = [1]; var j: R = 2; var k: int = k; var n: lock; }
   |                                 ^^^
   |
   = help: give a value for each, or one value without brackets for all

error: the record `R` has no initial value
  --> test.cai:10:49
   |
10 | proc main() { var i: [int; 2] = [1]; var j: R = 2; var k: int = k; var n: lock; }
   |                                                 ^
   |
   = help: records begin with the default values of their fields; assign other values to the fields

error: there is no variable `k`
  --> test.cai:10:65
   |
10 | proc main() { var i: [int; 2] = [1]; var j: R = 2; var k: int = k; var n: lock; }
   |                                                                 ^
   |
   = help: declare it: `var k: ...;`

error: a lock cannot be local
  --> test.cai:10:75
   |
10 | proc main() { var i: [int; 2] = [1]; var j: R = 2; var k: int = k; var n: lock; }
   |                                                                           ^^^^
   |
   = help: declare it outside of the procedures, so that other tasks can see it
",
    );
}

#[test]
fn types() {
    check(
        r"var a: 3..1;
var b: [int; 0];
var c: [int; -1];
var d: [int; true];
var e: [[int; 2000]; 2000];
plain var f: lock;
proc main(x: [int; 2]): lock { }
",
        r"
error: the range 3..1 is empty
 --> test.cai:1:8
  |
1 | var a: 3..1;
  |        ^^^^
  |
  = help: both ends belong to a range, and the smaller one comes first

error: an array cannot have 0 elements
 --> test.cai:2:14
  |
2 | var b: [int; 0];
  |              ^
  |
  = help: it has at least 1 and at most 1048576

error: an array cannot have -1 elements
 --> test.cai:3:14
  |
3 | var c: [int; -1];
  |              ^^
  |
  = help: it has at least 1 and at most 1048576

error: expected `int`, found `bool`
 --> test.cai:4:14
  |
4 | var d: [int; true];
  |              ^^^^
  |
  = help: make it a number: `true ? 1 : 0`

error: this has more than 1048576 values
 --> test.cai:5:5
  |
5 | var e: [[int; 2000]; 2000];
  |     ^
  |
  = help: models are explored state by state: make arrays smaller

error: a lock cannot be `plain`
 --> test.cai:6:11
  |
6 | plain var f: lock;
  |           ^
  |
  = help: locks are there to synchronise; leave `plain` out

error: the procedure that a buffer runs can have no parameters
 --> test.cai:7:6
  |
7 | proc main(x: [int; 2]): lock { }
  |      ^^^^
  |
  = help: use another procedure, which calls this one

error: a parameter cannot be an array
 --> test.cai:7:14
  |
7 | proc main(x: [int; 2]): lock { }
  |              ^^^^^^^^
  |
  = help: it must be a `bool`, an `int`, a range or an enum; use a global for the rest

error: a result cannot be `lock`
 --> test.cai:7:25
  |
7 | proc main(x: [int; 2]): lock { }
  |                         ^^^^
  |
  = help: it must be a `bool`, an `int`, a range or an enum; use a global for the rest
",
    );
}
