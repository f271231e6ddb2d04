//! Iterative bounding (Musuvathi and Qadeer, PLDI 2007, section 3), over any cost.
//!
//! Algorithm 1 of the paper keeps work items of a state and a thread; a stateless search keeps the execution that leads
//! there. Every execution of cost c is run before any of cost c+1, and each is run once: a job of bound c replays a
//! prefix of cost c and explores below it only what costs nothing; what costs something goes on the frontier.

use std::collections::{HashMap, HashSet};

use caissa_core::{AtCut, Cost, Ending, GuideSpec, Job, Limit, Outcome, Scope};

use crate::frontier::{Frontier, Work};
use crate::{BoundSummary, JobId, Next, Search, Stopped, Summary};

/// What to search, and how far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What a choice costs.
    pub cost: Cost,
    /// What continues an execution past its choices.
    pub guide: GuideSpec,
    /// The largest bound; `None` goes on until nothing is left.
    pub max_bound: Option<u32>,
    /// The budget of executions.
    pub max_executions: u64,
    /// The limit of steps in one execution.
    pub max_steps: u32,
    /// The budget of faults in one execution.
    pub faults: u32,
    /// What to do with an execution that cannot go on free of charge.
    pub at_cut: AtCut,
    /// Executions of one job before it hands back. Smaller jobs spread better over workers.
    pub job_executions: u64,
    /// Leave out executions that are equivalent to others.
    pub reduce: bool,
    /// Go on after a failure, to count all executions. The first failure stays.
    pub keep_going: bool,
}

/// The one bounded search.
pub struct Bounded {
    settings: Settings,
    bound: u32,
    started: bool,
    frontier: Frontier,
    /// Executions that may still be given to jobs.
    budget: u64,
    /// What each job that is being run was given.
    running: HashMap<JobId, u64>,
    next_id: u64,
    classes: HashSet<u64, std::hash::BuildHasherDefault<ClassHasher>>,
    summary: Summary,
    done: bool,
}

/// Classes are hashes already.
#[derive(Default)]
struct ClassHasher(u64);

impl std::hash::Hasher for ClassHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("classes are written as one number")
    }
    fn write_u64(&mut self, class: u64) {
        self.0 = class;
    }
}

impl Bounded {
    /// A search that has not begun.
    pub fn new(settings: Settings) -> Bounded {
        Bounded {
            bound: 0,
            started: false,
            frontier: Frontier::new(settings.cost),
            budget: settings.max_executions,
            running: HashMap::new(),
            next_id: 0,
            classes: HashSet::default(),
            summary: Summary { bounds: vec![BoundSummary::default()], ..Summary::default() },
            done: false,
            settings,
        }
    }

    /// The figures so far.
    pub fn summary(&self) -> Summary {
        Summary { frontier: self.frontier.size(), ..self.summary.clone() }
    }

    /// The bound at which the search is, and its executions so far: what a progress line shows.
    pub fn progress(&self) -> (u32, u64) {
        (self.bound, self.summary.executions())
    }

    fn present(&mut self) -> &mut BoundSummary {
        self.summary.bounds.last_mut().expect("there is one for every bound")
    }

    fn at_last_bound(&self) -> bool {
        self.settings.max_bound.is_some_and(|max| self.bound >= max)
    }

    fn give(&mut self, prefix: Work, scope: Option<Scope>) -> Next {
        let executions = self.settings.job_executions.min(self.budget);
        self.budget -= executions;
        let id = JobId(self.next_id);
        self.next_id += 1;
        self.running.insert(id, executions);
        let job = Job {
            prefix: prefix.prefix,
            scope: scope.unwrap_or(Scope::Cuts(prefix.cuts)),
            guide: self.settings.guide.clone(),
            cost: self.settings.cost,
            limit: Limit { executions, steps: self.settings.max_steps },
            faults: self.settings.faults,
            at_cut: self.settings.at_cut,
            keep_deferred: !self.at_last_bound(),
            reduce: self.settings.reduce,
            trace: false,
        };
        Next::Run(id, job)
    }

    /// Nothing of this bound is left: closes it. False if there is no next one.
    fn next_bound(&mut self) -> bool {
        self.present().complete = true;
        self.frontier.close(self.bound);
        let beyond = self.frontier.has_beyond(self.bound);
        if self.at_last_bound() || !beyond {
            self.summary.more |= beyond;
            return false;
        }
        self.bound += 1;
        self.summary.bounds.push(BoundSummary { bound: self.bound, ..BoundSummary::default() });
        true
    }
}

impl Search for Bounded {
    fn next(&mut self) -> Next {
        loop {
            if self.done {
                return if self.running.is_empty() { Next::Done } else { Next::Wait };
            }
            if self.budget == 0 {
                // Jobs that are being run may give some of the budget back.
                if !self.running.is_empty() {
                    return Next::Wait;
                }
                let left = !self.started || self.frontier.has_at(self.bound);
                if left || self.next_bound() {
                    self.stop(Stopped::Executions);
                }
                self.done = true;
                continue;
            }
            if !self.started {
                self.started = true;
                return self.give(Work { prefix: Vec::new(), cuts: Vec::new() }, Some(Scope::Below));
            }
            if let Some(work) = self.frontier.pop(self.bound) {
                return self.give(work, None);
            }
            if !self.running.is_empty() {
                return Next::Wait;
            }
            if !self.next_bound() {
                self.done = true;
            }
        }
    }

    fn learn(&mut self, id: JobId, outcome: Outcome) {
        let given = self.running.remove(&id).expect("an outcome belongs to a job that is being run");
        let used = outcome.executions + outcome.cut + outcome.pruned;
        self.budget += given.saturating_sub(used);
        let new_classes =
            outcome.classes.into_iter().filter(|&class| self.classes.insert(class)).count() as u64;
        let bound = self.present();
        bound.executions += outcome.executions;
        bound.cut += outcome.cut;
        bound.pruned += outcome.pruned;
        bound.step_limited += outcome.step_limited;
        bound.redundant += outcome.redundant;
        bound.new_classes += new_classes;
        self.summary.steps += outcome.steps;
        self.summary.longest = self.summary.longest.max(outcome.longest);
        self.summary.more |= outcome.leaves_out;
        self.summary.unreachable |= outcome.unreachable;
        for record in outcome.records {
            self.frontier.push_record(self.bound, record);
        }
        for job in outcome.rest.into_iter().rev() {
            if let Scope::Cuts(cuts) = job.scope {
                self.frontier.push_rest(self.bound, Work { prefix: job.prefix, cuts });
            }
        }
        if let Some(failure) = outcome.failure {
            self.summary.failures += 1;
            let ends =
                !self.settings.keep_going || matches!(failure.ending, Ending::Diverged | Ending::Misused);
            self.summary.failure.get_or_insert((self.bound, failure));
            self.done |= ends;
        }
    }

    fn stop(&mut self, why: Stopped) {
        if !self.done {
            self.summary.stopped.get_or_insert(why);
            self.done = true;
        }
    }
}
