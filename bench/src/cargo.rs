//! `bench cargo`: tests under `cargo caissa test`, beside the same bodies with the types of the library.
//!
//! The bodies (`cargo/bodies.rs`) are compiled twice: as tests of a crate that is written below the target directory, with std's types, and here, with
//! Caissa's. All are explored by increasing number of preemptions, by one worker, with clocks. What is measured is CPU time, of all processes, less
//! that of a run of one execution: building and starting are told apart.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use caissa::{Builder, Verdict};

use crate::crates::{built, command, root};
use crate::figures::Figures;
use crate::json::Json;
use crate::machine::Machine;
use crate::native::cpu;
use crate::peers::Extent;
use crate::section::said;

mod bodies {
    use caissa::sync::atomic::{AtomicUsize, Ordering};
    use caissa::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
    use caissa::thread;

    include!("../cargo/bodies.rs");
}

const BODIES: [(&str, fn()); 6] = [
    ("mutex", bodies::mutex),
    ("channel", bodies::channel),
    ("condvar", bodies::condvar),
    ("scoped", bodies::scoped),
    ("rwlock", bodies::rwlock),
    ("barrier", bodies::barrier),
];

const MANIFEST: &str =
    "[workspace]\n\n[package]\nname = \"bodies\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// How the tests are run, with the executions of a round.
const WAYS: [(&str, &[&str], u64); 3] = [
    ("in process", &[], 10_000),
    ("in process, --no-races", &["--no-races"], 20_000),
    ("--mode fork", &["--mode", "fork"], 1_000),
];

/// The bodies with the library's types, the last of the ways.
const LIBRARY: (&str, u64) = ("library", 100_000);

/// The bound up to which executions are counted.
const BOUND: u32 = 2;

/// A bound that ends no measurement of speed: the number of executions does.
const NO_BOUND: u32 = 9;

/// In-process executions have to be so many times as many as those in copies of the process.
const FLOOR: f64 = 1.5;

/// A first run may take so many seconds, the library included that it instruments.
const FIRST: f64 = 60.0;

/// The crate of tests, and the command that explores them.
struct Tests {
    tool: PathBuf,
    directory: PathBuf,
}

/// What a run of one test came to.
struct Ran {
    executions: u64,
    cpu: f64,
}

impl Tests {
    /// Writes the crate. Nothing of an earlier run is left: neither what was built, nor the instrumented library.
    fn new(tool: PathBuf) -> Result<Tests, String> {
        let directory = root().join("target/bench-cargo");
        let text = |error: std::io::Error| format!("{}: {error}", directory.display());
        if directory.exists() {
            std::fs::remove_dir_all(&directory).map_err(text)?;
        }
        std::fs::create_dir_all(directory.join("src")).map_err(text)?;
        for (name, content) in [
            ("Cargo.toml", MANIFEST),
            ("src/lib.rs", include_str!("../cargo/tests.rs")),
            ("src/bodies.rs", include_str!("../cargo/bodies.rs")),
        ] {
            std::fs::write(directory.join(name), content).map_err(text)?;
        }
        Ok(Tests { tool, directory })
    }

    /// What `cargo caissa test` with these options prints to both outputs.
    fn run(&self, options: &[&str]) -> Result<(String, String), String> {
        let mut command = command(&self.tool, &self.directory);
        command.env("XDG_CACHE_HOME", self.directory.join("cache"));
        command.args(["caissa", "test", "--target-dir", "target", "--test-workers", "1", "--json"]);
        command.args(["--search", "preemptions", "--time", "3600"]).args(options);
        let output = command.output().map_err(|error| format!("{}: {error}", self.tool.display()))?;
        let [stdout, stderr] =
            [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        if output.status.success() {
            Ok((stdout, stderr))
        } else {
            Err(format!("{command:?}:\n{stdout}{stderr}"))
        }
    }

    /// Explores one test. `name` is that of its body.
    fn explore(&self, name: &str, way: &[&str], bound: u32, executions: u64) -> Result<Ran, String> {
        let (test, bound, most) = (format!("tests::{name}"), bound.to_string(), executions.to_string());
        let options = [way, &["--bound", &bound, "--max-executions", &most, &test, "--", "--exact"]].concat();
        let before = cpu();
        let (stdout, _) = self.run(&options)?;
        let cpu = cpu() - before;
        let wanted = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            (line["test"] == test.as_str()).then(|| line["executions"].as_u64())?
        };
        let executions = stdout.lines().find_map(wanted);
        let executions = executions.ok_or_else(|| format!("{test} was not explored:\n{stdout}"))?;
        Ok(Ran { executions, cpu })
    }

    /// Executions per CPU second, beyond the first.
    fn rate(&self, name: &str, way: &[&str], executions: u64) -> Result<f64, String> {
        let one = self.explore(name, way, NO_BOUND, 1)?;
        let all = self.explore(name, way, NO_BOUND, executions)?;
        Ok((all.executions - one.executions) as f64 / (all.cpu - one.cpu))
    }

    /// Seconds on the clock of a run of one execution of each test, and whether something was compiled.
    fn start(&self) -> Result<(f64, bool), String> {
        let before = Instant::now();
        let (_, stderr) = self.run(&["--max-executions", "1"])?;
        Ok((before.elapsed().as_secs_f64(), stderr.contains("Compiling")))
    }
}

/// Explores a body with the library's types.
fn explore(body: fn(), bound: u32, executions: u64) -> u64 {
    let builder = Builder::new().preemptions(bound).max_executions(executions).force_clocks(true);
    let report = builder.progress(Duration::ZERO).explore(body).expect("the settings make sense");
    let right = matches!(report.verdict, Verdict::Verified | Verdict::Bounded | Verdict::Incomplete);
    assert!(right, "a body is wrong: {report}");
    report.executions()
}

/// Executions per CPU second with the library's types. A tree that ends early is explored again.
fn library_rate(body: fn(), executions: u64) -> f64 {
    let (before, mut done) = (cpu(), 0);
    while done < executions {
        done += explore(body, NO_BOUND, executions - done);
    }
    done as f64 / (cpu() - before)
}

/// What was measured of a body.
struct Row {
    name: &'static str,
    /// Executions per CPU second of each way, and of the library.
    rates: [Figures; WAYS.len() + 1],
    /// Executions up to the bound, of the test and of the body with the library's types.
    executions: [u64; 2],
}

fn measure(tests: &Tests, extent: Extent) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (name, body) in BODIES {
        let counted = tests.explore(name, WAYS[0].1, BOUND, u64::MAX)?.executions;
        let forked = tests.explore(name, WAYS[2].1, BOUND, u64::MAX)?.executions;
        assert_eq!(counted, forked, "{name}: all ways explore the same");
        let library = explore(body, BOUND, u64::MAX);
        rows.push(Row { name, rates: Default::default(), executions: [counted, library] });
    }
    for round in 1..=extent.rounds {
        said(&format!("round {round} of {}", extent.rounds));
        for (row, (name, body)) in rows.iter_mut().zip(BODIES) {
            for (figures, (_, way, executions)) in row.rates.iter_mut().zip(WAYS) {
                figures.push(tests.rate(name, way, executions / extent.divisor)?);
            }
            row.rates[WAYS.len()].push(library_rate(body, LIBRARY.1 / extent.divisor));
        }
    }
    Ok(rows)
}

impl Row {
    /// How many times the second way is the first, in the middle.
    fn ratio(&self, one: usize, other: usize) -> f64 {
        self.rates[one].over(&self.rates[other]).median()
    }

    fn json(&self) -> Json {
        let names = WAYS.iter().map(|(name, ..)| *name).chain([LIBRARY.0]);
        let rates = names.zip(&self.rates).map(|(name, figures)| (name, Json::from(figures)));
        Json::Object(vec![
            ("body", self.name.into()),
            ("executions per CPU second", Json::Object(rates.collect())),
            ("executions up to bound 2", self.executions[0].into()),
            ("executions up to bound 2, library", self.executions[1].into()),
        ])
    }
}

/// The smallest and the largest.
fn range(values: impl Iterator<Item = f64>) -> String {
    let (low, high) = values.fold((f64::MAX, 0f64), |(low, high), value| (low.min(value), high.max(value)));
    format!("{low:.1} to {high:.1}")
}

/// Measures and prints. `tool` is the cargo-caissa to take, if not this checkout's.
pub fn run(extent: Extent, json: bool, tool: Option<String>) -> Result<(), String> {
    let tests = Tests::new(tool.map_or_else(built, |tool| Ok(PathBuf::from(tool)))?)?;
    said("a first run, which instruments the standard library");
    let (first, _) = tests.start()?;
    let (second, compiled) = tests.start()?;
    let rows = measure(&tests, extent)?;
    if json {
        let figures = vec![
            ("machine", Machine::this().json()),
            ("seconds of a first run", first.into()),
            ("seconds of a second run", second.into()),
            ("a second run compiles", compiled.into()),
            ("bodies", Json::List(rows.iter().map(Row::json).collect())),
        ];
        println!("{}", Json::Object(figures));
        return Ok(());
    }
    println!("{}", Machine::this());
    print(&rows, extent);
    let held = |held: bool| if held { "holds" } else { "DOES NOT HOLD" };
    let least = rows.iter().map(|row| row.ratio(0, 2)).fold(f64::MAX, f64::min);
    println!(
        "\nIn process is at least {least:.1} times --mode fork: at least {FLOOR} {}",
        held(least >= FLOOR)
    );
    println!(
        "A first run takes {first:.1} s, with the standard library: at most {FIRST} {}",
        held(first <= FIRST)
    );
    println!("A second run takes {second:.1} s; that it compiles nothing {}", held(!compiled));
    Ok(())
}

fn print(rows: &[Row], extent: Extent) {
    println!(
        "Executions per CPU second, medians of {} rounds, and executions up to {BOUND} preemptions:\n",
        extent.rounds
    );
    println!("| body | {} | {} | {} | {} | executions | {0} |", LIBRARY.0, WAYS[0].0, WAYS[1].0, WAYS[2].0);
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for row in rows {
        let middle = |way: usize| format!("{:.0}", row.rates[way].median());
        let [process, no_races, fork, library] = [0, 1, 2, 3].map(middle);
        let [executions, of_library] = row.executions;
        println!(
            "| {} | {library} | {process} | {no_races} | {fork} | {executions} | {of_library} |",
            row.name
        );
    }
    println!(
        "\nThe library is {} times as fast as tests in process, these {} times as fast as --mode fork.\n\
         An execution of a test has libtest's work in it and every access of data in both, which is looked at for races: without \
         that it is {} times as fast.",
        range(rows.iter().map(|row| row.ratio(3, 0))),
        range(rows.iter().map(|row| row.ratio(0, 2))),
        range(rows.iter().map(|row| row.ratio(1, 0)))
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bodies_are_right_with_the_types_of_the_library() {
        for (name, body) in BODIES {
            let executions = explore(body, BOUND, u64::MAX);
            assert!(executions > 1, "{name}: {executions} executions");
        }
    }

    #[test]
    fn each_body_is_a_test() {
        let tests = include_str!("../cargo/tests.rs");
        let listed = tests.lines().find_map(|line| line.strip_prefix("tests!(")?.strip_suffix(");"));
        assert_eq!(listed, Some(BODIES.map(|(name, _)| name).join(" ").as_str()));
    }
}
