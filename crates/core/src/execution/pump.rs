//! Pumping: a window of steps that leads back to where it began is repeated free of charge, to see whether it goes on for ever.
//!
//! A livelock may need a preemption in every round. A bounded search then never sees it go round: it runs out of budget. But
//! it does see one round. When a task yields and every task stands where it stood at an earlier yield of that task, with at
//! least one choice since, and all that are enabled have run since, the steps in between are a *window*. The execution goes
//! on as always; afterwards it is run once more, and this time, at the end of the window, its choices are taken again and
//! again ([`Job::repeat`](crate::Job::repeat)) until the limit of steps or until something differs. Only what is seen then counts.
//!
//! Where tasks stand is their pending operations: neither the values of objects nor what tasks keep to themselves is compared
//! here, so a window may turn out not to go round.

use alloc::vec::Vec;

use super::{Execution, Next};
use crate::class::fold;
use crate::finding::Ending;
use crate::job::Job;
use crate::liveness::Repeat;
use crate::op::Op;
use crate::task::TaskId;

/// Yields after the last choice that are looked at.
const LOOKS: u32 = 32;

/// What was decided at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    Task(TaskId, Op),
    Value(u32),
}

/// A yield of a task, and where all tasks stood.
#[derive(Clone, Copy, Debug)]
struct Visit {
    step: u32,
    /// The same for fairness.
    moment: u32,
    task: TaskId,
    places: u64,
}

/// What has to be known of an execution to pump it.
#[derive(Clone, Debug, Default)]
pub(super) struct Pump {
    /// The job's windows are looked for.
    looks: bool,
    /// The job's window to repeat.
    pub(super) repeat: Option<Repeat>,
    /// What was decided at each step, in a job that repeats a window.
    log: Vec<Decided>,
    visits: Vec<Visit>,
    /// Yields looked at since the last choice.
    looked: u32,
    found: Option<Repeat>,
}

impl Pump {
    pub(super) fn begin(&mut self, job: &Job, fair: bool) {
        self.repeat = job.repeat;
        self.looks = fair && !job.trace;
    }

    pub(super) fn start(&mut self) {
        self.log.clear();
        self.visits.clear();
        self.looked = 0;
        self.found = None;
    }

    /// What is to be decided at a step, if it belongs to a later round of the job's window.
    pub(super) fn at(&self, step: u32) -> Option<Decided> {
        let repeat = self.repeat.filter(|repeat| step >= repeat.to)?;
        self.log.get(repeat.origin(step) as usize).copied()
    }

    /// A task takes the next step of a job that repeats a window.
    pub(super) fn follow(&mut self, task: TaskId, op: Op) {
        self.log.push(Decided::Task(task, op));
    }

    /// A data choice was decided.
    pub(super) fn follow_value(&mut self, value: u32) {
        if self.repeat.is_some() {
            self.log.push(Decided::Value(value));
        }
    }
}

impl Execution {
    /// Whether the present job repeats a window.
    #[inline]
    pub(super) fn pump_job(&self) -> bool {
        self.pump.repeat.is_some()
    }

    /// A window of the execution that has just run which might go on for ever.
    pub fn window(&self) -> Option<Repeat> {
        self.pump.found
    }

    /// Takes the step that a repeated window has here; ends the execution if it cannot be taken.
    #[cold]
    pub(super) fn repeat_step(&mut self, decided: Decided) -> Next {
        match decided {
            Decided::Task(task, op)
                if self.options().contains(task) && self.pending[task.index()].op == op =>
            {
                self.take_step(task, false)
            }
            _ => self.end(Ending::Cut),
        }
    }

    /// The running task has yielded: is this the end of a window?
    pub(super) fn look_for_window(&mut self) {
        let pump = &self.pump;
        if !pump.looks || pump.found.is_some() || pump.looked >= LOOKS {
            return;
        }
        let (step, task) = (self.step, self.current);
        // A sampling guide chooses at every step.
        let last =
            if self.sampled { step } else { self.walk.choices().last().map_or(0, |choice| choice.step) };
        let replaying = self.walk.is_replaying();
        let yields_first = !self.pump.visits.iter().any(|visit| visit.task == task);
        if yields_first && step > last && !replaying {
            // No window ends here, and none begins: there is no choice after it.
            return;
        }
        let places = self.places();
        if !self.pump.visits.is_empty() && !replaying {
            self.pump.looked += 1;
            let same = |visit: &&Visit| visit.task == task && visit.places == places && visit.step <= last;
            if let Some(visit) = self.pump.visits.iter().rev().find(same)
                && self.enabled.iter().all(|task| self.fair.has_run_since(task, visit.moment))
            {
                self.pump.found = Some(Repeat { from: visit.step, to: step });
            }
        }
        let moment = self.fair.moment();
        self.pump.visits.push(Visit { step, moment, task, places });
    }

    /// A number for what each task is about to do, and where.
    fn places(&self) -> u64 {
        let unfinished =
            self.tasks.iter().zip(&self.pending).enumerate().filter(|(_, (task, _))| !task.ended);
        // Each is mixed by itself, so that none waits for another, and with its number: tasks that have changed places must count.
        unfinished.fold(0, |sum: u64, (index, (_, pending))| {
            let place = pending.source.map_or(0, |source| source.address() as u64);
            let enabled = self.enabled.contains(TaskId(index as u32)) as u64;
            let stands = pending.op.fingerprint().rotate_left(24) ^ place;
            let who = (index as u64) << 1 | enabled;
            let salt = who.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xa409_3822_299f_31d0;
            sum.wrapping_add(fold(stands ^ 0x243f_6a88_85a3_08d3, salt))
        })
    }
}
