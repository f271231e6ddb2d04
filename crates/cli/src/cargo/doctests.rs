//! Doctests are no executables that cargo builds, and are left out; whoever has some is told.

use std::path::Path;

use cargo_metadata::Metadata;

use super::build::Binary;
use super::words::{Kind, Words};

/// What is to be said of doctests: those of the packages of these executables.
pub fn remarks(metadata: &Metadata, binaries: &[Binary], words: &Words) -> Vec<String> {
    if !words.of(&[Kind::Target]).is_empty() {
        // Cargo would leave them out too.
        return Vec::new();
    }
    let mut remarks = Vec::new();
    for package in &metadata.packages {
        let is_tested = binaries.iter().any(|binary| binary.package_id == package.id);
        let mut libraries = package.targets.iter().filter(|target| target.doctest);
        let has_some = libraries.any(|library| {
            library.src_path.parent().is_some_and(|path| has_examples(path.as_std_path(), 16))
        });
        if is_tested && has_some {
            remarks.push(format!("the doctests of {} are left out", package.name));
        }
    }
    remarks
}

/// Whether there is an example in the documentation of the sources of a directory. `depth`: so deep is looked.
fn has_examples(directory: &Path, depth: u32) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return depth > 0 && has_examples(&path, depth - 1);
        }
        path.extension().is_some_and(|extension| extension == "rs")
            && std::fs::read_to_string(&path).is_ok_and(|text| text.lines().any(is_example))
    })
}

/// Whether a line begins an example.
fn is_example(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
    line.is_some_and(|line| line.trim_start().starts_with("```"))
}
