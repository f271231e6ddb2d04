//! Trace files: a finding as lines of tab-separated text, with a version.

use std::fmt::Write as _;
use std::path::Path;

use caissa_core::{Event, Schedule, Trace};

use super::{Finding, columns, sentences};
use crate::settings::Error;

const HEADER: &str = "caissa-trace 1";

/// Writes a finding: a header, its schedule, what is wrong, and a line for each operation: step, task, operation, place,
/// operation with what it observed.
pub(crate) fn write(path: &Path, finding: &Finding) -> Result<(), Error> {
    let mut text = format!("{HEADER}\nschedule\t{}\n", finding.schedule());
    for line in sentences::summary(finding, false).lines() {
        let _ = writeln!(text, "summary\t{line}");
    }
    for (number, name) in finding.task_names.iter().enumerate() {
        let _ = writeln!(text, "task\t{number}\t{}", clean(name.as_deref().unwrap_or("")));
    }
    for event in &finding.trace.events {
        let seen = clean(&columns::text(event, &finding.objects));
        let _ = writeln!(text, "{}\t{}\t{seen}", key(event), clean(&event.source.to_string()));
    }
    std::fs::write(path, text).map_err(|error| trace_error(path, &format!("cannot be written: {error}")))
}

/// Sees to it that a trace can be written there as far as that is known before there is one.
pub(crate) fn expect_writable(path: &Path) -> Result<(), Error> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    match directory {
        _ if path.is_dir() => {
            Err(trace_error(path, "cannot be written: it is a directory. Name a file in it"))
        }
        Some(directory) if !directory.is_dir() => {
            let why =
                format!("cannot be written: there is no directory {}. Make it first", directory.display());
            Err(trace_error(path, &why))
        }
        _ => Ok(()),
    }
}

/// What a replay must have in common with an event, whatever has been edited around it.
fn key(event: &Event) -> String {
    let step = if event.aside { "-".to_owned() } else { event.step.to_string() };
    format!("event\t{step}\t{}\t{}", event.task, event.op)
}

fn clean(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

fn trace_error(path: &Path, why: &str) -> Error {
    Error::TraceFile { path: path.to_owned(), why: why.to_owned() }
}

fn read(path: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| trace_error(path, &format!("cannot be read: {error}")))?;
    let header = text.lines().next().unwrap_or_default();
    if header == HEADER {
        return Ok(text);
    }
    Err(trace_error(
        path,
        &match header.strip_prefix("caissa-trace ") {
            Some(version) => {
                format!("is of version {version} and this is a version that reads 1; search again")
            }
            None => "is not a trace file: its first line should be `caissa-trace 1`".to_owned(),
        },
    ))
}

/// The schedule of a trace file.
pub(crate) fn read_schedule(path: &Path) -> Result<Schedule, Error> {
    let text = read(path)?;
    let schedule = text.lines().find_map(|line| line.strip_prefix("schedule\t"));
    let schedule = schedule.ok_or_else(|| trace_error(path, "is damaged: it has no schedule"))?;
    schedule.parse().map_err(Error::Schedule)
}

/// How a replay differs from the trace in a file, if it does.
pub(crate) fn difference(path: &Path, replayed: &Trace) -> Result<Option<String>, Error> {
    let text = read(path)?;
    let mut recorded = text.lines().filter(|line| line.starts_with("event\t"));
    for event in &replayed.events {
        let now = format!("{} {} at {}", event.task, event.op, event.source);
        let Some(line) = recorded.next() else {
            return Ok(Some(format!(
                "The trace ends before step {}, where the program now does `{now}`",
                event.step
            )));
        };
        if line.strip_prefix(&key(event)).is_none_or(|rest| !rest.starts_with('\t')) {
            return Ok(Some(format!("The trace has `{}`, the program now does `{now}`", human(line))));
        }
    }
    Ok(recorded.next().map(|line| format!("The program now ends before `{}` of the trace", human(line))))
}

/// A line of a trace file for people.
fn human(line: &str) -> String {
    let fields: Vec<&str> = line.split('\t').collect();
    match fields[..] {
        [_, step, task, op, place, ..] => format!("{task} {op} at {place} (step {step})"),
        _ => line.to_owned(),
    }
}
