//! The first look: before any job is run, the first execution is run twice. Most programs that depend on time, addresses or random
//! numbers show it there.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use caissa_core::{Bug, Ending, Job};
use caissa_search::{Replay, Subject};

use super::Check;
use crate::front_end::FrontEnd;
use crate::report::{Divergence, Names};

/// What looking at the first execution showed.
pub(super) struct FirstLook {
    looked: Mutex<Option<Looked>>,
    /// What the program's first operations look like, once they have been compared.
    pub(super) fingerprint: OnceLock<u32>,
    /// What they looked like when the resume file was written.
    expected: Option<u32>,
}

/// A failing execution, and what its tasks and objects are called.
pub(super) type Failed = (Replay, Names);

#[derive(Clone)]
pub(super) enum Looked {
    Fine,
    /// The program does not do the same twice, and what the execution was that failed, if one did.
    Diverged(Divergence, Option<Box<Failed>>),
    /// It was cut off, and more steps may be tried. It took so long.
    CutOff(Duration),
    /// The resume file is another program's.
    OtherProgram,
}

/// How two executions differ, and the one that failed.
type Diverged = (Divergence, Option<Failed>);

impl FirstLook {
    pub(super) fn new(expected: Option<u32>) -> FirstLook {
        FirstLook { looked: Mutex::default(), fingerprint: OnceLock::new(), expected }
    }

    /// What it showed, if there was one.
    pub(super) fn looked(&self) -> Option<Looked> {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<F: FrontEnd> Check<F> {
    /// The first worker looks at the first execution; the others wait for that. False if there is no point in going on.
    pub(super) fn look_first(&self, subject: &mut F::Subject, first: &FirstLook) -> bool {
        let mut looked = first.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let looked = looked.get_or_insert_with(|| {
            let begun = Instant::now();
            let (fingerprint, divergence, cut_off) = self.look_for_nondeterminism(subject);
            if cut_off && self.may_grow() {
                return Looked::CutOff(begun.elapsed());
            }
            if let Some((divergence, failed)) = divergence {
                return Looked::Diverged(divergence, failed.map(Box::new));
            }
            if first.expected.is_some_and(|expected| expected != fingerprint) {
                return Looked::OtherProgram;
            }
            first.fingerprint.get_or_init(|| fingerprint);
            Looked::Fine
        });
        matches!(looked, Looked::Fine)
    }

    /// Runs the first execution twice. Returns what its first operations look like, how the two differ, and whether it was cut off.
    fn look_for_nondeterminism(&self, subject: &mut F::Subject) -> (u32, Option<Diverged>, bool) {
        let job = self.settings.single(Vec::new(), self.settings.guide());
        subject.keep_notes(false);
        let looked = self.run_twice(subject, &job);
        subject.keep_notes(true);
        looked
    }

    fn run_twice(&self, subject: &mut F::Subject, job: &Job) -> (u32, Option<Diverged>, bool) {
        let first = self.front.first(subject, job);
        let first_failed = failed(subject, &first);
        let fingerprint = first.trace.schedule.fingerprint;
        let cut_off = first.ending == Ending::StepLimit && first.bug.is_none();
        if !subject.can_go_on() || cut_off && self.may_grow() {
            return (fingerprint, None, cut_off);
        }
        let again = subject.replay(job);
        let same = first.ending == again.ending
            && first.trace.schedule == again.trace.schedule
            && first.digest == again.digest;
        if same || !subject.can_go_on() {
            return (fingerprint, None, cut_off);
        }
        let divergence = Divergence::between(&first, &again, self.front.words());
        let failed = first_failed.or_else(|| failed(subject, &again));
        let failed = failed.map(|failed| noted(subject, job, failed));
        (fingerprint, Some((divergence, failed)), cut_off)
    }
}

/// An execution, if it has failed: a test that does may leave something behind by which it does something else the next time.
fn failed(subject: &impl Subject, replay: &Replay) -> Option<Failed> {
    let bug = replay.bug.as_ref()?;
    Some((replay.clone(), Names::of(subject, &replay.trace, Some(bug))))
}

/// The same failure with all that there is to be known of it, if it comes once more, or as it was.
fn noted(subject: &mut impl Subject, job: &Job, once: Failed) -> Failed {
    subject.keep_notes(true);
    let more = subject.replay(job);
    let is_same = match (&more.bug, &once.0.bug) {
        (Some(Bug::Panic { panic: a, .. }), Some(Bug::Panic { panic: b, .. })) => a.message == b.message,
        (Some(a), Some(b)) => a.kind() == b.kind(),
        _ => false,
    };
    failed(subject, &more).filter(|_| is_same).unwrap_or(once)
}
