//! What people write who come from other languages.

use crate::shown::check;

#[test]
fn habits_from_other_languages() {
    check(
        r"var x: int;
proc main() {
    x++;
}
",
        r"
error: expected `:=`, found `+`
 --> test.cai:3:6
  |
3 |     x++;
  |      ^
  |
  = help: write `x := x + 1`
",
    );
    check(
        r"var x: int;
proc main() {
    x += 2;
}
",
        r"
error: expected `:=`, found `+`
 --> test.cai:3:7
  |
3 |     x += 2;
  |       ^
  |
  = help: write `x := x + ...`
",
    );
    check(
        r"var x: int;
proc main() {
    x: int = 3;
}
",
        r"
error: expected `:=`, found `:`
 --> test.cai:3:6
  |
3 |     x: int = 3;
  |      ^
  |
  = help: variables are declared by `var x: TYPE;`
",
    );
    check(
        r"var x: int;
proc main() {
    int y;
}
",
        r"
error: expected a statement, found `int`
 --> test.cai:3:5
  |
3 |     int y;
  |     ^^^
  |
  = help: variables are declared by `var x: int;`
",
    );
    check(
        r"var x: int;
proc main() {
    break;
}
",
        r"
error: expected `:=`, found `;`
 --> test.cai:3:10
  |
3 |     break;
  |          ^
  |
  = help: there are no jumps; use a variable in the condition of the loop, or `return`
",
    );
    check(
        r"var x: int;
proc main() {
    call f();
}
",
        r"
error: expected `:=`, found `f`
 --> test.cai:3:10
  |
3 |     call f();
  |          ^
  |
  = help: a call has no keyword: `f(x);`
",
    );
    check(
        r"var x: int;
proc main() {
    let y = 1;
}
",
        r"
error: expected `:=`, found `y`
 --> test.cai:3:9
  |
3 |     let y = 1;
  |         ^
  |
  = help: variables are declared by `var x: TYPE = VALUE;`
",
    );
    check(
        r"var x: int;
proc main() {
    assert x == 1 and x == 2;
}
",
        r"
error: expected `;`, found `and`
 --> test.cai:3:19
  |
3 |     assert x == 1 and x == 2;
  |                   ^^^
  |
  = help: the operator is `&&`
",
    );
    check(
        r"var x: int;
proc main() {
    assert x == 1 or x == 2;
}
",
        r"
error: expected `;`, found `or`
 --> test.cai:3:19
  |
3 |     assert x == 1 or x == 2;
  |                   ^^
  |
  = help: the operator is `||`
",
    );
    check(
        r"var x: int;
proc main() {
    assert not (x == 1);
}
",
        r"
error: `not` is no operator
 --> test.cai:3:12
  |
3 |     assert not (x == 1);
  |            ^^^
  |
  = help: write `!(...)`
",
    );
    check(
        r"var x: int;
proc main() {
    x := 'a';
}
",
        r#"
error: the character '\'' means nothing here
 --> test.cai:3:10
  |
3 |     x := 'a';
  |          ^
  |
  = help: texts stand in plain double quotes: "..."

error: the character '\'' means nothing here
 --> test.cai:3:12
  |
3 |     x := 'a';
  |            ^
  |
  = help: texts stand in plain double quotes: "..."
"#,
    );
    check(
        r"var x: int;
proc main() {
    # comment
}
",
        r"
error: the character '#' means nothing here
 --> test.cai:3:5
  |
3 |     # comment
  |     ^
  |
  = help: comments begin with `//`
",
    );
    check(
        r"var x: int;
proc main() {
    { x := 1; }
}
",
        r"
error: expected a statement, found `{`
 --> test.cai:3:5
  |
3 |     { x := 1; }
  |     ^
  |
  = help: a block by itself is `atomic { ... }`; plain blocks do not exist
",
    );
    check(
        r"var x: int;
proc main() {
    ;
}
",
        r"
error: expected a statement, found `;`
 --> test.cai:3:5
  |
3 |     ;
  |     ^
  |
  = help: the statement that does nothing is `skip;`
",
    );
    check(
        r"var x: int;
proc main() {
    return if;
}
",
        r"
error: expected an expression, found `if`
 --> test.cai:3:12
  |
3 |     return if;
  |            ^^
  |
  = help: an expression with a condition is `c ? a : b`
",
    );
}
