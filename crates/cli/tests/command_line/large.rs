//! Input that is deep, long or wide: followed, or refused with a reason, and in no long time.

use crate::run::{Scratch, caissa, check};

#[test]
fn a_hundred_thousand_brackets_are_refused() {
    const DEPTH: usize = 100_000;
    let nested = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    let texts = [
        format!("var x: int; proc main() {{ x := {}; }}", nested("(", "1", ")")),
        format!("var x: int; proc main() {{ x := {}; }}", nested("(", "1", "")),
        format!("var x: bool; proc main() {{ x := {}x; }}", "!".repeat(DEPTH)),
        format!("proc main() {{ {} }}", nested("if true {", "", "}")),
        format!("proc main() {{ {} }}", nested("while true {", "", "")),
        format!("var x: {}; proc main() {{ }}", nested("[", "int", "; 1]")),
    ];
    for text in texts {
        check(&text, &[]).expect_mistake(&["nested more than 256 levels deep", "help: split it", " error"]);
        let scratch = Scratch::new();
        let path = scratch.write("deep.cai", &text);
        caissa(&["fmt", &path]).expect_mistake(&["nested more than 256 levels deep"]);
    }
}

#[test]
fn ten_megabytes_are_read() {
    let statement = "    x := x + 1;\n";
    let text = format!(
        "var x: int;\nfinal x == 0, \"it counts\";\nproc main() {{\n{}}}\n",
        statement.repeat(10_000_000 / statement.len() + 1)
    );
    assert!(text.len() > 10_000_000);
    let run = check(&text, &["--engine", "explicit", "--json"]);
    assert_eq!(run.expect(1, &[]).json().text("kind"), Some("final"));
    let comment = format!("/* {} */ proc main() {{ }}", "x".repeat(10_000_000));
    check(&comment, &[]).expect(0, &["verified"]);
}

#[test]
fn ten_megabytes_of_nonsense_are_refused() {
    let run = check(&"what is $ this\n".repeat(700_000), &[]);
    run.expect_mistake(&["the character '$' means nothing here", "errors: those above, and", "more"]);
    assert!(run.err.len() < 100_000, "only some of them are shown");
    check(&"\"".repeat(1_000_000), &[]).expect_mistake(&["expected a declaration, found a text"]);
    check(&"/*".repeat(1_000_000), &[]).expect_mistake(&["this comment does not end"]);
}

#[test]
fn many_declarations_are_followed() {
    let variables: String = (0..20_000).map(|n| format!("var v{n}: int;\n")).collect();
    check(&format!("{variables}proc main() {{ v19999 := 1; }}"), &[]).expect(0, &["verified"]);
    let procedures: String = (0..20_000).map(|n| format!("proc p{n}() {{ skip; }}\n")).collect();
    check(&format!("{procedures}proc main() {{ p19999(); }}"), &[]).expect(0, &["verified"]);
    let chain = format!("var x: int; proc main() {{ x := 1{}; }}", " + 1".repeat(100_000));
    check(&chain, &["--engine", "explicit"]).expect(0, &["verified"]);
}

#[test]
fn too_many_values_are_refused() {
    check("var a: [int; 2000000000]; proc main() { }", &[]).expect_mistake(&["help"]);
    check("var a: [[int; 65536]; 65536]; proc main() { }", &[]).expect_mistake(&["help"]);
    check("proc main() { var a: [int; 2000000000]; }", &[]).expect_mistake(&["help"]);
}
