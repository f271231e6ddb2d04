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
    found.extend(crate::page::examples());
    found.extend(seeds(root));
    assert!(found.len() > 40, "the corpus is there");
    found
}

/// The seeds of the fuzzer that have no mistakes on purpose.
fn seeds(root: &Path) -> Vec<(String, String)> {
    let mut seeds = models(&root.join("fuzz/corpus"));
    seeds.retain(|(_, text)| caissa_model::load("seed.cai", text, &[]).is_ok());
    seeds
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
