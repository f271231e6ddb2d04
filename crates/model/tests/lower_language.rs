//! The examples of docs/language.md are models without mistakes, in good order, and only the first has a bug; every keyword has one.

use crate::page;
use caissa_model::explicit::{Settings, Watched, explore};
use caissa_model::{Code, format, keywords, load};

#[test]
fn every_example_is_right_and_in_good_order() {
    let examples = page::examples();
    assert!(examples.len() >= 20, "the page has examples: {}", examples.len());
    for (name, text) in &examples {
        let program = load(name, text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert!(!program.procs.is_empty());
        let formatted = format(name, text).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        assert_eq!(&formatted, text, "{name} is not formatted");
    }
}

#[test]
fn every_keyword_occurs_in_an_example() {
    let text: String = page::examples().into_iter().map(|(_, text)| text).collect();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for keyword in keywords() {
        assert!(words.contains(&keyword), "no example has `{keyword}`");
    }
}

#[test]
fn only_the_first_example_has_a_bug() {
    for (at, (name, text)) in page::examples().iter().enumerate() {
        let program = load(name, text, &[]).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
        let explored = explore(&Code::new(program), &Settings::default(), &Watched::default());
        assert_eq!(explored.found.is_some(), at == 0, "{name}: {:?}", explored.found);
        assert!(explored.complete || at == 0, "{name}");
    }
}
