//! A check from beginning to end: search, confirm, minimise, report.

mod interrupt;
mod progress;
mod promotion;
mod replaying;
mod resume;
mod tending;
mod watching;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use caissa_core::{AtCut, Choice, Cost, Ending, Failure, GuideSpec, Job, Limit, Scope};
use caissa_search::{
    Finder, Found, Limits, Minimised, Mix, Search as _, Settings, Stopped, Subject, Summary, Verdict,
    Workers, minimise,
};

use self::interrupt::Interrupts;
use self::promotion::Kept;
use self::resume::ResumeFile;
use self::tending::{Saving, Tending};
use crate::report::{CutOff, Divergence, Finding, Report, file};
use crate::rt::engine::{Body, EngineSettings};
use crate::rt::sealing::Seals;
use crate::rt::{self, Engine, Misuse};
use crate::settings::{Builder, Error, environment};

/// Checks a closure with the default settings: explores its schedules in order of increasing preemptions, and those of larger
/// programs also in other ways ([`Search::Auto`](crate::Search::Auto)).
///
/// A panic hook that the program sets after the first check hides from reports where tasks panicked; a task that calls
/// `std::process::exit` ends the process without a word from here.
///
/// # Panics
/// If a bug is found, with a report and the line that replays it; if the program does not behave the same way under
/// the same schedule; and if the library is used in a way that makes the check meaningless.
#[track_caller]
pub fn check<F>(f: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().check(f);
}

/// Replays a schedule of a closure and panics with the report if it shows a bug.
///
/// # Panics
/// Also if the schedule cannot be read, or the program does not follow it.
#[track_caller]
pub fn replay<F>(schedule: &str, f: F)
where
    F: Fn() + Send + Sync + 'static,
{
    Builder::new().replay(schedule).check(f);
}

impl Builder {
    /// Checks a closure.
    ///
    /// # Panics
    /// As [`check`].
    #[track_caller]
    pub fn check<F>(self, f: F)
    where
        F: Fn() + Send + Sync + 'static,
    {
        match self.explore(f) {
            Err(error) => panic!("caissa: {error}"),
            Ok(report) => match report.verdict {
                Verdict::Bug | Verdict::Diverged => panic!("{report}"),
                Verdict::Incomplete if report.must_be_complete => panic!("{report}"),
                Verdict::Incomplete | Verdict::Verified | Verdict::Bounded => say(format_args!("{report}")),
            },
        }
    }

    /// Explores a closure and returns what came of it; a bug is not an error here.
    ///
    /// # Errors
    /// If a setting makes no sense, or the library is used in a way that makes the check meaningless.
    #[track_caller]
    pub fn explore<F>(self, f: F) -> Result<Report, Error>
    where
        F: Fn() + Send + Sync + 'static,
    {
        let source = Location::caller();
        if let Some(rt) = rt::current() {
            rt.misuse(Misuse::NestedCheck);
        }
        if cfg!(panic = "abort") {
            return Err(Error::PanicsAbort);
        }
        let settings = self.with_environment()?;
        settings.validate()?;
        let seals = settings.seals()?;
        settings.trace_file.as_deref().map_or(Ok(()), file::expect_writable)?;
        let number = CHECKS.with(|checks| checks.replace(checks.get() + 1) + 1);
        let schedule = settings.schedule()?.filter(|_| settings.check_number.is_none_or(|n| n == number));
        // A schedule says by itself where tasks are left.
        let seals = if schedule.is_some() { Seals::ignored() } else { seals };
        let engine = EngineSettings {
            stack_size: settings.stack_size,
            classes: settings.classes || settings.reduce,
            reference_points: settings.reference_points,
            faults: settings.faults,
            fair_k: settings.fairness(),
            panics_any: settings.panics_any,
            allow_detached: settings.allow_detached,
            schedulers: settings.schedulers.clone(),
            abandoned_stacks: Arc::default(),
            cut_off: Arc::default(),
            reliance: Arc::default(),
            source,
            seals: Arc::new(seals),
            races: settings.races,
            force_clocks: settings.force_clocks,
            points: settings.points,
            promoted: Arc::default(),
        };
        let thread = std::thread::current().name().map(str::to_owned);
        let away = AtomicBool::new(settings.workers > 1 || std::thread::panicking());
        let mut check =
            Check { thread, number, body: Arc::new(f), engine, settings, started: Instant::now(), away };
        match schedule {
            Some((schedule, file)) => {
                check.adopt_points(&schedule);
                check.replay(&schedule, file.as_deref())
            }
            None => check.search(),
        }
    }
}

thread_local! {
    /// How many checks this thread has begun. A test that makes several has to say which one a schedule belongs to.
    static CHECKS: Cell<u32> = const { Cell::new(0) };
}

/// Prints where tests print. Nobody may be there any more to read it, which is no reason to fail.
fn say(text: std::fmt::Arguments<'_>) {
    let _ = catch_unwind(AssertUnwindSafe(|| eprint!("{text}")));
}

struct Check {
    /// The name of the calling thread: that of a test.
    thread: Option<String>,
    /// Which check of that thread it is.
    number: u32,
    body: Body,
    engine: EngineSettings,
    settings: Builder,
    started: Instant,
    /// Executions run on threads of their own and not on the calling one: several workers have to find the same in thread-locals, a
    /// panicking thread can run no tasks, and one that was spoiled must not be used on.
    away: AtomicBool,
}

/// What looking at the first execution showed.
#[derive(Default)]
struct FirstLook {
    looked: Mutex<Option<Looked>>,
    /// What the program's first operations look like, once they have been compared.
    fingerprint: OnceLock<u32>,
    /// What they looked like when the resume file was written.
    expected: Option<u32>,
}

enum Looked {
    Fine,
    /// The program does not do the same twice.
    Diverged(Divergence),
    /// The resume file is another program's.
    OtherProgram,
}

impl Check {
    /// The command that runs this check again: a test by its name, or else the command of this process. With it go the settings
    /// of the environment that are `wanted`, named without `CAISSA_`.
    fn command_again(&self, wanted: impl Fn(&str) -> bool) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
        let quoted = |word: &str| {
            let simple = !word.is_empty() && word.chars().all(plain);
            if simple { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
        };
        let mut which =
            if self.number > 1 { format!("CAISSA_CHECK={} ", self.number) } else { String::new() };
        for (name, value) in environment() {
            if !["CHECK", "REPLAY"].contains(&name.as_str()) && wanted(name) {
                which.push_str(&format!("CAISSA_{name}={} ", quoted(&value.to_string_lossy())));
            }
        }
        match self.thread.as_deref().filter(|&name| name != "main") {
            Some(test) => format!("{which}cargo test {test} -- --exact"),
            None => {
                let words: Vec<String> = std::env::args().map(|word| quoted(&word)).collect();
                which + &words.join(" ")
            }
        }
    }

    /// The command that shows the same execution again, once it is told the schedule: what decides whether an execution is a
    /// bug, or where it ends, has to be the same.
    fn command_to_replay(&self) -> String {
        let decides = [
            "PANICS",
            "ALLOW_DETACHED",
            "FAIR",
            "FAIR_K",
            "FAULTS",
            "MAX_STEPS",
            "STACK_SIZE",
            "WORKERS",
            "RACES",
        ];
        self.command_again(|name| decides.contains(&name))
    }

    fn search(&self) -> Result<Report, Error> {
        if self.settings.resume.is_some() {
            // Part of the search is another process's, which may not know that somebody asks.
            self.engine.reliance.ask();
            if self.settings.races {
                // Nor that tasks share data.
                self.engine.reliance.use_cell();
            }
        }
        let mut spare = None;
        let mut again = false;
        let mut kept = Kept::default();
        loop {
            if let Some(report) = self.search_once(again, &mut spare, &mut kept)?
                && !self.keeps_race(&report, &mut kept)
                && let Some(report) = self.conclude(report, &mut kept)
            {
                return Ok(report);
            }
            self.engine.reliance.give_up();
            again = true;
        }
    }

    /// Searches; `None` if it turned out that too much was left out. `again`: whatever was saved is the result of that. A failure
    /// found on the way is one all the same: it is kept to `spare`, in case that it is not found again.
    fn search_once(
        &self,
        again: bool,
        spare: &mut Option<(Finder, Failure)>,
        kept: &mut Kept,
    ) -> Result<Option<Report>, Error> {
        let reliance = &self.engine.reliance;
        let thread = self.thread.as_deref();
        let (reduces, seals) = (self.reduces(), &self.engine.seals);
        let mut file = ResumeFile::claim(&self.settings, reduces, kept.save(), seals, thread, self.number)?;
        let saved = file.as_ref().filter(|_| !again).map(ResumeFile::read).transpose()?.flatten();
        if let Some(saved) = &saved {
            self.restore(kept, ResumeFile::races(saved));
        }
        if let (Some(file), Some(saved)) = (&mut file, &saved)
            && !file.reduces_like(saved)
        {
            reliance.unwind();
        }
        let mut mix = Mix::new(self.search_settings(), self.settings.ingredients());
        if let (Some(file), Some(saved)) = (&file, &saved) {
            mix = mix.load(&saved.state).ok_or_else(|| file.nonsense())?;
        }
        let search = Workers::new(mix);
        let resumed = saved.is_some();
        let first = FirstLook { expected: saved.map(|saved| saved.fingerprint), ..FirstLook::default() };
        let interrupts = file.is_some().then(Interrupts::catch);
        let resume = file.as_ref().zip(interrupts.as_ref()).map(|(file, interrupts)| {
            Saving::new(file, interrupts, &first.fingerprint, self.settings.resume_every)
        });
        let mut tending = Tending::new(&search, &self.settings, self.started, resume);
        let work = |engine: &mut Engine| {
            if !self.look_first(engine, &first) {
                search.search().stop(Stopped::Asked);
            }
            search.work(engine)
        };
        let mut workers = self.settings.workers;
        while workers > 0 {
            // A worker whose OS thread was spoiled ends early; another one goes on.
            let done = self.watched(workers, Some(&mut tending), work)?;
            workers = done.iter().filter(|&&done| !done).count();
            let lacked_clocks = reliance.lacked_clocks();
            if reliance.is_broken()
                && !lacked_clocks
                && !self.settings.keep_going
                && search.search().has_failed()
            {
                // What is found is found.
                break;
            }
            if reliance.is_broken() {
                drop(tending);
                let found = search.into_search().conclude().failure;
                // Without clocks nobody knows whether a race came before it.
                *spare = found.filter(|_| !lacked_clocks).or(spare.take());
                return Ok(None);
            }
        }
        tending.end()?;
        let looked = first.looked.into_inner().unwrap_or_else(PoisonError::into_inner);
        match looked {
            Some(Looked::OtherProgram) => {
                return Err(file.expect("it was compared with one").other_program());
            }
            Some(Looked::Diverged(divergence)) => {
                let summary = Summary::default();
                let mut report = Report::new(Verdict::Diverged, summary, &self.settings);
                report.divergence = Some(divergence);
                return Ok(Some(report));
            }
            Some(Looked::Fine) | None => {}
        }
        let mut search = search.into_search();
        let state = file.as_ref().map(|_| search.save());
        let mut summary = search.conclude();
        if summary.failure.is_none() && spare.is_some() {
            summary.failure = spare.take();
            summary.failures += 1;
        }
        let can_go_on = summary.stopped.is_some() && (summary.failure.is_none() || self.settings.keep_going);
        let mut report = Report::new(summary.verdict(), summary, &self.settings);
        report.seal(&self.engine.seals, resumed);
        if let (Some(file), Some(state), true) = (&file, state, can_go_on) {
            // Stopped before anything was done, it stays as it was.
            if let Some(&fingerprint) = first.fingerprint.get() {
                file.write(fingerprint, state)?;
            }
            report.resume_file = Some(file.path().to_owned());
        }
        if can_go_on && report.summary.stopped == Some(Stopped::Interrupted) {
            let file = file
                .as_ref()
                .map_or(String::new(), |file| format!("CAISSA_RESUME={} ", file.path().display()));
            let (done, again) = (report.executions(), self.command_again(|name| name != "RESUME"));
            say(format_args!("caissa: interrupted after {done} executions. To go on: {file}{again}\n"));
            interrupts.expect("only what is caught interrupts a search").end_process();
        }
        // From here on an interrupt ends the process at once; the file is still there.
        drop(interrupts);
        if let Some((finder, failure)) = report.summary.failure.clone() {
            self.examine(finder, &failure, &mut report)?;
        } else if report.summary.step_limited() > 0 {
            // If it cannot be shown, that changes nothing.
            report.cut_off = self.show_cut_off().unwrap_or(None);
        }
        if let Some(file) = file.filter(|_| !can_go_on) {
            file.remove()?;
        }
        Ok(Some(report))
    }

    /// Before any job is run, the first worker looks at the first execution; the others wait for that. False if there is no point
    /// in going on.
    fn look_first(&self, engine: &mut Engine, first: &FirstLook) -> bool {
        let mut looked = first.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let looked = looked.get_or_insert_with(|| {
            let (fingerprint, divergence) = self.look_for_nondeterminism(engine);
            if let Some(divergence) = divergence {
                return Looked::Diverged(divergence);
            }
            if first.expected.is_some_and(|expected| expected != fingerprint) {
                return Looked::OtherProgram;
            }
            first.fingerprint.get_or_init(|| fingerprint);
            Looked::Fine
        });
        matches!(looked, Looked::Fine)
    }

    fn search_settings(&self) -> Settings {
        Settings {
            max_executions: self.settings.execution_budget(),
            max_steps: self.settings.max_steps,
            max_memory: self.settings.memory,
            faults: self.settings.faults,
            reduce: self.reduces(),
            keep_going: self.settings.keep_going,
        }
    }

    /// Whether executions are left out, as far as is known.
    fn reduces(&self) -> bool {
        self.settings.reduce && self.engine.reliance.allows_reduction() && !self.has_promoted()
    }

    /// One execution, with its trace.
    fn single(&self, prefix: Vec<Choice>, guide: GuideSpec) -> Job {
        Job {
            prefix,
            scope: Scope::One,
            guide,
            cost: Cost::Preemptions,
            limit: Limit { executions: 1, steps: self.settings.max_steps },
            faults: self.settings.faults,
            at_cut: AtCut::Stop,
            keep_deferred: false,
            reduce: false,
            repeat: None,
            trace: true,
        }
    }

    /// Runs the first execution twice: most programs that depend on time, addresses or random numbers show it there.
    /// Also returns what its first operations look like.
    fn look_for_nondeterminism(&self, engine: &mut Engine) -> (u32, Option<Divergence>) {
        let job = self.single(Vec::new(), self.settings.guide());
        engine.execution.keep_notes(false);
        let (fingerprint, divergence) = self.run_twice(engine, &job);
        engine.execution.keep_notes(true);
        (fingerprint, divergence)
    }

    fn run_twice(&self, engine: &mut Engine, job: &Job) -> (u32, Option<Divergence>) {
        let seals = &self.engine.seals;
        let known = seals.has_guards();
        let mut first = engine.replay(job);
        if seals.has_guards() && !known {
            // Only now is it known that preemptions are sealed outside of them.
            first = engine.replay(job);
        }
        seals.rely_on_guards();
        let fingerprint = first.trace.schedule.fingerprint;
        if !engine.can_go_on() {
            return (fingerprint, None);
        }
        let again = engine.replay(job);
        let same = first.ending == again.ending && first.trace.schedule == again.trace.schedule;
        let divergence = (!same && engine.can_go_on()).then(|| Divergence::between(&first, &again));
        (fingerprint, divergence)
    }

    /// Replays a failure, makes it small and puts it into the report.
    fn examine(&self, finder: Finder, failure: &Failure, report: &mut Report) -> Result<(), Error> {
        if failure.ending == Ending::Diverged {
            report.divergence = Some(Divergence::on_the_way(failure.step));
            return Ok(());
        }
        let relied = self.engine.reliance.give_up();
        let found = self.on_engine(|engine| {
            let cost = self.settings.search.cost();
            let limits = Limits {
                max_steps: self.settings.max_steps,
                faults: self.settings.faults,
                attempts: self.settings.minimise.max(1),
            };
            let found = minimise(engine, failure, cost, limits);
            (found, engine.task_names())
        })?;
        match found {
            (Found::Diverged(replay), _) => {
                report.verdict = Verdict::Diverged;
                report.divergence = Some(Divergence::unconfirmed(failure, &replay));
            }
            (Found::Bug(minimised), task_names) => {
                let (cost, spent) = (self.settings.search.cost(), minimised.replay.spent);
                let proven = (0..spent).all(|lower| {
                    report.summary.bounds.iter().any(|bound| bound.bound == lower && bound.is_exhaustive())
                });
                // A search by the same cost comes to the cheapest first.
                let first = match finder {
                    Finder::Bounded { cost: by, bound } if by == cost => spent == bound,
                    Finder::Bounded { .. } | Finder::Sampled(_) => true,
                };
                let left_out = self.engine.reliance.breaks(relied) || self.engine.seals.has_left_out();
                let minimal = proven && first && cost != Cost::Free && !left_out;
                report.finding = Some(self.finding(*minimised, minimal, task_names));
            }
        }
        Ok(())
    }

    /// An execution that was cut off at `max_steps`, if the search has kept one.
    fn show_cut_off(&self) -> Result<Option<CutOff>, Error> {
        let kept = self.engine.cut_off.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Failure { choices, guide, at_cut, .. }) = kept else { return Ok(None) };
        // Where an execution is cut depends on what choices cost.
        let cost = if at_cut == AtCut::Stop { Cost::Preemptions } else { self.settings.search.cost() };
        let job = Job { at_cut, cost, ..self.single(choices, guide) };
        self.engine.reliance.give_up();
        let shown = self.on_engine(|engine| {
            let replay = engine.replay(&job);
            (replay.ending == Ending::StepLimit).then(|| CutOff::new(replay.trace, engine))
        })?;
        Ok(shown.map(|shown| shown.again(self.command_to_replay())))
    }

    /// The finding, whose trace is written to the file that was asked for. A finding is not lost because that fails.
    fn finding(&self, minimised: Minimised, minimal: bool, task_names: Vec<Option<String>>) -> Finding {
        let mut finding = Finding {
            bug: minimised.bug,
            preemptions: minimised.replay.trace.preemptions(),
            faults: minimised.replay.trace.faults(),
            trace: minimised.replay.trace,
            cost: minimised.cost,
            spent: minimised.replay.spent,
            minimal,
            task_names,
            trace_file: None,
            again: self.command_to_replay(),
        };
        if let Some(path) = &self.settings.trace_file {
            match file::write(path, &finding) {
                Ok(()) => finding.trace_file = Some(path.clone()),
                Err(error) => say(format_args!("caissa: {error}\n")),
            }
        }
        finding
    }
}
