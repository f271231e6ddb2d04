//! Directories for tests: each has its own, which goes with the test.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

static MADE: AtomicU32 = AtomicU32::new(0);

/// A directory that is removed with the value.
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> Scratch {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("caissa-native-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory for the test");
        Scratch { path: path.canonicalize().expect("the directory") }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, with the directories that it is in.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// Writes a shell script that can be run. Another process copies it: a file that this one has open for writing cannot be run as long as a
    /// process that some other test starts right then has it too.
    pub(crate) fn write_program(&self, name: &str, script: &str) {
        let text = self.write("script", format!("#!/bin/sh\n{script}\n"));
        let path = self.write(name, "");
        self.must_run(&["install", "-m", "755", &text.to_string_lossy(), &path.to_string_lossy()]);
    }

    /// Runs a command in the directory.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Output {
        let [program, arguments @ ..] = words else { panic!("nothing to run") };
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.path);
        command.output().unwrap_or_else(|error| panic!("{:?}: {error}", program.as_ref()))
    }

    /// The same of a command that must succeed; returns what it prints.
    pub(crate) fn must_run<S: AsRef<OsStr>>(&self, words: &[S]) -> String {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        let shown: Vec<&OsStr> = words.iter().map(AsRef::as_ref).collect();
        assert!(output.status.success(), "{shown:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
