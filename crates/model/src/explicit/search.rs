//! The search: level by level, bound by bound, by any number of workers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::barrier::Barrier;
use super::liveness::{self, Endless, Looked};
use super::node::{Codec, Keeps};
use super::path;
use super::states::{Batch, StateRef, Store};
use super::tasks::TaskTable;
use super::worker::{Deferred, Shared, Worker};
use super::{BoundStates, Explored, Found, Order, Settings, Watched, Wrong};
use crate::code::Code;

/// Explores a model.
pub fn explore(code: &Code, settings: &Settings, watched: &Watched) -> Explored {
    let keeps = match settings.order {
        Order::BreadthFirst | Order::DepthFirst => Keeps::Nothing,
        Order::Preemptions(_) => Keeps::Current,
        Order::Delays(..) => Keeps::Order,
    };
    let workers = if settings.order == Order::DepthFirst { 1 } else { settings.workers.max(1) };
    let shared = Shared {
        code,
        codec: Codec::new(code, keeps),
        store: Store::new(workers, settings.compact && settings.order == Order::BreadthFirst),
        tasks: TaskTable::default(),
        order: settings.order,
        settings,
        watched,
        full: AtomicBool::new(false),
    };
    let search = Search {
        shared: &shared,
        settings,
        watched,
        round: Round::default(),
        barrier: Barrier::new(workers as usize),
    };
    let mut explored = Explored::default();
    let found = std::thread::scope(|scope| {
        for number in 1..workers as usize {
            let search = &search;
            scope.spawn(move || search.assist(number));
        }
        let _guard = search.barrier.guard();
        let found = search.lead(&mut explored);
        if workers > 1 {
            search.round.over.store(true, Ordering::Release);
            search.barrier.wait();
        }
        found
    });
    explored.states = shared.store.count();
    explored.tasks = shared.tasks.count() as u64;
    (explored.state_bytes, explored.bytes) = shared.store.bytes();
    explored.bytes += shared.tasks.bytes() as u64;
    if found.is_none() && explored.complete && settings.liveness && !explored.long {
        look_for_livelocks(code, settings, watched, &mut explored);
    }
    if let Some((state, wrong)) = found {
        explored.found =
            Some(path::found(&shared, state, wrong, explored.bounds.last().map(|last| last.bound)));
    }
    explored
}

/// All states are known and none is wrong: is there an execution without end?
fn look_for_livelocks(code: &Code, settings: &Settings, watched: &Watched, explored: &mut Explored) {
    if explored.transitions < explored.states {
        // No state was reached twice: there is no cycle.
        explored.liveness = true;
        return;
    }
    match liveness::look(code, settings, watched) {
        Looked::Found(Endless { wrong, choices, from, to, depth }) => {
            let repeat = Some((from, to));
            explored.found = Some(Found { wrong, spent: None, choices, depth, repeat });
            explored.liveness = true;
        }
        Looked::None => explored.liveness = true,
        Looked::Ended(ended) => {
            explored.ended = Some(ended);
            explored.complete = false;
        }
        Looked::TooMany => {}
    }
}

/// What workers do together.
#[derive(Default)]
struct Round {
    /// Transitions to execute first; the states of the level else.
    deferred: std::sync::RwLock<Vec<Deferred>>,
    next_deferred: AtomicUsize,
    /// What workers have left behind.
    left: std::sync::Mutex<Left>,
    over: AtomicBool,
}

#[derive(Default)]
struct Left {
    deferred: Vec<Deferred>,
    found: Vec<(StateRef, Wrong)>,
    terminated: Vec<Vec<i32>>,
    transitions: u64,
    long: bool,
}

struct Search<'a> {
    shared: &'a Shared<'a>,
    settings: &'a Settings,
    watched: &'a Watched,
    round: Round,
    barrier: Barrier,
}

const LOCK: &str = "no worker panics with it";

impl Search<'_> {
    fn worker(&self, number: usize) -> Worker<'_> {
        let mut worker = Worker::new(self.shared, number);
        worker.terminated = self.settings.census.then(Vec::new);
        worker
    }

    /// The first worker: goes from level to level and from bound to bound.
    fn lead(&self, explored: &mut Explored) -> Option<(StateRef, Wrong)> {
        let mut worker = self.worker(0);
        worker.insert_first();
        if self.settings.order == Order::DepthFirst {
            return self.depth_first(worker, explored);
        }
        let (mut bound, mut before, mut known) = (0, 0, 0);
        // What is put off, by the bound that allows it.
        let mut deferred: BTreeMap<u32, Vec<Deferred>> = BTreeMap::new();
        loop {
            self.watched.bound.store(bound as u64, Ordering::Relaxed);
            let mut found = None;
            if let Some(now) = deferred.remove(&bound) {
                *self.round.deferred.write().expect(LOCK) = now;
                self.round.next_deferred.store(0, Ordering::Relaxed);
                found = self.level(&mut worker, false, explored);
                self.round.deferred.write().expect(LOCK).clear();
            }
            while found.is_none() && explored.ended.is_none() && self.shared.store.next_level() {
                let count = self.shared.store.count();
                let small = count - known < self.settings.few_states;
                known = count;
                found = self.level(&mut worker, small, explored);
            }
            for item in std::mem::take(&mut self.round.left.lock().expect(LOCK).deferred) {
                deferred.entry(bound + item.cost).or_default().push(item);
            }
            let states = self.shared.store.count();
            let complete = found.is_none() && explored.ended.is_none();
            if let Order::Preemptions(_) | Order::Delays(..) = self.settings.order {
                explored.bounds.push(BoundStates { bound, states: states - before, complete });
            }
            before = states;
            if !complete {
                return found;
            }
            if deferred.is_empty() {
                explored.complete = !explored.long;
                return None;
            }
            let (Order::Preemptions(last) | Order::Delays(_, last)) = self.settings.order else {
                unreachable!("only costs put off");
            };
            if last == Some(bound) {
                return None;
            }
            bound += 1;
        }
    }

    /// All workers expand a level, or one does if it is small. Returns what was found.
    fn level(
        &self,
        worker: &mut Worker<'_>,
        small: bool,
        explored: &mut Explored,
    ) -> Option<(StateRef, Wrong)> {
        let together = self.settings.workers > 1 && !small;
        if together {
            self.barrier.wait();
        }
        self.work(worker);
        if together {
            self.barrier.wait();
        }
        let mut left = self.round.left.lock().expect(LOCK);
        explored.transitions = left.transitions;
        explored.long |= left.long;
        let states = self.shared.store.count();
        self.watched.states.store(states, Ordering::Relaxed);
        self.watched.transitions.store(left.transitions, Ordering::Relaxed);
        explored.ended = self.shared.ended();
        if self.settings.census {
            let bound = self.watched.bound.load(Ordering::Relaxed) as u32;
            explored.census.wrong.extend(left.found.drain(..).map(|(_, wrong)| (bound, wrong)));
            explored.census.terminated.extend(left.terminated.drain(..).map(|globals| (bound, globals)));
            return None;
        }
        // Whoever came first, it is the same one in the end.
        let first = left.found.iter().min_by_key(|(state, _)| self.shared.store.rank(*state)).copied();
        left.found.clear();
        first
    }

    /// Another worker: helps with every large level.
    fn assist(&self, number: usize) {
        let _guard = self.barrier.guard();
        let mut worker = self.worker(number);
        loop {
            self.barrier.wait();
            if self.round.over.load(Ordering::Acquire) {
                return;
            }
            self.work(&mut worker);
            self.barrier.wait();
        }
    }

    /// Takes part in the present level.
    fn work(&self, worker: &mut Worker<'_>) {
        let deferred = self.round.deferred.read().expect(LOCK);
        loop {
            let start = self.round.next_deferred.fetch_add(64, Ordering::Relaxed);
            if start >= deferred.len() || self.must_stop(worker) {
                break;
            }
            for &item in &deferred[start..deferred.len().min(start + 64)] {
                worker.execute_deferred(item);
            }
        }
        if deferred.is_empty() {
            self.expand_level(worker);
        }
        worker.flush();
        worker.access.end_level();
        let mut left = self.round.left.lock().expect(LOCK);
        left.deferred.append(&mut worker.deferred);
        left.found.append(&mut worker.found);
        if let Some(terminated) = &mut worker.terminated {
            left.terminated.append(terminated);
        }
        left.transitions += std::mem::take(&mut worker.transitions);
        left.long |= worker.long;
    }

    fn expand_level(&self, worker: &mut Worker<'_>) {
        let mut batch = Batch::default();
        while !self.must_stop(worker) && worker.access.take(&mut batch) {
            for (state, node) in batch.iter() {
                worker.expand(state, node);
            }
        }
    }

    fn must_stop(&self, worker: &mut Worker<'_>) -> bool {
        worker.batches += 1;
        if worker.batches.is_multiple_of(8) { self.shared.must_stop() } else { self.shared.is_stopped() }
    }

    /// The newest state first.
    fn depth_first(&self, mut worker: Worker<'_>, explored: &mut Explored) -> Option<(StateRef, Wrong)> {
        let mut stack = std::mem::take(&mut worker.fresh);
        let mut batch = Batch::default();
        let mut found = None;
        while let Some(state) = stack.pop() {
            if self.must_stop(&mut worker) || self.shared.store.count() > self.settings.max_states {
                break;
            }
            worker.access.read(state, &mut batch);
            for (state, node) in batch.iter() {
                worker.expand(state, node);
            }
            worker.flush();
            // The first candidate on top.
            worker.fresh.reverse();
            stack.append(&mut worker.fresh);
            if let Some(&first) = worker.found.first() {
                found = Some(first);
                break;
            }
        }
        explored.ended = self.shared.ended();
        explored.transitions = worker.transitions;
        explored.long = worker.long;
        explored.complete = found.is_none() && explored.ended.is_none() && !worker.long;
        found
    }
}
