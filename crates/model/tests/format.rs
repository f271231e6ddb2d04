//! The formatter: what it makes of texts, and that it changes nothing else.

use crate::samples;
use caissa_model::{format, load};

/// Formats a text, and checks that formatting it again changes nothing.
fn formatted(text: &str) -> String {
    let once = match format("test.cai", text) {
        Ok(once) => once,
        Err(diagnostics) => panic!("{diagnostics}"),
    };
    let twice = format("test.cai", &once).unwrap_or_else(|diagnostics| panic!("{once}\n{diagnostics}"));
    assert_eq!(once, twice, "formatting is idempotent");
    once
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    assert_eq!(formatted(text), expected);
}

#[test]
fn spaces_between_tokens() {
    check(
        "proc  g( a:int ,b : bool ) : int{x:=- 1*-2+a [ 1 ] . f;post  f( 1,* )at  high;return !( a==b )&&~c>-1;}",
        "
proc g(a: int, b: bool): int {
    x := -1 * -2 + a[1].f;
    post f(1, *) at high;
    return !(a == b) && ~c > -1;
}
",
    );
    check("proc f() { x := * ?1:- 1; y := (*)*(* ); }", "proc f() { x := * ? 1 : -1; y := (*) * (*); }\n");
    check("var a:[[0 .. N-1;2] ; 3]=[[ 1,2 ] , 3];", "var a: [[0..N - 1; 2]; 3] = [[1, 2], 3];\n");
    check(
        "levels a<serial b;buffer m runs x;interrupt i in m runs h at b;",
        "levels a < serial b;\nbuffer m runs x;\ninterrupt i in m runs h at b;\n",
    );
    check(
        "implicit yields,zields;enum E{a,b,}record R{x:int}",
        "implicit yields, zields;\nenum E { a, b, }\nrecord R { x: int }\n",
    );
    check(
        "proc f() { for i in -1 .. n-1 { lock m [i]; } }",
        "proc f() {\n    for i in -1..n - 1 { lock m[i]; }\n}\n",
    );
}

#[test]
fn blocks_on_one_line_stay_there_if_they_fit() {
    check("proc f(){if x{a:=1;}else{b:=2;}}", "proc f() {\n    if x { a := 1; } else { b := 2; }\n}\n");
    check(
        "proc f(){if x{a:=1;}\nelse{b:=2;}}",
        "
proc f() {
    if x {
        a := 1;
    } else {
        b := 2;
    }
}
",
    );
    check("proc f() { }", "proc f() { }\n");
    check("proc f()\n{\n}", "proc f() { }\n");
    let long = "a_rather_long_name := another_rather_long_name;";
    check(
        &format!("proc f() {{ while * {{ {long} {long} }} }}"),
        &format!(
            "
proc f() {{
    while * {{
        {long}
        {long}
    }}
}}
"
        ),
    );
}

#[test]
fn comments_and_blank_lines_are_kept() {
    check(
        "\n\n// head\n\n\n/* two\n   lines */\nconst A=1;// a\nconst BB = 2;   /* b */\n\n\n// tail\n\n",
        "// head\n\n/* two\n   lines */\nconst A = 1;   // a\nconst BB = 2;  /* b */\n\n// tail\n",
    );
    check(
        "proc f() { // start\n\n\n  skip; // s\n\n // own\n\n}\n",
        "proc f() {  // start\n    skip;  // s\n\n    // own\n}\n",
    );
    check("enum E { a, // first\n b\n // last\n }", "enum E {\n    a,  // first\n    b\n    // last\n}\n");
    check("proc f() { x := g(1, // one\n 2); }", "proc f() {\n    x := g(1, // one\n            2);\n}\n");
    check(
        "proc f() { if a { skip; } // yes\n // no\n else { skip; } }",
        "
proc f() {
    if a {
        skip;
    }  // yes
    // no
    else {
        skip;
    }
}
",
    );
    check("// only a comment", "// only a comment\n");
    check("", "");
    check("var x: int;\r\n// c\r\n/* d\r\n e */\r\n", "var x: int;\n// c\n/* d\n e */\n");
}

#[test]
fn long_lines_are_broken_where_operators_bind_least() {
    let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
    check(
        &format!("proc f() {{ x := {a} * {b} + {c}; }}"),
        &format!(
            "
proc f() {{
    x := {a} * {b}
            + {c};
}}
"
        ),
    );
    check(
        &format!("proc f() {{ if {a} && {b} || {c} {{ skip; }} }}"),
        &format!(
            "
proc f() {{
    if {a} && {b}
            || {c} {{
        skip;
    }}
}}
"
        ),
    );
    check(
        &format!("proc f() {{ g({a}, h[{b} + 1], {c}); }}"),
        &format!(
            "
proc f() {{
    g({a}, h[{b} + 1],
            {c});
}}
"
        ),
    );
}

#[test]
fn texts_with_syntax_errors_are_refused() {
    let diagnostics = format("test.cai", "proc f( { }").expect_err("it is wrong");
    assert_eq!(diagnostics.list()[0].message, "expected the name of a parameter, found `{`");
    // Names and types are none of its business.
    check("var x:Unknown=y;", "var x: Unknown = y;\n");
}

#[test]
fn the_program_stays_the_same() {
    for (name, text) in samples::all() {
        let before =
            load(&name, &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}")).to_string();
        let text = formatted(&text);
        let after = load(&name, &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}")).to_string();
        assert_eq!(before, after, "{name}");
    }
}
