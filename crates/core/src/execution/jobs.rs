//! The job that executions belong to: taking it up, counting its executions, handing back what is left.

use super::{Execution, Guides};
use crate::class::TaskPast;
use crate::finding::{Ending, Failure};
use crate::guide::{Guide, GuideSpec, sample_seed};
use crate::job::{AtCut, Job, Outcome, Scope};
use crate::schedule::Identity;
use crate::task::TaskId;
use crate::trace::{Recorder, Trace};

impl Execution {
    /// Takes up a job. False if it holds no execution; else [`Execution::start`] comes next.
    ///
    /// # Panics
    /// If the job's scheduler is not registered with `guides`: searches check that before they make jobs.
    pub fn begin(&mut self, job: &Job, guides: &dyn Guides) -> bool {
        if job.guide != self.guide_spec {
            self.guide = guides.make(&job.guide).expect("the job's scheduler is registered");
            self.guide_spec = job.guide.clone();
        }
        self.at_cut = job.at_cut;
        self.reduces = job.reduce;
        self.max_steps = job.limit.steps;
        self.faults = job.faults;
        self.executions_left = job.limit.executions;
        self.outcome = Outcome::default();
        self.any_yield = false;
        self.pump.begin(job, self.fair.k() > 0);
        self.recorder = job.trace.then(|| Recorder::new(self.step));
        self.sample = match job.scope {
            Scope::Samples(first) => Some(first),
            _ => None,
        };
        self.walk.begin(job) && self.executions_left > 0
    }

    /// Starts the next execution of the job; the main task then runs to its first operation.
    pub fn start(&mut self) {
        self.fuel = 0;
        self.granted = 0;
        self.step = 0;
        self.starting = None;
        self.enabled.clear();
        self.reserve = None;
        self.fair.reset();
        self.yielded = false;
        self.moved_on = false;
        self.close = self.pump_job();
        self.attentive = self.close;
        self.filtered = false;
        self.pump.start();
        self.sealed = false;
        self.pending.clear();
        self.tasks.clear();
        self.unfinished = 0;
        self.finishing = None;
        self.plain = self.recorder.is_none() && matches!(self.guide, Guide::NonPreemptive);
        self.fast = self.plain && !self.reduces && !self.attentive;
        self.ending = None;
        self.panics.clear();
        self.clock.reset();
        self.faults_left = self.faults;
        self.digest = 0;
        self.side_effects = false;
        let mut seed = self.guide_spec.seed().unwrap_or(0);
        if let Some(number) = self.sample {
            seed = sample_seed(seed, number);
        }
        self.guide.reset(seed);
        self.sampled = self.guide.random().is_some() && self.walk.leaves_all_to_guide();
        self.passes_alone = self.sampled && self.recorder.is_none() && self.guide.passes_alone();
        self.walk.start();
        self.race = None;
        if self.clocks_on {
            self.later.clear();
            self.keeps_up = false;
            self.clocks.reset();
            self.clocks.add_task(None);
        }
        self.current = self.add_task(TaskPast::main());
        self.enabled.insert(TaskId::MAIN);
    }

    /// Ends the execution and counts it.
    pub fn finish(&mut self) {
        self.settle();
        let mut ending = self.ending.take().expect("an execution that is finished has ended");
        if self.walk.is_replaying() && ending.replays_whole_prefix() {
            ending = Ending::Diverged;
        }
        let out = &mut self.outcome;
        out.steps += self.step as u64;
        out.longest = out.longest.max(self.step);
        self.executions_left -= 1;
        match ending {
            Ending::Cut => out.cut += 1,
            Ending::Pruned => out.pruned += 1,
            Ending::Discarded => out.discarded += 1,
            Ending::Diverged | Ending::Misused => {}
            Ending::Complete | Ending::Deadlock | Ending::Panicked | Ending::StepLimit | Ending::Raced => {
                out.executions += 1;
            }
        }
        if self.walk.is_redundant() {
            out.redundant += 1;
        }
        if ending == Ending::StepLimit {
            out.step_limited += 1;
        }
        let finished = self.finishing.is_some();
        if finished {
            out.cut += 1;
            out.executions -= ending.is_whole() as u64;
        }
        if self.classes && ending.is_whole() && !finished {
            out.classes.push(self.class);
        }
        if !matches!(ending, Ending::Diverged | Ending::Misused) {
            // An execution without end would fill the frontier with cuts that lead to more of its kind.
            let before = if ending == Ending::StepLimit { self.max_steps.div_ceil(20) } else { u32::MAX };
            out.records.extend(self.walk.record(before));
        }
        out.leaves_out |= self.walk.leaves_out();
        out.unreachable |= self.walk.any_lost;
        self.ending = Some(ending);
    }

    /// Turns to the next execution of the job, if there is one within the limit.
    pub fn advance(&mut self) -> bool {
        if let Some(number) = &mut self.sample {
            *number += 1;
        }
        self.executions_left > 0 && self.walk.advance()
    }

    /// What came of the job; to be asked once, after the last execution.
    pub fn outcome(&mut self, job: &Job) -> Outcome {
        let mut outcome = core::mem::take(&mut self.outcome);
        outcome.cache = self.cache_bytes();
        outcome.yields = self.any_yield;
        outcome.profile = self.recorder.as_ref().map(|recorder| recorder.profile());
        if matches!(job.scope, Scope::Below | Scope::Cuts(_)) {
            outcome.rest = self
                .walk
                .rest()
                .map(|(prefix, cuts)| Job { prefix, scope: Scope::Cuts(cuts), ..job.clone() })
                .collect();
        }
        outcome
    }

    /// The present execution as a failure of the program, to be replayed and shown.
    pub fn failure(&self) -> Failure {
        Failure {
            choices: self.walk.choices().to_vec(),
            guide: self.guide(),
            at_cut: if self.finishing.is_some() { self.at_cut } else { AtCut::Stop },
            ending: self.ending.clone().unwrap_or(Ending::Complete),
            step: self.steps(),
            repeat: self.pump.repeat,
        }
    }

    /// The settings that go into schedules.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Bytes of memory that the cache takes.
    pub fn cache_bytes(&self) -> usize {
        self.seen.bytes() + self.planned.bytes()
    }

    /// What the present execution has spent of its job's cost.
    pub fn spent(&self) -> u32 {
        self.walk.spent
    }

    /// Notes the failing execution in the outcome of the job; the first one stays.
    pub fn report_failure(&mut self, failure: Failure) {
        self.outcome.failure.get_or_insert(failure);
    }

    /// The trace as far as the execution has come, if the job asked for one: what a watchdog can show.
    pub fn trace_so_far(&self) -> Option<Trace> {
        let places = self.clocks.promoted.places().to_vec();
        self.recorder
            .as_ref()
            .map(|recorder| recorder.clone().finish(self.identity, self.pump.repeat, false, places))
    }

    /// The guide of the present execution: that of its job, or of its sample.
    pub fn guide(&self) -> GuideSpec {
        match self.sample {
            Some(number) => self.guide_spec.sample(number),
            None => self.guide_spec.clone(),
        }
    }

    /// The trace of the present execution, if the job asked for one.
    pub fn take_trace(&mut self) -> Option<Trace> {
        let (identity, repeat) = (self.identity, self.pump.repeat);
        let cut_off = self.ending == Some(Ending::StepLimit) && repeat.is_none();
        let places = self.clocks.promoted.places().to_vec();
        self.recorder.take().map(|recorder| recorder.finish(identity, repeat, cut_off, places))
    }
}
