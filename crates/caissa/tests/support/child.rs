//! Runs a test once more as a process of its own: for behaviours that end the process and for the environment.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Set in the process that runs the body of a test; its value is the test's name.
const BODY_OF: &str = "TEST_BODY_OF";

/// How a process ended and what it wrote.
pub struct Ended {
    /// Its exit code; `None` if a signal or the deadline ended it.
    pub code: Option<i32>,
    /// Its standard output and standard error.
    pub text: String,
}

impl Ended {
    /// Asserts the exit code and that each of the words was written.
    #[track_caller]
    pub fn expect(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.text);
        for word in words {
            assert!(self.text.contains(word), "`{word}` is missing in:\n{}", self.text);
        }
    }

    /// Asserts that none of the words was written.
    #[track_caller]
    pub fn expect_none(&self, words: &[&str]) {
        for word in words {
            assert!(!self.text.contains(word), "`{word}` should not be in:\n{}", self.text);
        }
    }
}

/// Runs the test called `name` in a process of its own, where `body` is run instead, with these `CAISSA_*` variables and
/// no others. Does not return in that process.
pub fn run(name: &str, environment: &[(&str, &str)], body: impl FnOnce()) -> Ended {
    if std::env::var(BODY_OF).is_ok_and(|of| of == name) {
        body();
        std::process::exit(0);
    }
    let mut command = Command::new(std::env::current_exe().expect("a test knows its own program"));
    command.args(["--exact", name, "--nocapture", "--test-threads=2"]).env(BODY_OF, name);
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("CAISSA_") {
            command.env_remove(variable);
        }
    }
    command.env("RUST_BACKTRACE", "0").envs(environment.iter().copied());
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test's program starts again");
    let mut outputs: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().expect("piped")), Box::new(child.stderr.take().expect("piped"))];
    std::thread::scope(|scope| {
        let readers: Vec<_> = outputs
            .iter_mut()
            .map(|output| {
                scope.spawn(move || {
                    let mut bytes = Vec::new();
                    output.read_to_end(&mut bytes).expect("a pipe can be read");
                    String::from_utf8_lossy(&bytes).into_owned()
                })
            })
            .collect();
        let deadline = Instant::now() + Duration::from_secs(120);
        let code = loop {
            match child.try_wait().expect("a child can be waited for") {
                Some(status) => break status.code(),
                None if Instant::now() >= deadline => {
                    child.kill().expect("a child can be killed");
                    child.wait().expect("a child can be waited for");
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        let text = readers.into_iter().map(|reader| reader.join().expect("reads to the end")).collect();
        Ended { code, text }
    })
}
