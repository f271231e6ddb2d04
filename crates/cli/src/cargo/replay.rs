//! `cargo caissa replay`.

use std::process::ExitCode;

use caissa_check::{Settings, read_schedule};
use caissa_core::Schedule;

use super::args::{Replay, Running};
use super::build::{self, Binary};
use super::explore;
use super::listing::{self, Listed};
use super::project::Project;
use super::settings;
use super::test::Settled;
use super::words::{MISTYPED, Words, distance};
use crate::check::{exit_code, print};
use crate::{Mistake, interrupt};

/// Replays a schedule of a test and shows what it does.
pub fn replay(options: &Replay, mut words: Words) -> Result<ExitCode, Mistake> {
    let [name, schedule] = &words.plain[..] else {
        return Err(Mistake(
            "error: what is replayed is a test and a schedule of it\nhelp: cargo caissa replay NAME cai1:... [OPTIONS OF CARGO TEST]\n"
                .to_owned(),
        ));
    };
    let name = name.to_string_lossy().into_owned();
    let (schedule, file) = read_schedule(&schedule.to_string_lossy())?;
    let interrupted = interrupt::flag();
    let project = Project::find(&mut words, options.running.plain_std)?;
    let Some(binaries) = build::tests(&project, interrupted)? else { return Ok(ExitCode::from(130)) };
    let (binary, test) = find(&name, &binaries)?;
    let files = Settled::read(&project, &binaries)?;
    let native = settings::replayed(
        &options.running,
        &files.of(binary).layer(&name),
        binary.program.clone(),
        !options.json,
        options.gdb,
    );
    let settings =
        Settings { trace_file: options.trace.clone(), ..replay_settings(&options.running, &schedule) };
    let again: Vec<String> =
        words.all().iter().map(|word| crate::model::quoted(&word.to_string_lossy())).collect();
    let report =
        explore::replay(binary, &test, native, settings, &schedule, file.as_deref(), again.join(" "))?;
    print(&report, options.json);
    Ok(exit_code(&report))
}

/// The settings under which a schedule is replayed.
pub fn replay_settings(running: &Running, schedule: &Schedule) -> Settings {
    let fair_k = schedule.identity.fair_k;
    let defaults = Settings::default();
    Settings {
        max_steps: running.max_steps.unwrap_or(super::settings::MAX_STEPS),
        faults: schedule.identity.faults,
        fair: Some(fair_k > 0),
        fair_k: Some(fair_k).filter(|&k| k > 0),
        races: !running.no_races,
        full: running.full,
        ..defaults
    }
}

/// The test of that name.
fn find<'a>(name: &str, binaries: &'a [Binary]) -> Result<(&'a Binary, Listed), Mistake> {
    let mut found = Vec::new();
    let mut nearly = Vec::new();
    for binary in binaries {
        let tests = listing::list(binary).unwrap_or_default();
        let module = format!("::{name}");
        let is_near = |other: &str| other.ends_with(&module) || distance(name, other) <= MISTYPED;
        nearly.extend(tests.iter().map(|test| &test.name).filter(|other| is_near(other)).cloned());
        found.extend(tests.into_iter().find(|test| test.name == name).map(|test| (binary, test)));
    }
    match found.len() {
        0 => {
            let help = match &nearly[..] {
                [] => "cargo caissa test -- --list".to_owned(),
                names => format!("there is {}", names.join(", ")),
            };
            Err(Mistake(format!("error: there is no test {name} in what was built\nhelp: {help}\n")))
        }
        1 => Ok(found.remove(0)),
        _ => {
            let choices = found
                .iter()
                .map(|(binary, _)| format!("  -p {} {}\n", binary.package, binary.selection.join(" ")));
            Err(Mistake(format!(
                "error: there are several tests {name}\nhelp: choose one by what cargo builds:\n{}",
                choices.collect::<String>()
            )))
        }
    }
}
