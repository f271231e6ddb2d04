//! A front end for the programs of these tests: runs the jobs of the core on them.

use caissa_core::class::Access;
use caissa_core::guide::{RoundRobin, SkippingDepthFirst};
use caissa_core::{
    AtCut, Cost, Cut, Ending, Execution, Guide, GuideSpec, Guides, Identity, Job, Limit, Next, ObjectId, Op,
    OpKind, Scope, TaskId, Trace,
};

use super::program::{Instruction, Program, State, members, only};
use super::space::Space;

struct BuiltIn;

impl Guides for BuiltIn {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        Some(match spec {
            GuideSpec::NonPreemptive => Guide::NonPreemptive,
            GuideSpec::Delaying(name) if name == "round-robin" => {
                Guide::Delaying(Box::new(RoundRobin::default()))
            }
            GuideSpec::Delaying(_) => Guide::Delaying(Box::new(SkippingDepthFirst::default())),
            sampling => Guide::sampling(sampling)?,
        })
    }
}

/// A job without a prefix.
pub fn job(scope: Scope, guide: GuideSpec, cost: Cost, steps: usize) -> Job {
    Job {
        faults: 0,
        prefix: Vec::new(),
        scope,
        guide,
        cost,
        limit: Limit { executions: 1_000_000, steps: steps as u32 },
        at_cut: AtCut::Stop,
        keep_deferred: true,
        reduce: false,
        repeat: None,
        trace: false,
    }
}

/// One execution.
pub struct Run {
    /// The task of each step.
    pub tasks: Vec<usize>,
    pub ending: Ending,
    pub spent: u32,
    /// If the job asked for one.
    pub trace: Option<Trace>,
}

/// The executions of one program.
pub struct FrontEnd<'a> {
    program: &'a Program,
    execution: Execution,
    spawns_commute: bool,
}

/// Objects: the variables by their numbers, and the lock.
const LOCK: usize = 2;

impl<'a> FrontEnd<'a> {
    pub fn new(program: &'a Program, fair_k: u32) -> FrontEnd<'a> {
        let identity = Identity { fair_k, ..Identity::RUST };
        let spawns_commute = spawns_commute(program);
        FrontEnd { program, execution: Execution::new(true, identity), spawns_commute }
    }

    /// Runs all executions of a job; returns them and the jobs that cost more, each with how much more.
    pub fn run(&mut self, job: &Job) -> (Vec<Run>, Vec<(u32, Job)>) {
        let mut runs = Vec::new();
        let mut more = self.execution.begin(job, &BuiltIn);
        while more {
            self.execution.start();
            let (tasks, last) = self.one();
            self.execution.finish();
            let ending = self.execution.ending().cloned().expect("it is over");
            match ending {
                Ending::Complete => assert!(self.program.is_complete(&last)),
                Ending::Deadlock => {
                    assert!(self.program.enabled(&last) == 0 && !self.program.is_complete(&last));
                }
                _ => {}
            }
            let spent = self.execution.spent();
            more = self.execution.advance();
            runs.push(Run { tasks, ending, spent, trace: self.execution.take_trace() });
        }
        let outcome = self.execution.outcome(job);
        assert!(outcome.rest.is_empty() && outcome.failure.is_none());
        let mut dearer = Vec::new();
        for record in &outcome.records {
            let (prefix, cuts) = record.unpack();
            let mut add = |more, cuts| {
                dearer.push((more, Job { prefix: prefix.clone(), scope: Scope::Cuts(cuts), ..job.clone() }));
            };
            if job.cost == Cost::Delays {
                // The option at position n costs n delays.
                for cut in cuts {
                    let position = |from| (from, vec![Cut { from, to: from + 1, ..cut }]);
                    (cut.from..cut.to).map(position).for_each(|(more, cuts)| add(more, cuts));
                }
            } else {
                add(1, cuts);
            }
        }
        (runs, dearer)
    }

    /// One execution: its tasks and its last state. A task that is switched to takes the step that it announced.
    fn one(&mut self) -> (Vec<usize>, State) {
        for object in 0..=LOCK {
            self.execution.add_object(object);
        }
        if !self.spawns_commute {
            self.execution.expect_side_effects();
        }
        let mut tasks = Vec::new();
        let mut state = self.program.initial();
        let mut running = 0;
        loop {
            match self.announce(&state, running) {
                Next::Stay => {}
                Next::Switch(task) => running = task.index(),
                Next::End => return (tasks, state),
            }
            loop {
                tasks.push(running);
                let next = self.take(&state, running);
                if !self.program.has_ended(&next, running) {
                    state = next;
                    break;
                }
                state = next;
                match self.execution.end_task() {
                    Next::Stay => unreachable!("the task has ended"),
                    Next::Switch(task) => running = task.index(),
                    Next::End => return (tasks, state),
                }
            }
        }
    }

    fn announce(&mut self, state: &State, task: usize) -> Next {
        let source = std::panic::Location::caller().into();
        let instruction = self.program.pending(state, task).expect("it has not ended");
        let (kind, object) = match instruction {
            Instruction::Set(variable, _) => (OpKind::Store, variable),
            Instruction::Add(variable) => (OpKind::Rmw, variable),
            Instruction::Test(variable, ..) | Instruction::Await(variable, _) => (OpKind::Load, variable),
            Instruction::Lock => (OpKind::Lock, LOCK),
            Instruction::Unlock => (OpKind::Unlock, LOCK),
            Instruction::TryLock(_) => (OpKind::TryLock, LOCK),
            Instruction::Yield(_) => (OpKind::Yield, task),
            Instruction::Spawn => (OpKind::Spawn, task),
            Instruction::End => (OpKind::End, task),
        };
        if instruction == Instruction::End {
            self.execution.end_unseen();
        }
        let op = Op::new(kind, ObjectId(object as u32));
        if !self.program.is_enabled(state, task) {
            self.execution.block(op, source)
        } else if self.execution.coast() {
            Next::Stay
        } else {
            self.execution.point(op, source)
        }
    }

    /// The step of a task, and what it enables and disables.
    fn take(&mut self, state: &State, task: usize) -> State {
        let next = self.program.next(state, task);
        if self.program.yielding(state) & only(task) != 0 {
            self.execution.yields();
        }
        match self.program.touches(state, task) {
            Some((object, true)) => self.execution.touch(object, Access::Write),
            Some((object, false)) => self.execution.touch(object, Access::Read),
            None => self.execution.past_mut(TaskId(task as u32)).absorb(1),
        }
        let child = self.program.creates(state, task);
        if let Some(child) = child {
            assert_eq!(self.execution.spawn().index(), child);
            assert_eq!(self.announce(&next, child), Next::Switch(TaskId(task as u32)));
        }
        for other in members(self.program.all()) {
            if other == task || Some(other) == child || self.program.pending(&next, other).is_none() {
                continue;
            }
            match self.program.is_enabled(&next, other) {
                true => self.execution.enable(TaskId(other as u32)),
                false => self.execution.disable(TaskId(other as u32)),
            }
        }
        next
    }
}

/// Whether it is fixed which task each spawn creates: two tasks never come to stand before one at the same time.
fn spawns_commute(program: &Program) -> bool {
    let ambiguous = |state: &State| {
        members(program.all()).filter(|&task| program.creates(state, task).is_some()).count() > 1
    };
    !Space::plain(program).states.iter().any(ambiguous)
}
