//! What a failing execution of a test prints. The processes that search print nowhere, so it is replayed once more, in a process of its own whose output is
//! kept: this executable again, which is told what to replay.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use caissa_check::{Finding, read_schedule};
use caissa_core::Bug;
use caissa_native::{Mode, ModeSetting, NativeSettings};
use caissa_search::Verdict;
use serde::{Deserialize, Serialize};

use super::args::Running;
use super::build::Binary;
use super::explore;
use super::listing::Listed;
use super::replay::replay_settings;
use crate::Mistake;

/// The command that replays.
pub const PRINTED: &str = "__printed";

/// Of more than these characters only the last ones are shown.
const MOST: usize = 8_000;

/// What is replayed, and how.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    binary: Binary,
    test: Listed,
    schedule: String,
    races: bool,
    all_atomics: bool,
    heap: u64,
    hang: Duration,
}

/// What an execution has printed.
#[derive(Clone, Debug, Default)]
pub struct Printed {
    /// All of it, without what the harness says of every test.
    pub text: String,
    /// What the test has returned, or that it did not panic: what the harness says of a test that has failed without a panic.
    why: Option<String>,
}

/// Replays a finding and returns what it prints; nothing if it cannot be replayed so. `native`: how the program was run.
pub fn of(
    finding: &Finding,
    binary: &Binary,
    test: &Listed,
    races: bool,
    native: &NativeSettings,
) -> Option<Printed> {
    let asked = Asked {
        binary: binary.clone(),
        test: test.clone(),
        schedule: finding.schedule(),
        races,
        all_atomics: native.all_atomics,
        heap: native.heap,
        hang: native.hang,
    };
    let asked = serde_json::to_vec(&asked).ok()?;
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg(PRINTED).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let told = child.stdin.take().expect("it is piped").write_all(&asked);
    let output = child.wait_with_output().ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (told.is_ok() && output.status.success())
        .then(|| Printed::read(&text(&output.stdout), &text(&output.stderr), test))
}

/// Replays what standard input says. It is a success if the bug comes back.
pub fn print() -> Result<ExitCode, Mistake> {
    let asked: Asked = serde_json::from_reader(std::io::stdin().lock())
        .map_err(|_| Mistake("error: this is started by `cargo caissa test`\n".to_owned()))?;
    let (schedule, _) = read_schedule(&asked.schedule)?;
    let mut native = NativeSettings::new(asked.binary.program.clone());
    native.rust = true;
    native.output = true;
    native.mode = ModeSetting::Only(Mode::Fork);
    (native.all_atomics, native.heap, native.hang) = (asked.all_atomics, asked.heap, asked.hang);
    let running = Running { no_races: !asked.races, ..Running::default() };
    let settings = replay_settings(&running, &schedule);
    let program = explore::subject(&asked.binary, &asked.test, native).telling(|_| {});
    let report = caissa_check::Check::new(program, settings)?.replay(&schedule, None)?;
    Ok(ExitCode::from((report.verdict != Verdict::Bug) as u8))
}

impl Printed {
    fn read(out: &str, err: &str, test: &Listed) -> Printed {
        let (out, of_harness) = if test.is_whole { (out, None) } else { without_harness(out, &test.name) };
        let returned = err.lines().rev().find(|line| line.starts_with("Error: "));
        let why = of_harness.or(returned).map(str::to_owned);
        // Who wants a backtrace sets the variable for a replay.
        let err = err.lines().filter(|line| !line.starts_with("note: run with `RUST_BACKTRACE="));
        let lines = out.lines().chain(err).chain(of_harness);
        let all = lines.collect::<Vec<_>>().join("\n");
        let all = all.trim_matches('\n');
        let text = match all.char_indices().rev().nth(MOST) {
            Some((at, _)) => format!("...{}", &all[at..]),
            None => all.to_owned(),
        };
        Printed { text, why }
    }

    /// Says why the test has failed where it is the harness that has said so: it exits, in the library.
    pub fn explain(&self, bug: &mut Bug) {
        if let (Bug::Panic { panic, .. }, Some(why)) = (bug, &self.why)
            && panic.kind == "exit"
            && panic.source.starts_with("library/")
        {
            panic.message = format!("says that the test has failed, without a panic: {why}");
            panic.source = "the end of the test".to_owned();
        }
    }
}

/// What Rust's harness has printed around a single test is left out. Returned are what the test itself has printed, and what the harness says of it.
fn without_harness<'a>(out: &'a str, name: &str) -> (&'a str, Option<&'a str>) {
    let begun = out.trim_start_matches('\n').strip_prefix("running 1 test\n");
    let begun = begun.and_then(|rest| rest.strip_prefix(&format!("test {name}")));
    let Some((_, own)) = begun.and_then(|rest| rest.split_once(" ... ")) else { return (out, None) };
    let Some((own, end)) = own.rsplit_once("FAILED\n\nfailures:\n") else { return (own, None) };
    let said = end.split_once(&format!("---- {name} stdout ----\n"));
    (own, said.and_then(|(_, said)| said.lines().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(out: &str, err: &str) -> (String, Option<String>) {
        let test = Listed { name: "a::b".to_owned(), is_ignored: false, is_whole: false };
        let Printed { text, why } = Printed::read(out, err, &test);
        (text, why)
    }

    #[test]
    fn what_the_harness_says_of_every_test_is_left_out() {
        let end = "FAILED\n\nfailures:\n\nfailures:\n    a::b\n\ntest result: FAILED. 0 passed\n";
        let out = format!("\nrunning 1 test\ntest a::b ... one\nok\nFAILED\ntwo{end}");
        assert_eq!(
            read(&out, "Error: \"nope\"\n"),
            ("one\nok\nFAILED\ntwo\nError: \"nope\"".to_owned(), Some("Error: \"nope\"".to_owned()))
        );
        // It may end before the harness has said anything.
        assert_eq!(read("\nrunning 1 test\ntest a::b ... one\n", ""), ("one".to_owned(), None));
        let own = "\nrunning 1 test\ntest a::b - should panic ... FAILED\n\nfailures:\n\n---- a::b stdout ----\nnote: no panic\n\nfailures:\n";
        assert_eq!(read(own, ""), ("note: no panic".to_owned(), Some("note: no panic".to_owned())));
    }
}
