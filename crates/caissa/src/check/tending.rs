//! What the watching thread does for a search while workers work on it: it minds the budget of time, writes the resume
//! file every so often, heeds interrupts and says how far the search is.

use std::sync::Arc;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use caissa_search::{Mix, Search as _, Stopped, Workers};

use super::interrupt::Interrupts;
use super::progress::ProgressLine;
use super::resume::ResumeFile;
use crate::rt::monitor::Beacon;
use crate::settings::{Builder, Error};

/// Writing takes at most this part of the time.
const WRITING_SHARE: u32 = 20;

/// A search with what it needs besides workers.
pub(super) struct Tending<'a> {
    search: &'a Workers<Mix>,
    started: Instant,
    time: Option<Duration>,
    progress: ProgressLine,
    resume: Option<Saving<'a>>,
}

/// When to write the resume file.
pub(super) struct Saving<'a> {
    pub(super) file: &'a ResumeFile,
    pub(super) interrupts: &'a Interrupts,
    /// What the program's first operations look like, once that is known.
    pub(super) fingerprint: &'a OnceLock<u32>,
    pub(super) every: Duration,
    next: Instant,
    failed: Option<Error>,
}

impl<'a> Saving<'a> {
    pub(super) fn new(
        file: &'a ResumeFile,
        interrupts: &'a Interrupts,
        fingerprint: &'a OnceLock<u32>,
        every: Duration,
    ) -> Saving<'a> {
        Saving { file, interrupts, fingerprint, every, next: Instant::now() + every, failed: None }
    }
}

impl<'a> Tending<'a> {
    pub(super) fn new(
        search: &'a Workers<Mix>,
        settings: &Builder,
        started: Instant,
        resume: Option<Saving<'a>>,
    ) -> Tending<'a> {
        let before = search.search().progress().executions;
        Tending {
            search,
            started,
            time: settings.time,
            progress: ProgressLine::new(settings.progress, before),
            resume,
        }
    }

    /// To be called every now and then.
    pub(super) fn look(&mut self, beacons: &[Arc<Beacon>]) {
        if self.time.is_some_and(|time| self.started.elapsed() >= time) {
            self.stop(beacons, Stopped::Time);
        }
        if self.resume.as_ref().is_some_and(|resume| resume.interrupts.is_asked()) {
            self.stop(beacons, Stopped::Interrupted);
        }
        if let Some(resume) = &mut self.resume
            && let Some(&fingerprint) = resume.fingerprint.get()
            && Instant::now() >= resume.next
        {
            let began = Instant::now();
            let state = self.search.search().save();
            if let Err(error) = resume.file.write(fingerprint, state) {
                resume.failed = Some(error);
                self.stop(beacons, Stopped::Asked);
            } else {
                resume.next = Instant::now() + resume.every.max(began.elapsed() * WRITING_SHARE);
            }
        }
        self.progress.show(self.search, beacons, self.started);
    }

    pub(super) fn stop(&self, beacons: &[Arc<Beacon>], why: Stopped) {
        beacons.iter().for_each(|beacon| beacon.ask_to_stop());
        self.search.search().stop(why);
    }

    /// The workers are done.
    pub(super) fn end(self) -> Result<(), Error> {
        self.resume.and_then(|resume| resume.failed).map_or(Ok(()), Err)
    }
}
