//! Texts that are large, deep, long or no texts at all: they are read, or refused with a clear error; the stack does not overflow.

use caissa_model::{Diagnostics, SHOWN, format, load, load_bytes};

fn mistakes(text: &str) -> Diagnostics {
    load("test.cai", text, &[]).map(|program| program.to_string().len()).expect_err("it is refused")
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let diagnostics = mistakes(text);
    // It must be possible to show it, too.
    let shown = diagnostics.render(true);
    assert!(shown.len() < 10_000, "{shown}");
    assert_eq!(diagnostics.list()[0].message, message);
    assert_eq!(diagnostics.count(), 1, "{shown}");
}

fn in_main(stmts: &str) -> String {
    format!("var x: int;\nvar b: bool;\nproc main() {{ {stmts} }}\n")
}

fn nested(open: &str, inside: &str, close: &str, levels: usize) -> String {
    format!("{}{inside}{}", open.repeat(levels), close.repeat(levels))
}

const TOO_DEEP: &str = "this is nested more than 256 levels deep";
const TOO_LONG: &str = "this expression is too long: its operators are nested more than 256 levels deep";

#[test]
fn what_is_nested_too_deeply_is_refused() {
    for levels in [300, 100_000] {
        refused(&in_main(&format!("x := {};", nested("(", "x", ")", levels))), TOO_DEEP);
        refused(&in_main(&format!("b := {};", nested("!", "b", "", levels))), TOO_DEEP);
        refused(&in_main(&format!("x := {};", nested("x[", "0", "]", levels))), TOO_DEEP);
        refused(&in_main(&format!("x := {};", nested("b ? x : ", "x", "", levels))), TOO_DEEP);
        refused(&in_main(&format!("x := {};", nested("1 + 2 * (", "x", ")", levels))), TOO_DEEP);
        refused(&in_main(&nested("if * { ", "skip;", " }", levels)), TOO_DEEP);
        refused(&in_main(&nested("while * { ", "skip;", " ", levels)), TOO_DEEP);
        refused(&format!("proc main() {{ }} var a: {};", nested("[", "int", "; 1]", levels)), TOO_DEEP);
        refused(&format!("proc main() {{ }} var a: [int; 2] = {};", nested("[", "1", "]", levels)), TOO_DEEP);
        let chain = format!("if b {{ }}{}", " else if b { }".repeat(levels));
        refused(&in_main(&chain), "these `else if` are nested more than 256 levels deep");
    }
}

#[test]
fn what_is_nested_less_deeply_is_read() {
    for text in [
        in_main(&format!("x := {};", nested("(", "x", ")", 250))),
        in_main(&format!("b := {};", nested("!", "b", "", 250))),
        in_main(&format!("x := {};", nested("b ? x : ", "x", "", 250))),
        in_main(&format!("x := {};", nested("x - (", "x", ")", 120))),
        in_main(&nested("if b { ", "x := 1;", " }", 250)),
        in_main(&nested("while * { ", "x := 1;", " }", 250)),
        in_main(&nested("either { skip; } or { ", "x := 1;", " }", 250)),
        in_main(&format!("if b {{ }}{}", " else if b { }".repeat(250))),
        in_main(&format!("x := x{};", " - x".repeat(250))),
        in_main(&format!("assert b{};", " && *".repeat(250))),
    ] {
        let program = load("test.cai", &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert!(program.to_string().len() > 50);
        format("test.cai", &text).expect("it can be formatted");
    }
}

/// Chains of operators of which it does not matter where the brackets are may have any length.
#[test]
fn long_chains() {
    let terms = 100_000;
    for text in [
        in_main(&format!("x := 1{};", "+1".repeat(terms))),
        in_main(&format!("x := x{};", "+x".repeat(terms))),
        in_main(&format!("b := b{};", "&&b&&*".repeat(terms / 2))),
        in_main(&format!("x := x{};", "+choose(0,1)".repeat(terms))),
        in_main(&format!("either {{ }}{}", " or { skip; }".repeat(terms))),
    ] {
        let program = load("test.cai", &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert!(program.to_string().len() > 50);
        drop(program.clone());
        format("test.cai", &text).expect("it can be formatted");
    }
    refused(&in_main(&format!("x := x{};", "-x".repeat(terms))), TOO_LONG);
    refused(&in_main(&format!("b := b{};", "==b".repeat(terms))), TOO_LONG);
    refused(&in_main(&format!("x := x{};", ".f".repeat(terms))), TOO_LONG);
    refused(&in_main(&format!("x := x{};", "[0]".repeat(terms))), TOO_LONG);
}

/// Where what was too deep ends nobody knows, but what comes after it is read.
#[test]
fn mistakes_behind_what_is_too_deep_are_found() {
    let text = format!("{}\nproc f() {{ y := 1; }}\n", in_main(&nested("if * { ", "skip;", " }", 300)));
    let messages: Vec<String> =
        mistakes(&text).list().iter().map(|mistake| mistake.message.clone()).collect();
    assert_eq!(messages, [TOO_DEEP, "there is no variable `y`"]);
}

#[test]
fn long_ways_from_declaration_to_declaration() {
    let count = 50_000;
    let constants: String = (0..count).map(|at| format!("const a{at} = a{} + 1;\n", at + 1)).collect();
    let text = format!("{constants}const a{count} = 0;\nvar x: int = a0;\nproc main() {{ }}\n");
    let program = load("test.cai", &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(program.globals[0].init, [count]);
    refused(
        &format!("{constants}const a{count} = a0;\nproc main() {{ }}\n"),
        "the constant `a0` is defined by itself",
    );

    let records: String = (0..count).map(|at| format!("record r{at} {{ x: r{} }}\n", at + 1)).collect();
    refused(
        &format!("{records}record r{count} {{ x: int }}\nvar v: r0;\nproc main() {{ }}\n"),
        "types are nested more than 256 levels deep",
    );

    let procs: String = (0..count).map(|at| format!("proc p{at}() {{ p{}(); }}\n", at + 1)).collect();
    refused(
        &format!("{procs}proc p{count}() {{ yield; }}\nproc main() {{ atomic {{ p0(); }} }}\n"),
        "this reaches a `yield` inside `atomic`",
    );
    let text = format!(
        "implicit yields;\nvar x: int;\n{procs}proc p{count}() {{ x := 1; }}\nproc main() {{ atomic {{ p0(); }} }}\n"
    );
    let program = load("test.cai", &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(program.procs.len(), 2 * (count as usize + 1) + 1);
}

#[test]
fn records_that_double_are_refused() {
    let records: String =
        (1..100).map(|at| format!("record r{at} {{ x: r{}, y: r{} }}\n", at - 1, at - 1)).collect();
    refused(
        &format!("record r0 {{ x: int }}\n{records}var v: r99;\nproc main() {{ }}\n"),
        "this has more than 1048576 values",
    );
}

#[test]
fn ten_megabytes_are_read() {
    let mut text = String::from("implicit yields;\nvar g: [int; 10];\nproc main() { }\n");
    let mut count = 0;
    while text.len() < 10_000_000 {
        count += 1;
        text.push_str(&format!(
            "proc p{count}(a: int): int {{\n    if a > {count} && g[a % 10] == 3 {{\n        g[a % 10] := a + 1;\n    }}\n    return a;\n}}\n"
        ));
    }
    let program = load("test.cai", &text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    assert_eq!(program.procs.len(), count + 1);
    // All on one line, with a mistake at its end.
    let line = format!("{} proc last() {{ y := 1; }}", text.replace('\n', " "));
    let shown = mistakes(&line).render(false);
    assert!(shown.starts_with("error: there is no variable `y`\n --> test.cai:1:"), "{shown}");
    assert!(shown.len() < 2_000, "{shown}");
}

#[test]
fn very_many_mistakes_are_counted() {
    let wrong = 10_000;
    let stmts: String = (0..wrong).map(|at| format!("name{at} := 1;\n")).collect();
    let diagnostics = mistakes(&in_main(&stmts));
    assert_eq!(diagnostics.count(), wrong);
    let shown = diagnostics.render(false);
    assert_eq!(shown.matches("error: ").count(), SHOWN);
    assert!(shown.ends_with("test.cai: 10000 errors: those above, and 9900 more\n"), "{shown}");
    assert_eq!(mistakes(&"}\n".repeat(wrong)).count(), wrong + 1, "and there is no procedure `main`");
}

#[test]
fn what_is_no_text_is_refused() {
    let diagnostics = load_bytes("test.cai", b"proc main() {\n  \xff }", &[]).expect_err("it is no text");
    assert_eq!(
        diagnostics.to_string(),
        "error: test.cai is not UTF-8 text: byte 0xff in line 2, the 3. of the line and number 16 of the file, cannot stand there\n \
         |\n = help: save the file as UTF-8; is it a model at all?\n\ntest.cai: 1 error\n"
    );
    let text = "\u{feff}proc main() { }\r\n";
    assert!(load_bytes("test.cai", text.as_bytes(), &[]).is_ok(), "a byte order mark is no mistake");
    assert!(load_bytes("test.cai", &[0; 1000], &[]).is_err());
    assert!(load("test.cai", "", &[]).is_err());
}

#[test]
fn what_is_too_large_is_refused() {
    let text = " ".repeat((64 << 20) + 1);
    refused(&text, "test.cai has 67108865 bytes, and a model may have 67108864");
    assert!(format("test.cai", &text).is_err());
}
