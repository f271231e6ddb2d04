//! Exploration by rounds: what the sequentializations of the 2012 paper cover with K1 rounds of buffers and K2 rounds of tasks.
//!
//! *Buffers* (section 4, Fig. 5). Time goes in K1 rounds; in each, the buffers have control one after the other, in order. Where a buffer
//! zields, it may give up control until a later round. Every buffer that runs at all begins in the first round.
//!
//! *Tasks* (section 5, Figs 6 and 7). The tasks of a level that run without a break, from the post that interrupts a lower level to the
//! end of the last of them, have K2 rounds of their own. In each round tasks run in the order of a depth-first walk over who posted
//! whom; where a task yields it may put off the rest of itself to a later round. A task is posted in the round that its level is in. One
//! that has not begun may be put off too (the paper's `while * do yield`), so that in the limit every order of dispatch is covered.
//!
//! Deviations: a task that waits (`await`, `lock`) may go on only if its condition holds, and may otherwise be put off like one that
//! yields or zields; executions may end anywhere, so blocked ones are no deadlocks here. Posts that jump several levels open the levels
//! between (the paper's chain of posts).

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use caissa_core::Choice;
use rustc_hash::FxHashMap;

use super::{Ended, Explored, Found, Settings, Watched, Wrong};
use crate::code::{Code, Fault};
use crate::machine::run::{holds, is_blocked};
use crate::machine::{Beside, Config, End, Numbered, Ran, Running, Scope, Task, run_in_every_way};

/// The bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// K1: rounds of buffers; at least 1.
    pub buffers: u32,
    /// K2: rounds of the tasks of a level; at least 1.
    pub tasks: u32,
    /// Tasks that have not begun may be put off.
    pub reorder: bool,
}

/// A task in the order of its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    task: u32,
    /// How many of the tasks by whose posts it came about are still there.
    depth: u32,
    round: u32,
    begun: bool,
}

/// The tasks of a level, from the post that opened it on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Opened {
    /// Depth first.
    entries: Vec<Entry>,
    /// The round that it is in, and the place and depth of the task that runs or was interrupted: where posts from above go.
    round: u32,
    parent: Option<(usize, u32)>,
}

impl Opened {
    /// Only who comes from whom matters, of the tasks that are there; else a chain of tasks that post each other has no end of states.
    fn level_depths(&mut self) {
        let mut above = Vec::new();
        for entry in &mut self.entries {
            while above.last().is_some_and(|&depth| depth >= entry.depth) {
                above.pop();
            }
            above.push(std::mem::replace(&mut entry.depth, above.len() as u32));
        }
    }
}

/// The order of tasks.
#[derive(Clone)]
struct Ordered {
    /// For each buffer its levels, from the lowest one on.
    buffers: Vec<Vec<Opened>>,
}

impl Beside for Ordered {
    fn posted(&mut self, _code: &Code, tasks: &[Task], poster: u32) {
        let handle = tasks.len() as u32 - 1;
        let task = &tasks[handle as usize];
        let from = tasks[poster as usize].level as usize;
        let levels = &mut self.buffers[task.buffer as usize];
        let to = task.level as usize;
        if to > from {
            // The levels between are opened too; nothing of them runs.
            levels.resize(to + 1, Opened::default());
            levels[to].entries.push(Entry { task: handle, depth: 0, round: 0, begun: true });
            levels[to].parent = Some((0, 0));
            return;
        }
        let opened = &mut levels[to];
        let (at, depth) = match opened.parent {
            Some((place, depth)) => {
                let rest = &opened.entries[place.min(opened.entries.len())..];
                let own = rest.first().is_some_and(|entry| entry.depth == depth) as usize;
                let below = rest[own..].iter().take_while(|entry| entry.depth > depth).count();
                (place.min(opened.entries.len()) + own + below, depth + 1)
            }
            None => (opened.entries.len(), 1),
        };
        opened.entries.insert(at, Entry { task: handle, depth, round: opened.round, begun: false });
    }
}

impl Ordered {
    /// The task of a buffer that runs next, by its order: its place in the highest level that has one.
    fn next(&self, n: usize) -> Option<(usize, usize)> {
        let level = self.buffers[n].iter().rposition(|opened| !opened.entries.is_empty())?;
        let entries = &self.buffers[n][level].entries;
        let first = (0..entries.len()).min_by_key(|&place| (entries[place].round, place))?;
        Some((level, first))
    }

    fn entry(&mut self, n: usize, (level, place): (usize, usize)) -> &mut Entry {
        &mut self.buffers[n][level].entries[place]
    }

    /// A task that has ended leaves the order; levels that have no task left are closed.
    fn remove(&mut self, n: usize, task: u32) {
        for opened in &mut self.buffers[n] {
            if let Some(place) = opened.entries.iter().position(|entry| entry.task == task) {
                opened.entries.remove(place);
                opened.parent = Some((0, 0));
                opened.level_depths();
            }
        }
        while self.buffers[n].len() > 1 && self.buffers[n].last().is_some_and(|top| top.entries.is_empty()) {
            self.buffers[n].pop();
        }
    }

    fn place_of(&self, n: usize, task: u32) -> Option<(usize, usize)> {
        let levels = self.buffers[n].iter().enumerate();
        levels
            .filter_map(|(level, opened)| {
                Some((level, opened.entries.iter().position(|entry| entry.task == task)?))
            })
            .next()
    }
}

/// A state: who runs next has been decided by the rounds, up to a choice.
#[derive(Clone)]
struct State<'a> {
    tasks: Numbered<'a, Ordered>,
    globals: Vec<i32>,
    config: Config,
    /// The round of buffers, and the buffer that has control.
    round: u32,
    n: usize,
    /// The task that goes on next in `n`, if it has been decided.
    task: Option<u32>,
    /// Else: other buffers may go on, if the next task cannot.
    all: bool,
    /// The point is in the middle of a segment.
    running: bool,
}

/// Where a state comes from: the state before, and the steps since.
struct Origin {
    before: u32,
    steps: Vec<Option<u32>>,
}

struct Explorer<'a> {
    code: &'a Code,
    rounds: Rounds,
    numbers: FxHashMap<Box<[u32]>, u32>,
    origins: Vec<Origin>,
    queue: VecDeque<(u32, State<'a>)>,
    transitions: u64,
    long: bool,
    found: Option<(u32, Vec<Option<u32>>, Wrong)>,
    bytes: u64,
}

/// Explores a model within its rounds.
pub fn explore_rounds(code: &Code, rounds: Rounds, settings: &Settings, watched: &Watched) -> Explored {
    let mut explorer = Explorer {
        code,
        rounds,
        numbers: FxHashMap::default(),
        origins: Vec::new(),
        queue: VecDeque::new(),
        transitions: 0,
        long: false,
        found: None,
        bytes: 0,
    };
    let mut explored = Explored::default();
    explorer.begin();
    while let Some((number, state)) = explorer.queue.pop_front() {
        if explorer.found.is_some() {
            break;
        }
        let states = explorer.origins.len() as u64;
        watched.states.store(states, Ordering::Relaxed);
        explored.ended = match () {
            () if watched.stop.load(Ordering::Relaxed) => Some(Ended::Asked),
            () if explorer.bytes > settings.memory => Some(Ended::Memory),
            () if states > settings.max_states => Some(Ended::States),
            () => None,
        };
        if explored.ended.is_some() {
            break;
        }
        explorer.expand(number, &state);
    }
    explored.states = explorer.origins.len() as u64;
    explored.transitions = explorer.transitions;
    (explored.state_bytes, explored.bytes) = (explorer.bytes, explorer.bytes);
    explored.long = explorer.long;
    explored.found = explorer.found.take().map(|(number, steps, wrong)| explorer.show(number, steps, wrong));
    explored
}

impl<'a> Explorer<'a> {
    fn begin(&mut self) {
        let code = self.code;
        let count = code.program.buffers.len();
        let mut ordered = Ordered { buffers: vec![vec![Opened::default()]; count] };
        for (levels, task) in ordered.buffers.iter_mut().zip(0..) {
            levels[0].entries.push(Entry { task, depth: 0, round: 0, begun: true });
        }
        let (tasks, config) = Numbered::new(code, ordered);
        let globals = code.init.clone();
        let state =
            State { tasks, globals, config, round: 0, n: 0, task: Some(0), all: false, running: false };
        self.add(u32::MAX, Vec::new(), state);
    }

    fn add(&mut self, before: u32, steps: Vec<Option<u32>>, mut state: State<'a>) {
        let key = key(&mut state);
        let next = self.origins.len() as u32;
        let size = key.len() as u64 * 4 + steps.len() as u64 * 8 + 96;
        if *self.numbers.entry(key).or_insert(next) == next {
            self.origins.push(Origin { before, steps });
            self.queue.push_back((next, state));
            self.bytes += size;
        }
    }

    /// Lets the task that is next go on in every way.
    fn expand(&mut self, number: u32, state: &State<'a>) {
        let Some(task) = state.task else { return self.decide(number, state) };
        let mut running = Running { config: state.config.clone(), ..Running::default() };
        running.globals.slots.clone_from(&state.globals);
        let mut tasks = state.tasks.clone();
        let ordered = &mut tasks.beside;
        if let Some((level, place)) = ordered.place_of(state.n, task) {
            let Entry { depth, round, .. } = *ordered.entry(state.n, (level, place));
            ordered.entry(state.n, (level, place)).begun = true;
            let opened = &mut ordered.buffers[state.n][level];
            (opened.round, opened.parent) = (round, Some((place, depth)));
        }
        running.begin(&tasks, state.n as u32, task);
        let is_step = number != 0 && !state.running;
        for Ran { space: mut tasks, running, end, decided } in run_in_every_way(self.code, tasks, running) {
            let steps: Vec<_> = is_step.then_some(Some(task)).into_iter().chain(decided).collect();
            let n = running.n as usize;
            let active = running.config.buffers[n].active.last().copied();
            let (stopped, gone) = (tasks.last_running(), running.ended);
            let Running { globals, config, .. } = running;
            if let Some(task) = gone {
                tasks.beside.remove(n, task);
            }
            let next =
                State { tasks, globals: globals.slots, config, n, task: None, running: false, ..*state };
            match end {
                End::Choose { .. } => self.add(number, steps, State { task: active, running: true, ..next }),
                End::Point { scope, current, ended } => {
                    self.transitions += 1;
                    self.go_on(number, steps, next, (scope, current, ended), stopped);
                }
                End::Discarded => self.transitions += 1,
                End::Failed(fault) => self.fail(number, steps, Wrong::Fault(fault)),
                End::Spins => self.fail(number, steps, Wrong::Spins),
                End::Long => self.long = true,
            }
        }
    }

    fn fail(&mut self, number: u32, steps: Vec<Option<u32>>, wrong: Wrong) {
        self.transitions += 1;
        self.found.get_or_insert((number, steps, wrong));
    }

    /// A segment has ended: who goes on, within the rounds?
    fn go_on(
        &mut self,
        number: u32,
        steps: Vec<Option<u32>>,
        state: State<'a>,
        (scope, current, ended): (Scope, Option<u32>, bool),
        stopped: u32,
    ) {
        if let Some(fault) = self.final_fault(&state) {
            return self.fail(number, steps, Wrong::Fault(fault));
        }
        let yields = matches!(scope, Scope::Buffer(_)) || (current.is_none() && !ended);
        let zields = matches!(scope, Scope::All) && !ended;
        if current.is_some() {
            self.add(number, steps.clone(), State { task: current, ..state.clone() });
        }
        if !ended && yields {
            self.put_off(number, &steps, &state, stopped, zields);
        }
        if ended {
            let idle = matches!(scope, Scope::All);
            self.next_task(number, &steps, &state, idle);
        }
        if zields || (ended && state.tasks.beside.next(state.n).is_none()) {
            self.leave(number, &steps, &state);
        }
    }

    fn final_fault(&self, state: &State<'a>) -> Option<Fault> {
        if !state.config.is_terminated() {
            return None;
        }
        self.code.finals.iter().enumerate().find_map(|(number, condition)| {
            match holds(condition, &state.globals) {
                Ok(true) => None,
                Ok(false) => Some(Fault::Final(number as u32)),
                Err(fault) => Some(fault),
            }
        })
    }

    /// A task puts the rest of itself off to a later round; then the next one goes on. `all`: other buffers may.
    fn put_off(&mut self, number: u32, steps: &[Option<u32>], state: &State<'a>, task: u32, all: bool) {
        let Some(place) = state.tasks.beside.place_of(state.n, task) else { return };
        let mut state = state.clone();
        // At a serial level tasks do not make way for each other, but any of them may be the first, if the order of dispatch is free.
        let is_fixed = state.tasks.beside.entry(state.n, place).begun || !self.rounds.reorder;
        if self.code.serial[place.0] && is_fixed {
            return;
        }
        for round in state.tasks.beside.entry(state.n, place).round + 1..self.rounds.tasks {
            state.tasks.beside.entry(state.n, place).round = round;
            self.next_task(number, steps, &state, all);
        }
    }

    /// The task that is next in its buffer goes on. That is decided in a state of its own, for many ways lead there.
    fn next_task(&mut self, number: u32, steps: &[Option<u32>], state: &State<'a>, all: bool) {
        self.add(number, steps.to_vec(), State { task: None, all, ..state.clone() });
    }

    /// The next task goes on, or is put off first, if it has not begun or waits.
    fn decide(&mut self, number: u32, state: &State<'a>) {
        let Some((level, place)) = state.tasks.beside.next(state.n) else { return };
        let entry = state.tasks.beside.buffers[state.n][level].entries[place];
        let active = state.config.buffers[state.n].active.last() == Some(&entry.task);
        let blocked = is_blocked(self.code, &state.globals, &state.tasks.tasks[entry.task as usize]);
        if !blocked {
            self.add(number, Vec::new(), State { task: Some(entry.task), ..state.clone() });
        } else if state.all {
            // A buffer that has had its turn has begun, even if all that it did was to wait.
            let mut state = state.clone();
            state.tasks.beside.buffers[state.n][0].parent.get_or_insert((0, 0));
            self.leave(number, &[], &state);
        }
        let reorders =
            self.rounds.reorder || state.tasks.tasks[entry.task as usize].is_past_first_yield(self.code);
        if blocked || (!active && !entry.begun && reorders) {
            self.put_off(number, &[], state, entry.task, state.all);
        }
    }

    /// Control passes to another buffer, in this round or the next.
    fn leave(&mut self, number: u32, steps: &[Option<u32>], state: &State<'a>) {
        for n in (0..state.config.buffers.len()).filter(|&n| n != state.n) {
            let round = state.round + (n < state.n) as u32;
            let begun = state.tasks.beside.buffers[n][0].parent.is_some();
            if round >= self.rounds.buffers || (!begun && round > 0) {
                continue;
            }
            let state = State { n, round, ..state.clone() };
            // Who was interrupted in the middle goes on, unless a task of a higher level waits above it; else whoever is next.
            let top = state.tasks.beside.next(n).map(|(level, _)| level);
            let tasks = &state.tasks.tasks;
            let active = state.config.buffers[n].active.last();
            match active.filter(|&&task| top.is_none_or(|top| top <= tasks[task as usize].level as usize)) {
                Some(&task) if !is_blocked(self.code, &state.globals, &tasks[task as usize]) => {
                    self.add(number, steps.to_vec(), State { task: Some(task), ..state });
                }
                Some(_) => self.leave(number, steps, &state),
                None => self.next_task(number, steps, &state, true),
            }
        }
    }

    /// The choices that lead to a finding.
    fn show(&self, mut number: u32, last: Vec<Option<u32>>, wrong: Wrong) -> Found {
        let (mut all, mut depth) = (vec![last], 0);
        while number != 0 {
            let origin = &self.origins[number as usize];
            all.push(origin.steps.clone());
            number = origin.before;
            depth += 1;
        }
        let steps = all.into_iter().rev().flatten().enumerate();
        let choices =
            steps.filter_map(|(step, pick)| Some(Choice { step: step as u32, pick: pick?, check: 0 }));
        Found { wrong, spent: None, choices: choices.collect(), depth, repeat: None }
    }
}

/// What tells states apart. Tasks that have ended are forgotten; the others keep the numbers that the core gives them, which are
/// told apart only by their order.
fn key(state: &mut State<'_>) -> Box<[u32]> {
    let mut key: Vec<u32> = state.globals.iter().map(|&value| value as u32).collect();
    let kind = state.running as u32 | (state.all as u32) << 1 | (state.task.is_some() as u32) << 2;
    key.extend([state.round, state.n as u32, kind]);
    let mut words = Vec::new();
    let mut task = |key: &mut Vec<u32>, task: u32| {
        state.tasks.tasks[task as usize].pack(state.tasks.code, &mut words);
        key.push(words.len() as u32);
        key.extend_from_slice(&words);
    };
    for (levels, buffer) in state.tasks.beside.buffers.iter().zip(&state.config.buffers) {
        key.push(levels.len() as u32);
        for opened in levels {
            let (place, depth) = opened.parent.map_or((0, 0), |(place, depth)| (place as u32 + 1, depth));
            key.extend([opened.entries.len() as u32, opened.round, place, depth]);
            for entry in &opened.entries {
                let active = buffer.active.iter().position(|&active| active == entry.task);
                let goes_on = (state.task == Some(entry.task)) as u32;
                key.extend([entry.depth, entry.round, entry.begun as u32, goes_on]);
                key.push(active.map_or(0, |place| place as u32 + 1));
                task(&mut key, entry.task);
            }
        }
    }
    key.into_boxed_slice()
}
