//! Which tests an executable has: it is asked, as cargo's users would.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::build::Binary;

/// An executable has so long to list its tests.
const PATIENCE: Duration = Duration::from_secs(30);

/// A test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Whether it is marked as ignored.
    pub is_ignored: bool,
    /// Whether the executable itself is the test: it has a harness of its own, which lists nothing.
    pub is_whole: bool,
}

/// The tests of an executable.
///
/// # Errors
/// If it does not list them: why.
pub fn list(binary: &Binary) -> Result<Vec<Listed>, String> {
    if binary.is_of_host {
        return Err(
            "tests of macros are built as parts of the compiler, and are not under control".to_owned()
        );
    }
    let all = match ask(binary, &[]) {
        Ok(names) => names,
        Err(_) if !binary.has_harness => {
            return Ok(vec![Listed { name: binary.target.clone(), is_ignored: false, is_whole: true }]);
        }
        Err(why) => return Err(why),
    };
    let ignored: BTreeSet<String> =
        if all.is_empty() { BTreeSet::new() } else { ask(binary, &["--ignored"])?.into_iter().collect() };
    let listed = |name: String| Listed { is_ignored: ignored.contains(&name), name, is_whole: false };
    Ok(all.into_iter().map(listed).collect())
}

/// Asks for names.
fn ask(binary: &Binary, further: &[&str]) -> Result<Vec<String>, String> {
    let mut command = Command::new(&binary.program);
    command.args(["--list", "--format", "terse"]).args(further);
    command.current_dir(&binary.directory).envs(binary.environment.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    let mut output = child.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not list its tests within {} s", PATIENCE.as_secs()));
            }
        }
    };
    if !status.success() {
        return Err(format!("it does not list its tests: {status}"));
    }
    let text =
        reader.join().expect("it only reads").map_err(|error| format!("its list is no text: {error}"))?;
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.rsplit_once(": ") {
            Some((name, "test")) => names.push(name.to_owned()),
            Some((_, "benchmark")) => {}
            _ => return Err("what it prints is no list of tests".to_owned()),
        }
    }
    Ok(names)
}
