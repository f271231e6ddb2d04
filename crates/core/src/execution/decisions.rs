//! Decisions: who goes on at a point, and for how many points nothing has to be decided.

use super::pump::Decided;
use super::{Execution, Next, Source};
use crate::class::mix2;
use crate::finding::Ending;
use crate::guide::{Guide, NonPreemptive, Point, Random, default_task};
use crate::job::AtCut;
use crate::op::{Op, Pending};
use crate::task::TaskId;
use crate::trace::{Event, Note};
use crate::walk::{Coast, Step, Walk};

impl Execution {
    /// Turns used fuel into steps and takes the rest away.
    #[inline]
    pub(super) fn settle(&mut self) {
        self.step += self.granted - self.fuel;
        self.granted = 0;
        self.fuel = 0;
    }

    /// After a decision, or when the enabled tasks have changed: for how many points need nothing be decided?
    #[inline(always)]
    pub(super) fn refuel(&mut self) {
        // A new task must announce its first operation, whatever happens before it.
        if self.starting.is_none() && !self.walk.only_joined && !self.close && !self.is_in_reserve() {
            if self.passes_alone {
                self.grant_while_alone();
            } else if self.plain || self.may_coast() {
                self.grant();
            }
        }
    }

    /// As `refuel`, after a data choice: fairness may have to look at what the step did before.
    pub(super) fn refuel_within_step(&mut self) {
        if !self.attentive {
            self.refuel();
        }
    }

    #[inline]
    fn grant_while_alone(&mut self) {
        let left = self.max_steps - self.step;
        self.fuel_while_alone = true;
        self.fuel = if self.enabled.is_only(self.current) { left } else { 0 };
        self.granted = self.fuel;
        if self.fuel > 0 {
            self.walk.lose_sight();
        }
    }

    #[inline]
    fn grant(&mut self) {
        self.fuel_while_alone = false;
        let left = self.max_steps - self.step;
        let fuel = match self.walk.coast(self.step) {
            Coast::Never => 0,
            Coast::Until(points) => points.min(left),
            Coast::Forever => left,
            Coast::WhileAlone => return self.grant_while_alone(),
        };
        self.fuel = fuel;
        self.granted = fuel;
        if fuel > 0 {
            self.walk.lose_sight();
        }
    }

    /// For guides with a state, traces and finishing walks.
    fn may_coast(&self) -> bool {
        self.recorder.is_none() && self.finishing.is_none() && self.guide.is_steady()
    }

    #[inline]
    pub(super) fn decide(&mut self, last_enabled: bool) -> Next {
        if self.enabled.is_empty() && !self.call_reserve() && !self.fire_earliest() {
            return self.end(Ending::Deadlock);
        }
        if self.step >= self.max_steps {
            return self.end(Ending::StepLimit);
        }
        if !self.fast && !self.passes_fast() {
            return self.decide_slowly(last_enabled);
        }
        let point = Point {
            step: self.step,
            last: self.current,
            last_enabled,
            last_ended: self.tasks[self.current.index()].ended,
            forced: false,
            unfinished: self.unfinished,
            enabled: &self.enabled,
            pending: &self.pending,
            digest: self.digest,
        };
        match self.walk.task(&point, &mut NonPreemptive) {
            Step::Run(task) => {
                let next = self.go_on_with(task);
                self.grant();
                next
            }
            other => self.end_without_way_on(other, last_enabled),
        }
    }

    /// The running task has taken its step: can the next be decided as if that had not to be looked at?
    #[inline(always)]
    fn passes_fast(&mut self) -> bool {
        if !self.attentive {
            return false;
        }
        self.follow_fairness();
        self.enabled_before.clone_from(&self.enabled);
        self.plain && !self.filtered && !self.close && self.reserve.is_none()
    }

    /// As `decide`, where something has to be looked at beside the enabled tasks.
    #[inline(never)]
    fn decide_slowly(&mut self, last_enabled: bool) -> Next {
        if self.filtered || self.close {
            return self.decide_closely(last_enabled);
        }
        let last = self.current;
        // A task that has only joined others has not used its turn (`reduce.rs`).
        let was_enabled = last_enabled;
        let last_enabled = last_enabled && !(self.reduces && self.walk.only_joined);
        if self.reduces
            && !self.attentive
            && let Some(task) = self.reduce(last_enabled)
        {
            return self.take_step(task, was_enabled);
        }
        let point = Point {
            step: self.step,
            last,
            last_enabled,
            last_ended: self.tasks[last.index()].ended,
            forced: false,
            unfinished: self.unfinished,
            enabled: &self.enabled,
            pending: &self.pending,
            digest: self.digest,
        };
        let decided = if self.plain {
            self.walk.task(&point, &mut NonPreemptive)
        } else if self.sampled {
            ask_sampler(&mut self.walk, &point, &mut self.guide)
        } else if let Some(random) = &mut self.finishing {
            finish(&mut self.walk, &point, random)
        } else {
            ask_guide(&mut self.walk, &point, &mut self.guide)
        };
        let task = match decided {
            Step::Run(task) => task,
            other => return self.end_without_way_on(other, last_enabled),
        };
        self.take_step(task, was_enabled)
    }

    /// As `decide`, where not all enabled tasks may be scheduled: because of fairness, a seal, or a window that is repeated.
    #[inline(never)]
    fn decide_closely(&mut self, last_enabled: bool) -> Next {
        let last = self.current;
        let forced = self.filtered && self.enabled.contains(last) && !self.schedulable.contains(last);
        let last_enabled = last_enabled && !forced;
        if let Some(decided) = self.pump.at(self.step) {
            return self.repeat_step(decided);
        }
        let sealed = self.sealed && last_enabled;
        if sealed {
            self.keep_running();
        }
        let point = Point {
            step: self.step,
            last,
            last_enabled,
            last_ended: self.tasks[last.index()].ended,
            forced,
            unfinished: self.unfinished,
            enabled: match (sealed, self.filtered) {
                (true, _) => &self.alone,
                (false, true) => &self.schedulable,
                (false, false) => &self.enabled,
            },
            pending: &self.pending,
            digest: self.digest,
        };
        let decided = if self.sampled {
            ask_sampler(&mut self.walk, &point, &mut self.guide)
        } else if let Some(random) = &mut self.finishing {
            finish(&mut self.walk, &point, random)
        } else if self.plain || sealed {
            // No dispatch where it is sealed: a delaying scheduler has not got the task back.
            ask_nobody(&mut self.walk, &point)
        } else {
            ask_guide(&mut self.walk, &point, &mut self.guide)
        };
        match decided {
            Step::Run(task) => self.take_step(task, last_enabled),
            other => self.end_without_way_on(other, last_enabled),
        }
    }

    #[inline(always)]
    pub(super) fn take_step(&mut self, task: TaskId, last_enabled: bool) -> Next {
        if self.reduces && !self.attentive {
            self.follow_step(task);
        }
        if self.pump_job() {
            self.pump.follow(task, self.pending[task.index()].op);
        }
        if self.recorder.is_some() {
            self.record(task, last_enabled);
        }
        let next = self.go_on_with(task);
        self.refuel();
        next
    }

    #[inline(always)]
    fn go_on_with(&mut self, task: TaskId) -> Next {
        self.step += 1;
        let stay = task == self.current;
        self.current = task;
        if stay { Next::Stay } else { Next::Switch(task) }
    }

    #[cold]
    fn end_without_way_on(&mut self, step: Step, last_enabled: bool) -> Next {
        match (step, self.at_cut) {
            (Step::NoFreeWay, AtCut::Finish(seed)) => {
                let choices = self.walk.choices().iter();
                let seed = choices.fold(mix2(seed, self.step as u64), |seed, choice| {
                    mix2(seed, (choice.step as u64) << 32 | choice.pick as u64)
                });
                self.finishing = Some(Random::new(seed));
                self.plain = false;
                self.fast = false;
                // The step that led here has been followed.
                self.decide_slowly(last_enabled)
            }
            (Step::NoFreeWay, AtCut::Stop) => self.end(Ending::Cut),
            (Step::Pruned, _) => self.end(Ending::Pruned),
            (Step::Diverged, _) => self.end(Ending::Diverged),
            (Step::Run(_), _) => unreachable!("it is the way on"),
        }
    }

    /// The value of a data choice among `count` at the present step; `draw` makes a random one. `None` if the execution is over:
    /// then the choice is what the task is about to do.
    pub(super) fn decide_value(
        &mut self,
        (op, source): (Op, Source),
        count: u32,
        salt: u64,
        draw: impl FnOnce(&mut Random) -> u32,
    ) -> Option<u32> {
        self.settle();
        if self.step >= self.max_steps {
            self.pending[self.current.index()] = Pending { op, source: Some(source) };
            self.end(Ending::StepLimit);
            return None;
        }
        let replaying = self.walk.is_replaying();
        let random = self.finishing.as_mut().or_else(|| self.guide.random().filter(|_| !replaying));
        let value = match (self.pump.at(self.step), random) {
            (Some(Decided::Value(value)), _) if value < count => value,
            (Some(_), _) => {
                self.end(Ending::Cut);
                return None;
            }
            (None, Some(random)) => draw(random),
            (None, None) => match self.walk.value(self.step, count, salt ^ self.digest) {
                Some(value) => value,
                None => {
                    self.end(Ending::Diverged);
                    return None;
                }
            },
        };
        self.pump.follow_value(value);
        Some(value)
    }

    /// A data choice was decided; 0 is the default.
    pub(super) fn record_value(&mut self, op: Op, note: Note, value: u32, source: Source) {
        let repeating = self.pump.at(self.step).is_some();
        if let Some(recorder) = &mut self.recorder {
            recorder.push(Event { note, ..Event::new(self.step, self.current, op, source) });
            if value != 0 && !repeating {
                recorder.choice(self.step, value);
            }
        }
    }

    #[cold]
    fn record(&mut self, task: TaskId, last_enabled: bool) {
        let (op, source) = self.pending(task);
        let event = Event {
            preempts: (last_enabled && task != self.current).then_some(self.current),
            ..Event::new(self.step, task, op, source.expect("a pending operation has a source"))
        };
        let default = default_task(self.current, last_enabled, self.options());
        let repeating = self.pump.at(self.step).is_some();
        let recorder = self.recorder.as_mut().expect("asked before");
        recorder.push(event);
        if self.attentive {
            recorder.note_enabled(self.step, &self.enabled);
        }
        if task != default && !repeating {
            recorder.choice(self.step, task.0);
        }
    }
}

/// A random walk finishes an execution that was cut.
#[inline(never)]
fn finish(walk: &mut Walk, point: &Point<'_>, random: &mut Random) -> Step {
    let task = random.at(point.enabled);
    walk.spent += walk.charge(point, 0, task);
    Step::Run(task)
}

/// Kept out of the way of plain searches.
#[inline(never)]
fn ask_sampler(walk: &mut Walk, point: &Point<'_>, guide: &mut Guide) -> Step {
    let task = guide.sample(point);
    walk.spent += walk.charge(point, 0, task);
    Step::Run(task)
}

/// Kept out of the way of where it is in line.
#[inline(never)]
fn ask_nobody(walk: &mut Walk, point: &Point<'_>) -> Step {
    walk.task(point, &mut NonPreemptive)
}

/// Kept out of the way of plain searches.
#[inline(never)]
fn ask_guide(walk: &mut Walk, point: &Point<'_>, guide: &mut Guide) -> Step {
    walk.task(point, guide)
}
