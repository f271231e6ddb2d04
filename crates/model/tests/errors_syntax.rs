//! Mistakes in the syntax: what is said about them, and that parsing goes on behind them.

use crate::shown::check;

#[test]
fn a_missing_semicolon_is_shown_behind_the_token_before() {
    check(
        r"var x: int;
proc main() {
    x := 1
    x := 2;
}
",
        r"
error: a `;` is missing here
 --> test.cai:3:11
  |
3 |     x := 1
  |           ^ add `;`
",
    );
    check(
        r"var x: int
proc main() { }",
        r"
error: a `;` is missing here
 --> test.cai:1:11
  |
1 | var x: int
  |           ^ add `;`
",
    );
    check(
        r"var x: int;
proc main() {
    x := 1
}
",
        r"
error: a `;` is missing here
 --> test.cai:3:11
  |
3 |     x := 1
  |           ^ add `;`
",
    );
    check(
        r"var x: int;
proc main() {
    x := 1 x := 2;
}
",
        r"
error: expected `;`, found `x`
 --> test.cai:3:12
  |
3 |     x := 1 x := 2;
  |            ^
",
    );
}

#[test]
fn assignment_and_comparison() {
    check(
        r"var x: int;
proc main() {
    x = 1;
}
",
        r"
error: `=` does not assign
 --> test.cai:3:7
  |
3 |     x = 1;
  |       ^ write `:=`
",
    );
    check(
        r"var x: int;
proc main() {
    x == 1;
}
",
        r"
error: expected `:=`, found `==`
 --> test.cai:3:7
  |
3 |     x == 1;
  |       ^^
  |
  = help: `==` compares; to assign write `x := ...`
",
    );
    check(
        r"var x: int;
proc main() {
    if x = 1 { skip; }
}
",
        r"
error: `=` does not compare
 --> test.cai:3:10
  |
3 |     if x = 1 { skip; }
  |          ^ write `==`
",
    );
    check(
        r"var x: int;
proc main() {
    assert x := 1;
}
",
        r"
error: `:=` does not compare
 --> test.cai:3:14
  |
3 |     assert x := 1;
  |              ^^ write `==`
",
    );
    check(
        r"const N := 3;
proc main() { }",
        r"
error: a declaration has `=`, not `:=`
 --> test.cai:1:9
  |
1 | const N := 3;
  |         ^^ write `=`
",
    );
    check(
        r"var x: int;
proc main() {
    var y: int := 3;
}
",
        r"
error: a declaration has `=`, not `:=`
 --> test.cai:3:16
  |
3 |     var y: int := 3;
  |                ^^ write `=`
",
    );
}

#[test]
fn calls_stand_by_themselves() {
    check(
        r"var x: int;
proc main() {
    x := 1 + f(2);
    x := f(2) + 1;
    if f(1) { skip; }
    x := f(1);
}
proc f(a: int): int { return a; }
",
        r"
error: `f` is called inside an expression
 --> test.cai:3:14
  |
3 |     x := 1 + f(2);
  |              ^
  |
  = help: call it first: `var y: ...;` `y := f(...);`, and then use `y`

error: `f` is called inside an expression
 --> test.cai:4:10
  |
4 |     x := f(2) + 1;
  |          ^
  |
  = help: call it first: `var y: ...;` `y := f(...);`, and then use `y`

error: `f` is called inside an expression
 --> test.cai:5:8
  |
5 |     if f(1) { skip; }
  |        ^
  |
  = help: call it first: `var y: ...;` `y := f(...);`, and then use `y`
",
    );
}

#[test]
fn blocks() {
    check(
        r"var x: int;
proc main() {
    if x == 1 x := 2;
}
",
        r"
error: expected a block, found `x`
 --> test.cai:3:15
  |
3 |     if x == 1 x := 2;
  |               ^
  |
  = help: blocks stand in braces: `{ ... }`
",
    );
    check(
        r"var x: int;
proc main() {
    while x == 1 { x := 2; 
}
",
        r"
error: expected a statement or `}`, found the end of the file
 --> test.cai:4:3
  |
2 | proc main() {
  |             - this block is not closed
3 |     while x == 1 { x := 2; 
4 | }
  |  ^
  |
  = help: a `}` is missing
",
    );
    check(
        r"proc main() {
    skip;
proc f() { }
",
        r"
error: expected a statement or `}`, found `proc`
 --> test.cai:3:1
  |
1 | proc main() {
  |             - this block is not closed
2 |     skip;
3 | proc f() { }
  | ^^^^
  |
  = help: a `}` is missing before it; declarations stand outside of procedures
",
    );
    check(
        r"var x: int;
proc main() {
    } else { x := 1; }
}
",
        r"
error: expected a declaration, found `else`
 --> test.cai:3:7
  |
3 |     } else { x := 1; }
  |       ^^^^
  |
  = help: the `}` before it closes the procedure
",
    );
    check(
        r"var x: int;
proc main() {
    else { x := 1; }
}
",
        r"
error: expected a statement, found `else`
 --> test.cai:3:5
  |
3 |     else { x := 1; }
  |     ^^^^
  |
  = help: `else` stands behind the `}` of an `if`
",
    );
    check(
        r"var x: int;
proc main() {
    or { x := 1; }
}
",
        r"
error: expected a statement, found `or`
 --> test.cai:3:5
  |
3 |     or { x := 1; }
  |     ^^
  |
  = help: `or` stands behind the `}` of an `either`
",
    );
    check(
        r"var x: int;
proc main() {
    record R { a: int }
}
",
        r"
error: expected `:=`, found `R`
 --> test.cai:3:12
  |
3 |     record R { a: int }
  |            ^
  |
  = help: declarations stand outside of procedures; is a `}` missing before it?
",
    );
    check(
        r"var x: int;
proc main() {
    const N = 3;
}
",
        r"
error: expected a statement, found `const`
 --> test.cai:3:5
  |
3 |     const N = 3;
  |     ^^^^^
  |
  = help: declarations stand outside of procedures; a local is `var x: TYPE;`
",
    );
}

#[test]
fn many_mistakes_in_one_file() {
    check(
        r"var x: int
var y bool;
const = 3;
proc main( {
    skip;
}
proc f() {
    x := ;
    y = 1;
    if x { }
    x := (1;
    skip;
    yield
}
enum E { a b }
proc g() { x := 1 + ; }
",
        r"
error: a `;` is missing here
 --> test.cai:1:11
  |
1 | var x: int
  |           ^ add `;`

error: expected `:` and a type, found `bool`
 --> test.cai:2:7
  |
2 | var y bool;
  |       ^^^^
  |
  = help: write `var y: TYPE;` or `var y: TYPE = VALUE;`

error: expected the name of the constant, found `=`
 --> test.cai:3:7
  |
3 | const = 3;
  |       ^

error: expected the name of a parameter, found `{`
 --> test.cai:4:12
  |
4 | proc main( {
  |            ^

error: expected an expression, found `;`
 --> test.cai:8:10
  |
8 |     x := ;
  |          ^

error: `=` does not assign
 --> test.cai:9:7
  |
9 |     y = 1;
  |       ^ write `:=`

error: expected `bool`, found `int`
  --> test.cai:10:8
   |
10 |     if x { }
   |        ^
   |
   = help: compare it with a number: `x != 0`

error: expected `)`, found `;`
  --> test.cai:11:12
   |
11 |     x := (1;
   |            ^

error: a `;` is missing here
  --> test.cai:13:10
   |
13 |     yield
   |          ^ add `;`

error: expected `,` or `}`, found `b`
  --> test.cai:15:12
   |
15 | enum E { a b }
   |            ^

error: expected an expression, found `;`
  --> test.cai:16:21
   |
16 | proc g() { x := 1 + ; }
   |                     ^
",
    );
}

#[test]
fn declarations() {
    check(
        r"x := 1;
proc main() { }",
        r"
error: expected a declaration, found `x`
 --> test.cai:1:1
  |
1 | x := 1;
  | ^
  |
  = help: statements stand in procedures: `proc main() { ... }`
",
    );
    check(
        r"proc main() { }
}",
        r"
error: expected a declaration, found `}`
 --> test.cai:2:1
  |
2 | }
  | ^
  |
  = help: there is a `}` too many
",
    );
    check(
        r"levels low, high;
proc main() { }",
        r"
error: levels are put in order by `<`
 --> test.cai:1:11
  |
1 | levels low, high;
  |           ^ write `<`
  |
  = help: the lowest level comes first
",
    );
    check(
        r"implicit posts;
proc main() { }",
        r"
error: expected `yields` or `zields`, found `posts`
 --> test.cai:1:10
  |
1 | implicit posts;
  |          ^^^^^
",
    );
    check(
        r"buffer b runs main();
proc main() { }",
        r"
error: there are no parentheses here
 --> test.cai:1:19
  |
1 | buffer b runs main();
  |                   ^
  |
  = help: only the name of the procedure stands behind `runs`; it has no parameters
",
    );
    check(
        r"plain x: int;
proc main() { }",
        r"
error: expected `var`, found `x`
 --> test.cai:1:7
  |
1 | plain x: int;
  |       ^
",
    );
    check(
        r"proc f(a) { }
proc main() { }",
        r"
error: expected `:` and a type, found `)`
 --> test.cai:1:9
  |
1 | proc f(a) { }
  |         ^
  |
  = help: write `a: TYPE`
",
    );
    check(
        r"record R { x, y: int }
proc main() { }",
        r"
error: expected `:` and a type, found `,`
 --> test.cai:1:13
  |
1 | record R { x, y: int }
  |             ^
  |
  = help: write `x: TYPE`
",
    );
    check(
        r"var while: int;
proc main() { }",
        r"
error: expected the name of the variable, found `while`
 --> test.cai:1:5
  |
1 | var while: int;
  |     ^^^^^
  |
  = help: `while` is a keyword; choose another name
",
    );
    check(
        r"var x: [int, 3];
proc main() { }",
        r"
error: expected `;`, found `,`
 --> test.cai:1:12
  |
1 | var x: [int, 3];
  |            ^
  |
  = help: arrays are like `[int; 4]`
",
    );
    check(
        r"var x: string[3];
proc main() { }",
        r"
error: there is no type `string`
 --> test.cai:1:8
  |
1 | var x: string[3];
  |        ^^^^^^
  |
  = help: types are `bool`, `int`, ranges like `0..3`, names of enums and records, `lock`, and arrays like `[int; 4]`

error: expected `;`, found `[`
 --> test.cai:1:14
  |
1 | var x: string[3];
  |              ^
  |
  = help: the type of an array is `[int; 4]`
",
    );
    check(
        r"var x = 3;
proc main() { }",
        r"
error: expected `:` and a type, found `=`
 --> test.cai:1:7
  |
1 | var x = 3;
  |       ^
  |
  = help: write `var x: TYPE;` or `var x: TYPE = VALUE;`
",
    );
}
