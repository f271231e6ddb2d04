//! Executions without end, exactly: cycles of states that are strongly fair.
//!
//! Past a reachable cycle goes an execution without end; it is fair if every task that can go on somewhere in the cycle also runs in it.
//! If all that run pause, that is a livelock; if one runs and never pauses, it violates the good-samaritan rule (PLDI'08, section 2).
//! Fair cycles are looked for in strongly connected components: one in which some task can go on and never runs is taken apart by leaving
//! out the states in which it can, as usual for strong fairness.
//!
//! Here tasks must be told apart: a task is a place in a list, which is free again when the task has ended. A task that waits for ever
//! keeps its place, so it is seen to starve.

use std::collections::VecDeque;

use caissa_core::Choice;
use rustc_hash::FxHashMap;

use super::node::{At, Codec, Keeps};
use super::tasks::{TaskCache, TaskTable};
use super::worker::MANY_CHOICES;
use super::{Ended, Settings, Watched, Wrong};
use crate::code::Code;
use crate::machine::run::is_blocked;
use crate::machine::{Config, End, Running, Scope, Task, TaskSpace, Tasks};

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

struct SlotsAt<'a> {
    slots: &'a Slots<'a>,
    globals: &'a [i32],
}

impl Slots<'_> {
    fn get(&self, slot: u32) -> &Task {
        self.tasks[slot as usize].as_ref().expect("a task has this place")
    }
}

impl Tasks for SlotsAt<'_> {
    fn level(&self, task: u32) -> u32 {
        self.slots.get(task).level
    }

    fn is_blocked(&self, task: u32) -> bool {
        is_blocked(self.slots.code, self.globals, self.slots.get(task))
    }

    fn is_serial(&self, level: u32) -> bool {
        self.slots.code.serial[level as usize]
    }
}

impl<'c> TaskSpace for Slots<'c> {
    type At<'a>
        = SlotsAt<'a>
    where
        'c: 'a;

    fn at<'a>(&'a self, globals: &'a [i32]) -> SlotsAt<'a> {
        SlotsAt { slots: self, globals }
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
    ran: Places,
    paused: Places,
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    ran: Places,
    paused: Places,
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
    match looker.graph.fair_component() {
        Some(component) => Looked::Found(looker.show(&component)),
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
        Spot { slots, globals: code.init.clone(), config, at: At::Buffer(0) }
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
                if way.to.slots.tasks.len() > MAX_PLACES {
                    return Err(Looked::TooMany);
                }
                let bytes = self.bytes(&mut way.to);
                let (to, new) = self.graph.add(bytes, &way.to, number);
                self.graph.edges[number as usize].push(Edge { to, ran: way.ran, paused: way.paused });
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
    fn show(&mut self, component: &Component) -> Endless {
        let entry = component.nodes[0];
        let mut path: Vec<u32> = std::iter::successors(Some(entry), |&node| {
            (node != 0).then(|| self.graph.parents[node as usize])
        })
        .collect();
        path.reverse();
        let depth = path.len() as u32 - 1;
        let mut follow = Follow { spot: self.first(), choices: Vec::new(), step: 0, first: true };
        for &node in &path[1..] {
            self.go(&mut follow, |_| true, node);
        }
        let from = follow.step;
        for (edge, to) in self.graph.walk_round(component) {
            self.go(&mut follow, |way| way.ran == edge.ran && way.paused == edge.paused, to);
        }
        let starts_silent = component.ran & !component.paused;
        let wrong = if starts_silent == 0 { Wrong::Livelock } else { Wrong::GoodSamaritan };
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
        let mut open = vec![(spot.slots.clone(), running, Vec::new())];
        while let Some((mut slots, mut running, mut decided)) = open.pop() {
            let end = running.run(code, &mut slots);
            decided.extend((0..std::mem::take(&mut running.interruptions)).map(|_| None));
            let at = match end {
                End::Choose { lo, hi } if running.choices < MANY_CHOICES => {
                    for value in (lo..=hi).rev() {
                        let (slots, mut running) = (slots.clone(), running.clone());
                        let mut decided: Vec<Option<u32>> = decided.clone();
                        decided.push(Some((value as i64 - lo as i64) as u32));
                        if running.choose(code, value).is_ok() {
                            open.push((slots, running, decided));
                        }
                    }
                    continue;
                }
                End::Choose { .. } => {
                    running.put_back(&mut slots);
                    At::Running(running.n)
                }
                End::Point { scope: Scope::All, .. } => At::All,
                End::Point { scope: Scope::Buffer(n), .. } => At::Buffer(n),
                End::Discarded | End::Failed(_) | End::Spins | End::Long => continue,
            };
            let paused = running.paused.map_or(0, |slot| 1 << slot);
            let ran = running.ran.iter().fold(1 << task, |ran, &slot| ran | 1 << slot);
            let to = settle(slots, running, at);
            ways.push(Way { to, task, decided, ran, paused });
        }
    }
    ways
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

/// A strongly connected component that is fair, with what happens in it.
struct Component {
    nodes: Vec<u32>,
    ran: Places,
    paused: Places,
}

impl Graph {
    /// The number of a spot, and whether it is new.
    fn add(&mut self, bytes: Box<[u8]>, spot: &Spot<'_>, parent: u32) -> (u32, bool) {
        let next = self.enabled.len() as u32;
        let size = bytes.len() as u64 + 120;
        let number = *self.numbers.entry(bytes).or_insert(next);
        if number == next {
            self.enabled.push(candidates(spot).iter().fold(0, |set, &(_, task)| set | 1 << task));
            self.edges.push(Vec::new());
            self.parents.push(parent);
            self.bytes += size;
        }
        (number, number == next)
    }

    /// A component in which an execution can go round for ever, fairly.
    fn fair_component(&self) -> Option<Component> {
        let mut open: Vec<Vec<u32>> = vec![(0..self.enabled.len() as u32).collect()];
        while let Some(nodes) = open.pop() {
            for component in self.components(&nodes) {
                let inside = |node: u32| component.binary_search(&node).is_ok();
                let (mut ran, mut paused, mut enabled, mut edges) = (0, 0, 0, 0);
                for &node in &component {
                    enabled |= self.enabled[node as usize];
                    for edge in self.edges[node as usize].iter().filter(|edge| inside(edge.to)) {
                        ran |= edge.ran;
                        paused |= edge.paused;
                        edges += 1;
                    }
                }
                if edges == 0 {
                    continue;
                }
                let starves = enabled & !ran;
                if starves == 0 {
                    return Some(Component { nodes: component, ran, paused });
                }
                open.push(
                    component
                        .into_iter()
                        .filter(|&node| self.enabled[node as usize] & starves == 0)
                        .collect(),
                );
            }
        }
        None
    }

    /// Strongly connected components of a part of the graph (Tarjan), each sorted.
    fn components(&self, nodes: &[u32]) -> Vec<Vec<u32>> {
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
                    if !inside[to] {
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
                    let mut component = stack.split_off(first);
                    component.iter().for_each(|&node| on_stack[node as usize] = false);
                    component.sort_unstable();
                    components.push(component);
                }
            }
        }
        components
    }

    /// A walk from the first node of a component back to it, in which everyone runs who runs in the component, and pauses who pauses.
    fn walk_round(&self, component: &Component) -> Vec<(Edge, u32)> {
        let start = component.nodes[0];
        let inside = |node: u32| component.nodes.binary_search(&node).is_ok();
        let (mut at, mut walk) = (start, Vec::new());
        let (mut ran, mut paused): (Places, Places) = (0, 0);
        let wanted = |edge: &Edge, ran: Places, paused: Places| {
            edge.ran & !ran & component.ran != 0 || edge.paused & !paused & component.paused != 0
        };
        while ran & component.ran != component.ran || paused & component.paused != component.paused {
            let path = self.path(at, &inside, |_, edge| wanted(edge, ran, paused));
            for (edge, to) in path {
                ran |= edge.ran;
                paused |= edge.paused;
                at = to;
                walk.push((edge, to));
            }
        }
        if at != start || walk.is_empty() {
            walk.extend(self.path(at, &inside, |_, edge| edge.to == start));
        }
        walk
    }

    /// The shortest path that ends with an edge of this kind.
    fn path(
        &self,
        from: u32,
        inside: &impl Fn(u32) -> bool,
        ends: impl Fn(u32, &Edge) -> bool,
    ) -> Vec<(Edge, u32)> {
        let mut before: FxHashMap<u32, (u32, Edge)> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges[node as usize].iter().filter(|edge| inside(edge.to)) {
                if ends(node, edge) {
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
