//! What small programs do, by docs/semantics.md.

use super::{Program, Stmt, VALUES};

#[derive(Clone, Debug)]
enum Instr {
    Do(Stmt),
    Jump(usize),
    /// Unless the variable has the value.
    JumpUnless(usize, u8, usize),
    /// If it has.
    JumpIf(usize, u8, usize),
    End,
}

/// A program whose procedures are lists of instructions.
pub struct Flat<'p> {
    pub program: &'p Program,
    procs: Vec<Vec<Instr>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    proc: usize,
    pc: usize,
    pub level: usize,
    pub buffer: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    pub globals: Vec<u8>,
    pub locks: Vec<bool>,
    /// A task's place is free again when it has ended.
    pub tasks: Vec<Option<Task>>,
    pub active: Vec<Vec<usize>>,
    pub pending: Vec<Vec<usize>>,
    /// Only tasks of this buffer may go on.
    pub only: Option<usize>,
}

/// What a task does on the way to the next point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Runs(usize),
    Pauses(usize),
    Ends(usize),
    /// The first has posted the second, at a level.
    Posts(usize, usize, usize),
    /// A variable or a lock (behind the variables) is read or written by a task.
    Global(usize, usize, bool),
    /// Data is.
    Data(usize, usize, bool),
}

/// Where a segment leads.
#[derive(Clone, Debug)]
pub enum End {
    To(State),
    Unlock,
    Assertion,
    Spins,
    /// More than is looked at.
    TooMuch,
}

const MAX_TASKS: usize = 6;

impl<'p> Flat<'p> {
    pub fn new(program: &'p Program) -> Flat<'p> {
        let procs = program.procs.iter().map(|body| {
            let mut code = vec![];
            flatten(body, &mut code);
            code.push(Instr::End);
            code
        });
        Flat { program, procs: procs.collect() }
    }

    pub fn first(&self) -> State {
        let program = self.program;
        let main = |n| Task { proc: n, pc: 0, level: 0, buffer: n };
        let mut state = State {
            globals: vec![0; program.globals],
            locks: vec![false; program.locks],
            tasks: (0..program.buffers).map(|n| Some(main(n))).collect(),
            active: vec![vec![]; program.buffers],
            pending: (0..program.buffers).map(|n| vec![n]).collect(),
            only: None,
        };
        state.tasks.iter_mut().for_each(|task| self.pass_jumps(task.as_mut().unwrap()));
        if !self.runnable(&state, 0).is_empty() {
            state.only = Some(0);
        }
        state
    }

    fn pass_jumps(&self, task: &mut Task) {
        for _ in 0..100 {
            match self.procs[task.proc][task.pc] {
                Instr::Jump(to) => task.pc = to,
                _ => return,
            }
        }
    }

    pub fn is_blocked(&self, state: &State, slot: usize) -> bool {
        let mut task = state.tasks[slot].unwrap();
        self.pass_jumps(&mut task);
        match self.procs[task.proc][task.pc] {
            Instr::Do(Stmt::Await(g, value)) => state.globals[g] != value,
            Instr::Do(Stmt::Lock(m)) => state.locks[m],
            _ => false,
        }
    }

    fn level(&self, state: &State, slot: usize) -> usize {
        state.tasks[slot].unwrap().level
    }

    pub fn runnable(&self, state: &State, n: usize) -> Vec<usize> {
        let level = |slot: &usize| self.level(state, *slot);
        let top = state.pending[n].iter().map(level).max();
        let active = state.active[n].last().copied();
        let all: Vec<usize> = match active {
            Some(slot) if top.is_none_or(|top| top <= level(&slot)) => vec![slot],
            _ => state.pending[n].iter().copied().filter(|slot| Some(level(slot)) == top).collect(),
        };
        all.into_iter().filter(|&slot| !self.is_blocked(state, slot)).collect()
    }

    pub fn candidates(&self, state: &State) -> Vec<usize> {
        match state.only {
            Some(n) => self.runnable(state, n),
            None => (0..self.program.buffers).flat_map(|n| self.runnable(state, n)).collect(),
        }
    }

    /// Everything that a task may do up to the next point.
    pub fn go(&self, state: &State, slot: usize) -> Vec<(End, Vec<Event>)> {
        let mut state = state.clone();
        let n = state.tasks[slot].unwrap().buffer;
        if state.active[n].last() != Some(&slot) {
            state.pending[n].retain(|&other| other != slot);
            state.active[n].push(slot);
        }
        let mut open = vec![(state, vec![Event::Runs(slot)], vec![])];
        let mut ends = vec![];
        while let Some((mut state, mut events, mut seen)) = open.pop() {
            loop {
                let slot = *state.active[n].last().unwrap();
                let task = state.tasks[slot].unwrap();
                if seen.contains(&state) {
                    ends.push((End::Spins, events));
                    break;
                }
                if state.tasks.len() > MAX_TASKS {
                    ends.push((End::TooMuch, events));
                    break;
                }
                seen.push(state.clone());
                if let Instr::Do(Stmt::Havoc(g)) = self.procs[task.proc][task.pc] {
                    state.tasks[slot].as_mut().unwrap().pc += 1;
                    events.push(Event::Global(slot, g, true));
                    for value in 0..VALUES {
                        let mut state = state.clone();
                        state.globals[g] = value;
                        open.push((state, events.clone(), seen.clone()));
                    }
                    break;
                }
                if let Some(end) = self.step(&mut state, n, slot, &mut events) {
                    ends.push((end, events));
                    break;
                }
            }
        }
        ends
    }

    /// One instruction; the end of the segment if it is.
    fn step(&self, state: &mut State, n: usize, slot: usize, events: &mut Vec<Event>) -> Option<End> {
        let task = state.tasks[slot].unwrap();
        let serial = self.program.levels[task.level];
        let instr = self.procs[task.proc][task.pc].clone();
        let locks = self.program.globals;
        state.tasks[slot].as_mut().unwrap().pc += 1;
        let go_to = |state: &mut State, pc: usize| state.tasks[slot].as_mut().unwrap().pc = pc;
        match instr {
            Instr::Jump(to) => go_to(state, to),
            Instr::JumpUnless(g, value, to) | Instr::JumpIf(g, value, to) => {
                events.push(Event::Global(slot, g, false));
                if (state.globals[g] == value) == matches!(instr, Instr::JumpIf(..)) {
                    go_to(state, to);
                }
            }
            Instr::End => {
                events.push(Event::Ends(slot));
                state.active[n].pop();
                state.tasks[slot] = None;
                while state.tasks.last() == Some(&None) {
                    state.tasks.pop();
                }
                return Some(self.ended(state, n));
            }
            Instr::Do(stmt) => match stmt {
                Stmt::Set(g, value) => {
                    events.push(Event::Global(slot, g, true));
                    state.globals[g] = value;
                }
                Stmt::Inc(g) => {
                    events.push(Event::Global(slot, g, true));
                    state.globals[g] = (state.globals[g] + 1) % VALUES;
                }
                Stmt::Assert(g, value) => {
                    events.push(Event::Global(slot, g, false));
                    if state.globals[g] == value {
                        return Some(End::Assertion);
                    }
                }
                Stmt::Read(d) => events.push(Event::Data(slot, d, false)),
                Stmt::Write(d) => events.push(Event::Data(slot, d, true)),
                Stmt::Await(..) | Stmt::Lock(_) if self.is_blocked_at(state, &stmt) => {
                    go_to(state, task.pc);
                    return Some(self.point(state, n, slot, false));
                }
                Stmt::Await(g, _) => events.push(Event::Global(slot, g, false)),
                Stmt::Lock(m) => {
                    events.push(Event::Global(slot, locks + m, true));
                    state.locks[m] = true;
                }
                Stmt::Unlock(m) => {
                    events.push(Event::Global(slot, locks + m, true));
                    if !state.locks[m] {
                        return Some(End::Unlock);
                    }
                    state.locks[m] = false;
                }
                Stmt::Yield if serial => {}
                Stmt::Zield if self.program.buffers == 1 => {}
                Stmt::Zield => return Some(self.point(state, n, slot, false)),
                Stmt::Yield | Stmt::Pause => {
                    if matches!(stmt, Stmt::Pause) {
                        events.push(Event::Pauses(slot));
                    }
                    if !serial {
                        state.active[n].pop();
                        state.pending[n].push(slot);
                    }
                    return Some(self.point(state, n, slot, true));
                }
                Stmt::Post(proc, level) => {
                    let level = level.unwrap_or(task.level);
                    let free = state.tasks.iter().position(Option::is_none);
                    let new = free.unwrap_or(state.tasks.len());
                    state.tasks.resize(state.tasks.len().max(new + 1), None);
                    let mut posted = Task { proc, pc: 0, level, buffer: n };
                    self.pass_jumps(&mut posted);
                    state.tasks[new] = Some(posted);
                    events.push(Event::Posts(slot, new, level));
                    if level > task.level {
                        state.active[n].push(new);
                        events.push(Event::Runs(new));
                    } else {
                        state.pending[n].push(new);
                    }
                }
                Stmt::Havoc(_) | Stmt::If(..) | Stmt::While(..) => {
                    unreachable!("flattened, or seen to before")
                }
            },
        }
        None
    }

    /// A task that was posted, as far as its level and buffer go.
    pub fn posted(&self, by: Task, level: usize) -> Task {
        Task { proc: 0, pc: 0, level, buffer: by.buffer }
    }

    fn is_blocked_at(&self, state: &State, stmt: &Stmt) -> bool {
        match *stmt {
            Stmt::Await(g, value) => state.globals[g] != value,
            Stmt::Lock(m) => state.locks[m],
            _ => false,
        }
    }

    /// In every buffer, tasks on top that are blocked give up their places.
    fn give_up(&self, state: &mut State) {
        for slot in 0..state.tasks.len() {
            if let Some(mut task) = state.tasks[slot] {
                self.pass_jumps(&mut task);
                state.tasks[slot] = Some(task);
            }
        }
        for n in 0..self.program.buffers {
            while let Some(&slot) = state.active[n].last()
                && !self.program.levels[self.level(state, slot)]
                && self.is_blocked(state, slot)
            {
                state.active[n].pop();
                state.pending[n].push(slot);
            }
            state.pending[n].sort_unstable();
        }
    }

    fn point(&self, state: &mut State, n: usize, slot: usize, yields: bool) -> End {
        self.give_up(state);
        state.only = (yields && !self.is_blocked(state, slot)).then_some(n);
        End::To(state.clone())
    }

    fn ended(&self, state: &mut State, n: usize) -> End {
        self.give_up(state);
        state.only = (!self.runnable(state, n).is_empty()).then_some(n);
        End::To(state.clone())
    }
}

fn flatten(body: &[Stmt], code: &mut Vec<Instr>) {
    for stmt in body {
        match stmt {
            Stmt::If(g, value, body) => {
                let at = code.len();
                code.push(Instr::End);
                flatten(body, code);
                code[at] = Instr::JumpUnless(*g, *value, code.len());
            }
            Stmt::While(condition, body) => {
                let at = code.len();
                if condition.is_some() {
                    code.push(Instr::End);
                }
                flatten(body, code);
                code.push(Instr::Jump(at));
                if let Some((g, value)) = condition {
                    code[at] = Instr::JumpIf(*g, *value, code.len());
                }
            }
            Stmt::Pause => code.extend([Instr::Do(Stmt::Pause), Instr::Do(Stmt::Zield)]),
            stmt => code.push(Instr::Do(stmt.clone())),
        }
    }
}
