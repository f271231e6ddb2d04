//! `bench native`: the three ways in which executions of a native program are run, beside each other, with data races looked for.
//!
//! Two threads increment a counter under a mutex. Executions are drawn at random, so that each way runs as many as it takes; what is measured is the CPU time of
//! this process and of all processes that it has started and waited for.

use std::path::{Path, PathBuf};

use caissa_check::{Check, Search, Settings};
use caissa_native::toolchain::{Compiler, Language};
use caissa_native::{Mode, ModeSetting, Native, NativeSettings, runtime};

use crate::json::Json;
use crate::machine::Machine;
use crate::peers::Extent;

/// The program.
const PROGRAM: &str = include_str!("../native/mutex.c");

/// The ways, with the executions that each runs in a round.
const WAYS: [(&str, Mode, u64); 3] = [
    ("in process", Mode::InProcess, 100_000),
    ("fork server", Mode::Fork, 4_000),
    ("OS threads, exec each", Mode::Os, 200),
];

/// In-process executions have to be so many times as many as the fork server's, and those so many times those of threads.
const FLOORS: [f64; 2] = [20.0, 3.0];

/// CPU seconds of this process and of its children that it has waited for.
pub fn cpu() -> f64 {
    let of = |who| {
        // SAFETY: the structure is ours and lives through the call.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    };
    of(libc::RUSAGE_SELF) + of(libc::RUSAGE_CHILDREN)
}

fn build(directory: &Path) -> Result<PathBuf, String> {
    let (source, program) = (directory.join("mutex.c"), directory.join("mutex"));
    std::fs::write(&source, PROGRAM).map_err(|error| error.to_string())?;
    let compiler = Compiler::find(Language::C, None).map_err(|error| error.to_string())?;
    let runtime = runtime::directory().map_err(|error| error.to_string())?;
    compiler.compile(&[source], "", &program, &runtime).map_err(|error| error.to_string())?;
    Ok(program)
}

/// Executions per CPU second.
fn measure(program: &Path, mode: Mode, executions: u64) -> Result<f64, String> {
    let mut own = NativeSettings::new(program.to_path_buf());
    own.mode = ModeSetting::Only(mode);
    let settings = Settings {
        search: Search::Random,
        max_executions: Some(executions),
        progress: std::time::Duration::ZERO,
        ..Settings::default()
    };
    let before = cpu();
    let check = Check::new(Native::new(own, String::new(), String::new()), settings)
        .map_err(|error| error.to_string())?;
    let report = check.search().map_err(|error| error.to_string())?;
    let seconds = cpu() - before;
    assert_eq!(report.executions(), executions, "as many as were asked for");
    Ok(executions as f64 / seconds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures and prints.
pub fn run(extent: Extent, json: bool) -> Result<(), String> {
    let directory = std::env::temp_dir().join(format!("caissa-bench-{}", std::process::id()));
    std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
    let result = measure_all(&directory, extent);
    let _ = std::fs::remove_dir_all(&directory);
    let rates = result?;
    let middle = |way: usize| median(rates.iter().map(|round| round[way]).collect());
    let ratio = |way: usize| median(rates.iter().map(|round| round[way] / round[way + 1]).collect());
    if json {
        let figures =
            WAYS.iter().enumerate().map(|(way, (name, ..))| (*name, Json::from(middle(way)))).collect();
        let ratios = [("in process / fork server", ratio(0)), ("fork server / OS threads", ratio(1))];
        let ratios = ratios.map(|(name, ratio)| (name, Json::from(ratio))).into_iter().collect();
        println!(
            "{}",
            Json::Object(vec![
                ("executions per CPU second", Json::Object(figures)),
                ("ratios", Json::Object(ratios))
            ])
        );
        return Ok(());
    }
    println!("{}", Machine::this());
    println!(
        "Two threads, a mutex, three increments each; executions per CPU second, medians of {} rounds:\n",
        rates.len()
    );
    for (way, (name, ..)) in WAYS.iter().enumerate() {
        let (low, high) = rates
            .iter()
            .fold((f64::MAX, 0f64), |(low, high), round| (low.min(round[way]), high.max(round[way])));
        println!("  {name:<24}{:>10.0}   ({low:.0} to {high:.0})", middle(way));
    }
    for (way, floor) in FLOORS.iter().enumerate() {
        let held = if ratio(way) >= *floor { "holds" } else { "DOES NOT HOLD" };
        println!("\n{} is {:.1} times {}: at least {floor} {held}", WAYS[way].0, ratio(way), WAYS[way + 1].0);
    }
    Ok(())
}

fn measure_all(directory: &Path, extent: Extent) -> Result<Vec<[f64; 3]>, String> {
    let program = build(directory)?;
    let share = if extent.rounds == Extent::QUICK.rounds { 50 } else { 1 };
    let mut rates = Vec::new();
    for _ in 0..extent.rounds {
        let mut round = [0.0; 3];
        for (rate, (_, mode, executions)) in round.iter_mut().zip(WAYS) {
            *rate = measure(&program, mode, executions / share)?;
        }
        rates.push(round);
    }
    Ok(rates)
}
