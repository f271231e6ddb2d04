//! All models that the project has: the corpus, the examples of the reference, and the seeds of the fuzzer.

// Each test file uses some of it.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// The models, by name, in a fixed order.
pub fn all() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["../../corpus/model/pass", "../../corpus/model/fail"] {
        found.extend(models(&root.join(folder)));
    }
    found.extend(examples());
    assert!(found.len() > 40, "the corpus is there");
    found
}

fn models(folder: &Path) -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cai"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.display().to_string(), text)
    };
    paths.into_iter().map(read).collect()
}

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
