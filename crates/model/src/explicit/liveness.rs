//! Executions without end, exactly: cycles of states that are strongly fair.
//!
//! Round a reachable cycle goes an execution without end. It is a livelock if every task that can go on somewhere in the cycle also runs
//! in it, and all that run pause (PLDI'08, section 2). It violates the good-samaritan rule if a task runs in it and does not pause; then
//! the others may well be able to go on. Cycles on which tasks end, and so others are posted, are neither: no task goes round there that
//! could be followed.
//!
//! Livelocks are looked for in strongly connected components: one in which some task can go on and does not run, or runs and does not
//! pause, is taken apart by leaving out the states in which that task can go on, as usual for strong fairness.
//!
//! Here tasks must be told apart: a task is a place in a list, which is free again when the task has ended. A task that waits for ever
//! keeps its place, so it is seen to starve. In a component there are always the same tasks, since none ends there.

use std::collections::VecDeque;

use caissa_core::Choice;
use rustc_hash::FxHashMap;

use super::node::{At, Codec, Keeps};
use super::tasks::{TaskCache, TaskTable};
use super::{Ended, Settings, Watched, Wrong};
use crate::code::Code;
use crate::machine::{Config, End, Listed, Ran, Running, Scope, Task, TaskSpace, run_in_every_way};

/// A set of places: as many tasks can be told apart.
type Places = u64;
const MAX_PLACES: usize = 64;

/// An execution without end: the choices up to its cycle and once round it, and the steps of the cycle.
#[derive(Clone, Debug)]
pub(super) struct Endless {
    pub(super) wrong: Wrong,
    pub(super) choices: Vec<Choice>,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) depth: u32,
}

/// What came of looking for them.
pub(super) enum Looked {
    Found(Endless),
    None,
    /// Not all states could be looked at.
    Ended(Ended),
    /// Too many tasks at a time.
    TooMany,
}

/// Tasks by their places.
#[derive(Clone)]
struct Slots<'a> {
    code: &'a Code,
    tasks: Vec<Option<Task>>,
    /// The number of each task in the core, and of the next one.
    ids: Vec<u32>,
    next_id: u32,
}

impl Slots<'_> {
    fn get(&self, slot: u32) -> &Task {
        self.tasks[slot as usize].as_ref().expect("a task has this place")
    }
}

impl<'c> TaskSpace for Slots<'c> {
    type At<'a>
        = Listed<'a, Option<Task>>
    where
        'c: 'a;

    fn at<'a>(&'a self, globals: &'a [i32]) -> Listed<'a, Option<Task>> {
        Listed { code: self.code, tasks: &self.tasks, globals, ignore_levels: false }
    }

    fn load(&self, handle: u32, task: &mut Task) {
        task.clone_from(self.get(handle));
    }

    fn store(&mut self, handle: u32, task: &Task) -> u32 {
        self.tasks[handle as usize] = Some(task.clone());
        handle
    }

    fn create(&mut self, task: &Task) -> u32 {
        let slot = self.tasks.iter().position(Option::is_none).unwrap_or_else(|| {
            self.tasks.push(None);
            self.ids.push(0);
            self.tasks.len() - 1
        });
        self.tasks[slot] = Some(task.clone());
        self.ids[slot] = self.next_id;
        self.next_id += 1;
        slot as u32
    }
}

/// A state with tasks that are told apart.
#[derive(Clone)]
struct Spot<'a> {
    slots: Slots<'a>,
    globals: Vec<i32>,
    config: Config,
    at: At,
}

/// A way on from a spot.
struct Way<'a> {
    to: Spot<'a>,
    /// Who goes on, and what was decided behind that: values, or nothing where a task was interrupted.
    task: u32,
    decided: Vec<Option<u32>>,
    did: Did,
    /// There were more tasks than can be told apart.
    too_many: bool,
}

/// What happens on the way: who runs, who pauses, whether somebody ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Did {
    ran: Places,
    paused: Places,
    ended: bool,
}

impl Did {
    fn and(self, other: Did) -> Did {
        let Did { ran, paused, ended } = other;
        Did { ran: self.ran | ran, paused: self.paused | paused, ended: self.ended || ended }
    }

    /// Whether it adds something that is wanted.
    fn adds(self, to: Did, wanted: Did) -> bool {
        self.ran & !to.ran & wanted.ran != 0 || self.paused & !to.paused & wanted.paused != 0
    }
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    did: Did,
}

#[derive(Default)]
struct Graph {
    numbers: FxHashMap<Box<[u8]>, u32>,
    enabled: Vec<Places>,
    edges: Vec<Vec<Edge>>,
    parents: Vec<u32>,
    bytes: u64,
}

struct Looker<'a> {
    code: &'a Code,
    codec: Codec,
    cache: TaskCache<'a>,
    graph: Graph,
}

/// Looks for executions without end.
pub(super) fn look(code: &Code, settings: &Settings, watched: &Watched) -> Looked {
    let table = TaskTable::default();
    let codec = Codec::new(code, Keeps::Order);
    let mut looker = Looker { code, codec, cache: TaskCache::new(code, &table), graph: Graph::default() };
    if let Err(looked) = looker.build(settings, watched) {
        return looked;
    }
    let graph = &looker.graph;
    let found = match graph.livelock() {
        Some(component) => Some((component, Wrong::Livelock)),
        None => graph.good_samaritan().map(|component| (component, Wrong::GoodSamaritan)),
    };
    match found {
        Some((component, wrong)) => Looked::Found(looker.show(&component, wrong)),
        None => Looked::None,
    }
}

impl<'a> Looker<'a> {
    fn first(&self) -> Spot<'a> {
        let code = self.code;
        let mut slots = Slots { code, tasks: Vec::new(), ids: Vec::new(), next_id: 0 };
        let mut config = Config::new(code.program.buffers.len());
        for (n, buffer) in code.program.buffers.iter().enumerate() {
            let mut task = Task::default();
            task.begin(code, crate::ir::BufferId(n as u32), buffer.main, &[], crate::ir::LevelId(0));
            config.buffers[n].pending.push(slots.create(&task));
        }
        let at = At::first(&config, &slots.at(&code.init));
        Spot { slots, globals: code.init.clone(), config, at }
    }

    /// The bytes of a spot, in which places count.
    fn bytes(&mut self, spot: &mut Spot<'a>) -> Box<[u8]> {
        for buffer in &mut spot.config.buffers {
            buffer.pending.sort_unstable();
        }
        let mut bytes = Vec::new();
        self.codec.encode(&spot.globals, &mut spot.config, (spot.at, None), &mut bytes);
        for task in &spot.slots.tasks {
            let number = task.as_ref().map_or(0, |task| self.cache.number(task) + 1);
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.into_boxed_slice()
    }

    fn build(&mut self, settings: &Settings, watched: &Watched) -> Result<(), Looked> {
        let mut queue = VecDeque::new();
        let mut first = self.first();
        let bytes = self.bytes(&mut first);
        self.graph.add(bytes, &first, 0);
        queue.push_back(first);
        let mut number = 0;
        while let Some(spot) = queue.pop_front() {
            if watched.stop.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(Looked::Ended(Ended::Asked));
            }
            if self.graph.bytes > settings.memory {
                return Err(Looked::Ended(Ended::Memory));
            }
            for mut way in ways(self.code, &spot) {
                if way.too_many {
                    return Err(Looked::TooMany);
                }
                let bytes = self.bytes(&mut way.to);
                let (to, new) = self.graph.add(bytes, &way.to, number);
                self.graph.edges[number as usize].push(Edge { to, did: way.did });
                self.graph.bytes += 24;
                if new {
                    queue.push_back(way.to);
                }
            }
            number += 1;
        }
        Ok(())
    }

    /// The execution that leads to a component and goes round in it.
    fn show(&mut self, component: &Component, wrong: Wrong) -> Endless {
        let entry = component.nodes[0];
        let mut path: Vec<u32> = std::iter::successors(Some(entry), |&node| {
            (node != 0).then(|| self.graph.parents[node as usize])
        })
        .collect();
        path.reverse();
        let depth = path.len() as u32 - 1;
        let spot = self.first();
        let first = spot.at != At::All;
        let mut follow = Follow { spot, choices: Vec::new(), step: 0, first };
        for &node in &path[1..] {
            self.go(&mut follow, |_| true, node);
        }
        let round = self.graph.walk_round(component);
        // That the first task begins is no step: a round from there has one less than the others.
        let rounds = if follow.first { 2 } else { 1 };
        let mut from = follow.step;
        for _ in 0..rounds {
            from = follow.step;
            for (edge, to) in &round {
                self.go(&mut follow, |way| way.did == edge.did, *to);
            }
        }
        Endless { wrong, choices: follow.choices, from, to: follow.step, depth }
    }

    /// Takes a way of this kind that leads to a node.
    fn go(&mut self, follow: &mut Follow<'a>, kind: impl Fn(&Way<'a>) -> bool, node: u32) {
        for mut way in ways(self.code, &follow.spot).into_iter().filter(kind) {
            let bytes = self.bytes(&mut way.to);
            if self.graph.numbers[&bytes] == node {
                return follow.take(way);
            }
        }
        unreachable!("the edge was there before");
    }
}

/// Follows a path and writes down its choices.
struct Follow<'a> {
    spot: Spot<'a>,
    choices: Vec<Choice>,
    step: u32,
    first: bool,
}

impl<'a> Follow<'a> {
    fn take(&mut self, way: Way<'a>) {
        if !self.first && !matches!(self.spot.at, At::Running(_)) {
            let pick = self.spot.slots.ids[way.task as usize];
            self.choices.push(Choice { step: self.step, pick, check: 0 });
            self.step += 1;
        }
        self.first = false;
        for decided in way.decided {
            if let Some(value) = decided {
                self.choices.push(Choice { step: self.step, pick: value, check: 0 });
            }
            self.step += 1;
        }
        self.spot = way.to;
    }
}

/// The tasks that may go on.
fn candidates(spot: &Spot<'_>) -> Vec<(u32, u32)> {
    if let At::Running(n) = spot.at {
        return vec![(n, *spot.config.buffers[n as usize].active.last().expect("it runs"))];
    }
    let mut candidates = Vec::new();
    let tasks = spot.slots.at(&spot.globals);
    spot.config.candidates(&tasks, spot.at.scope(), &mut |n, task| candidates.push((n, task)));
    candidates
}

/// Every way on from a spot that leads to another one.
fn ways<'a>(code: &Code, spot: &Spot<'a>) -> Vec<Way<'a>> {
    let mut ways = Vec::new();
    for (n, task) in candidates(spot) {
        let mut running = Running { config: spot.config.clone(), ..Running::default() };
        running.globals.slots.clone_from(&spot.globals);
        running.begin(&spot.slots, n, task);
        for Ran { space: slots, running, end, decided } in run_in_every_way(code, spot.slots.clone(), running)
        {
            let at = match end {
                End::Choose { .. } => At::Running(running.n),
                End::Point { scope: Scope::All, .. } => At::All,
                End::Point { scope: Scope::Buffer(n), .. } => At::Buffer(n),
                End::Discarded | End::Failed(_) | End::Spins | End::Long => continue,
            };
            let did = Did {
                ran: running.ran.iter().fold(place(task), |ran, &slot| ran | place(slot)),
                paused: running.paused.map_or(0, place),
                ended: running.ended.is_some(),
            };
            let too_many = slots.tasks.len() > MAX_PLACES;
            ways.push(Way { to: settle(slots, running, at), task, decided, did, too_many });
        }
    }
    ways
}

/// The set of one place.
fn place(slot: u32) -> Places {
    (1 as Places).checked_shl(slot).unwrap_or(0)
}

/// The spot at the end of a segment: places of tasks that have ended are free.
fn settle<'a>(mut slots: Slots<'a>, running: Running, at: At) -> Spot<'a> {
    let Running { globals, config, .. } = running;
    for slot in 0..slots.tasks.len() as u32 {
        let holds = |buffer: &crate::machine::rules::Buffer| {
            buffer.active.contains(&slot) || buffer.pending.contains(&slot)
        };
        if !config.buffers.iter().any(holds) {
            slots.tasks[slot as usize] = None;
        }
    }
    while slots.tasks.last().is_some_and(Option::is_none) {
        slots.tasks.pop();
        slots.ids.pop();
    }
    Spot { slots, globals: globals.slots, config, at }
}

/// States that lead to each other, with what happens there.
struct Component {
    nodes: Vec<u32>,
    /// What must happen on the way round.
    wanted: Did,
    /// Ways on which these pause are not taken.
    without: Places,
}

impl Component {
    fn has(&self, edge: &Edge) -> bool {
        edge.goes_round(self.without) && self.nodes.binary_search(&edge.to).is_ok()
    }
}

impl Edge {
    /// Nobody ends, and none of these pauses.
    fn goes_round(&self, without: Places) -> bool {
        !self.did.ended && self.did.paused & without == 0
    }
}

impl Graph {
    /// The number of a spot, and whether it is new.
    fn add(&mut self, bytes: Box<[u8]>, spot: &Spot<'_>, parent: u32) -> (u32, bool) {
        let next = self.enabled.len() as u32;
        let size = bytes.len() as u64 + 120;
        let number = *self.numbers.entry(bytes).or_insert(next);
        if number == next {
            self.enabled.push(candidates(spot).iter().fold(0, |set, &(_, task)| set | place(task)));
            self.edges.push(Vec::new());
            self.parents.push(parent);
            self.bytes += size;
        }
        (number, number == next)
    }

    /// A component in which an execution can go round for ever, fairly, and all that run pause.
    fn livelock(&self) -> Option<Component> {
        let mut open: Vec<Vec<u32>> = vec![(0..self.enabled.len() as u32).collect()];
        while let Some(nodes) = open.pop() {
            for mut component in self.components(&nodes, 0) {
                let Some(did) = self.round(&component) else { continue };
                let enabled = component.nodes.iter().fold(0, |set, &node| set | self.enabled[node as usize]);
                let amiss = (enabled | did.ran) & !(did.ran & did.paused);
                if amiss == 0 {
                    component.wanted = did;
                    return Some(component);
                }
                let all = component.nodes.len();
                component.nodes.retain(|&node| self.enabled[node as usize] & amiss == 0);
                assert!(component.nodes.len() < all, "who runs round a cycle can go on somewhere in it");
                open.push(component.nodes);
            }
        }
        None
    }

    /// A component in which a task can run for ever and does not pause.
    fn good_samaritan(&self) -> Option<Component> {
        let all: Vec<u32> = (0..self.enabled.len() as u32).collect();
        let places = self.enabled.iter().fold(0, |set, enabled| set | enabled);
        for place in (0..MAX_PLACES).map(|slot| 1 << slot).filter(|place| places & place != 0) {
            for mut component in self.components(&all, place) {
                if let Some(did) = self.round(&component)
                    && did.ran & place != 0
                {
                    component.wanted = Did { ran: place, ..Did::default() };
                    return Some(component);
                }
            }
        }
        None
    }

    /// What happens in a component; nothing if it has no way round.
    fn round(&self, component: &Component) -> Option<Did> {
        let edges = component.nodes.iter().flat_map(|&node| &self.edges[node as usize]);
        edges.filter(|edge| component.has(edge)).map(|edge| edge.did).reduce(Did::and)
    }

    /// Strongly connected components of a part of the graph (Tarjan), without the ways on which a task ends or some pause.
    fn components(&self, nodes: &[u32], without: Places) -> Vec<Component> {
        const UNSEEN: u32 = u32::MAX;
        let mut inside = vec![false; self.enabled.len()];
        nodes.iter().for_each(|&node| inside[node as usize] = true);
        let mut index = vec![UNSEEN; self.enabled.len()];
        let mut low = vec![0; self.enabled.len()];
        let mut on_stack = vec![false; self.enabled.len()];
        let (mut stack, mut components, mut next) = (Vec::new(), Vec::new(), 0);
        for &root in nodes {
            if index[root as usize] != UNSEEN {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((node, edge)) = calls.last_mut() {
                let at = *node as usize;
                if *edge == 0 {
                    index[at] = next;
                    low[at] = next;
                    next += 1;
                    stack.push(*node);
                    on_stack[at] = true;
                }
                if let Some(next_edge) = self.edges[at].get(*edge) {
                    *edge += 1;
                    let to = next_edge.to as usize;
                    if !inside[to] || !next_edge.goes_round(without) {
                        continue;
                    }
                    if index[to] == UNSEEN {
                        calls.push((to as u32, 0));
                    } else if on_stack[to] {
                        low[at] = low[at].min(index[to]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(parent, _)) = calls.last() {
                    low[parent as usize] = low[parent as usize].min(low[at]);
                }
                if low[at] == index[at] {
                    let first = stack.iter().rposition(|&other| other as usize == at).expect("on the stack");
                    let mut nodes = stack.split_off(first);
                    nodes.iter().for_each(|&node| on_stack[node as usize] = false);
                    nodes.sort_unstable();
                    components.push(Component { nodes, wanted: Did::default(), without });
                }
            }
        }
        components
    }

    /// A walk from the first node of a component back to it, in which all happens that is wanted.
    fn walk_round(&self, component: &Component) -> Vec<(Edge, u32)> {
        let start = component.nodes[0];
        let (mut at, mut walk, mut did) = (start, Vec::new(), Did::default());
        while component.wanted.adds(did, component.wanted) {
            for (edge, to) in self.path(at, component, |edge| edge.did.adds(did, component.wanted)) {
                did = did.and(edge.did);
                at = to;
                walk.push((edge, to));
            }
        }
        if at != start {
            walk.extend(self.path(at, component, |edge| edge.to == start));
        }
        walk
    }

    /// The shortest path in a component that ends with such an edge.
    fn path(&self, from: u32, component: &Component, ends: impl Fn(&Edge) -> bool) -> Vec<(Edge, u32)> {
        let mut before: FxHashMap<u32, (u32, Edge)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges[node as usize].iter().filter(|edge| component.has(edge)) {
                if ends(edge) {
                    let mut path = vec![(*edge, edge.to)];
                    let mut at = node;
                    while at != from {
                        let (parent, edge) = before[&at];
                        path.push((edge, at));
                        at = parent;
                    }
                    path.reverse();
                    return path;
                }
                if edge.to != from && !before.contains_key(&edge.to) {
                    before.insert(edge.to, (node, *edge));
                    queue.push_back(edge.to);
                }
            }
        }
        unreachable!("the component is connected");
    }
}
