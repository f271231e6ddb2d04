//! A check from beginning to end: search, confirm, minimise, report.
//!
//! A search whose subjects relied on something that does not hold begins again ([`Reliance`](crate::Reliance)), and so does one whose
//! races have made new scheduling points ([`promotion`]) or whose first execution needs more steps ([`steps`]). All of them are one check, with one report.

mod answered;
mod examine;
mod explored;
mod first_look;
mod promotion;
mod replaying;
mod steps;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use caissa_core::{Failure, Identity, PointSet, Schedule};
use caissa_search::{Checkpoint, Finder, Mix, Pulse, Search as _, Stopped, Summary, Verdict, Workers};

use self::first_look::{FirstLook, Looked};
use self::promotion::Kept;
use crate::front_end::{Broken, FrontEnd, Interrupts, Terms};
use crate::report::Report;
use crate::resume::ResumeFile;
use crate::settings::{Error, Points, Settings};
use crate::tending::{Saving, Tending};

pub use self::answered::Answered;
pub use self::explored::StatesExplored;

/// Prints where tests print. Nobody may be there any more to read it, which is no reason to fail.
pub fn say(text: std::fmt::Arguments<'_>) {
    let _ = catch_unwind(AssertUnwindSafe(|| eprint!("{text}")));
}

/// A program that is to be checked, and how.
pub struct Check<F> {
    front: F,
    settings: Settings,
    started: Instant,
    /// Which accesses of data are points.
    points: Points,
    /// Those at places with these numbers, once races were found there.
    promoted: Mutex<Vec<u32>>,
    /// What workers have told before: of executions that were cut off, the one to show.
    past: Pulse,
}

/// A failure that was found when too much was left out, in case that it is not found again.
type Spare = Option<(Finder, Failure)>;

/// What has become of a search.
enum Searched {
    /// It has ended.
    Done(Box<Report>),
    /// Too much was left out.
    LeftOut,
    /// Its first execution was cut off, and might come to an end. It took so long.
    CutOff(Duration),
}

impl<F: FrontEnd> Check<F> {
    /// A check that has not begun.
    ///
    /// # Errors
    /// If a setting makes no sense.
    pub fn new(front: F, settings: Settings) -> Result<Check<F>, Error> {
        settings.validate()?;
        Ok(Check {
            front,
            points: settings.points,
            settings,
            started: Instant::now(),
            promoted: Mutex::default(),
            past: Pulse::default(),
        })
    }

    /// Searches for a bug.
    ///
    /// # Errors
    /// If the program cannot be run, or a file cannot be read or written.
    pub fn search(mut self) -> Result<Report, F::Error> {
        if self.settings.resume.is_some() {
            self.front.reliance().distrust(self.settings.races);
            self.settings.max_steps_grown = None;
        }
        let mut spare = None;
        let mut again = false;
        let mut kept = Kept::default();
        let mut least = None;
        loop {
            let searched = match (self.search_once(again, &mut spare, &mut kept), least.take()) {
                (Err(_), Some(steps)) => {
                    // It may be that so many steps, with their traces, are too many.
                    self.front.forgive();
                    self.settings.max_steps = steps;
                    continue;
                }
                (searched, _) => searched?,
            };
            match searched {
                Searched::Done(report) => {
                    if !self.keeps_race(&report, &mut kept)
                        && let Some(report) = self.conclude(*report, &mut kept)
                    {
                        return Ok(self.timed(report));
                    }
                }
                Searched::LeftOut => {}
                Searched::CutOff(took) => {
                    least = self.grow_steps(took, &mut spare);
                    continue;
                }
            }
            self.front.reliance().give_up();
            again = true;
        }
    }

    /// Replays a schedule once and says what it shows. `trace_file`: where it was read from.
    ///
    /// # Errors
    /// If it belongs to another kind of program or to other settings, or the program cannot be run.
    pub fn replay(mut self, schedule: &Schedule, trace_file: Option<&Path>) -> Result<Report, F::Error> {
        self.adopt_points(schedule);
        let report = self.follow(schedule, trace_file)?;
        Ok(self.timed(report))
    }

    fn timed(&self, mut report: Report) -> Report {
        report.elapsed = self.started.elapsed();
        report
    }

    fn report(&self, verdict: Verdict, summary: Summary) -> Report {
        Report::new(verdict, summary, &self.settings, self.front.words())
    }

    /// What goes into schedules.
    fn identity(&self) -> Identity {
        let own = self.front.identity();
        let points = match self.points {
            Points::Sync => own.points,
            Points::Racy => PointSet::Racy,
            Points::All => PointSet::All,
        };
        Identity { points, fair_k: self.settings.fairness(), faults: self.settings.faults, ..own }
    }

    fn terms(&self, pulse: Arc<Pulse>) -> Terms {
        Terms {
            identity: self.identity(),
            classes: self.settings.classes || self.settings.reduce,
            races: self.settings.races,
            promoted: self.promoted.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            pulse,
        }
    }

    /// Runs something on a number of subjects, tended.
    fn at_work<R: Send>(
        &self,
        count: usize,
        tending: &mut Tending<'_>,
        work: impl Fn(&mut F::Subject) -> R + Sync,
    ) -> Result<Vec<R>, F::Error> {
        let pulses: Vec<Arc<Pulse>> = (0..count).map(|_| Arc::default()).collect();
        tending.attend(pulses.clone());
        let terms = pulses.iter().map(|pulse| self.terms(Arc::clone(pulse))).collect();
        let results = self.front.at_work(terms, tending, work);
        for failure in pulses.iter().filter_map(|pulse| pulse.take_cut_off()) {
            self.past.keep_cut_off(failure);
        }
        results
    }

    /// Runs something on a fresh subject.
    fn on_subject<R: Send>(&self, run: impl Fn(&mut F::Subject) -> R + Sync) -> Result<R, F::Error> {
        let mut results = self.at_work(1, &mut Tending::of_nothing(), run)?;
        Ok(results.pop().expect("one worker gives one result"))
    }

    fn search_settings(&self) -> caissa_search::Settings {
        caissa_search::Settings {
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
        self.settings.reduce && self.front.reliance().allows_reduction() && !self.has_promoted()
    }

    /// The resume file, if there is to be one, and what was saved in it.
    fn open_file(
        &self,
        again: bool,
        kept: &mut Kept,
    ) -> Result<(Option<ResumeFile<'_>>, Option<Checkpoint>), Error> {
        let mut file = ResumeFile::claim(&self.settings, self.reduces(), kept.save(), &self.front)?;
        let saved = file.as_ref().filter(|_| !again).map(ResumeFile::read).transpose()?.flatten();
        if let (Some(file), Some(saved)) = (&mut file, &saved) {
            self.restore(kept, ResumeFile::races(saved));
            if !file.reduces_like(saved) {
                self.front.reliance().refuse_reduction();
            }
        }
        Ok((file, saved))
    }

    /// Searches. `again`: whatever was saved is the result of what was left out. A failure found on the way is one all the same: it is
    /// kept to `spare`.
    fn search_once(&self, again: bool, spare: &mut Spare, kept: &mut Kept) -> Result<Searched, F::Error> {
        let (file, saved) = self.open_file(again, kept)?;
        let mut mix = Mix::new(self.search_settings(), self.settings.ingredients());
        if let (Some(file), Some(saved)) = (&file, &saved) {
            mix = mix.load(&saved.state).ok_or_else(|| file.nonsense())?;
        }
        let search = Workers::new(mix);
        let resumed = saved.is_some();
        let first = FirstLook::new(saved.map(|saved| saved.fingerprint));
        let interrupts = self.front.interrupts(file.is_some());
        let saving =
            file.as_ref().map(|file| Saving::new(file, &first.fingerprint, self.settings.resume_every));
        let mut tending = Tending::new(&search, &self.settings, self.started, saving, interrupts.as_deref());
        let broken = self.work_through(&search, &first, &mut tending)?;
        if let Some(broken) = broken {
            tending.add_up();
            drop(tending);
            let found = search.into_search().conclude().failure;
            *spare = found.filter(|_| broken != Broken::Races).or(spare.take());
            return Ok(Searched::LeftOut);
        }
        tending.end()?;
        if let Some(Looked::CutOff(took)) = first.looked() {
            return Ok(Searched::CutOff(took));
        }
        let report = match self.first_report(&first, file.as_ref())? {
            Some(report) => report,
            None => self.take_stock(search.into_search(), resumed, spare, file, &first, interrupts)?,
        };
        Ok(Searched::Done(Box::new(report)))
    }

    /// Has workers work on a search until it is done. Returns what was relied on in vain.
    fn work_through(
        &self,
        search: &Workers<Mix>,
        first: &FirstLook,
        tending: &mut Tending<'_>,
    ) -> Result<Option<Broken>, F::Error> {
        let work = |subject: &mut F::Subject| {
            if !self.look_first(subject, first) {
                search.search().stop(Stopped::Asked);
            }
            search.work(subject)
        };
        let mut workers = self.settings.workers;
        while workers > 0 {
            // A worker whose subject cannot go on ends early; another one goes on.
            let done = self.at_work(workers, tending, work)?;
            workers = done.iter().filter(|&&done| !done).count();
            let broken = self.front.reliance().broken();
            if broken == Some(Broken::LeftOut) && !self.settings.keep_going && search.search().has_failed() {
                // What is found is found.
                return Ok(None);
            }
            if broken.is_some() {
                return Ok(broken);
            }
        }
        Ok(None)
    }

    /// The report of a check whose first execution showed that there is nothing to be searched.
    fn first_report(
        &self,
        first: &FirstLook,
        file: Option<&ResumeFile<'_>>,
    ) -> Result<Option<Report>, Error> {
        match first.looked() {
            Some(Looked::OtherProgram) => Err(file.expect("it was compared with one").other_program()),
            Some(Looked::Diverged(divergence, failed)) => {
                let mut report = self.report(Verdict::Diverged, Summary::default());
                report.divergence = Some(divergence);
                report.finding = failed.and_then(|failed| self.unconfirmed(failed.0, failed.1));
                Ok(Some(report))
            }
            Some(Looked::Fine | Looked::CutOff(_)) | None => Ok(None),
        }
    }

    /// The search has ended: saves it if it can go on, and reports what it has come to.
    fn take_stock(
        &self,
        mut search: Mix,
        resumed: bool,
        spare: &mut Spare,
        file: Option<ResumeFile<'_>>,
        first: &FirstLook,
        interrupts: Option<Box<dyn Interrupts + '_>>,
    ) -> Result<Report, F::Error> {
        let state = file.as_ref().map(|_| search.save());
        let mut summary = search.conclude();
        if summary.failure.is_none() && spare.is_some() {
            summary.failure = spare.take();
            summary.failures += 1;
        }
        let can_go_on = summary.stopped.is_some() && (summary.failure.is_none() || self.settings.keep_going);
        let mut report = self.report(summary.verdict(), summary);
        report.seal(self.front.sealing(), resumed);
        if let (Some(file), Some(state), true) = (&file, state, can_go_on) {
            // Stopped before anything was done, it stays as it was.
            if let Some(&fingerprint) = first.fingerprint.get() {
                file.write(fingerprint, state)?;
            }
            report.resume_file = Some(file.path().to_owned());
        }
        if can_go_on && report.summary.stopped == Some(Stopped::Interrupted) {
            if let Some(path) = &report.resume_file {
                let (done, again) = (report.executions(), self.front.resume_command(path));
                say(format_args!("caissa: interrupted after {done} executions. To go on: {again}\n"));
            }
            interrupts.expect("only what is looked for interrupts a search").end_process();
        } else {
            // From here on an interrupt ends the process at once; the file is still there.
            drop(interrupts);
        }
        if let Some((finder, failure)) = report.summary.failure.clone() {
            self.examine(finder, &failure, &mut report)?;
        } else if report.summary.step_limited() > 0 && self.settings.show_cut_off {
            // If it cannot be shown, that changes nothing.
            report.cut_off = self.show_cut_off().unwrap_or(None);
        }
        if let Some(file) = file.filter(|_| !can_go_on) {
            file.remove()?;
        }
        Ok(report)
    }
}
