//! From a state to the choices that lead there: the path of states is followed once more, with tasks that can be told apart.

use caissa_core::Choice;

use super::node::{At, Node};
use super::states::StateRef;
use super::tasks::TaskCache;
use super::worker::Shared;
use super::{Found, Order, Wrong};
use crate::machine::{
    Config, End, Numbered, Ran, Running, Scope, TaskSpace as _, Tasks as _, run_in_every_way,
};

/// A way on: where the segment ends, and what was decided in it.
struct Way<'a> {
    space: Numbered<'a, ()>,
    running: Running,
    end: End,
    /// As in [`Ran`].
    decided: Vec<Option<u32>>,
    /// The point at its end, if it ends at one: as in [`Node`].
    at: Option<(At, Option<u32>)>,
}

/// Turns a finding into the choices that lead to it.
pub(super) fn found(shared: &Shared<'_>, state: StateRef, wrong: Wrong, spent: Option<u32>) -> Found {
    let mut states = Vec::new();
    let mut at = state;
    while at != StateRef::NONE {
        states.push(at);
        at = shared.store.parent(at);
    }
    states.reverse();
    let mut follow = Follow::new(shared);
    for &next in &states[1..] {
        follow.go(next);
    }
    if !follow.is_at_end(wrong) {
        follow.go_wrong(wrong);
    }
    Found { wrong, spent, choices: follow.choices, depth: states.len() as u32 - 1, repeat: None }
}

struct Follow<'a> {
    shared: &'a Shared<'a>,
    cache: TaskCache<'a>,
    space: Numbered<'a, ()>,
    node: Node,
    choices: Vec<Choice>,
    step: u32,
    first: bool,
}

impl<'a> Follow<'a> {
    fn new(shared: &'a Shared<'a>) -> Follow<'a> {
        let code = shared.code;
        let (space, config) = Numbered::new(code, ());
        let current = match shared.order {
            Order::Delays(scheduler, _) => Some(scheduler.first()),
            _ => None,
        };
        let at = At::first(&config, &space.at(&code.init));
        let node = Node { globals: code.init.clone(), config, at, current };
        let cache = TaskCache::new(code, &shared.tasks);
        Follow { shared, cache, space, node, choices: Vec::new(), step: 0, first: at != At::All }
    }

    fn candidates(&self) -> Vec<(u32, u32)> {
        if let At::Running(n) = self.node.at {
            return vec![(n, *self.node.config.buffers[n as usize].active.last().expect("it runs"))];
        }
        let mut candidates = Vec::new();
        let tasks = self.space.at(&self.node.globals);
        if let (Order::Delays(scheduler, _), Some(number)) = (self.shared.order, self.node.current) {
            let able = |task| !tasks.is_blocked(task);
            let pending = &self.node.config.buffers[0].pending;
            scheduler.order(pending, number, able, &mut |task| candidates.push((0, task)));
            return candidates;
        }
        self.node.config.candidates(&tasks, self.node.at.scope(), &mut |n, task| candidates.push((n, task)));
        // Who goes on without a preemption comes first, so that the path has as few as it can.
        candidates.sort_by_key(|&(_, task)| (Some(task) != self.node.current, task));
        candidates
    }

    /// Goes on to a state.
    fn go(&mut self, state: StateRef) {
        for (index, (n, task)) in self.candidates().into_iter().enumerate() {
            for way in self.ways(index as u32, n, task) {
                if let Some(at) = way.at
                    && self.shared.store.is(state, &self.bytes(&way, at))
                {
                    return self.take(task, way, at);
                }
            }
        }
        unreachable!("the state was reached from here before");
    }

    /// Goes on to where this happens.
    fn go_wrong(&mut self, wrong: Wrong) {
        for (index, (n, task)) in self.candidates().into_iter().enumerate() {
            for way in self.ways(index as u32, n, task) {
                let happens = match way.end {
                    End::Failed(fault) => wrong == Wrong::Fault(fault),
                    End::Spins => wrong == Wrong::Spins,
                    _ => false,
                };
                if happens {
                    return self.take(task, way, (At::All, None));
                }
            }
        }
        unreachable!("it has happened from here before");
    }

    /// Whether what is wrong is the present state itself.
    fn is_at_end(&self, wrong: Wrong) -> bool {
        matches!(wrong, Wrong::Deadlock) || self.candidates().is_empty()
    }

    /// The bytes of the state at the end of a way, as a worker would write them.
    fn bytes(&mut self, way: &Way<'_>, (at, current): (At, Option<u32>)) -> Vec<u8> {
        let mut number = |task: &u32| self.cache.number(&way.space.tasks[*task as usize]);
        let mut config = Config::new(way.running.config.buffers.len());
        for (to, from) in config.buffers.iter_mut().zip(&way.running.config.buffers) {
            to.active = from.active.iter().map(&mut number).collect();
            to.pending = from.pending.iter().map(&mut number).collect();
        }
        let current = match self.shared.order {
            Order::Delays(..) => current,
            _ => current.as_ref().map(number),
        };
        let mut bytes = Vec::new();
        self.shared.codec.encode(&way.running.globals.slots, &mut config, (at, current), &mut bytes);
        bytes
    }

    fn take(&mut self, task: u32, way: Way<'a>, (at, current): (At, Option<u32>)) {
        if !self.first && !matches!(self.node.at, At::Running(_)) {
            self.choices.push(Choice { step: self.step, pick: task, check: 0 });
            self.step += 1;
        }
        self.first = false;
        for decided in way.decided {
            if let Some(value) = decided {
                self.choices.push(Choice { step: self.step, pick: value, check: 0 });
            }
            self.step += 1;
        }
        self.space = way.space;
        let Running { globals, config, .. } = way.running;
        self.node = Node { globals: globals.slots, config, at, current };
    }

    /// Every way in which a candidate can go on from the present node, one after the other: there may be very many.
    fn ways(&self, index: u32, n: u32, task: u32) -> impl Iterator<Item = Way<'a>> + use<'a> {
        let mut running = Running { config: self.node.config.clone(), ..Running::default() };
        running.globals.slots.clone_from(&self.node.globals);
        let taken = self.taken(&mut running, index);
        running.begin(&self.space, n, task);
        let order = self.shared.order;
        let ways = run_in_every_way(self.shared.code, self.space.clone(), running);
        ways.map(move |Ran { space, mut running, end, decided }| {
            let at = point(order, &mut running, end, taken);
            Way { space, running, end, decided, at }
        })
    }

    /// A delaying scheduler takes the task that goes on. Returns its number then, and how many tasks are pending.
    fn taken(&self, running: &mut Running, index: u32) -> (u32, usize) {
        let Order::Delays(scheduler, _) = self.shared.order else { return (0, 0) };
        let number = self.node.current.unwrap_or(0);
        if matches!(self.node.at, At::Running(_)) {
            return (number & 0xffff, (number >> 16) as usize);
        }
        let tasks = self.space.at(&self.node.globals);
        let buffer = &mut running.config.buffers[0];
        let able = |task| !tasks.is_blocked(task);
        let (task, number) = scheduler.take(&mut buffer.pending, number, index, able);
        buffer.active.push(task);
        (number, buffer.pending.len())
    }
}

/// The point at the end of a segment.
fn point(
    order: Order,
    running: &mut Running,
    end: End,
    (number, old): (u32, usize),
) -> Option<(At, Option<u32>)> {
    let (at, current, ended) = match end {
        End::Point { scope: Scope::All, current, ended } => (At::All, current, ended),
        End::Point { scope: Scope::Buffer(n), current, ended } => (At::Buffer(n), current, ended),
        End::Choose { .. } => (At::Running(running.n), None, false),
        _ => return None,
    };
    let Order::Delays(scheduler, _) = order else { return Some((at, current)) };
    let number = match at {
        At::Running(_) => number | (old as u32) << 16,
        _ => scheduler.give(&mut running.config.buffers[0].pending, number, old, !ended),
    };
    Some((at, Some(number)))
}
