//! A long search says how far it is: in one line that is written over on a terminal, in lines elsewhere.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, thread};

const BODY: &str = "TEST_PROGRESS_BODY";

/// Explores for a while: one execution of the second bound is slow. All of them are cut off, so each is looked at twice.
fn body() {
    let slept = AtomicBool::new(false);
    let builder = Builder::new().preemptions(2).max_steps(200).progress(Duration::from_millis(50));
    let report = builder.explore(move || {
        let shared = Arc::new(AtomicUsize::new(0));
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.fetch_add(1, SeqCst))
        };
        let first = shared.fetch_add(1, SeqCst) == 1;
        other.join().unwrap();
        if first && !slept.swap(true, Relaxed) {
            std::thread::sleep(Duration::from_millis(400));
        }
        for _ in 0..200 {
            shared.fetch_add(1, SeqCst);
            thread::yield_now();
        }
    });
    eprintln!("explored {}", report.unwrap().executions());
}

/// What the body of this test writes in a process of its own, run by a shell through this command.
fn written(test: &str, wrap: impl Fn(&str) -> Command) -> String {
    let program = std::env::current_exe().expect("a test knows its own program");
    let line = format!("'{}' --exact {test} --nocapture", program.display());
    let mut command = wrap(&line);
    for (variable, _) in std::env::vars_os() {
        if variable.to_string_lossy().starts_with("CAISSA_") {
            command.env_remove(variable);
        }
    }
    let output = command.env(BODY, test).stdin(Stdio::null()).output().expect("a shell starts");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn lines_where_there_is_no_terminal() {
    if std::env::var(BODY).is_ok() {
        return body();
    }
    let text = written("progress::lines_where_there_is_no_terminal", |line| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]);
        shell
    });
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("caissa: bound")).collect();
    assert!(lines.len() > 1, "{text}");
    assert!(lines.iter().all(|line| line.contains(" execution") && line.contains(" a second")), "{text}");
    assert!(!text.contains('\x1b'), "{text}");
    let number_after = |line: &str, word: &str| {
        let digits = line.split_once(word)?.1.split_once(|c: char| !c.is_ascii_digit());
        digits.map_or(line.split_once(word)?.1, |(digits, _)| digits).parse::<u64>().ok()
    };
    let all = text.lines().find_map(|line| number_after(line, "explored ")).expect("it says how many");
    let said: Vec<u64> =
        lines.iter().map(|line| number_after(line, ", ").unwrap_or_else(|| panic!("{line}"))).collect();
    assert!(said.iter().all(|&executions| executions <= all), "{text}");
}

#[test]
fn one_line_on_a_terminal_which_is_taken_away() {
    if std::env::var(BODY).is_ok() {
        return body();
    }
    let text = written("progress::one_line_on_a_terminal_which_is_taken_away", |line| {
        let mut terminal = Command::new("script");
        terminal.args(["-q", "-e", "-c", line, "/dev/null"]);
        terminal
    });
    let drawn: Vec<&str> = text.split("\r\x1b[2K").collect();
    assert!(drawn.len() > 3, "{text:?}");
    // Between the first and the last there is nothing but the line, and after the last what comes next.
    let (lines, after) = (&drawn[1..drawn.len() - 1], drawn[drawn.len() - 1]);
    assert!(lines.iter().all(|line| line.starts_with("caissa: bound") && !line.contains('\n')), "{text:?}");
    assert!(after.starts_with("explored"), "{text:?}");
}
