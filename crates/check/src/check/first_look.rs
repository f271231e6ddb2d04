//! The first look: before any job is run, the first execution is run twice. Most programs that depend on time, addresses or random
//! numbers show it there.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use caissa_core::{Ending, Job};
use caissa_search::Subject as _;

use super::Check;
use crate::front_end::FrontEnd;
use crate::report::Divergence;

/// What looking at the first execution showed.
pub(super) struct FirstLook {
    looked: Mutex<Option<Looked>>,
    /// What the program's first operations look like, once they have been compared.
    pub(super) fingerprint: OnceLock<u32>,
    /// What they looked like when the resume file was written.
    expected: Option<u32>,
}

#[derive(Clone)]
pub(super) enum Looked {
    Fine,
    /// The program does not do the same twice.
    Diverged(Divergence),
    /// It was cut off, and more steps may be tried. It took so long.
    CutOff(Duration),
    /// The resume file is another program's.
    OtherProgram,
}

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

    /// Runs the first execution twice. Returns what its first operations look like, how the two differ, and whether it was cut off.
    fn look_for_nondeterminism(&self, subject: &mut F::Subject) -> (u32, Option<Divergence>, bool) {
        let job = self.settings.single(Vec::new(), self.settings.guide());
        subject.keep_notes(false);
        let looked = self.run_twice(subject, &job);
        subject.keep_notes(true);
        looked
    }

    fn run_twice(&self, subject: &mut F::Subject, job: &Job) -> (u32, Option<Divergence>, bool) {
        let first = self.front.first(subject, job);
        let fingerprint = first.trace.schedule.fingerprint;
        let cut_off = first.ending == Ending::StepLimit && first.bug.is_none();
        if !subject.can_go_on() || cut_off && self.may_grow() {
            return (fingerprint, None, cut_off);
        }
        let again = subject.replay(job);
        let same = first.ending == again.ending
            && first.trace.schedule == again.trace.schedule
            && first.digest == again.digest;
        let diverged = !same && subject.can_go_on();
        (fingerprint, diverged.then(|| Divergence::between(&first, &again, self.front.words())), cut_off)
    }
}
