//! What is done for a search while workers work on it: its budget of time is minded, its resume file written every so often,
//! interrupts are heeded, and it is said how far it is.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use caissa_search::{Mix, Pulse, Search as _, Stopped, Workers};

use crate::front_end::Interrupts;
use crate::progress::ProgressLine;
use crate::resume::ResumeFile;
use crate::settings::{Error, Settings};

/// Writing takes at most this part of the time.
const WRITING_SHARE: u32 = 20;

/// Looks after workers. A front end that has its own way to start them calls [`Tending::look`] every now and then until they have
/// ended, from a thread that is none of them.
pub struct Tending<'a> {
    /// Of the present workers.
    pulses: Vec<Arc<Pulse>>,
    /// What they work on, if it is a search.
    tended: Option<Tended<'a>>,
}

/// A search with what it needs besides workers.
struct Tended<'a> {
    search: &'a Workers<Mix>,
    started: Instant,
    time: Option<Duration>,
    progress: ProgressLine,
    saving: Option<Saving<'a>>,
    interrupts: Option<&'a (dyn Interrupts + 'a)>,
}

/// When to write the resume file.
pub(crate) struct Saving<'a> {
    file: &'a ResumeFile<'a>,
    /// What the program's first operations look like, once that is known.
    fingerprint: &'a OnceLock<u32>,
    every: Duration,
    next: Instant,
    failed: Option<Error>,
}

impl<'a> Saving<'a> {
    pub(crate) fn new(
        file: &'a ResumeFile<'a>,
        fingerprint: &'a OnceLock<u32>,
        every: Duration,
    ) -> Saving<'a> {
        Saving { file, fingerprint, every, next: Instant::now() + every, failed: None }
    }
}

impl<'a> Tending<'a> {
    pub(crate) fn new(
        search: &'a Workers<Mix>,
        settings: &Settings,
        started: Instant,
        saving: Option<Saving<'a>>,
        interrupts: Option<&'a (dyn Interrupts + 'a)>,
    ) -> Tending<'a> {
        let before = search.search().progress().executions;
        let progress = ProgressLine::new(settings.progress, before, settings.count.clone());
        let tended = Tended { search, started, time: settings.time, progress, saving, interrupts };
        Tending { pulses: Vec::new(), tended: Some(tended) }
    }

    /// Workers that work on no search.
    pub(crate) fn of_nothing() -> Tending<'static> {
        Tending { pulses: Vec::new(), tended: None }
    }

    /// These are at work from now on.
    pub(crate) fn attend(&mut self, pulses: Vec<Arc<Pulse>>) {
        self.add_up();
        self.pulses = pulses;
    }

    /// Counts what the workers have done since somebody looked. Most checks end before anybody has.
    pub(crate) fn add_up(&mut self) {
        if let Some(tended) = &mut self.tended {
            tended.progress.add_up(&self.pulses);
        }
    }

    /// To be called every now and then.
    pub fn look(&mut self) {
        let Tending { pulses, tended: Some(tended) } = self else { return };
        let search = tended.search;
        if tended.time.is_some_and(|time| tended.started.elapsed() >= time) {
            stop(pulses, search, Stopped::Time);
        }
        if tended.interrupts.is_some_and(|interrupts| interrupts.is_asked()) {
            stop(pulses, search, Stopped::Interrupted);
        }
        if let Some(saving) = &mut tended.saving
            && let Some(&fingerprint) = saving.fingerprint.get()
            && Instant::now() >= saving.next
        {
            let began = Instant::now();
            let state = search.search().save();
            if let Err(error) = saving.file.write(fingerprint, state) {
                saving.failed = Some(error);
                stop(pulses, search, Stopped::Asked);
            } else {
                saving.next = Instant::now() + saving.every.max(began.elapsed() * WRITING_SHARE);
            }
        }
        tended.progress.show(search, pulses, tended.started);
    }

    /// Nobody looks after the workers any more: they shall end.
    pub fn stop(&mut self) {
        if let Some(tended) = &self.tended {
            stop(&self.pulses, tended.search, Stopped::Asked);
        }
    }

    /// The workers are done.
    pub(crate) fn end(mut self) -> Result<(), Error> {
        self.add_up();
        let saving = self.tended.and_then(|tended| tended.saving);
        saving.and_then(|saving| saving.failed).map_or(Ok(()), Err)
    }
}

fn stop(pulses: &[Arc<Pulse>], search: &Workers<Mix>, why: Stopped) {
    pulses.iter().for_each(|pulse| pulse.ask_to_stop());
    search.search().stop(why);
}
