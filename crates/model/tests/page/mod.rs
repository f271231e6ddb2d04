//! The examples of the reference of the language.

use std::fs;
use std::path::Path;

/// The examples of docs/language.md: each stands between lines ```` ```cai ```` and ```` ``` ````.
pub fn examples() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found = Vec::new();
    let mut example: Option<(usize, String)> = None;
    for (at, line) in text.lines().enumerate() {
        match (&mut example, line) {
            (None, "```cai") => example = Some((at + 2, String::new())),
            (Some((first, code)), "```") => {
                found.push((format!("language.md:{first}"), std::mem::take(code)));
                example = None;
            }
            (Some((_, code)), line) => {
                code.push_str(line);
                code.push('\n');
            }
            _ => {}
        }
    }
    assert!(example.is_none(), "the last example is closed");
    found
}
