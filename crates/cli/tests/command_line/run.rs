//! Runs of the binary, and directories for their files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::json::Json;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// The binary, with nothing to read from.
pub fn binary() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_caissa"));
    command.stdin(Stdio::null());
    command
}

/// Runs the binary with these arguments.
pub fn caissa<S: AsRef<OsStr>>(args: &[S]) -> Run {
    Run::of(binary().args(args).output().expect("caissa runs"))
}

/// The same for a command line, as it stands in a report; words may be in single quotes.
pub fn typed(line: &str, directory: &Path) -> Run {
    let line = line.strip_prefix("caissa ").unwrap_or_else(|| panic!("not a command: {line}"));
    let shell = format!("{} {line}", env!("CARGO_BIN_EXE_caissa"));
    let output = Command::new("sh").arg("-c").arg(shell).current_dir(directory).stdin(Stdio::null()).output();
    Run::of(output.expect("a shell runs"))
}

impl Run {
    /// Nothing may panic, whatever was asked for.
    pub fn of(output: Output) -> Run {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let code = output.status.code().unwrap_or_else(|| panic!("{:?}\n{out}\n{err}", output.status));
        assert!(!err.contains("panicked at") && [0, 1, 2, 3, 4, 130].contains(&code), "{code}\n{out}\n{err}");
        Run { code, out, err }
    }

    /// Fails unless the exit code is this one, and what is printed has all of these.
    #[track_caller]
    pub fn expect(&self, code: i32, parts: &[&str]) -> &Run {
        assert_eq!(self.code, code, "{self}");
        for part in parts {
            assert!(self.out.contains(part) || self.err.contains(part), "no `{part}` in:\n{self}");
        }
        self
    }

    /// None of these is said.
    #[track_caller]
    pub fn lacks(&self, parts: &[&str]) -> &Run {
        for part in parts {
            assert!(!self.out.contains(part), "says `{part}`\n{self}");
        }
        self
    }

    /// A mistake: exit code 2, said on standard error and nothing else.
    #[track_caller]
    pub fn expect_mistake(&self, parts: &[&str]) -> &Run {
        assert_eq!(self.out, "", "{self}");
        self.expect(2, parts)
    }

    /// The one object that it has printed.
    #[track_caller]
    pub fn json(&self) -> Json {
        let line = self.out.strip_suffix('\n').unwrap_or_else(|| panic!("no line:\n{self}"));
        assert!(!line.contains('\n'), "more than one line:\n{self}");
        Json::parse(line).unwrap_or_else(|why| panic!("{why}:\n{self}"))
    }

    /// The command that a report gives for its finding.
    #[track_caller]
    pub fn replay_line(&self) -> &str {
        let line = self.out.lines().find_map(|line| line.strip_prefix("To replay exactly this: "));
        line.unwrap_or_else(|| panic!("no replay line:\n{self}"))
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit code {}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.out, self.err)
    }
}

/// A directory that is gone when the test is.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command_line").join(name);
        fs::create_dir_all(&path).expect("a temporary directory can be made");
        Scratch(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("names are UTF-8").to_owned()
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.file(name);
        fs::write(&path, text).expect("the file can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Checks a model given as text.
pub fn check(text: &str, options: &[&str]) -> Run {
    let scratch = Scratch::new();
    let path = scratch.write("model.cai", text);
    caissa(&[&["check", &path], options].concat())
}

/// The path of a model of the corpus, as `fail/NAME` or `pass/NAME`.
pub fn corpus(name: &str) -> String {
    format!("{}/../../corpus/model/{name}.cai", env!("CARGO_MANIFEST_DIR"))
}
