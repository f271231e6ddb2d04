//! Crates that are written, built and explored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::run::Run;

/// A crate or a workspace.
pub struct Project(PathBuf);

impl Project {
    /// Writes files; those that are there already stay as they are.
    pub fn write(name: &str, files: &[(&str, &str)]) -> Project {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo").join(name);
        for (name, text) in files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().expect("it is in a directory"))
                .expect("directories can be made");
            if fs::read_to_string(&path).ok().as_deref() != Some(text) {
                fs::write(&path, text).expect("files can be written");
            }
        }
        Project(directory)
    }

    /// One that is there already.
    pub fn at(directory: &Path) -> Project {
        Project(directory.to_owned())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// `cargo caissa`, as cargo would start it.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-caissa"));
        command.arg("caissa").args(line.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        // What the cargo that runs this test was told is not meant for that one.
        for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs a command line of it; words are told apart by blanks.
    pub fn caissa(&self, line: &str) -> Run {
        run(&mut self.command(line))
    }

    /// Runs a command line as it stands in a report.
    pub fn typed(&self, line: &str) -> Run {
        let line = line.strip_prefix("cargo caissa ").unwrap_or_else(|| panic!("not a command: {line}"));
        self.caissa(line)
    }
}

/// What comes of a command. Tests may panic, and say so, but not we ourselves.
pub fn run(command: &mut Command) -> Run {
    let output = command.output().expect("cargo-caissa runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code().unwrap_or_else(|| panic!("{:?}\n{out}\n{err}", output.status));
    assert!(!err.contains("panicked at crates/"), "{code}\n{out}\n{err}");
    Run { code, out, err }
}

/// A crate with one of everything.
pub fn trial() -> &'static Project {
    static TRIAL: OnceLock<Project> = OnceLock::new();
    TRIAL.get_or_init(|| {
        Project::write(
            "trial",
            &[
                ("Cargo.toml", MANIFEST),
                (".cargo/config.toml", "[build]\nrustflags = [\"--cfg\", \"configured\"]\n"),
                ("build.rs", SCRIPT),
                ("src/lib.rs", LIBRARY),
                ("src/main.rs", PROGRAM),
                ("tests/outer.rs", OUTER),
                ("tests/own.rs", "fn main() {\n    println!(\"no list\");\n}\n"),
            ],
        )
    })
}

const MANIFEST: &str = r#"[package]
name = "trial"
version = "0.1.2"
edition = "2024"

[workspace]

[features]
extra = []

[[test]]
name = "own"
harness = false

# All of this would keep places from being found, or the program from being linked.
[profile.release]
lto = true
strip = true
debug = 0

[lints.rust]
unexpected_cfgs = "allow"
"#;

/// Says whether it was instrumented itself, and sets what build scripts can.
const SCRIPT: &str = r#"
fn main() {
    let instrumented = std::fs::read_to_string("/proc/self/maps").unwrap().contains("/libcaissa_rt.so");
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/instrumented"), instrumented.to_string()).unwrap();
    println!("cargo::rustc-env=SET_BY_SCRIPT=yes");
    println!("cargo::rerun-if-changed=build.rs");
}
"#;

const LIBRARY: &str = r#"
/// ```
/// assert!(true);
/// ```
pub fn documented() {}

#[cfg(test)]
mod tests {
    use std::cell::UnsafeCell;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn empty() {}

    #[test]
    fn fails() {
        assert_eq!(1, 2);
    }

    #[test]
    #[should_panic]
    fn panics() {
        panic!("as it should");
    }

    #[test]
    #[ignore]
    fn slow() {}

    #[test]
    fn races() {
        struct Shared(UnsafeCell<u32>);
        unsafe impl Sync for Shared {}
        let shared = Shared(UnsafeCell::new(0));
        let add = || {
            let shared = &shared;
            unsafe { *shared.0.get() += 1 }
        };
        std::thread::scope(|scope| {
            scope.spawn(add);
            add();
        });
    }

    #[test]
    fn once() {
        static ONCE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        let thread = std::thread::spawn(|| *ONCE.get_or_init(|| 5));
        assert_eq!(*ONCE.get_or_init(|| 5), 5);
        thread.join().unwrap();
    }

    #[test]
    fn environment() {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        assert_eq!(std::env::current_dir().unwrap().display().to_string(), variable("CARGO_MANIFEST_DIR"));
        assert_eq!(variable("CARGO_PKG_NAME"), "trial");
        assert_eq!(variable("CARGO_PKG_VERSION_PATCH"), "2");
        assert_eq!(variable("SET_BY_SCRIPT"), "yes");
        let instrumented = std::fs::read_to_string(format!("{}/instrumented", variable("OUT_DIR")));
        assert_eq!(instrumented.unwrap(), "false");
        assert!(cfg!(configured) || cfg!(flagged));
    }

    #[test]
    #[cfg(flagged)]
    fn only_if_flagged() {}

    #[test]
    #[cfg(feature = "extra")]
    fn only_with_extra() {}

    #[test]
    fn refused() {
        unsafe extern "C" {
            fn inotify_init() -> i32;
        }
        assert!(unsafe { inotify_init() } >= 0);
    }

    #[test]
    fn counts_its_runs() {
        let path = format!("{}/runs", env!("OUT_DIR"));
        let runs = std::fs::read(&path).map_or(0, |bytes| bytes.len());
        std::fs::write(&path, vec![0; (runs + 1) % 100]).unwrap();
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        (0..runs).for_each(|_| drop(COUNTER.fetch_add(1, Ordering::SeqCst)));
    }
}
"#;

const PROGRAM: &str = r#"
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() {
    if std::env::args().nth(1).as_deref() != Some("broken one") {
        return;
    }
    let told = std::env::vars().any(|(name, _)| name.starts_with("CAISSA_CARGO") || name.ends_with("_RUNNER"));
    assert!(!told, "what cargo was told is not meant for the program");
    let counter = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&counter);
    let thread = std::thread::spawn(move || {
        let value = other.load(Ordering::SeqCst);
        other.store(value + 1, Ordering::SeqCst);
    });
    let value = counter.load(Ordering::SeqCst);
    counter.store(value + 1, Ordering::SeqCst);
    thread.join().unwrap();
    assert_eq!(counter.load(Ordering::SeqCst), 2, "an update is lost");
}
"#;

/// A test that the library has too.
const OUTER: &str = r#"
#[test]
fn outside() {
    trial::documented();
}

mod tests {
    #[test]
    fn fails() {
        panic!("as the other one does");
    }
}
"#;
