//! What a front end provides: how its programs are run, what they are called, and how to come back to a check of theirs.
//!
//! A front end whose programs are plain data has to make subjects, on ordinary threads ([`FrontEnd::at_work`]), to say what things are
//! called ([`FrontEnd::words`]) and how a check is run again. The rest has defaults for such front ends: nothing is relied on, nothing
//! is sealed. `tests/toy` has the smallest one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use caissa_core::{Execution, Identity, Job, PointSet};
use caissa_search::{Pulse, Replay, Subject};

use crate::settings::Error;
use crate::tending::Tending;
use crate::words::Words;

/// A kind of programs that can be checked; a value of it is a program with what the front end knows of it.
pub trait FrontEnd: Sync + Sized {
    /// What runs the program.
    type Subject: Subject;
    /// Why a check could not be made.
    type Error: From<Error>;

    /// Makes a subject for each of the terms and runs `work` on it, all of them at a time, while `tending` looks after them every now and
    /// then. Returns when all have. Where ordinary threads do, [`on_threads`](crate::on_threads) is all that is needed.
    ///
    /// # Errors
    /// If the program cannot be run.
    fn at_work<R: Send>(
        &self,
        terms: Vec<Terms>,
        tending: &mut Tending<'_>,
        work: impl Fn(&mut Self::Subject) -> R + Sync,
    ) -> Result<Vec<R>, Self::Error>;

    /// The kind of program, and whether its points are the reference points. What settings decide is filled in.
    fn identity(&self) -> Identity;

    /// What things are called.
    fn words(&self) -> &'static dyn Words;

    /// The command that replays a schedule.
    fn replay_command(&self, schedule: &str) -> String;

    /// The command that goes on from a resume file.
    fn resume_command(&self, file: &Path) -> String;

    /// The name of this check for a file in a directory of resume files. No other check of the directory has it.
    fn file_name(&self) -> String;

    /// Settings beside [`Settings`](crate::Settings) that decide which executions are run and what is made of them, by name: a
    /// search goes on from a resume file only if they are the same. What names the program belongs to them.
    fn own_settings(&self) -> Vec<(&'static str, String)>;

    /// Asks for interrupts by the user from now on. `resumable`: the search can be taken up again.
    fn interrupts(&self, _resumable: bool) -> Option<Box<dyn Interrupts + '_>> {
        None
    }

    /// What its subjects rely on.
    fn reliance(&self) -> &dyn Reliance {
        &Nothing
    }

    /// Where its tasks are not preempted.
    fn sealing(&self) -> &dyn Sealing {
        &Nothing
    }

    /// What a subject could not do is forgotten: it was only tried.
    fn forgive(&self) {}

    /// Runs the first execution of all. Whatever a search has to know from its first point on is found out here.
    fn first(&self, subject: &mut Self::Subject, job: &Job) -> Replay {
        subject.replay(job)
    }
}

/// What a subject has to know of the check that it works for.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The settings that go into schedules.
    pub identity: Identity,
    /// Whether classes are counted.
    pub classes: bool,
    /// Whether data races are looked for.
    pub races: bool,
    /// The places at which accesses of data are points, by their numbers.
    pub promoted: Vec<u32>,
    /// What it tells of its work.
    pub pulse: Arc<Pulse>,
}

impl Terms {
    /// An execution that has no job yet. `classes`: whether its classes are counted, which second looks at executions need not.
    pub fn execution(&self, classes: bool) -> Execution {
        let mut execution = Execution::new(classes && self.classes, self.identity);
        execution.set_data_points(self.identity.points == PointSet::All, &self.promoted);
        execution
    }
}

/// An interrupt by the user, which is looked for until this is dropped.
pub trait Interrupts: Sync {
    /// Whether it has come.
    fn is_asked(&self) -> bool;

    /// The search has stopped because of it and is saved. Ends the process, or does nothing: then the report says how far it came.
    fn end_process(self: Box<Self>) {}
}

impl Interrupts for &AtomicBool {
    fn is_asked(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// What a search takes for granted of the program until its subjects see otherwise: then it has left out too much, its subjects cannot
/// go on, and it begins again.
pub trait Reliance: Sync {
    /// Part of the search may be another process's, which may not have seen what this one would. `races`: they are looked for.
    fn distrust(&self, _races: bool) {}

    /// Whether equivalent executions may be left out, as far as is known.
    fn allows_reduction(&self) -> bool {
        true
    }

    /// From now on none may be left out.
    fn refuse_reduction(&self) {}

    /// What was relied on and does not hold, if there is something.
    fn broken(&self) -> Option<Broken> {
        None
    }

    /// Nothing is relied on from now on.
    fn give_up(&self) {}

    /// Whether something that was relied on before that is known not to hold by now.
    fn was_broken(&self) -> bool {
        false
    }
}

/// What a search has relied on in vain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Too many executions were left out; what was found is found.
    LeftOut,
    /// Data races were not looked for; nobody knows whether one came before what was found.
    Races,
}

/// Where tasks are not preempted, so that schedules are left out.
pub trait Sealing: Sync {
    /// Whether some schedule was left out.
    fn has_left_out(&self) -> bool {
        false
    }

    /// Some schedule was, by another process.
    fn set_left_out(&self) {}

    /// Which schedules are explored, as in "schedules with ...".
    fn words(&self) -> String {
        String::new()
    }

    /// What is to be said of it, whether or not something was left out.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Nothing is relied on, nothing is sealed.
struct Nothing;

impl Reliance for Nothing {}
impl Sealing for Nothing {}
