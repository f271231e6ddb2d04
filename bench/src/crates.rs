//! `bench crates`: `cargo caissa test` over the tests of well-known crates as they are published, told in docs/crates.md.
//!
//! Sources come from the registry by cargo and are copied below the target directory; nothing of them is changed but that
//! `[workspace]` is appended to Cargo.toml, so that no workspace around them is theirs. A Cargo.lock that was published with a crate
//! chooses its dependencies; where there is none the newest are taken.
//!
//! What a run says is in `table.rs`, how it is written in `page.rs`, what was found by looking at findings in `judged.rs`.

mod judged;
mod page;
mod table;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::section::said;
use table::{Outcome, Row};

/// The budget of each test.
pub const MAX_EXECUTIONS: u32 = 30;
pub const TIME_SECONDS: u32 = 20;
/// And that of a crate: tests that have not begun by then are not run.
pub const TOTAL_SECONDS: u32 = 1800;

/// A crate at its version.
pub struct Subject {
    pub name: &'static str,
    pub version: &'static str,
    /// Further options of `cargo test`.
    pub options: &'static [&'static str],
}

const fn subject(name: &'static str, version: &'static str) -> Subject {
    Subject { name, version, options: &[] }
}

pub const SUBJECTS: &[Subject] = &[
    subject("arc-swap", "1.9.3"),
    subject("async-channel", "2.5.0"),
    subject("async-lock", "3.5.0"),
    subject("bus", "2.4.1"),
    subject("concurrent-queue", "2.5.0"),
    subject("crossbeam-channel", "0.5.17"),
    subject("crossbeam-deque", "0.8.8"),
    subject("crossbeam-epoch", "0.9.21"),
    subject("crossbeam-queue", "0.3.14"),
    subject("crossbeam-utils", "0.8.23"),
    subject("dashmap", "6.2.1"),
    subject("event-listener", "5.4.2"),
    subject("flume", "0.12.0"),
    subject("kanal", "0.1.1"),
    subject("left-right", "0.11.8"),
    subject("once_cell", "1.21.4"),
    subject("oneshot", "0.2.1"),
    subject("parking_lot", "0.13.0"),
    subject("rayon-core", "1.13.0"),
    subject("rtrb", "0.4.1"),
    subject("sharded-slab", "0.1.7"),
    subject("spin", "0.12.3"),
    subject("thread_local", "1.1.10"),
    subject("triomphe", "0.1.17"),
];

impl Subject {
    pub fn named(name: &str) -> Option<&'static Subject> {
        SUBJECTS.iter().find(|subject| subject.name == name)
    }
}

/// What is asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only these crates: what comes of them is printed, and the page is left as it is.
    pub only: Vec<&'static str>,
    /// This cargo-caissa, instead of one that is built from this checkout.
    pub tool: Option<String>,
}

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("bench is a directory of the workspace")
}

/// A program in a directory, without what `cargo run` has set for this process.
pub fn command(program: impl AsRef<OsStr>, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_TARGET_DIR"].iter().any(|known| text.starts_with(known)) {
            command.env_remove(&name);
        }
    }
    command
}

/// What a command prints, if it ends well.
fn printed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} ended with {}:\n{stderr}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Builds cargo-caissa and returns where it is.
pub fn built() -> Result<PathBuf, String> {
    said("cargo-caissa is built");
    printed(command("cargo", root()).args(["build", "--release", "-p", "caissa-cli"]))?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(program.with_file_name("cargo-caissa"))
}

/// Copies a directory.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?
        } else {
            fs::copy(entry.path(), to).map(drop)?
        }
    }
    Ok(())
}

/// Where the registry's copy of a crate is, fetched for a manifest that depends on it and does nothing else.
fn registered(subject: &Subject, scratch: &Path) -> Result<PathBuf, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
    let Subject { name, version, .. } = subject;
    fs::create_dir_all(scratch.join("src")).map_err(failed)?;
    fs::write(scratch.join("src/lib.rs"), "").map_err(failed)?;
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{name} = \"={version}\"\n"
    );
    fs::write(scratch.join("Cargo.toml"), manifest).map_err(failed)?;
    let metadata = printed(command("cargo", scratch).args(["metadata", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let found = packages.iter().find(|package| package["name"] == *name && package["version"] == *version);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("cargo does not tell where {name} {version} is"))?;
    Ok(Path::new(manifest).with_file_name(""))
}

/// A copy of a crate's source, as it was published.
fn fetched(subject: &Subject, directory: &Path) -> Result<PathBuf, String> {
    let source = directory.join("src").join(format!("{}-{}", subject.name, subject.version));
    if source.exists() {
        return Ok(source);
    }
    let registered = registered(subject, &directory.join("fetch").join(subject.name))?;
    let unfinished = source.with_extension("unfinished");
    let copied = (|| {
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        copy(&registered, &unfinished)?;
        let manifest = unfinished.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)?;
        if !text.contains("\n[workspace]") {
            fs::write(&manifest, text + "\n[workspace]\n")?;
        }
        fs::rename(&unfinished, &source)
    })();
    copied.map_err(|error| format!("{}: {error}", source.display()))?;
    Ok(source)
}

/// Explores the tests of a crate.
fn explore(subject: &Subject, tool: &Path, directory: &Path) -> Result<Row, String> {
    let source = fetched(subject, directory)?;
    said(&format!("{} {}", subject.name, subject.version));
    let output = command(tool, &source)
        .args(["caissa", "test", "--json"])
        .args(["--max-executions", &MAX_EXECUTIONS.to_string(), "--time", &TIME_SECONDS.to_string()])
        .args(["--total-time", &TOTAL_SECONDS.to_string()])
        .arg("--target-dir")
        .arg(directory.join("target").join(subject.name))
        .args(subject.options)
        .output()
        .map_err(|error| format!("{}: {error}", tool.display()))?;
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    for (kind, text) in [("json", &stdout), ("log", &stderr)] {
        let file = directory.join(format!("{}.{kind}", subject.name));
        fs::write(&file, text.as_bytes()).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Row::read(subject, &stdout, &stderr)
}

/// Runs everything, or some crates.
pub fn run(wanted: &Wanted) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let directory = program.with_file_name("crates");
    fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let tool = wanted.tool.as_ref().map_or_else(built, |tool| Ok(PathBuf::from(tool)))?;
    let chosen =
        SUBJECTS.iter().filter(|subject| wanted.only.is_empty() || wanted.only.contains(&subject.name));
    let mut rows = Vec::new();
    for subject in chosen {
        let row = explore(subject, &tool, &directory).unwrap_or_else(|error| Row::unbuilt(subject, error));
        said("");
        eprintln!("{}", page::line(&row));
        rows.push(row);
    }
    let page = page::page(&rows, env!("BENCH_RUSTC"));
    if wanted.only.is_empty() {
        let file = root().join("docs/crates.md");
        fs::write(&file, page).map_err(|error| format!("{}: {error}", file.display()))?;
    } else {
        print!("{page}");
    }
    let unseen = rows.iter().flat_map(|row| row.with(Outcome::Failed)).filter(|(_, judged)| judged.is_none());
    match unseen.count() {
        0 => Ok(()),
        more => Err(format!("nobody has looked at {more} findings yet: bench/src/crates/judged.rs")),
    }
}
