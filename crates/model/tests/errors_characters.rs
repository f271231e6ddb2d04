//! Characters, numbers, texts and comments that mean nothing.

use crate::shown::check;

#[test]
fn texts_numbers_and_characters() {
    check(
        r#"var x: int;
proc main() {
    assert true, "open;
}
"#,
        r#"
error: this text does not end
 --> test.cai:3:18
  |
3 |     assert true, "open;
  |                  ^
  |
  = help: close it with `"` on the same line; a line break in it is `\n`
"#,
    );
    check(
        r#"var x: int;
proc main() {
    assert true, "a\qb";
}
"#,
        r#"
error: a `\` that stands for nothing
 --> test.cai:3:20
  |
3 |     assert true, "a\qb";
  |                    ^
  |
  = help: there are \\ (for `\` itself), \" and \n
"#,
    );
    check(
        r#"var x: int;
proc main() {
    assert "text";
}
"#,
        r#"
error: expected an expression, found a text
 --> test.cai:3:12
  |
3 |     assert "text";
  |            ^^^^^^
  |
  = help: texts stand only behind the comma of `assert` and `final`
"#,
    );
    check(
        r"var x: int;
proc main() {
    x := 12abc;
}
",
        r"
error: `12abc` is no number
 --> test.cai:3:10
  |
3 |     x := 12abc;
  |          ^^^^^
  |
  = help: numbers are like 12 or 0x1f, and names begin with a letter or `_`
",
    );
    check(
        r"var x: int;
proc main() {
    x := 2147483648;
}
",
        r"
error: this number is too large for 32 bits
 --> test.cai:3:10
  |
3 |     x := 2147483648;
  |          ^^^^^^^^^^
  |
  = help: an `int` is between -2147483648 and 2147483647
",
    );
    check(
        r"var x: int;
proc main() {
    x := 0x1ffffffff;
}
",
        r"
error: this number is too large for 32 bits
 --> test.cai:3:10
  |
3 |     x := 0x1ffffffff;
  |          ^^^^^^^^^^^
  |
  = help: an `int` is between -2147483648 and 2147483647
",
    );
    check(
        r"var x: int;
proc main() {
    x := 1 € 2;
}
",
        r"
error: the character '€' means nothing here
 --> test.cai:3:12
  |
3 |     x := 1 € 2;
  |            ^
  |
  = help: take it out
",
    );
    check(
        r"var x: int;
proc main() {
    größe := 1;
}
",
        r"
error: the character 'ö' means nothing here
 --> test.cai:3:7
  |
3 |     größe := 1;
  |       ^^
  |
  = help: names are made of a-z, A-Z, 0-9 and `_`
",
    );
    check(
        r"/* open
proc main() { }",
        r"
error: this comment does not end
 --> test.cai:1:1
  |
1 | /* open
  | ^^
  |
  = help: close it with `*/`
",
    );
}
