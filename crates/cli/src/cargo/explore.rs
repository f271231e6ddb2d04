//! One test, explored by itself.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use caissa_check::{Check, Finding, Report, Settings};
use caissa_core::{Bug, Schedule};
use caissa_native::places::Places;
use caissa_native::{Native, NativeError, NativeSettings};
use caissa_search::{Stopped, Verdict};

use super::build::{Binary, Interrupted};
use super::listing::Listed;
use super::printed;
use super::settings::How;
use crate::model::command;

/// Where the standard library is not under control races are looked for by themselves, in so many executions and so long at most.
const LOOK_FOR_RACES: (u64, Duration) = (500, Duration::from_secs(3));

/// A test that is to be explored, or is known not to be.
#[derive(Clone, Debug)]
pub struct Case {
    /// The executable that has it, by number.
    pub binary: usize,
    /// The test.
    pub test: Listed,
    /// What is to be done.
    pub fate: Fate,
    /// What comes behind `cargo caissa replay NAME SCHEDULE` to build it again.
    pub again: String,
    /// Where the trace of a finding goes.
    pub trace_file: Option<PathBuf>,
}

/// What is to be done with a test.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is explored.
    Explore(Box<How>),
    /// It is not, and that is known before.
    Settled(Outcome),
}

/// What came of a test.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is a report.
    Explored(Box<Explored>),
    /// It could not be explored.
    NotExplored(NotExplored),
    /// Its turn did not come: why.
    NotRun(String),
    /// It is marked as ignored.
    Ignored,
    /// The user's settings leave it out: why.
    Skipped(String),
}

/// A test that was explored.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What came of it.
    pub report: Report,
    /// A race that may be none, since not everything that orders accesses was seen: which, and how to look at it.
    pub possible_race: Option<String>,
    /// What the failing execution prints, where one was found.
    pub printed: Option<String>,
    /// What else was said.
    pub notes: Vec<String>,
}

/// Said where the first execution takes all the time: where it is then nobody knows, for the process is ended.
const OUT_OF_TIME: &str = "no execution came to its end in time (--time)
help: a larger --time, if the test only has much to do; a smaller --max-steps ends what goes round for ever, and a smaller --hang what comes to no
      scheduling point, and says where it is";

/// Why a report says nothing of a test, if it does not.
fn not_explored(report: &Report) -> Option<NotExplored> {
    // What failed once has failed, whether or not it comes again.
    let failed = report.finding.is_some();
    if let Some(divergence) =
        report.divergence.as_ref().filter(|_| report.verdict == Verdict::Diverged && !failed)
    {
        let details = divergence.to_string();
        // The first words are the same for all of them.
        let what = details.split_once("did not do the same: ").map_or(&*details, |(_, what)| what);
        let what = what.split(". ").next().unwrap_or_default();
        let why = format!("not deterministic: {}", shortened(what, WHY));
        return Some(NotExplored { why, details, diverged: true });
    }
    if !failed && report.executions() == 0 && report.summary.stopped == Some(Stopped::Time) {
        return Some(NotExplored::by(OUT_OF_TIME));
    }
    None
}

/// Stands for the place of a failure, where that is not known.
pub const NOT_NOTED: &str = "a place that was not noted";

/// A failure that has not come again was not noted in full: where in the library it was raised says nothing.
fn leave_out_place(finding: &mut Finding) {
    if let (false, Bug::Panic { panic, .. }) = (finding.confirmed, &mut finding.bug)
        && panic.source.starts_with("library/")
    {
        panic.source = NOT_NOTED.to_owned();
    }
}

/// A reason in a line has so many characters at most.
const WHY: usize = 120;

/// The beginning of a text, of so many characters.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What is said of a race that may be none, if a report is about one.
fn possible_race(report: &Report, case: &Case) -> Option<String> {
    let finding = report.finding.as_ref().filter(|finding| finding.bug.kind() == "race")?;
    let message = report.message().unwrap_or_default();
    let replay = replay_command(&case.test.name, &finding.schedule(), &case.again, true);
    Some(format!("{message}\nTo look at it: {replay}"))
}

/// Why a test could not be explored.
#[derive(Clone, Debug)]
pub struct NotExplored {
    /// In one line.
    pub why: String,
    /// In full.
    pub details: String,
    /// It did not do the same under the same schedule.
    pub diverged: bool,
}

impl NotExplored {
    /// By an error, whose first line says it.
    pub fn by(error: &str) -> NotExplored {
        let why = shortened(error.lines().next().unwrap_or_default(), WHY);
        NotExplored { why, details: error.trim_end().to_owned(), diverged: false }
    }
}

/// What the tests that are explored at the same time have in common.
pub struct Terms {
    /// Set by whoever interrupts this process.
    pub interrupted: Interrupted,
    /// Executions of all tests.
    pub count: Arc<AtomicU64>,
    /// Whether the standard library is as it came.
    pub plain_std: bool,
    /// Whether what tests print is shown.
    pub output: bool,
}

/// One of the places at which a test is explored at a time.
pub struct Slot {
    number: u32,
    /// The executable whose tests were explored here, and what is known of its files: the next test is likely to be of the same.
    known: Option<(usize, Places)>,
}

impl Slot {
    /// A slot, by number.
    pub fn new(number: u32) -> Slot {
        Slot { number, known: None }
    }

    fn places(&mut self, binary: usize) -> Places {
        match &self.known {
            Some((known, places)) if *known == binary => places.clone(),
            _ => {
                let places = Places::new(std::env::current_dir().unwrap_or_default());
                self.known = Some((binary, places.clone()));
                places
            }
        }
    }
}

impl Terms {
    /// Explores a test. `time`: it has no longer than this.
    pub fn explore(
        &self,
        case: &Case,
        how: &How,
        binary: &Binary,
        slot: &mut Slot,
        time: Option<Duration>,
    ) -> Outcome {
        let limit = |how: &mut How, time: Option<Duration>| {
            how.settings.time = [how.settings.time, time].into_iter().flatten().min();
        };
        let mut how = if self.plain_std { how.without_races() } else { how.clone() };
        let looks_for_races = self.plain_std && how.had_races;
        limit(&mut how, time);
        how.settings.trace_file.clone_from(&case.trace_file);
        let (mut report, mut notes) = match self.check(case, &how, binary, slot) {
            Ok(checked) => checked,
            Err(outcome) => return outcome,
        };
        if let Some(reason) = not_explored(&report) {
            return Outcome::NotExplored(reason);
        }
        let mut race = None;
        if looks_for_races && report.finding.is_none() {
            how.look_for_races();
            limit(&mut how, Some(LOOK_FOR_RACES.1));
            how.settings.max_executions = how.settings.max_executions.map(|most| most.min(LOOK_FOR_RACES.0));
            how.settings.trace_file = None;
            if let Ok((second, further)) = self.check(case, &how, binary, slot) {
                notes.extend(further);
                race = possible_race(&second, case);
            }
        }
        notes.sort();
        notes.dedup();
        let printed = self.printed(&mut report, case, &how, binary);
        Outcome::Explored(Box::new(Explored { report, possible_race: race, printed, notes }))
    }

    /// What a finding prints when it is replayed, and puts into the report what the harness says of it.
    fn printed(&self, report: &mut Report, case: &Case, how: &How, binary: &Binary) -> Option<String> {
        let races = report.looked_for_races();
        let finding = report.finding.as_mut().filter(|finding| finding.confirmed)?;
        let native = how.native(binary.program.clone());
        let printed = printed::of(finding, binary, &case.test, races, &native)?;
        printed.explain(&mut finding.bug);
        Some(printed.text).filter(|text| !text.is_empty() && !self.output)
    }

    fn check(
        &self,
        case: &Case,
        how: &How,
        binary: &Binary,
        slot: &mut Slot,
    ) -> Result<(Report, Vec<String>), Outcome> {
        let mut settings = how.settings.clone();
        settings.count = Some(Arc::clone(&self.count));
        let mut native = how.native(binary.program.clone());
        native.output = self.output;
        native.processor = slot.number * settings.workers as u32;
        set_up(&mut native, binary, &case.test);
        let notes: Arc<Mutex<Vec<String>>> = Arc::default();
        let listener = Arc::clone(&notes);
        let (name, again, races) = (case.test.name.clone(), case.again.clone(), settings.races);
        let program = Native::new(native, name.clone(), command())
            .until(self.interrupted)
            .knowing(slot.places(case.binary))
            .telling(move |note| {
                listener.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_owned());
            })
            .replayed_by(move |schedule| replay_command(&name, schedule, &again, races));
        let report = Check::new(program, settings).map_err(NativeError::from).and_then(Check::search);
        let mut report = report.map_err(|error| match error {
            NativeError::Interrupted => Outcome::NotRun("interrupted".to_owned()),
            error => Outcome::NotExplored(NotExplored::by(&error.to_string())),
        })?;
        report.finding.iter_mut().for_each(leave_out_place);
        let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
        Ok((report, notes))
    }
}

/// The command that replays a schedule of a test.
pub fn replay_command(name: &str, schedule: &str, again: &str, races: bool) -> String {
    let mut command = format!("cargo caissa replay {} {schedule}", crate::model::quoted(name));
    if !races {
        command.push_str(" --no-races");
    }
    if !again.is_empty() {
        command.push(' ');
        command.push_str(again);
    }
    command
}

/// How a test is run.
fn set_up(native: &mut NativeSettings, binary: &Binary, test: &Listed) {
    native.exit_fails = true;
    native.directory = Some(binary.directory.clone());
    native.environment.clone_from(&binary.environment);
    if test.is_whole {
        return;
    }
    native.harness = binary.has_harness;
    let words = ["--exact", &test.name, "--test-threads=1", "--nocapture"];
    native.arguments = words.map(OsString::from).to_vec();
    if test.is_ignored {
        native.arguments.push("--include-ignored".into());
    }
}

/// A test as a program that is to be run.
pub fn subject(binary: &Binary, test: &Listed, mut native: NativeSettings) -> Native {
    set_up(&mut native, binary, test);
    Native::new(native, test.name.clone(), command())
}

/// Replays a schedule of a test.
pub fn replay(
    binary: &Binary,
    test: &Listed,
    native: NativeSettings,
    settings: Settings,
    schedule: &Schedule,
    file: Option<&std::path::Path>,
    again: String,
) -> Result<Report, NativeError> {
    let (name, races) = (test.name.clone(), settings.races);
    let program = subject(binary, test, native)
        .replayed_by(move |schedule| replay_command(&name, schedule, &again, races));
    Check::new(program, settings).map_err(NativeError::from)?.replay(schedule, file)
}
