//! The files of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

/// A model of the corpus.
pub struct Model {
    /// Its file, as `pass/NAME.cai` or `fail/NAME.cai`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// All models, by name.
pub fn models() -> Vec<Model> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/model");
    let mut models = Vec::new();
    for part in ["fail", "pass"] {
        for entry in fs::read_dir(corpus.join(part)).expect("the corpus is there") {
            let path = entry.expect("a file of the corpus").path();
            if path.extension().is_some_and(|extension| extension == "cai") {
                let file = path.file_name().expect("it has a name").to_string_lossy();
                let text = fs::read_to_string(&path).expect("models are text");
                models.push(Model { name: format!("{part}/{file}"), text, path: path.clone() });
            }
        }
    }
    models.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(models.len() > 70, "the corpus has models");
    models
}
