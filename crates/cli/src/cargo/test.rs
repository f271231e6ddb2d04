//! `cargo caissa test`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cargo_metadata::PackageId;

use super::args::Test;
use super::build::{self, Binary};
use super::explore::{Case, Fate, NotExplored, Outcome, Terms};
use super::libtest::{Libtest, Meant};
use super::listing::{self, Listed};
use super::output::{Format, Output, Style, count};
use super::project::Project;
use super::settings::{Files, How};
use super::words::{Kind, Words};
use super::{doctests, pool};
use crate::model::quoted;
use crate::{Mistake, interrupt};

/// What is said where races in the standard library cannot be seen.
fn warn_of_plain_std(why: &str) {
    eprintln!(
        "warning: the standard library is not under control: {why}\nwarning: what it does to order accesses is not seen; races are told of apart and fail no test"
    );
}

/// Explores tests and shows what came of them.
pub fn test(options: &Test, mut words: Words) -> Result<ExitCode, Mistake> {
    let libtest = Libtest::read(&words.plain, &words.rest)?;
    super::refuse(&options.exploring)?;
    // From here on what was begun is put in order when somebody interrupts it.
    let interrupted = interrupt::flag();
    let is_interrupted = || interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let no_run = words.take("--no-run");
    let project = Project::find(&mut words, options.exploring.running.plain_std)?;
    if let Some(why) = &project.plain_std {
        warn_of_plain_std(why);
    }
    let Some(binaries) = build::tests(&project, interrupted)? else { return Ok(ExitCode::from(130)) };
    if no_run {
        for binary in &binaries {
            let (title, package) = (&binary.title, &binary.package);
            super::print(&format!(
                "{title} ({package}): {}
",
                binary.program.display()
            ));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let started = Instant::now();
    let files = Settled::read(&project, &binaries)?;
    let mut chosen = choose(options, &libtest, &binaries, &files, &words)?;
    if libtest.list {
        return Ok(list(&chosen, &libtest));
    }
    make_trace_directory(options, &binaries, &mut chosen.cases)?;
    let terms = Terms {
        interrupted,
        count: Arc::default(),
        plain_std: project.plain_std.is_some(),
        output: libtest.nocapture,
    };
    let total_time = options.total_time.or(files.total_time);
    let deadline = total_time.map(|time| started + time);
    let style = style(options, &libtest, &words);
    let count = Arc::clone(&terms.count);
    let mut output = Output::new(&chosen.cases, &binaries, style, count, chosen.filtered, started);
    let workers = options.test_workers.or(libtest.test_threads).unwrap_or_else(processors);
    pool::explore(&chosen.cases, &binaries, workers, deadline, &terms, &mut output);
    let mut remarks = doctests::remarks(&project.metadata, &binaries, &words);
    if is_whole(&libtest, &words) {
        remarks.extend(files.unused(&binaries, &chosen.cases));
    }
    let code = output.conclude(&remarks, options.exploring.complete, is_interrupted());
    Ok(ExitCode::from(code))
}

fn processors() -> u32 {
    std::thread::available_parallelism().map_or(1, |number| number.get() as u32)
}

fn style(options: &Test, libtest: &Libtest, words: &Words) -> Style {
    let format = match libtest.format.as_deref() {
        _ if options.json => Format::Json,
        Some("terse") => Format::Terse,
        None if libtest.quiet || words.is_quiet() => Format::Terse,
        _ => Format::Pretty,
    };
    let of_cargo = words.value("--color").map(|word| word.to_string_lossy().into_owned());
    let colours = match libtest.color.clone().or(of_cargo).as_deref() {
        Some("always") => true,
        Some("never") => false,
        _ => {
            std::io::stdout().is_terminal()
                && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    };
    Style { format, colours, quiet: words.is_quiet() || libtest.quiet || libtest.nocapture }
}

/// What the user's files say of each package.
pub struct Settled {
    by_package: BTreeMap<PackageId, Files>,
    total_time: Option<Duration>,
}

impl Settled {
    /// Reads them for the packages of some executables.
    pub fn read(project: &Project, binaries: &[Binary]) -> Result<Settled, Mistake> {
        let mut by_package = BTreeMap::new();
        for binary in binaries {
            if !by_package.contains_key(&binary.package_id) {
                let files = Files::of(&project.metadata, &binary.package_id)?;
                by_package.insert(binary.package_id.clone(), files);
            }
        }
        let total_time = by_package.values().filter_map(Files::total_time).min();
        Ok(Settled { by_package, total_time })
    }

    /// Names in them that stand for no test.
    fn unused(&self, binaries: &[Binary], cases: &[Case]) -> Vec<String> {
        // Several packages of a workspace may be told by one file.
        let mut used: BTreeMap<String, bool> = BTreeMap::new();
        for (package, files) in &self.by_package {
            let tests = cases.iter().filter(|case| binaries[case.binary].package_id == *package);
            let tests: Vec<&str> = tests.map(|case| &*case.test.name).collect();
            files
                .names(&tests)
                .into_iter()
                .for_each(|(name, is_used)| *used.entry(name).or_default() |= is_used);
        }
        let unused = used.into_iter().filter(|(_, is_used)| !is_used);
        unused.map(|(name, _)| format!("{name}: there is no such test")).collect()
    }

    /// What they say of the package of an executable.
    pub fn of(&self, binary: &Binary) -> &Files {
        &self.by_package[&binary.package_id]
    }
}

/// Whether the command line asks for all tests of some packages, and what is not there is nowhere.
fn is_whole(libtest: &Libtest, words: &Words) -> bool {
    let is_narrow = libtest.ignored || !libtest.filters.is_empty() || !libtest.skip.is_empty();
    !is_narrow && words.of(&[Kind::Target, Kind::Package]).is_empty()
}

/// The tests that are meant.
struct Chosen {
    cases: Vec<Case>,
    /// So many are not.
    filtered: usize,
}

fn choose(
    options: &Test,
    libtest: &Libtest,
    binaries: &[Binary],
    files: &Settled,
    words: &Words,
) -> Result<Chosen, Mistake> {
    let mut chosen = Chosen { cases: Vec::new(), filtered: 0 };
    for (number, binary) in binaries.iter().enumerate() {
        let again = again(options, words, binary, binaries);
        let case = |test: Listed, fate: Fate| Case {
            binary: number,
            test,
            fate,
            again: again.clone(),
            trace_file: None,
        };
        let tests = match listing::list(binary) {
            Ok(tests) => tests,
            Err(why) => {
                let outcome = Outcome::NotExplored(NotExplored::by(&why));
                let test = Listed { name: binary.target.clone(), is_ignored: false, is_whole: true };
                chosen.cases.push(case(test, Fate::Settled(outcome)));
                continue;
            }
        };
        for test in tests {
            let fate = match libtest.means(&test.name, test.is_ignored) {
                Meant::No => {
                    chosen.filtered += 1;
                    continue;
                }
                Meant::Ignored => Fate::Settled(Outcome::Ignored),
                Meant::Yes => match files.of(binary).skipped(&test.name) {
                    Some(why) => Fate::Settled(Outcome::Skipped(why)),
                    None => {
                        let how = How::of_test(&options.exploring, files.of(binary), &test.name);
                        how.settings.validate()?;
                        Fate::Explore(Box::new(how))
                    }
                },
            };
            chosen.cases.push(case(test, fate));
        }
    }
    Ok(chosen)
}

/// What has to be said for a test to be built again as it was: the options of cargo's, and what chooses its executable.
fn again(options: &Test, words: &Words, binary: &Binary, binaries: &[Binary]) -> String {
    let running = &options.exploring.running;
    let mut again: Vec<OsString> = Vec::new();
    if running.plain_std {
        again.push("--plain-std".into());
    }
    if let Some(steps) = running.max_steps {
        again.extend(["--max-steps".into(), steps.to_string().into()]);
    }
    again.extend(words.of(&[Kind::Everywhere, Kind::Build]));
    if binaries.iter().any(|other| other.package_id != binary.package_id) {
        again.extend(["-p".into(), binary.package.clone().into()]);
    } else {
        again.extend(words.of(&[Kind::Package]));
    }
    again.extend(binary.selection.iter().map(OsString::from));
    again.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// Prints the names of tests.
fn list(chosen: &Chosen, libtest: &Libtest) -> ExitCode {
    let names = chosen.cases.iter().map(|case| format!("{}: test\n", case.test.name));
    let mut text: String = names.collect();
    if libtest.format.as_deref() != Some("terse") {
        text.push_str(&format!("\n{}, 0 benchmarks\n", count(chosen.cases.len() as u64, "test")));
    }
    super::print(&text);
    ExitCode::SUCCESS
}

/// Says where the traces of findings go, and makes room for them.
fn make_trace_directory(options: &Test, binaries: &[Binary], cases: &mut [Case]) -> Result<(), Mistake> {
    let Some(directory) = &options.trace else { return Ok(()) };
    std::fs::create_dir_all(directory).map_err(|error| {
        Mistake(format!("error: --trace: the directory {} cannot be made: {error}\n", directory.display()))
    })?;
    for case in cases {
        let binary = &binaries[case.binary];
        let name =
            format!("{}-{}-{}.trace", binary.package, binary.target, case.test.name.replace("::", "-"));
        let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        case.trace_file = Some(PathBuf::from(directory).join(name));
    }
    Ok(())
}
