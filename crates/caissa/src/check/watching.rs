//! Engines at work, and what is said when a task leaves their control.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use caissa_check::{FrontEnd as _, Tending, Terms};
use caissa_search::Subject as _;

use super::library::Library;
use crate::rt::Engine;
use crate::rt::monitor::{Beacon, Watch, with_halted};
use crate::settings::Error;
use crate::threads::{Place, on_threads};

impl Library {
    /// What led to the place where a task left our control. The execution that was lost was not traced; it is run again on
    /// another thread, traced, until it is lost there too.
    fn describe_lost(&self, lost: &Engine) -> String {
        let mut job = self.builder.settings.single(lost.execution.choices().to_vec(), lost.execution.guide());
        // An execution that had ended is unwound at the same place again.
        job.limit.steps = lost.execution.steps().max(1);
        let beacon = Arc::new(Beacon::new());
        let (body, settings, seen) = (self.body.clone(), self.engine.clone(), Arc::clone(&beacon));
        let terms = Terms { pulse: Arc::default(), ..lost.terms.clone() };
        // This thread is lost like the first and ends with the process.
        let spawned = std::thread::Builder::new().name("caissa".into()).spawn(move || {
            Engine::new(body, settings, terms, seen).replay(&job);
        });
        let mut traced = None;
        let mut look = |engine: &Engine| {
            traced = engine.execution.trace_so_far().map(|trace| (trace, engine.task_names()));
        };
        if let Ok(thread) = spawned {
            let started = Instant::now();
            let patience = self.builder.watchdog.min(Duration::from_secs(2));
            while !thread.is_finished() && started.elapsed() < patience && !beacon.with_crashed(&mut look) {
                std::thread::sleep(Duration::from_millis(10));
            }
            if !thread.is_finished() && !beacon.with_crashed(&mut look) {
                with_halted(&beacon, &mut look);
            }
        }
        let at = lost.execution.steps();
        let traced = traced.filter(|(trace, _)| trace.schedule.steps == at);
        let command = |schedule: &str| self.replay_command(schedule);
        caissa_check::describe_lost(&lost.execution, lost.running, traced, self.words(), command)
    }

    /// Runs something on a number of engines, and has them watched.
    pub(super) fn watched<R: Send>(
        &self,
        terms: Vec<Terms>,
        tending: &mut Tending<'_>,
        run: impl Fn(&mut Engine) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        let beacons: Vec<_> = terms.iter().map(|_| Arc::new(Beacon::new())).collect();
        let describe = |engine: &Engine| self.describe_lost(engine);
        let mut watch = Watch::new(&beacons, self.builder.watchdog, &describe);
        let work = |index: usize| {
            let (terms, beacon) = (terms[index].clone(), Arc::clone(&beacons[index]));
            let mut engine = Engine::new(self.body.clone(), self.engine.clone(), terms, beacon);
            let result = run(&mut engine);
            self.away.fetch_or(engine.spoiled, Ordering::Relaxed);
            let misuse = engine.misuse.take().or_else(|| engine.outside.get().cloned());
            (misuse.map_or(Ok(result), |misuse| Err(Error::Misuse(misuse))), !engine.spoiled)
        };
        let away = self.away.load(Ordering::Relaxed);
        let place = if away { Place::Away(terms.len()) } else { Place::Here };
        let results = on_threads(place, work, || {
            let look = AssertUnwindSafe(|| {
                watch.look();
                tending.look();
            });
            if let Err(payload) = catch_unwind(look) {
                // Nobody looks after the search any more.
                tending.stop();
                resume_unwind(payload);
            }
        });
        results.into_iter().collect()
    }
}
