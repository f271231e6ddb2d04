//! The front end of the library: a closure whose tasks run on stacks of their own, on this process's threads.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use caissa_check::{FrontEnd, Interrupts, Reliance, Sealing, Tending, Terms, Words};
use caissa_core::{Identity, Job, PointSet};
use caissa_search::{Replay, Subject as _};

use super::again;
use super::interrupt::Caught;
use super::words::LibraryWords;
use crate::rt::engine::{Body, EngineSettings};
use crate::rt::sealing::Seals;
use crate::rt::{Engine, Source};
use crate::settings::{Builder, Error};

/// A closure that is to be checked.
pub(super) struct Library {
    /// The name of the calling thread: that of a test.
    pub(super) thread: Option<String>,
    /// Which check of that thread it is.
    pub(super) number: u32,
    pub(super) body: Body,
    pub(super) engine: EngineSettings,
    pub(super) builder: Builder,
    /// Executions run on threads of their own and not on the calling one: several workers have to find the same in thread-locals, a
    /// panicking thread can run no tasks, and one that was spoiled must not be used on.
    pub(super) away: AtomicBool,
}

impl Library {
    pub(super) fn new(builder: Builder, body: Body, source: Source, number: u32, seals: Seals) -> Library {
        let engine = EngineSettings {
            stack_size: builder.stack_size,
            reference_points: builder.reference_points,
            panics_any: builder.panics_any,
            allow_detached: builder.allow_detached,
            schedulers: builder.schedulers.clone(),
            abandoned_stacks: Arc::default(),
            reliance: Arc::default(),
            source,
            seals: Arc::new(seals),
            force_clocks: builder.force_clocks,
        };
        let thread = std::thread::current().name().map(str::to_owned);
        let away = AtomicBool::new(builder.settings.workers > 1 || std::thread::panicking());
        Library { thread, number, body, engine, builder, away }
    }

    /// The name of the test.
    fn test(&self) -> &str {
        self.thread.as_deref().unwrap_or("caissa")
    }
}

impl FrontEnd for Library {
    type Subject = Engine;
    type Error = Error;

    fn at_work<R: Send>(
        &self,
        terms: Vec<Terms>,
        tending: &mut Tending<'_>,
        work: impl Fn(&mut Engine) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        self.watched(terms, tending, work)
    }

    fn identity(&self) -> Identity {
        let points = if self.builder.reference_points { PointSet::Reference } else { PointSet::Sync };
        Identity { points, ..Identity::RUST }
    }

    fn words(&self) -> &'static dyn Words {
        &LibraryWords
    }

    fn replay_command(&self, schedule: &str) -> String {
        again::to_replay(self, schedule)
    }

    fn resume_command(&self, file: &Path) -> String {
        again::to_resume(self, file)
    }

    fn file_name(&self) -> String {
        format!("{}-{}-{}", again::program(), self.test(), self.number)
    }

    fn own_settings(&self) -> Vec<(&'static str, String)> {
        let builder = &self.builder;
        vec![
            ("panics_any", builder.panics_any.to_string()),
            ("allow_detached", builder.allow_detached.to_string()),
            ("reference_points", builder.reference_points.to_string()),
            ("no_preempt", builder.no_preempt.join(",")),
            ("preempt_only", builder.preempt_only.join(",")),
            ("test", self.test().to_owned()),
        ]
    }

    fn interrupts(&self, resumable: bool) -> Option<Box<dyn Interrupts + '_>> {
        resumable.then(|| Box::new(Caught::catch()) as Box<dyn Interrupts>)
    }

    fn reliance(&self) -> &dyn Reliance {
        &*self.engine.reliance
    }

    fn sealing(&self) -> &dyn Sealing {
        &*self.engine.seals
    }

    fn first(&self, engine: &mut Engine, job: &Job) -> Replay {
        let seals = &self.engine.seals;
        let known = seals.has_guards();
        let mut first = engine.replay(job);
        if seals.has_guards() && !known {
            // Only now is it known that preemptions are sealed outside of them.
            first = engine.replay(job);
        }
        seals.rely_on_guards();
        first
    }
}
