//! A worker: expands states.

use std::sync::atomic::{AtomicBool, Ordering};

use super::memo::{Known, Leaf, Memo, Recorder};
use super::node::{At, Codec, Encoded, Node, Pending};
use super::reached::Reached;
use super::states::{Access, Batch, StateRef, Store};
use super::tasks::{TaskCache, TaskTable};
use super::{Ended, Order, Settings, Watched, Wrong};
use crate::code::{Code, Fault};
use crate::machine::run::{LONG, holds, is_blocked_watched, run};
use crate::machine::{End, Running, Scope, Stop, TaskSpace, Tasks as _};

/// What all workers share.
pub(super) struct Shared<'a> {
    pub(super) code: &'a Code,
    pub(super) codec: Codec,
    pub(super) store: Store,
    pub(super) tasks: TaskTable,
    pub(super) order: Order,
    pub(super) settings: &'a Settings,
    pub(super) watched: &'a Watched,
    /// There is no memory left.
    pub(super) full: AtomicBool,
}

impl Shared<'_> {
    /// Whether to stop, now that some time has passed.
    pub(super) fn must_stop(&self) -> bool {
        let bytes = self.store.bytes().1 + self.tasks.bytes() as u64;
        if bytes > self.settings.memory || self.store.is_full() {
            self.full.store(true, Ordering::Relaxed);
        }
        self.watched.states.store(self.store.count(), Ordering::Relaxed);
        self.is_stopped()
    }

    /// Why it ends before its end, if it does.
    pub(super) fn ended(&self) -> Option<Ended> {
        match () {
            () if self.watched.stop.load(Ordering::Relaxed) => Some(Ended::Asked),
            () if self.full.load(Ordering::Relaxed) => Some(Ended::Memory),
            () if self.store.count() > self.settings.max_states => Some(Ended::States),
            () => None,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.full.load(Ordering::Relaxed) || self.watched.stop.load(Ordering::Relaxed)
    }
}

/// So many values of choices are tried between two looks at whether to stop.
const MANY_VALUES: u32 = 4_096;

/// A transition that costs more than the bound allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    state: StateRef,
    /// Which of its candidates.
    index: u32,
    /// What it costs.
    pub(super) cost: u32,
}

/// How far a state was expanded in the quick way.
enum Simply {
    All,
    /// As many candidates.
    Some(u32),
}

pub(super) struct Worker<'a> {
    shared: &'a Shared<'a>,
    /// The states.
    pub(super) access: Access<'a>,
    tasks: TaskCache<'a>,
    node: Node,
    running: Running,
    /// Choices whose other values are still to be taken.
    branches: Vec<(Running, i32, i32)>,
    /// How many values of choices were tried.
    values: u32,
    /// What tasks do, of which nothing is left if they are blocked.
    memo: Memo<Option<Leaf>>,
    recorder: Recorder,
    /// States that were reached and are not in the store yet.
    reached: Reached,
    /// Room for the bytes of a state.
    bytes: Vec<u8>,
    /// Room for a state whose transition was put off.
    one: Batch,
    candidates: Vec<(u32, u32)>,
    /// The pending tasks of a simple node.
    pending: Pending,
    pub(super) deferred: Vec<Deferred>,
    /// States that were new.
    pub(super) fresh: Vec<StateRef>,
    keeps_fresh: bool,
    pub(super) found: Vec<(StateRef, Wrong)>,
    /// Globals where all tasks have ended, if they are kept.
    pub(super) terminated: Option<Vec<Vec<i32>>>,
    pub(super) transitions: u64,
    pub(super) long: bool,
    /// A delaying scheduler's number, and how many tasks were pending, when the present task was taken.
    number: (u32, usize),
    /// The task has not ended at the point that it has come to.
    goes_on: bool,
    /// How often it has looked whether it must stop.
    pub(super) batches: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, number: usize) -> Worker<'a> {
        Worker {
            access: Access::new(&shared.store, number),
            tasks: TaskCache::new(shared.code, &shared.tasks),
            node: Node::default(),
            running: Running::default(),
            branches: Vec::new(),
            values: 0,
            memo: Memo::default(),
            recorder: Recorder::default(),
            reached: Reached::default(),
            bytes: Vec::new(),
            one: Batch::default(),
            candidates: Vec::new(),
            pending: Pending::default(),
            deferred: Vec::new(),
            fresh: Vec::new(),
            keeps_fresh: shared.order == Order::DepthFirst,
            found: Vec::new(),
            terminated: None,
            transitions: 0,
            long: false,
            number: (0, 0),
            goes_on: false,
            batches: 0,
            shared,
        }
    }

    /// The state in which every buffer has its first task, and the first buffer runs.
    pub(super) fn insert_first(&mut self) {
        let code = self.shared.code;
        let mut config = crate::machine::Config::new(code.program.buffers.len());
        for (n, buffer) in code.program.buffers.iter().enumerate() {
            let mut task = crate::machine::Task::default();
            let level = crate::ir::LevelId(0);
            task.begin(code, crate::ir::BufferId(n as u32), buffer.main, &[], level);
            config.buffers[n].pending.push(self.tasks.create(&task));
        }
        let number = match self.shared.order {
            Order::Delays(scheduler, _) => Some(scheduler.first()),
            _ => None,
        };
        let at = At::first(&config, &self.tasks.at(&code.init));
        self.bytes.clear();
        self.shared.codec.encode(&code.init, &mut config, (at, number), &mut self.bytes);
        self.reached.push(&self.bytes, StateRef::NONE);
        self.flush();
        self.access.end_level();
    }

    /// Puts the states that were reached into the store, if they are many.
    #[inline]
    fn flush_many(&mut self) {
        if self.reached.is_full() {
            self.flush();
        }
    }

    /// Puts the states that were reached into the store.
    pub(super) fn flush(&mut self) {
        let Worker { access, reached, fresh, keeps_fresh, .. } = self;
        access.insert_all(reached, |state| {
            if *keeps_fresh {
                fresh.push(state);
            }
        });
    }

    /// Expands a state.
    pub(super) fn expand(&mut self, state: StateRef, node: Encoded<'_>) {
        let is_simple = self.shared.codec.is_simple() && !self.shared.settings.interprets;
        let done = match is_simple.then(|| self.expand_simply(state, node)) {
            Some(Simply::All) => return,
            Some(Simply::Some(done)) => done,
            None => 0,
        };
        self.decode(node.bytes());
        if self.candidates.is_empty() {
            return self.judge_end(state);
        }
        if is_simple && !matches!(self.node.at, At::Running(_)) {
            self.learn_blocked();
        }
        for index in done..self.candidates.len() as u32 {
            match self.cost(index) {
                0 => self.execute(state, index),
                cost => self.deferred.push(Deferred { state, index, cost }),
            }
        }
    }

    /// Expands a state in which nobody is active, without reading more of it than tasks do, as far as it is known what they do and that is no
    /// more than to change themselves and globals: the quick way of most steps.
    fn expand_simply(&mut self, from: StateRef, node: Encoded<'_>) -> Simply {
        let codec = &self.shared.codec;
        let mut pending = std::mem::take(&mut self.pending);
        if !codec.decode_pending(node, &mut pending) {
            self.pending = pending;
            return Simply::Some(0);
        }
        let top = match self.shared.code.serial.len() {
            1 => 0,
            _ => (0..pending.count())
                .map(|index| self.tasks.meet_level(pending.task(index)))
                .max()
                .unwrap_or(0),
        };
        let (mut done, mut all, mut last) = (0, true, None);
        for index in 0..pending.count() {
            let task = pending.task(index);
            // Equal tasks lie side by side.
            if last == Some(task) || (top > 0 && self.tasks.meet_level(task) != top) {
                continue;
            }
            last = Some(task);
            let change = match self.memo.find(task, |slot| codec.above(node, slot)) {
                Known::Leaf(None) => continue,
                Known::Leaf(Some(Leaf { change: Some(change), .. })) => change,
                _ => {
                    all = false;
                    break;
                }
            };
            codec.encode_change((from, node), (&pending, index), change, &mut self.reached);
            done += 1;
            self.flush_many();
        }
        self.pending = pending;
        self.transitions += done as u64;
        // Where nobody can go on it has to be seen why.
        if all && done > 0 { Simply::All } else { Simply::Some(done) }
    }

    /// Learns which tasks of the present node are blocked, where that was not known.
    fn learn_blocked(&mut self) {
        let Worker { memo, node, tasks, recorder, shared, .. } = self;
        let ranges = &shared.code.ranges;
        let above = |slot| node.globals[slot as usize].wrapping_sub(ranges[slot as usize].0) as u32;
        for &task in &node.config.buffers[0].pending {
            if matches!(memo.find(task, above), Known::New) {
                recorder.clear();
                if is_blocked_watched(shared.code, &node.globals, tasks.task(task), recorder) {
                    memo.learn(task, &recorder.reads, ranges, Some(None));
                }
            }
        }
    }

    /// What it costs to let a candidate go on.
    fn cost(&self, index: u32) -> u32 {
        match self.shared.order {
            Order::BreadthFirst | Order::DepthFirst => 0,
            Order::Preemptions(_) => {
                let task = self.candidates[index as usize].1;
                self.node.current.is_some_and(|current| current != task) as u32
            }
            Order::Delays(..) if matches!(self.node.at, At::Running(_)) => 0,
            Order::Delays(..) => index,
        }
    }

    /// Executes a transition that was put off.
    pub(super) fn execute_deferred(&mut self, Deferred { state, index, .. }: Deferred) {
        let mut one = std::mem::take(&mut self.one);
        self.access.read(state, &mut one);
        one.iter().for_each(|(_, node)| self.decode(node.bytes()));
        self.one = one;
        self.execute(state, index);
    }

    fn decode(&mut self, bytes: &[u8]) {
        self.shared.codec.decode(bytes, &mut self.tasks, &mut self.node);
        let Worker { node, candidates, tasks, .. } = self;
        candidates.clear();
        if let At::Running(n) = node.at {
            // It goes on, whatever else could.
            candidates.push((n, *node.config.buffers[n as usize].active.last().expect("it runs")));
            return;
        }
        if let (Order::Delays(scheduler, _), Some(number)) = (self.shared.order, node.current) {
            let tasks = tasks.at(&node.globals);
            let able = |task| !tasks.is_blocked(task);
            let pending = &node.config.buffers[0].pending;
            return scheduler.order(pending, number, able, &mut |task| candidates.push((0, task)));
        }
        let mut each = |n, task| {
            // Equal tasks lie side by side.
            if candidates.last() != Some(&(n, task)) {
                candidates.push((n, task));
            }
        };
        node.config.candidates(&tasks.at(&node.globals), node.at.scope(), &mut each);
    }

    /// Nobody can go on.
    fn judge_end(&mut self, state: StateRef) {
        if !self.node.config.is_terminated() {
            return self.found.push((state, Wrong::Deadlock));
        }
        if let Some(terminated) = &mut self.terminated {
            terminated.push(self.node.globals.clone());
        }
        for (number, condition) in self.shared.code.finals.iter().enumerate() {
            let fault = match holds(condition, &self.node.globals) {
                Ok(true) => continue,
                Ok(false) => Fault::Final(number as u32),
                Err(fault) => fault,
            };
            return self.found.push((state, Wrong::Fault(fault)));
        }
    }

    /// A task goes on from the present node, to its next point, in every way.
    fn execute(&mut self, from: StateRef, index: u32) {
        let (n, handle) = self.candidates[index as usize];
        self.running.globals.slots.clone_from(&self.node.globals);
        self.running.config.clone_from(&self.node.config);
        self.take(index);
        self.running.choose_task(&self.tasks, n, handle);
        if self.shared.settings.interprets {
            self.running.take_up(&self.tasks, n);
        } else if let Some(end) = self.recall(handle) {
            return self.finish(from, end);
        }
        let found = self.found.len();
        self.run_branch(from);
        // The next value of the youngest choice.
        while let Some((before, value, hi)) = self.branches.pop() {
            self.values += 1;
            // One finding is enough, unless all are wanted.
            let is_done = self.found.len() > found && !self.shared.settings.census;
            let must_stop = || self.shared.must_stop() || self.shared.ended().is_some();
            if is_done || (self.values.is_multiple_of(MANY_VALUES) && must_stop()) {
                return self.branches.clear();
            }
            if value < hi {
                self.running = before.clone();
                self.branches.push((before, value + 1, hi));
            } else {
                self.running = before;
            }
            match self.running.choose(self.shared.code, value) {
                Ok(()) => self.run_branch(from),
                Err(fault) => self.found.push((from, Wrong::Fault(fault))),
            }
        }
    }

    /// Does what is known that the running task does, or works it out and learns it. Nothing if it has to be worked out from where it is.
    fn recall(&mut self, handle: u32) -> Option<End> {
        let Worker { memo, running, tasks, recorder, shared, .. } = self;
        let ranges = &shared.code.ranges;
        let globals = &mut running.globals.slots;
        let above = |slot| globals[slot as usize].wrapping_sub(ranges[slot as usize].0) as u32;
        let known = match memo.find(handle, above) {
            Known::Leaf(leaf) => Some(leaf.as_ref().expect("who is blocked does not go on")),
            Known::New => None,
            Known::Opaque => {
                running.take_up(tasks, running.n);
                return None;
            }
        };
        let (stop, task) = if let Some(leaf) = known {
            for &(slot, value) in &leaf.writes {
                globals[slot as usize] = value;
            }
            (leaf.stop, leaf.task)
        } else {
            running.take_up(tasks, running.n);
            recorder.clear();
            let blocked = is_blocked_watched(shared.code, &running.globals.slots, &running.task, recorder);
            assert!(!blocked, "who is blocked does not go on");
            // What it has done so far is undone if it cannot be learned.
            let before = running.globals.slots.clone();
            let stop = run(shared.code, &mut running.globals, &mut running.task, recorder, &mut { LONG });
            if !matches!(stop, Stop::Yield | Stop::Zield | Stop::Pause | Stop::Blocked | Stop::Ended) {
                memo.learn(handle, &recorder.reads, ranges, None);
                running.globals.slots = before;
                running.take_up(tasks, running.n);
                return None;
            }
            let task = if stop == Stop::Ended { 0 } else { tasks.number(&running.task) };
            let becomes = match stop {
                Stop::Ended => Some(None),
                Stop::Zield => None,
                _ => (!shared.code.serial[running.task.level as usize]).then_some(Some(task)),
            };
            let change = becomes.map(|task| shared.codec.change(&recorder.writes, task));
            let writes = recorder.writes.clone().into_boxed_slice();
            memo.learn(handle, &recorder.reads, ranges, Some(Some(Leaf { writes, stop, task, change })));
            (stop, task)
        };
        if stop != Stop::Ended {
            *running.config.buffers[running.n as usize].active.last_mut().expect("it runs") = task;
        }
        Some(running.settle(tasks, stop, task))
    }

    /// A delaying scheduler takes the task that is to go on.
    fn take(&mut self, index: u32) {
        let Order::Delays(scheduler, _) = self.shared.order else { return };
        let Worker { running, node, tasks, .. } = self;
        if matches!(node.at, At::Running(_)) {
            let number = node.current.unwrap_or(0);
            self.number = (number & 0xffff, (number >> 16) as usize);
            return;
        }
        let tasks = tasks.at(&node.globals);
        let pending = &mut running.config.buffers[0].pending;
        let able = |task| !tasks.is_blocked(task);
        let (task, number) = scheduler.take(pending, node.current.unwrap_or(0), index, able);
        self.number = (number, pending.len());
        running.config.buffers[0].active.push(task);
    }

    fn run_branch(&mut self, from: StateRef) {
        loop {
            let end = self.running.run(self.shared.code, &mut self.tasks);
            match end {
                End::Choose { lo, hi } => {
                    if !self.running.may_choose(lo, hi) {
                        self.running.put_back(&mut self.tasks);
                        return self.reach(from, At::Running(self.running.n), None);
                    }
                    if lo < hi {
                        self.branches.push((self.running.clone(), lo + 1, hi));
                    }
                    if let Err(fault) = self.running.choose(self.shared.code, lo) {
                        self.transitions += 1;
                        return self.found.push((from, Wrong::Fault(fault)));
                    }
                }
                End::Point { .. } => return self.finish(from, end),
                End::Discarded => return self.transitions += 1,
                End::Failed(fault) => {
                    self.transitions += 1;
                    return self.found.push((from, Wrong::Fault(fault)));
                }
                End::Spins => return self.found.push((from, Wrong::Spins)),
                End::Long => return self.long = true,
            }
        }
    }

    /// The segment has come to a point.
    fn finish(&mut self, from: StateRef, end: End) {
        let End::Point { scope, current, ended } = end else { unreachable!("{end:?} is no point") };
        self.goes_on = !ended;
        let at = match scope {
            Scope::All => At::All,
            Scope::Buffer(n) => At::Buffer(n),
        };
        self.reach(from, at, current);
    }

    fn reach(&mut self, from: StateRef, at: At, mut current: Option<u32>) {
        self.transitions += 1;
        if let Order::Delays(scheduler, _) = self.shared.order {
            let buffer = &mut self.running.config.buffers[0];
            let (number, old) = self.number;
            current = Some(match at {
                At::Running(_) => number | (old as u32) << 16,
                _ => scheduler.give(&mut buffer.pending, number, old, self.goes_on),
            });
        }
        let Running { globals, config, .. } = &mut self.running;
        self.bytes.clear();
        self.shared.codec.encode(&globals.slots, config, (at, current), &mut self.bytes);
        self.reached.push(&self.bytes, from);
        self.flush_many();
    }
}
