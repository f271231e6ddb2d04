//! The grammar for editors is JSON, and knows every keyword.

use std::path::Path;

use caissa_model::keywords;

fn grammar() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/textmate/caissa.tmLanguage.json");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn it_is_json() {
    let text = grammar();
    let rest = value(text.trim_start()).unwrap_or_else(|at| panic!("no JSON, {at} bytes before the end"));
    assert_eq!(rest.trim(), "");
    assert!(value("{ \"a\": [1, }").is_err(), "the test can fail");
}

#[test]
fn it_knows_every_keyword() {
    // Patterns hold words between brackets and bars, and escapes like `\b`.
    let text = grammar().replace("\\\\b", " ");
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for keyword in keywords() {
        assert!(words.contains(&keyword), "the grammar does not know `{keyword}`");
    }
}

/// What is behind a JSON value; or how much is left where it is wrong.
fn value(text: &str) -> Result<&str, usize> {
    let text = text.trim_start();
    match text.chars().next() {
        Some('{') => items(&text[1..], '}', |text| {
            let rest = quoted(text.trim_start())?.trim_start();
            value(rest.strip_prefix(':').ok_or(rest.len())?)
        }),
        Some('[') => items(&text[1..], ']', value),
        Some('"') => quoted(text),
        _ => {
            let word =
                text.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c)).unwrap_or(text.len());
            let known =
                matches!(&text[..word], "true" | "false" | "null") || text[..word].parse::<f64>().is_ok();
            if known { Ok(&text[word..]) } else { Err(text.len()) }
        }
    }
}

fn items<'t>(
    text: &'t str,
    close: char,
    item: impl Fn(&'t str) -> Result<&'t str, usize>,
) -> Result<&'t str, usize> {
    let mut rest = text.trim_start();
    if let Some(rest) = rest.strip_prefix(close) {
        return Ok(rest);
    }
    loop {
        rest = item(rest)?.trim_start();
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None => return rest.strip_prefix(close).ok_or(rest.len()),
        }
    }
}

fn quoted(text: &str) -> Result<&str, usize> {
    let inner = text.strip_prefix('"').ok_or(text.len())?;
    let mut is_escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Ok(&inner[at + 1..]),
            '\n' => break,
            _ => {}
        }
    }
    Err(inner.len())
}
