//! Native programs: sources are compiled first, programs are run as they are.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::Ordering;

use caissa_check::{Check, Points, Settings, read_schedule};
use caissa_native::toolchain::{Compiler, Language};
use caissa_native::{Mode, ModeSetting, Native, NativeError, NativeSettings, doctor as examination, runtime};
use caissa_search::Stopped;
use tempfile::TempDir;

use crate::check::{exit_code, print, settings};
use crate::model::{command, quoted, unreadable};
use crate::{Mistake, args, interrupt};

impl From<NativeError> for Mistake {
    fn from(error: NativeError) -> Mistake {
        Mistake(format!("error: {error}\n"))
    }
}

/// Whether a target is a program, or the source of one: everything that is no model and is there.
pub fn is_native(target: &Path) -> bool {
    let is_model = target.extension().is_some_and(|extension| extension == "cai");
    Language::of(target).is_some()
        || (!is_model && (!target.exists() || (target.is_file() && is_executable(target))))
}

fn is_executable(target: &Path) -> bool {
    use std::io::Read as _;
    let mut head = [0; 4];
    std::fs::File::open(target).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"\x7fELF"
}

/// A program that can be run, and where it was built.
struct Built {
    program: PathBuf,
    /// Goes when this does.
    _directory: Option<TempDir>,
}

fn build(target: &Path, native: &args::Native) -> Result<Built, Mistake> {
    let name = target.display().to_string();
    std::fs::metadata(target).map_err(|error| unreadable(&name, &error))?;
    let Some(language) = Language::of(target) else {
        if native.cflags.is_some() || native.cc.is_some() {
            let text = "error: --cflags and --cc are for source files\nhelp: a program that was built is run as it is\n";
            return Err(Mistake(text.to_owned()));
        }
        let program = std::path::absolute(target).map_err(|error| unreadable(&name, &error))?;
        return Ok(Built { program, _directory: None });
    };
    let toolchain = |error: caissa_native::toolchain::ToolchainError| Mistake(format!("error: {error}\n"));
    let compiler = Compiler::find(language, native.cc.as_deref()).map_err(toolchain)?;
    let runtime = runtime::directory()?;
    remove_stale();
    let prefix = format!("caissa-{}-", std::process::id());
    let directory = tempfile::Builder::new().prefix(&prefix).tempdir();
    let directory =
        directory.map_err(|error| Mistake(format!("error: there is no temporary directory: {error}\n")))?;
    let stem = target.file_stem().map_or("program".into(), |stem| stem.to_os_string());
    let program = directory.path().join(stem);
    let flags = native.cflags.as_deref().unwrap_or_default();
    let warnings = compiler.compile(&[target.to_path_buf()], flags, &program, &runtime).map_err(toolchain)?;
    if !warnings.is_empty() {
        eprint!("{warnings}");
    }
    Ok(Built { program, _directory: Some(directory) })
}

/// Removes what processes have left that were killed.
fn remove_stale() {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner =
            name.strip_prefix("caissa-").and_then(|rest| rest.split_once('-')).map(|(owner, _)| owner);
        if let Some(owner) = owner.and_then(|owner| owner.parse::<u32>().ok())
            && !Path::new(&format!("/proc/{owner}")).exists()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn native_settings(program: PathBuf, native: &args::Native, arguments: &[OsString]) -> NativeSettings {
    let mut settings = NativeSettings::new(program);
    settings.arguments = arguments.to_vec();
    settings.exit_fails = native.exit_code;
    settings.output = native.output;
    settings.mode = native.mode.map_or(settings.mode, args::Mode::setting);
    settings.hang = native.hang.unwrap_or(settings.hang);
    settings.heap = native.heap.unwrap_or(settings.heap);
    settings
}

/// How the program is named in a command that replays it.
fn target(path: &Path, native: &args::Native, no_races: bool, arguments: &[OsString]) -> String {
    let mut words = vec![quoted(&path.display().to_string())];
    if let Some(flags) = &native.cflags {
        words.extend(["--cflags".to_owned(), quoted(flags)]);
    }
    if let Some(compiler) = &native.cc {
        words.extend(["--cc".to_owned(), quoted(compiler)]);
    }
    if native.exit_code {
        words.push("--exit-code".to_owned());
    }
    if no_races {
        words.push("--no-races".to_owned());
    }
    if !arguments.is_empty() {
        words.push("--".to_owned());
        words.extend(arguments.iter().map(|word| quoted(&word.to_string_lossy())));
    }
    words.join(" ")
}

/// Checks a program and prints what came of it.
pub fn check(args: &args::Check) -> Result<ExitCode, Mistake> {
    refuse_model_options(args)?;
    let settings = Settings {
        points: match args.points {
            Some(points) => points.setting(),
            None if args.no_races => Points::Sync,
            None => Points::Racy,
        },
        faults: args.faults.unwrap_or(Settings::default().faults),
        ..settings(args)
    };
    settings.validate()?;
    // From here on what was begun is put in order when somebody interrupts it.
    let interrupted = interrupt::flag();
    let built = build(&args.target, &args.native)?;
    let target = target(&args.target, &args.native, args.no_races, &args.arguments);
    let mut own = native_settings(built.program.clone(), &args.native, &args.arguments);
    own.no_preempt.clone_from(&args.no_preempt);
    own.preempt_only.clone_from(&args.preempt_only);
    let program = Native::new(own, target, command()).until(interrupted);
    let report = match Check::new(program, settings)?.search() {
        Err(error @ NativeError::Interrupted) => {
            eprintln!("caissa: {error}");
            return Ok(ExitCode::from(130));
        }
        report => report?,
    };
    print(&report, args.json);
    if interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
        && report.summary.stopped == Some(Stopped::Interrupted)
    {
        return Ok(ExitCode::from(130));
    }
    Ok(exit_code(&report))
}

/// Options that mean nothing to a program.
fn refuse_model_options(args: &args::Check) -> Result<(), Mistake> {
    let of_models = [
        ("--engine explicit", args.engine == args::Engine::Explicit),
        ("--search bfs", args.search == args::Search::Bfs),
        ("--rounds", args.rounds.is_some()),
        ("--yields", args.yields.is_some()),
        ("--no-reorder", args.no_reorder),
        ("--shortest", args.shortest),
        ("--compact", args.compact),
        ("--set", !args.sets.is_empty()),
        ("--overflow", args.overflow),
    ];
    match of_models.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            Err(Mistake(format!("error: {option} is for models\nhelp: leave it out: this is a program\n")))
        }
        None => crate::contradictions::refuse(args),
    }
}

/// Replays a schedule and prints what it shows.
pub fn replay(args: &args::Replay) -> Result<ExitCode, Mistake> {
    let (schedule, file) = read_schedule(&args.schedule)?;
    let built = build(&args.target, &args.native)?;
    let fair_k = schedule.identity.fair_k;
    let settings = Settings {
        max_steps: args.max_steps,
        faults: schedule.identity.faults,
        fair: Some(fair_k > 0),
        fair_k: Some(fair_k).filter(|&k| k > 0),
        races: !args.no_races,
        full: args.full,
        trace_file: args.trace.clone(),
        ..Settings::default()
    };
    let target = target(&args.target, &args.native, args.no_races, &args.arguments);
    let mut own = native_settings(built.program.clone(), &args.native, &args.arguments);
    if own.mode == ModeSetting::Auto {
        // A single execution, whose output can be seen.
        own.mode = ModeSetting::Only(Mode::Fork);
    }
    own.output |= !args.json;
    if args.gdb {
        own.debugger = true;
        own.mode = ModeSetting::Only(Mode::Fork);
        // It may take its time.
        own.hang = std::time::Duration::from_secs(1 << 30);
    }
    let program = Native::new(own, target, command());
    let report = Check::new(program, settings)?.replay(&schedule, file.as_deref())?;
    print(&report, args.json);
    Ok(exit_code(&report))
}

/// Does what a compiler would, so that what it makes can be checked. Does not come back if all is well.
pub fn compile_in_place(language: Language, arguments: &[OsString]) -> Result<ExitCode, Mistake> {
    let toolchain = |error: caissa_native::toolchain::ToolchainError| Mistake(format!("error: {error}\n"));
    let compiler = Compiler::find(language, None).map_err(toolchain)?;
    let words = compiler.wrap(arguments, &runtime::directory()?).map_err(toolchain)?;
    let (program, rest) = words.split_first().expect("the compiler comes first");
    let error = Command::new(program).args(rest).exec();
    Err(Mistake(format!("error: {} cannot be run: {error}\n", program.to_string_lossy())))
}

/// Says what the machine lacks.
pub fn doctor() -> Result<ExitCode, Mistake> {
    let findings = examination::examine();
    print!("{}", examination::render(&findings));
    Ok(ExitCode::SUCCESS)
}
