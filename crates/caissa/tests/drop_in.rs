//! docs/drop-in.md does what it says: its files are written down as a workspace, built and run by Cargo.
//!
//! What is added to them: a function in each library that names its types, a crate `app` that depends on all of them, and a
//! `[patch]` that finds Caissa here. Everything is built in one target directory that outlives the test, so only the first run
//! takes long.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

const GUIDE: &str = include_str!("../../../docs/drop-in.md");

/// The files of the guide: a line with nothing but a path and a colon, then a block.
fn files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut lines = GUIDE.lines();
    while let Some(line) = lines.next() {
        let Some(path) = line.strip_prefix('`').and_then(|line| line.strip_suffix("`:")) else { continue };
        assert_eq!(lines.next(), Some(""), "after {path}");
        assert!(lines.next().is_some_and(|fence| fence.starts_with("```")), "a block follows {path}");
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        files.push((path.to_owned(), text.join("\n") + "\n"));
    }
    assert_eq!(files.len(), 8, "the guide's files are recognised");
    files
}

/// Says which types a library was built with; its doc test runs in the build that doc tests see.
const TYPES: &str = "
/// ```
/// println!(\"doc test with {}\", PACKAGE::types());
/// assert_eq!(PACKAGE::types(), if cfg!(feature = \"caissa\") { \"caissa\" } else { \"std\" });
/// ```
pub fn types() -> &'static str {
    let name = std::any::type_name::<shim::sync::atomic::AtomicUsize>();
    if name.starts_with(\"caissa\") { \"caissa\" } else { \"std\" }
}

#[cfg(test)]
#[test]
fn unit_tests_have_caissas_types() {
    assert_eq!(types(), \"caissa\");
}
";

const APP: [(&str, &str); 2] = [
    (
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\naudit = { path = \"../audit\" }\n\
         lane = { path = \"../lane\" }\ntally = { path = \"../tally\" }\n",
    ),
    (
        "app/src/main.rs",
        "fn said() -> String {
    let (tally, lane) = (tally::Tally::default(), std::sync::Arc::new(lane::Lane::default()));
    tally.add();
    let sender = { let lane = lane.clone(); std::thread::spawn(move || lane.send(6)) };
    let sum = audit::sum(&lane, 1) + tally.total() as u32;
    sender.join().unwrap();
    format!(\"tally {}, lane {}, sum {sum}\", tally::types(), lane::types())
}

fn main() {
    println!(\"{}\", said());
}

#[test]
fn app_test() {
    println!(\"{}\", said());
}
",
    ),
];

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // What has not changed need not be built again.
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap();
    }
}

/// A manifest of the whole that finds Caissa here, and the lock file that has what it needs.
fn root(directory: &Path, members: &str) {
    let workspace = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\ncaissa = {{ path = {:?} }}\n\n\
         [profile.dev]\ndebug = false\n",
        here()
    );
    write(&directory.join("Cargo.toml"), &workspace);
    fs::copy(here().join("../../Cargo.lock"), directory.join("Cargo.lock")).unwrap();
}

/// One at a time: Cargo takes workspaces at different places with packages of the same names for one, so that they could not
/// share what is built.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the workspace down, with a piece of its text replaced by another.
fn workspace(replace: Option<[&str; 2]>) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drop-in");
    root(&directory, "\"tally\", \"lane\", \"audit\", \"app\"");
    let mut replaced = 0;
    for (path, mut text) in files() {
        if let Some([old, new]) = replace {
            replaced += text.matches(old).count();
            text = text.replace(old, new);
        }
        if let Some(package @ ("tally" | "lane")) = path.strip_suffix("/src/lib.rs") {
            text += &TYPES.replace("PACKAGE", package);
        }
        write(&directory.join(path), &text);
    }
    assert_eq!(replaced, usize::from(replace.is_some()));
    APP.iter().for_each(|(path, text)| write(&directory.join(path), text));
    directory
}

/// Runs Cargo there; whether it succeeded, and all that was printed.
fn cargo(directory: &Path, arguments: &str) -> (bool, String) {
    let mut command = Command::new(env!("CARGO"));
    let (arguments, after) = arguments.split_once(" -- ").map_or((arguments, None), |(a, b)| (a, Some(b)));
    command.args(arguments.split(' ')).arg("--offline").current_dir(directory);
    if let Some(after) = after {
        command.arg("--").args(after.split(' '));
    }
    command.env("CARGO_TARGET_DIR", directory.join("target"));
    for (name, _) in std::env::vars_os() {
        let ours =
            name.to_str().is_some_and(|name| name.starts_with("CAISSA_") || name.starts_with("CARGO_PKG_"));
        if ours {
            command.env_remove(name);
        }
    }
    let output = command.output().expect("Cargo can be run");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.success(), text.concat())
}

#[track_caller]
fn passes(directory: &Path, arguments: &str) -> String {
    let (success, text) = cargo(directory, arguments);
    assert!(success, "cargo {arguments} failed:\n{text}");
    text
}

#[track_caller]
fn has(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "no `{wanted}` in\n{text}");
}

/// The table of the guide, line by line, and what is published.
#[test]
fn everybody_sees_the_types_that_the_guide_says() {
    let _alone = alone();
    let all = workspace(None);

    let text = passes(&all, "test -p tally");
    has(&text, "nothing_is_lost ... ok");
    has(&text, "unit_tests_have_caissas_types ... ok");

    let text = passes(&all, "test -p lane -- --nocapture");
    has(&text, "unit_tests_have_caissas_types ... ok");
    assert!(!text.contains("what_is_sent_arrives"), "{text}");
    has(&text, "types (line");

    let text = passes(&all, "test -p lane --features caissa");
    has(&text, "unit_tests_have_caissas_types ... ok");
    has(&text, "what_is_sent_arrives ... ok");
    has(&text, "types (line");

    has(&passes(&all, "test -p audit"), "two_senders_are_summed_up ... ok");

    passes(&all, "build --workspace");
    has(&passes(&all, "run -p app"), "tally std, lane std, sum 7");
    has(&passes(&all, "test -p app -- --nocapture"), "tally std, lane std, sum 7");
    has(&passes(&all, "test --workspace -- --nocapture"), "tally std, lane caissa, sum 7");

    for package in ["app", "audit", "lane", "tally"] {
        let tree = passes(&all, &format!("tree -e normal,build -p {package}"));
        has(&tree, package);
        assert!(!tree.contains("caissa"), "{tree}");
    }

    published(&all);
}

/// A crate elsewhere that depends on what `cargo package` makes of the library.
fn published(all: &Path) {
    passes(all, "package -p lane --no-verify --allow-dirty --exclude-lockfile");
    let outside = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drop-in-outside");
    root(&outside, "\"app\"");
    let packed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drop-in/target/package/lane-0.1.0.crate");
    let unpacked = Command::new("tar").arg("xzf").arg(packed).arg("-C").arg(&outside).status().unwrap();
    assert!(unpacked.success());
    write(
        &outside.join("app/Cargo.toml"),
        "[package]\nname = \"app\"\nversion = \"0.2.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         lane = { path = \"../lane-0.1.0\" }\n",
    );
    write(&outside.join("app/src/main.rs"), "fn main() {\n    println!(\"lane {}\", lane::types());\n}\n");
    has(&passes(&outside, "run"), "lane std");
    let tree = passes(&outside, "tree -e normal,build");
    assert!(tree.contains("lane") && !tree.contains("caissa"), "{tree}");
}

/// The checks see inside the libraries: a mistake made there is found.
#[test]
fn checks_see_inside_the_libraries() {
    let _alone = alone();
    let lost = [
        "self.0.fetch_add(1, SeqCst);",
        "let n = self.0.load(SeqCst);\n        self.0.store(n + 1, SeqCst);",
    ];
    let all = workspace(Some(lost));
    let (success, text) = cargo(&all, "test -p tally");
    assert!(!success);
    has(&text, "caissa found a bug");

    let all = workspace(Some(["        self.arrived.notify_one();\n", ""]));
    for arguments in ["test -p lane --features caissa --test outside", "test -p audit"] {
        let (success, text) = cargo(&all, arguments);
        assert!(!success);
        has(&text, "caissa found a bug: deadlock");
    }
}

/// With itself as a dev-dependency the package needs no flag for its tests, and nobody else notices.
#[test]
fn a_package_can_turn_its_own_feature_on_for_its_tests() {
    let _alone = alone();
    let caissa = "caissa = \"0.1\"\n\n[[test]]";
    let and_itself = "caissa = \"0.1\"\nlane = { path = \".\", features = [\"caissa\"] }\n\n[[test]]";
    let all = workspace(Some([caissa, and_itself]));
    has(&passes(&all, "test -p lane"), "what_is_sent_arrives ... ok");
    passes(&all, "build --workspace");
    has(&passes(&all, "run -p app"), "tally std, lane std, sum 7");
    published(&all);
    let manifest = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drop-in-outside/lane-0.1.0/Cargo.toml");
    let manifest = fs::read_to_string(manifest).unwrap();
    assert!(manifest.contains("[dev-dependencies.caissa]"), "{manifest}");
    assert!(!manifest.contains("dependencies.lane"), "{manifest}");
}
