//! Commands that run a check again.

use std::path::Path;

use super::library::Library;
use crate::settings::environment;

/// The command that runs this check again: a test by its name, or else the command of this process. With it go the settings
/// of the environment that are `wanted`, named without `CAISSA_`.
fn command(library: &Library, wanted: impl Fn(&str) -> bool) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
    let quoted = |word: &str| {
        let simple = !word.is_empty() && word.chars().all(plain);
        if simple { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let mut which =
        if library.number > 1 { format!("CAISSA_CHECK={} ", library.number) } else { String::new() };
    for (name, value) in environment() {
        if !["CHECK", "REPLAY"].contains(&name.as_str()) && wanted(name) {
            which.push_str(&format!("CAISSA_{name}={} ", quoted(&value.to_string_lossy())));
        }
    }
    match library.thread.as_deref().filter(|&name| name != "main") {
        Some(test) => format!("{which}cargo test {test} -- --exact"),
        None => {
            let words: Vec<String> = std::env::args().map(|word| quoted(&word)).collect();
            which + &words.join(" ")
        }
    }
}

/// The command that shows the execution of a schedule again: what decides whether an execution is a bug, or where it ends, has to be
/// the same.
pub(super) fn to_replay(library: &Library, schedule: &str) -> String {
    let decides = [
        "PANICS",
        "ALLOW_DETACHED",
        "FAIR",
        "FAIR_K",
        "FAULTS",
        "MAX_STEPS",
        "STACK_SIZE",
        "WORKERS",
        "RACES",
    ];
    format!("CAISSA_REPLAY={schedule} {}", command(library, |name| decides.contains(&name)))
}

/// The command that goes on from a resume file.
pub(super) fn to_resume(library: &Library, file: &Path) -> String {
    format!("CAISSA_RESUME={} {}", file.display(), command(library, |name| name != "RESUME"))
}

/// The name of this program, without what cargo adds to it for each build.
pub(super) fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    match name.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            name.to_owned()
        }
        _ => name.into_owned(),
    }
}
