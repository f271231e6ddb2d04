//! `cargo caissa run`.
//!
//! Cargo builds the program and starts what it was told runs programs: this executable again. That one starts itself once more without what cargo was told by the
//! environment, which is not meant for the program, and explores.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::atomic::Ordering;

use caissa_check::{Check, Settings, read_schedule};
use caissa_native::{Native, NativeError};
use caissa_search::Stopped;
use cargo_metadata::{Metadata, Package};
use serde::{Deserialize, Serialize};

use super::args::Run;
use super::build::wait;
use super::project::{Project, TARGET};
use super::replay::replay_settings;
use super::settings::{self, Files, How, Layer};
use super::words::Words;
use crate::check::{code, print};
use crate::model::{command, quoted};
use crate::{Mistake, interrupt};

/// What cargo is told to run programs by.
pub const RUNNER: &str = "__runner";
/// What that starts.
pub const EXPLORE: &str = "__explore";
/// The variable that tells it how.
const VARIABLE: &str = "CAISSA_CARGO_RUN";

/// What is handed through cargo.
#[derive(Debug, Serialize, Deserialize)]
struct Handed {
    /// Our own options.
    ours: Vec<String>,
    /// Those of cargo's.
    cargo: Vec<String>,
    /// Why the standard library is not under control, if it is not.
    plain_std: Option<String>,
    /// Variables that are not meant for the program.
    variables: Vec<String>,
    /// What the user's files say of programs of a package in this directory, or what is wrong with them.
    settings: Vec<(PathBuf, Result<Layer, String>)>,
}

/// Exit codes of what explores are so much larger where cargo passes them on: its own, for what it has been told wrong, are 1 and 101.
const OURS: u8 = 40;

/// What the user's files say of each package: which one has the program is known to cargo.
fn settings_of(metadata: &Metadata) -> Vec<(PathBuf, Result<Layer, String>)> {
    let packages = metadata.workspace_packages().into_iter();
    let of = |package: &Package| {
        let directory = package.manifest_path.parent().map(|path| path.as_std_path().to_path_buf());
        let said = Files::of(metadata, &package.id).map(|files| files.of_all());
        (directory.unwrap_or_default(), said.map_err(|Mistake(text)| text))
    };
    packages.map(of).collect()
}

/// Has cargo build and start the program.
pub fn run(options: &Run, mut words: Words) -> Result<ExitCode, Mistake> {
    super::refuse(&options.exploring)?;
    if let Some(schedule) = &options.replay {
        // Before anything is built.
        read_schedule(schedule)?;
    }
    let cargo = words.all();
    let project = Project::find(&mut words, options.exploring.running.plain_std)?;
    if let Some(why) = &project.plain_std {
        eprintln!(
            "warning: the standard library is not under control: {why}\nwarning: races are not looked for, for it is not seen what orders accesses"
        );
    }
    let runner = format!("CARGO_TARGET_{}_RUNNER", TARGET.to_uppercase().replace('-', "_"));
    let text = |words: &[OsString]| words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let handed = Handed {
        ours: text(&words.ours),
        cargo: text(&cargo),
        plain_std: project.plain_std.clone(),
        settings: settings_of(&project.metadata),
        variables: project.set_variables().chain([&*runner, VARIABLE]).map(str::to_owned).collect(),
    };
    let mut command = project.command("run");
    command.arg("--").args(&words.plain).args(&words.rest);
    command.env(VARIABLE, serde_json::to_string(&handed).expect("these are strings"));
    command.env(&runner, format!("{} {RUNNER}", own_path()));
    // An interrupt is cargo's to hear, or of what has taken its place.
    let interrupted = interrupt::flag();
    let status = command.spawn().and_then(|mut child| wait(&mut child, interrupted));
    let status = status.map_err(|error| Mistake(format!("error: cargo cannot be run: {error}\n")))?;
    match status.map(|status| status.code()) {
        Some(Some(101)) => Err(project.build_failed()),
        Some(Some(0)) => Ok(ExitCode::SUCCESS),
        // A mistake of the user's, and it has been told.
        Some(Some(code)) => Ok(ExitCode::from((code as u8).checked_sub(OURS).unwrap_or(2))),
        Some(None) => Err(Mistake("error: what explores the program was ended by a signal\n".to_owned())),
        None => Ok(ExitCode::from(130)),
    }
}

/// This executable. Words of a runner are told apart by blanks, and a path may have some; this process lives as long as cargo does.
fn own_path() -> String {
    let path = std::env::current_exe().ok().and_then(|path| path.into_os_string().into_string().ok());
    let is_word = |path: &String| !path.contains(char::is_whitespace);
    path.filter(is_word).unwrap_or_else(|| format!("/proc/{}/exe", std::process::id()))
}

/// What cargo starts, with the program and its arguments.
pub fn from_cargo(words: impl Iterator<Item = OsString>) -> Result<ExitCode, Mistake> {
    let handed = std::env::var(VARIABLE).ok().and_then(|text| serde_json::from_str::<Handed>(&text).ok());
    let handed =
        handed.ok_or_else(|| Mistake("error: this is started by `cargo caissa run`\n".to_owned()))?;
    let own = std::env::current_exe().map_err(|error| Mistake(format!("error: {error}\n")))?;
    let mut command = Command::new(own);
    command.arg(EXPLORE).arg(serde_json::to_string(&handed).expect("these are strings")).args(words);
    for name in &handed.variables {
        command.env_remove(name);
    }
    command.env("RUST_BACKTRACE", "0");
    Err(Mistake(format!("error: {}\n", command.exec())))
}

/// Explores a program: what was handed, the program and its arguments.
pub fn explore(mut words: impl Iterator<Item = OsString>) -> Result<ExitCode, Mistake> {
    let handed = words.next().and_then(|word| serde_json::from_str::<Handed>(word.to_str()?).ok());
    let (Some(handed), Some(program)) = (handed, words.next()) else {
        return Err(Mistake("error: this is started by `cargo caissa run`\n".to_owned()));
    };
    let options: Run = super::parse(handed.ours.iter().map(OsString::from).collect());
    let arguments: Vec<OsString> = words.collect();
    let program =
        std::path::absolute(PathBuf::from(program)).map_err(|error| Mistake(format!("error: {error}\n")))?;
    let directory = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let said = handed.settings.iter().find(|(of, _)| Some(of) == directory.as_ref());
    let under = said.map_or(Ok(Layer::default()), |(_, said)| said.clone()).map_err(Mistake)?;
    let code = match &options.replay {
        Some(schedule) => replay(&options, &under, schedule, &handed, program, arguments),
        None => search(&options, &under, &handed, program, arguments),
    }?;
    Ok(ExitCode::from(OURS + code))
}

fn search(
    options: &Run,
    under: &Layer,
    handed: &Handed,
    program: PathBuf,
    arguments: Vec<OsString>,
) -> Result<u8, Mistake> {
    let mut how = How::of_program(&options.exploring, under);
    if handed.plain_std.is_some() {
        how = how.without_races();
    }
    how.settings.progress = Settings::default().progress;
    how.settings.trace_file.clone_from(&options.trace);
    how.settings.validate()?;
    let interrupted = interrupt::flag();
    let mut native = how.native(program);
    native.output = options.output;
    native.exit_fails = !options.any_exit_code;
    let again = again(options, handed, &arguments, how.settings.races);
    native.arguments = arguments;
    let program = Native::new(native, String::new(), command())
        .until(interrupted)
        .replayed_by(move |schedule| again.replace("SCHEDULE", schedule));
    let report = match Check::new(program, how.settings)?.search() {
        Err(error @ NativeError::Interrupted) => {
            eprintln!("caissa: {error}");
            return Ok(130);
        }
        report => report?,
    };
    print(&report, options.json);
    let was_interrupted = interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
    if was_interrupted && report.summary.stopped == Some(Stopped::Interrupted) {
        return Ok(130);
    }
    Ok(code(&report))
}

fn replay(
    options: &Run,
    under: &Layer,
    schedule: &str,
    handed: &Handed,
    program: PathBuf,
    arguments: Vec<OsString>,
) -> Result<u8, Mistake> {
    let (schedule, file) = read_schedule(schedule)?;
    let running = &options.exploring.running;
    let settings = Settings { trace_file: options.trace.clone(), ..replay_settings(running, &schedule) };
    let mut native = settings::replayed(running, under, program, !options.json, options.gdb);
    native.exit_fails = !options.any_exit_code;
    let again = again(options, handed, &arguments, settings.races);
    native.arguments = arguments;
    let program = Native::new(native, String::new(), command())
        .replayed_by(move |schedule| again.replace("SCHEDULE", schedule));
    let report = Check::new(program, settings)?.replay(&schedule, file.as_deref())?;
    print(&report, options.json);
    Ok(code(&report))
}

/// The command that replays a schedule, with a word in its place.
fn again(options: &Run, handed: &Handed, arguments: &[OsString], races: bool) -> String {
    let mut words = vec!["cargo caissa run --replay SCHEDULE".to_owned()];
    let running = &options.exploring.running;
    let flags = [
        ("--no-races", !races),
        ("--plain-std", running.plain_std),
        ("--any-exit-code", options.any_exit_code),
    ];
    words.extend(flags.iter().filter(|(_, given)| *given).map(|(flag, _)| (*flag).to_owned()));
    words.extend(running.max_steps.map(|steps| format!("--max-steps {steps}")));
    words.extend(handed.cargo.iter().map(|word| quoted(word)));
    if !arguments.is_empty() {
        words.push("--".to_owned());
        words.extend(arguments.iter().map(|word| quoted(&word.to_string_lossy())));
    }
    words.join(" ")
}
