//! The walk through a job's subtree: which execution comes next, and what it may do where.
//!
//! An execution is its *choices*: the steps at which it did something else than its guide would have done. A walk
//! runs the executions of a job in depth-first order. Beyond the last choice of an execution every point is new: its
//! free options are noted as *open*, to be taken by later executions of this walk, and its other options as *deferred*,
//! to be taken by jobs of a later bound. Each point is noted by the first execution that reaches it and by no other, so
//! that each execution is run once.

use alloc::vec::Vec;

use crate::class::mix2;
use crate::guide::{Answer, Order, Point, default_task};
use crate::job::{AtCut, Choice, Cost, Cut, Job, Record, Scope};
use crate::task::{TaskId, TaskSet};

/// What the walk says at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Run(TaskId),
    /// Every option costs something.
    NoFreeWay,
    /// The guide discards the execution.
    Pruned,
    /// The program did not do what it did when this choice was made.
    Diverged,
}

/// Free options of one point that are still to be taken.
#[derive(Clone, Copy, Debug)]
struct Open {
    step: u32,
    next: u32,
    to: u32,
    /// How many choices lead to this point.
    keep: usize,
}

pub(crate) struct Walk {
    cost: Cost,
    keep_deferred: bool,
    prefix: Vec<Choice>,
    /// Cuts of the job that are still to be taken, the next one last.
    cuts: Vec<Cut>,
    /// Below the prefix there is something to branch over; false for a single execution.
    branches: bool,
    /// Executions that are equivalent to others are left out.
    reduces: bool,
    /// The present execution is like one that was explored: nothing is branched over any more.
    redundant: bool,
    /// Executions are samples: there is nothing to branch over, and always one more.
    samples: bool,
    /// The task that the last choice left at a cost, as long as no step since has touched what that task is about to touch.
    /// Coming back to it, at a cost again, leads to nothing new: it could have taken that step before it was left.
    pub(crate) left: Option<TaskId>,
    /// The running task has only joined others since it came on, as far as was seen.
    pub(crate) only_joined: bool,
    /// Options of the present point that lead to nothing new.
    pub(crate) skip: TaskSet,
    /// A single execution that is to be finished by a random walk from where no way on is free.
    cuts_one: bool,
    choices: Vec<Choice>,
    /// The next choice to replay.
    cursor: usize,
    /// The last choice holds a position in the guide's order, to be turned into a task or value when it is reached.
    by_position: bool,
    open: Vec<Open>,
    deferred: Vec<Cut>,
    /// Some option could not be afforded, in this job.
    any_deferred: bool,
    /// Some task could not be brought up by any delay, in this job.
    pub(crate) any_lost: bool,
    /// What the present execution has spent, over decisions that were not coasted through: those cost nothing.
    pub(crate) spent: u32,
}

impl Walk {
    pub(crate) fn new() -> Walk {
        Walk {
            cost: Cost::Free,
            keep_deferred: false,
            prefix: Vec::new(),
            cuts: Vec::new(),
            branches: false,
            reduces: false,
            redundant: false,
            left: None,
            only_joined: false,
            skip: TaskSet::new(),
            samples: false,
            cuts_one: false,
            choices: Vec::new(),
            cursor: 0,
            by_position: false,
            open: Vec::new(),
            deferred: Vec::new(),
            any_deferred: false,
            any_lost: false,
            spent: 0,
        }
    }

    /// Takes up a job. False if there is nothing in it.
    pub(crate) fn begin(&mut self, job: &Job) -> bool {
        self.cost = job.cost;
        self.keep_deferred = job.keep_deferred;
        self.reduces = job.reduce;
        self.prefix.clone_from(&job.prefix);
        self.open.clear();
        self.deferred.clear();
        self.cuts.clear();
        self.any_deferred = false;
        self.any_lost = false;
        self.by_position = false;
        self.cursor = 0;
        self.branches = matches!(job.scope, Scope::Below | Scope::Cuts(_));
        self.samples = matches!(job.scope, Scope::Samples(_));
        self.cuts_one = !self.branches && job.at_cut != AtCut::Stop;
        match &job.scope {
            Scope::One | Scope::Below | Scope::Samples(_) => {
                self.choices.clone_from(&job.prefix);
                true
            }
            Scope::Cuts(cuts) => {
                self.cuts.extend(cuts.iter().rev());
                self.advance()
            }
        }
    }

    /// Turns to the next execution. False if the job is done.
    pub(crate) fn advance(&mut self) -> bool {
        if self.samples {
            return true;
        }
        self.cursor = 0;
        self.deferred.clear();
        if let Some(open) = self.open.last_mut() {
            self.choices.truncate(open.keep);
            self.choices.push(Choice { step: open.step, pick: open.next, check: 0 });
            open.next += 1;
            if open.next == open.to {
                self.open.pop();
            }
        } else if let Some(cut) = self.cuts.last_mut() {
            let keep = self.prefix.partition_point(|choice| choice.step < cut.step);
            self.choices.clear();
            self.choices.extend_from_slice(&self.prefix[..keep]);
            self.choices.push(Choice { step: cut.step, pick: cut.from, check: 0 });
            cut.from += 1;
            if cut.from == cut.to {
                self.cuts.pop();
            }
        } else {
            return false;
        }
        self.by_position = true;
        true
    }

    /// What a choice costs.
    pub(crate) fn cost(&self) -> Cost {
        self.cost
    }

    /// A new execution begins.
    pub(crate) fn start(&mut self) {
        self.spent = 0;
        self.redundant = false;
        self.only_joined = false;
        self.left = None;
    }

    /// The choices of the present execution, as far as it has come.
    pub(crate) fn choices(&self) -> &[Choice] {
        &self.choices[..self.cursor]
    }

    /// The options that the present execution met first and could not afford, before a step.
    pub(crate) fn record(&self, before: u32) -> Option<Record> {
        let count = self.deferred.partition_point(|cut| cut.step < before);
        (count > 0).then(|| Record::new(&self.choices, &self.deferred[..count]))
    }

    /// Whether options were met in this job that are beyond the last bound.
    pub(crate) fn leaves_out(&self) -> bool {
        self.any_deferred && !self.keep_deferred
    }

    /// Whether executions have no choices to replay and nothing to branch over: a sampling guide decides everything.
    pub(crate) fn leaves_all_to_guide(&self) -> bool {
        self.choices.is_empty() && !self.branches && !self.cuts_one
    }

    /// What is left of the job, as prefixes with cuts, in the order in which the walk would have come to it: one for each
    /// open point, the deepest first.
    pub(crate) fn rest(&self) -> impl Iterator<Item = (Vec<Choice>, Vec<Cut>)> {
        let open = self.open.iter().rev().map(|open| {
            let cut = Cut { step: open.step, from: open.next, to: open.to };
            (self.choices[..open.keep].to_vec(), alloc::vec![cut])
        });
        let cuts: Vec<Cut> = self.cuts.iter().rev().copied().collect();
        let cuts = (!cuts.is_empty()).then(|| (self.prefix.clone(), cuts));
        open.chain(cuts)
    }

    #[inline]
    pub(crate) fn is_replaying(&self) -> bool {
        self.cursor < self.choices.len()
    }

    /// Whether what comes now has not been met by another execution of this job, and is to be branched over.
    #[inline]
    pub(crate) fn is_on_new_ground(&self) -> bool {
        !self.is_replaying() && self.branches && !self.redundant
    }

    /// From here on the present execution is like one that was explored.
    pub(crate) fn set_redundant(&mut self) {
        self.redundant = true;
    }

    /// The running task takes steps that nobody looks at.
    #[inline]
    pub(crate) fn lose_sight(&mut self) {
        self.left = None;
    }

    /// Whether options beyond the bound are kept for the next one.
    pub(crate) fn keeps_deferred(&self) -> bool {
        self.keep_deferred
    }

    pub(crate) fn is_redundant(&self) -> bool {
        self.redundant
    }

    /// For how many points from `step` on the running task goes on without a decision.
    #[inline]
    pub(crate) fn coast(&self, step: u32) -> Coast {
        if let Some(choice) = self.choices.get(self.cursor) {
            Coast::Until(choice.step.saturating_sub(step))
        } else if self.redundant || (!self.branches && !self.cuts_one && self.cost != Cost::Depth) {
            Coast::Forever
        } else if self.any_deferred && !self.keep_deferred {
            match self.cost {
                Cost::Preemptions | Cost::Delays | Cost::Contexts => Coast::Forever,
                Cost::Depth => Coast::Never,
                Cost::Free => Coast::WhileAlone,
            }
        } else if self.cost == Cost::Depth {
            Coast::Never
        } else {
            Coast::WhileAlone
        }
    }

    /// What it costs to run `task`, which stands at `position`.
    #[inline]
    pub(crate) fn charge(&self, point: &Point<'_>, position: u32, task: TaskId) -> u32 {
        let other = task != point.last;
        self.cost.charge(point.last_enabled && other, other && !point.forced, position)
    }

    /// Decides which task takes the step.
    #[inline(always)]
    pub(crate) fn task(&mut self, point: &Point<'_>, order: &mut impl Order) -> Step {
        if let Some(&choice) = self.choices.get(self.cursor) {
            if choice.step == point.step {
                return self.replay(choice, point, order);
            }
        } else if (self.branches && !self.redundant) || self.cuts_one {
            let free = self.note_point(point, order);
            if free == 0 {
                return Step::NoFreeWay;
            }
        }
        match order.at(point, 0) {
            Answer::Choose(task) => self.run(point, 0, task),
            Answer::Prune => Step::Pruned,
        }
    }

    /// Notes the options of a point that no execution has reached before; says how many of them are free.
    #[inline]
    fn note_point(&mut self, point: &Point<'_>, order: &impl Order) -> u32 {
        if let Some((positions, all)) = order.scattered(point) {
            self.note_scattered(point.step, &positions, all);
            return 1;
        }
        let count = order.count(point);
        // Under contexts staying is free, whether or not leaving is a preemption.
        let stays = match self.cost {
            Cost::Contexts => point.enabled.contains(point.last),
            _ => point.last_enabled,
        };
        let free = if point.forced && self.cost == Cost::Contexts {
            count
        } else {
            self.cost.free_options(stays, count)
        };
        if !self.branches {
            return free;
        }
        if self.reduces && !self.skip.is_empty() {
            let default = default_task(point.last, point.last_enabled, point.enabled);
            self.note_all_but_skipped(point, default, free);
            return free;
        }
        if free > 1 {
            self.open.push(Open { step: point.step, next: 1, to: free, keep: self.choices.len() });
        }
        if free < count {
            self.any_deferred = true;
            if self.keep_deferred {
                self.deferred.push(Cut { step: point.step, from: free, to: count });
            }
        }
        free
    }

    /// As `note_point`, of the non-preemptive guide, where some options lead to nothing new.
    #[cold]
    fn note_all_but_skipped(&mut self, point: &Point<'_>, default: TaskId, free: u32) {
        let (step, keep) = (point.step, self.choices.len());
        let others = point.enabled.iter().filter(|&task| task != default);
        for (position, task) in (1..).zip(others) {
            if self.skip.contains(task) {
                continue;
            }
            if position < free {
                self.open.push(Open { step, next: position, to: position + 1, keep });
            } else {
                self.any_deferred = true;
                if self.keep_deferred {
                    self.deferred.push(Cut { step, from: position, to: position + 1 });
                }
            }
        }
    }

    /// Notes the options of a scheduler that does not go round. All but the default cost something; tasks that no delay
    /// brings up are schedules that are never explored.
    #[cold]
    fn note_scattered(&mut self, step: u32, positions: &[u32], all: bool) {
        self.any_lost |= !all;
        self.any_deferred |= !positions.is_empty();
        if self.keep_deferred {
            self.deferred.extend(positions.iter().map(|&from| Cut { step, from, to: from + 1 }));
        }
    }

    #[inline]
    fn replay(&mut self, choice: Choice, point: &Point<'_>, order: &mut impl Order) -> Step {
        self.cursor += 1;
        if self.by_position && self.cursor == self.choices.len() {
            self.by_position = false;
            return match order.at(point, choice.pick) {
                Answer::Choose(task) => {
                    self.choices[self.cursor - 1] =
                        Choice { pick: task.0, check: check(point, task), ..choice };
                    if self.reduces && self.cost == Cost::Preemptions && point.last_enabled {
                        self.left = Some(point.last);
                    }
                    self.run(point, choice.pick, task)
                }
                // Only a scheduler that does not look at enabledness discards; elsewhere an option that was noted and is
                // not there any more means that the program did something else.
                Answer::Prune if order.discards() => Step::Pruned,
                Answer::Prune => Step::Diverged,
            };
        }
        let task = TaskId(choice.pick);
        if !point.enabled.contains(task) || (choice.check != 0 && choice.check != check(point, task)) {
            return Step::Diverged;
        }
        match order.follow(point, task) {
            Some(position) => self.run(point, position, task),
            None => Step::Diverged,
        }
    }

    #[inline]
    fn run(&mut self, point: &Point<'_>, position: u32, task: TaskId) -> Step {
        self.spent += self.charge(point, position, task);
        Step::Run(task)
    }

    /// Decides the value of a data choice among `count`; `None` if the program diverged. `salt` tells choices of different
    /// kinds apart.
    pub(crate) fn value(&mut self, step: u32, count: u32, salt: u64) -> Option<u32> {
        match self.choices.get(self.cursor) {
            Some(&choice) if choice.step == step => {
                self.cursor += 1;
                let last = self.cursor == self.choices.len();
                let check = (mix2(salt, count as u64) as u32).max(1);
                if last && self.by_position {
                    self.by_position = false;
                    self.choices[self.cursor - 1].check = check;
                    return (choice.pick < count).then_some(choice.pick);
                }
                (choice.pick < count && (choice.check == 0 || choice.check == check)).then_some(choice.pick)
            }
            Some(_) => Some(0),
            None => {
                if self.branches && !self.redundant && count > 1 {
                    self.open.push(Open { step, next: 1, to: count, keep: self.choices.len() });
                }
                Some(0)
            }
        }
    }
}

/// Fingerprint of choosing `task` at a point. A multiplication is enough: it only has to differ for programs that differ by
/// accident.
#[inline]
fn check(point: &Point<'_>, task: TaskId) -> u32 {
    let op = point.pending[task.index()].op.fingerprint();
    let from = (point.last.0 as u64) << 33
        | (point.enabled.len() as u64) << 1
        | point.enabled.contains(point.last) as u64;
    (((op ^ from ^ point.digest).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32).max(1)
}

/// For how long the running task may go on without a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coast {
    Never,
    /// For this many points.
    Until(u32),
    /// As long as no other task is enabled.
    WhileAlone,
    Forever,
}
