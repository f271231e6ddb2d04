//! The server: takes jobs from the host, runs their executions and tells what came of them.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use caissa_core::{
    Bug, Checker, DeadlockChecker, Ending, Execution, Failure, Guide, GuideSpec, Guides, Job,
    LivenessChecker, ObjectKind, OpKind, PanicChecker, RaceChecker, TaskId,
};
use caissa_search::{Beside, confirm_endless, look_closer};
use caissa_wire::{LONGEST, ObjectInfo, Ran, Replayed, Reply, Request, TaskInfo, pack, unpack};

use crate::rt::{Rt, index, new_execution, number};
use crate::{heap, memory, modes, sys};

/// The descriptor of the stream to the host.
static STREAM: OnceLock<i32> = OnceLock::new();

/// From here on messages go there.
pub(crate) fn connect(stream: i32) {
    let _ = STREAM.set(stream);
}

/// Whether a descriptor is ours and none of the program's.
pub(crate) fn owns(fd: i32) -> bool {
    STREAM.get() == Some(&fd)
}

/// Says something to the host. If it is gone, so are we.
pub(crate) fn send(reply: &Reply) {
    let stream = *STREAM.get().expect("connected");
    if !sys::write_all(stream, &pack(reply)) {
        sys::exit(0);
    }
}

/// What the host says next.
pub(crate) fn receive() -> Request {
    let stream = *STREAM.get().expect("connected");
    let mut length = [0; 4];
    if !sys::read_all(stream, &mut length) {
        sys::exit(0);
    }
    let length = u32::from_le_bytes(length) as usize;
    assert!(length <= LONGEST, "no message is that long");
    let mut bytes = vec![0; length];
    if !sys::read_all(stream, &mut bytes) {
        sys::exit(0);
    }
    unpack(&bytes).expect("the host speaks as we do")
}

/// Serves until the host is gone.
pub(crate) extern "C-unwind" fn serve() -> ! {
    let rt = Rt::of_server();
    let mut server = Serving(&rt);
    if let Err(why) = modes::take_snapshot() {
        send(&Reply::Refused(why));
        sys::exit(0);
    }
    loop {
        match receive() {
            Request::Run(job) => send(&Reply::Ran(Box::new(server.run(&job)))),
            Request::Replay(job, notes) => {
                rt.state().execution.keep_notes(notes);
                rt.state().tells = notes;
                let replayed = server.replay(&job);
                rt.state().tells = false;
                send(&Reply::Replayed(Box::new(replayed)));
            }
            Request::Setup(_) => sys::exit(70),
        }
    }
}

/// The guides that programs know: those that are built in.
struct BuiltIn;

impl Guides for BuiltIn {
    fn make(&self, spec: &GuideSpec) -> Option<Guide> {
        Guide::built_in(spec)
    }
}

struct Serving<'a>(&'a Rt);

impl Serving<'_> {
    fn run(&mut self, job: &Job) -> Ran {
        let rt = self.0;
        if rt.state().execution.begin(job, &BuiltIn) {
            loop {
                self.run_execution();
                let state = rt.state();
                state.execution.finish();
                let executions = &state.journal.executions;
                executions.store(executions.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                confirm_endless(self, job);
                if let Some(failure) = self.judge().or_else(|| look_closer(self, job)) {
                    rt.state().execution.report_failure(failure);
                    break;
                }
                let state = rt.state();
                let stop = state.journal.stop.load(Ordering::Relaxed) != 0;
                if state.halt.is_some() || stop || !state.execution.advance() {
                    break;
                }
            }
        }
        let state = rt.state();
        Ran {
            outcome: state.execution.outcome(job),
            cut_off: state.cut_off.take(),
            halt: state.halt.take(),
            sealed: state.sealed,
        }
    }

    fn replay(&mut self, job: &Job) -> Replayed {
        let rt = self.0;
        rt.state().execution.begin(job, &BuiltIn);
        self.run_execution();
        rt.state().execution.finish();
        let (objects, digest) = (self.objects(), rt.digest());
        let state = rt.state();
        let place = state.place;
        let tasks = state.tasks.iter().take(state.execution.task_count() as usize);
        let tasks =
            tasks.map(|task| TaskInfo { entry: task.entry as u64, name: task.name.clone() }).collect();
        let stacks = std::mem::take(&mut state.stacks.list);
        let related = std::mem::take(&mut state.related);
        let modules = std::mem::take(&mut state.modules);
        confirm_endless(self, job);
        let state = rt.state();
        Replayed {
            trace: state.execution.take_trace().expect("a replay is traced"),
            ending: state.execution.ending().cloned().unwrap_or(Ending::Complete),
            bug: state.bug.clone(),
            place,
            related,
            spent: state.execution.spent(),
            failure: state.execution.failure(),
            tasks,
            objects,
            pending: state.execution.all_pending(),
            stacks,
            digest,
            modules,
            halt: state.halt.take(),
        }
    }

    fn run_execution(&mut self) {
        let rt = self.0;
        rt.begin();
        modes::execute(rt);
        let complete = rt.state().execution.ending() == Some(&Ending::Complete);
        if !complete || !rt.state().execution.panics().is_empty() {
            let bug = self.find_bug().filter(|bug| self.is_sure(bug));
            let state = rt.state();
            if let Some(Bug::Panic { panic, .. }) = &bug {
                let place = state.panics.iter().find(|(task, _)| *task == panic.task);
                state.place = place.map(|&(_, place)| place).or(state.place);
            }
            state.bug = bug;
        }
    }

    /// What is wrong with the execution that has just run, if anything.
    fn find_bug(&self) -> Option<Bug> {
        let execution = &self.0.state().execution;
        let waits_for = |task| self.waits_for(task);
        let mut panics = PanicChecker::default();
        let mut deadlocks = DeadlockChecker::default();
        let mut endless = LivenessChecker::default();
        let checkers: [&mut dyn Checker; 4] = [&mut RaceChecker, &mut panics, &mut deadlocks, &mut endless];
        checkers.into_iter().find_map(|checker| checker.ended(execution, &waits_for))
    }

    /// Programs in Rust say less of what they wait for: one that goes on for very long may come to an end, unless all its tasks go round in place and change nothing.
    fn is_sure(&self, bug: &Bug) -> bool {
        bug.cycle().is_none() || self.all_go_round()
    }

    /// Whether all tasks that could go on when the execution ended go round in place, as far as is known.
    fn all_go_round(&self) -> bool {
        let state = self.0.state();
        let tasks = (0..state.execution.task_count()).map(TaskId);
        let mut enabled = tasks.filter(|&task| state.execution.is_enabled(task));
        !state.code.of_rust || enabled.all(|task| state.tasks[task.index()].rounds.is_stuck())
    }

    /// The tasks that would have to act before a blocked one can go on.
    fn waits_for(&self, task: TaskId) -> Vec<TaskId> {
        let state = self.0.state();
        let (op, _) = state.execution.pending(task);
        match op.kind {
            OpKind::Join => vec![TaskId(op.object.0)],
            kind if kind.can_block() => state.objects[index(op.object)].blockers(kind),
            _ => Vec::new(),
        }
    }

    fn judge(&self) -> Option<Failure> {
        let state = self.0.state();
        let failed = match state.execution.ending() {
            Some(Ending::Diverged | Ending::Raced) => true,
            Some(Ending::Misused) => false,
            _ => state.bug.is_some(),
        };
        failed.then(|| state.execution.failure())
    }

    /// Where the objects of the execution lie, as far as anybody will ask.
    fn objects(&self) -> Vec<ObjectInfo> {
        let state = self.0.state();
        let mut all: Vec<(ObjectKind, caissa_core::ObjectId, usize)> = (0..state.object_count)
            .map(|object| (state.objects[object].kind, number(object), state.objects[object].address))
            .collect();
        let cells = state.execution.met_cells();
        let address = |object: &caissa_core::ObjectId| state.shadow.cell_address(memory::cell(*object));
        all.extend(cells.into_iter().filter_map(|cell| Some((ObjectKind::Cell, cell, address(&cell)?))));
        let info = |(kind, object, address)| {
            let block = heap::with(|heap| heap.block(address).copied());
            let block = block.and_then(|block| Some((block.address as u64, block.allocated?.source)));
            let tasks = (0..state.execution.task_count()).map(TaskId);
            let mut on_stack = tasks.filter(|task| {
                let stack = &state.tasks[task.index()].stack;
                stack.contains(&address) && stack.len() < 1 << 30
            });
            ObjectInfo { kind, object, address: address as u64, block, stack_of: on_stack.next() }
        };
        all.into_iter().map(info).collect()
    }
}

impl Beside for Serving<'_> {
    fn execution(&mut self) -> &mut Execution {
        &mut self.0.state().execution
    }

    fn bug(&mut self) -> &mut Option<Bug> {
        &mut self.0.state().bug
    }

    fn beside<R>(&mut self, job: &Job, look: impl FnOnce(&mut Self) -> R) -> R {
        let state = self.0.state();
        let aside = state.aside.take();
        let mut aside = aside.unwrap_or_else(|| Box::new(new_execution(&state.setup, false)));
        std::mem::swap(&mut state.execution, &mut aside);
        if state.execution.begin(job, &BuiltIn) {
            self.run_execution();
            self.0.state().execution.finish();
        }
        let result = look(self);
        let state = self.0.state();
        state.bug = None;
        std::mem::swap(&mut state.execution, &mut aside);
        state.aside = Some(aside);
        result
    }

    fn may_be_endless(&mut self) -> bool {
        self.all_go_round()
    }

    fn keep_cut_off(&mut self, failure: Failure) {
        self.0.state().cut_off.get_or_insert(failure);
    }
}
