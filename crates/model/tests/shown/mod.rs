//! Mistakes as they are shown.

use caissa_model::load;

/// Checks what is shown about a text, without the last line, which counts.
#[track_caller]
pub fn check(text: &str, expected: &str) {
    check_set(text, &[], expected);
}

/// [`check`] with constants that are set.
#[track_caller]
pub fn check_set(text: &str, sets: &[(&str, &str)], expected: &str) {
    let sets: Vec<(String, String)> =
        sets.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    let shown = match load("test.cai", text, &sets) {
        Ok(program) => panic!("there is no mistake\n{program}"),
        Err(diagnostics) => diagnostics.render(false),
    };
    let (shown, count) = shown.trim_end().rsplit_once("\n\n").expect("there is a last line");
    assert!(count.starts_with("test.cai: "), "{count}");
    assert_eq!(shown, expected.trim_matches('\n'), "\n{shown}\n");
}
