//! Exploration by rounds: what the sequentializations of the 2012 paper cover with K1 rounds of buffers and K2 rounds of tasks.
//!
//! *Buffers* (section 4, Fig. 5). Time goes in K1 rounds; in each, the buffers have control one after the other, in order. Where a buffer
//! zields, it may give up control until a later round. A buffer may begin in any round (in the paper only in the first: then, with three buffers, the last one
//! never begins before the second, however many rounds there are).
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

/// A task in the order of its buffer.
#[derive(Clone, Copy, Debug)]
struct Entry {
    task: u32,
    level: u32,
    /// How many of the tasks by whose posts it came about are still there.
    depth: u32,
    round: u32,
    begun: bool,
}

/// The tasks of a buffer.
#[derive(Clone, Debug, Default)]
struct Lineup {
    /// Depth first.
    entries: Vec<Entry>,
    /// The rounds that its levels are in, from the lowest one to the highest one that has tasks.
    rounds: Vec<u32>,
}

impl Lineup {
    /// The place of the task that runs next, by its order: at the highest level that has one.
    fn next(&self) -> Option<usize> {
        let level = self.entries.iter().map(|entry| entry.level).max()?;
        let places = (0..self.entries.len()).filter(|&place| self.entries[place].level == level);
        places.min_by_key(|&place| self.entries[place].round)
    }

    fn place_of(&self, task: u32) -> Option<usize> {
        self.entries.iter().position(|entry| entry.task == task)
    }

    /// The places of those that came about by the posts of a task: they stand behind it.
    fn below(&self, place: usize) -> std::ops::Range<usize> {
        let depth = self.entries[place].depth;
        let below = self.entries[place + 1..].iter().take_while(|entry| entry.depth > depth).count();
        place + 1..place + 1 + below
    }

    /// A task that has ended leaves the order, and those that it has posted take its place; levels that have no task left are closed.
    fn remove(&mut self, task: u32) {
        let Some(place) = self.place_of(task) else { return };
        let below = self.below(place);
        self.entries[below].iter_mut().for_each(|entry| entry.depth -= 1);
        self.entries.remove(place);
        let highest = self.entries.iter().map(|entry| entry.level).max().unwrap_or(0);
        self.rounds.truncate(highest as usize + 1);
    }
}

/// The order of tasks, for each buffer.
type Ordered = Vec<Lineup>;

impl Beside for Ordered {
    fn posted(&mut self, _code: &Code, tasks: &[Task], poster: u32) {
        let Some(task) = tasks.last() else { return };
        let lineup = &mut self[task.buffer as usize];
        let place = lineup.place_of(poster).expect("who posts is there");
        let Entry { level: from, depth, .. } = lineup.entries[place];
        let interrupts = task.level > from;
        if interrupts {
            // The levels between are opened too; nothing of them runs.
            lineup.rounds.resize(task.level as usize + 1, 0);
        }
        let at = lineup.below(place).end;
        let entry = Entry {
            task: tasks.len() as u32 - 1,
            level: task.level,
            depth: depth + 1,
            round: lineup.rounds[task.level as usize],
            begun: interrupts,
        };
        lineup.entries.insert(at, entry);
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
    settings: &'a Settings,
    watched: &'a Watched,
    numbers: FxHashMap<Box<[u32]>, u32>,
    origins: Vec<Origin>,
    queue: VecDeque<(u32, State<'a>)>,
    transitions: u64,
    long: bool,
    found: Option<(u32, Vec<Option<u32>>, Wrong)>,
    bytes: u64,
    /// Why it ended early.
    ended: Option<Ended>,
}

/// Explores a model within its rounds.
pub fn explore_rounds(code: &Code, rounds: Rounds, settings: &Settings, watched: &Watched) -> Explored {
    let mut explorer = Explorer {
        code,
        rounds,
        settings,
        watched,
        numbers: FxHashMap::default(),
        origins: Vec::new(),
        queue: VecDeque::new(),
        transitions: 0,
        long: false,
        found: None,
        bytes: 0,
        ended: None,
    };
    let mut explored = Explored::default();
    explorer.begin();
    while let Some((number, state)) = explorer.queue.pop_front() {
        if explorer.found.is_some() || explorer.is_over() {
            break;
        }
        explorer.expand(number, &state);
    }
    explored.ended = explorer.ended;
    explored.states = explorer.origins.len() as u64;
    explored.transitions = explorer.transitions;
    (explored.state_bytes, explored.bytes) = (explorer.bytes, explorer.bytes);
    explored.long = explorer.long;
    explored.found = explorer.found.take().map(|(number, steps, wrong)| explorer.show(number, steps, wrong));
    explored
}

impl<'a> Explorer<'a> {
    /// Whether to stop early.
    fn is_over(&mut self) -> bool {
        let states = self.origins.len() as u64;
        self.watched.states.store(states, Ordering::Relaxed);
        self.ended = match () {
            () if self.watched.stop.load(Ordering::Relaxed) => Some(Ended::Asked),
            () if self.bytes > self.settings.memory => Some(Ended::Memory),
            () if states > self.settings.max_states => Some(Ended::States),
            () => None,
        };
        self.ended.is_some()
    }

    fn begin(&mut self) {
        let code = self.code;
        let count = code.program.buffers.len();
        let first = |task| Entry { task, level: 0, depth: 0, round: 0, begun: true };
        let ordered =
            (0..count as u32).map(|n| Lineup { entries: vec![first(n)], rounds: vec![0] }).collect();
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
        let lineup = &mut tasks.beside[state.n];
        if let Some(place) = lineup.place_of(task) {
            let entry = &mut lineup.entries[place];
            entry.begun = true;
            lineup.rounds[entry.level as usize] = entry.round;
        }
        running.begin(&tasks, state.n as u32, task);
        let is_step = number != 0 && !state.running;
        for Ran { space: mut tasks, running, end, decided } in run_in_every_way(self.code, tasks, running) {
            if self.found.is_some() || self.is_over() {
                return;
            }
            let steps: Vec<_> = is_step.then_some(Some(task)).into_iter().chain(decided).collect();
            let n = running.n as usize;
            let active = running.config.buffers[n].active.last().copied();
            let (stopped, gone) = (tasks.last_running(), running.ended);
            let Running { globals, config, .. } = running;
            if let Some(task) = gone {
                tasks.beside[n].remove(task);
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
        if zields || (ended && state.tasks.beside[state.n].next().is_none()) {
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
        let Some(place) = state.tasks.beside[state.n].place_of(task) else { return };
        let mut state = state.clone();
        let Entry { level, round, begun, .. } = state.tasks.beside[state.n].entries[place];
        // At a serial level tasks do not make way for each other, but any of them may be the first, if the order of dispatch is free.
        if self.code.serial[level as usize] && (begun || !self.rounds.reorder) {
            return;
        }
        for round in round + 1..self.rounds.tasks {
            state.tasks.beside[state.n].entries[place].round = round;
            self.next_task(number, steps, &state, all);
        }
    }

    /// The task that is next in its buffer goes on. That is decided in a state of its own, for many ways lead there.
    fn next_task(&mut self, number: u32, steps: &[Option<u32>], state: &State<'a>, all: bool) {
        self.add(number, steps.to_vec(), State { task: None, all, ..state.clone() });
    }

    /// The next task goes on, or is put off first, if it has not begun or waits.
    fn decide(&mut self, number: u32, state: &State<'a>) {
        let lineup = &state.tasks.beside[state.n];
        let Some(entry) = lineup.next().map(|place| lineup.entries[place]) else { return };
        let active = state.config.buffers[state.n].active.last() == Some(&entry.task);
        let blocked = is_blocked(self.code, &state.globals, &state.tasks.tasks[entry.task as usize]);
        if !blocked {
            self.add(number, Vec::new(), State { task: Some(entry.task), ..state.clone() });
        } else if state.all {
            self.leave(number, &[], state);
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
            if round >= self.rounds.buffers {
                continue;
            }
            let state = State { n, round, ..state.clone() };
            // Who was interrupted in the middle goes on, unless a task of a higher level waits above it; else whoever is next.
            let lineup = &state.tasks.beside[n];
            let top = lineup.next().map(|place| lineup.entries[place].level);
            let tasks = &state.tasks.tasks;
            let active = state.config.buffers[n].active.last();
            match active.filter(|&&task| top.is_none_or(|top| top <= tasks[task as usize].level)) {
                Some(&task) if !is_blocked(self.code, &state.globals, &tasks[task as usize]) => {
                    self.add(number, steps.to_vec(), State { task: Some(task), ..state });
                }
                // It cannot; whoever could have control after it is tried without it.
                Some(_) => {}
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
    for (lineup, buffer) in state.tasks.beside.iter().zip(&state.config.buffers) {
        key.extend([lineup.rounds.len() as u32, lineup.entries.len() as u32]);
        key.extend(&lineup.rounds);
        for entry in &lineup.entries {
            let active = buffer.active.iter().position(|&active| active == entry.task);
            let goes_on = (state.task == Some(entry.task)) as u32;
            key.extend([entry.depth, entry.round, entry.begun as u32, goes_on]);
            key.push(active.map_or(0, |place| place as u32 + 1));
            task(&mut key, entry.task);
        }
    }
    key.into_boxed_slice()
}
