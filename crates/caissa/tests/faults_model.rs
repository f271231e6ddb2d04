//! Faults and virtual time against brute force: a model that shares no code with the library counts the executions of random
//! small programs and collects their outcomes, for budgets of 0, 1 and 2 faults. Reduction must lose none of them.
//!
//! The rules of the model are those of docs/semantics.md, "Faults" and "Time", written down a second time.

mod timed_programs;

use std::collections::BTreeSet;

use caissa::{Builder, Search, Verdict};
use timed_programs::{Instr, Outcome, Program, closure, random_program};

/// Programs with more executions than this are left out.
const LIMIT: u64 = 3_000;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    Unborn,
    /// Before its next instruction.
    Ready,
    /// In the middle of it: it waits, until its deadline if it has one. `by_fault` is how it will end by a fault; `due` that its time
    /// has come.
    Waits {
        deadline: Option<u64>,
        by_fault: Option<Fault>,
        due: bool,
    },
    Sleeps,
    /// It waits no longer and wants its mutex again.
    WantsMutex {
        timed_out: bool,
    },
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    TimesOut,
    Wakes,
    Fails,
}

/// A question that has to be answered before anything else: whether a fault happens, or which waiter is notified.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Question {
    Fault { task: usize, fault: Fault },
    Waiter { count: usize },
}

#[derive(Clone, Debug)]
struct State<'p> {
    program: &'p Program,
    stands: Vec<Stands>,
    next: Vec<usize>,
    tokens: Vec<bool>,
    /// When a sleep ends.
    sleeps_until: Vec<u64>,
    holder: Option<usize>,
    waiters: Vec<usize>,
    messages: Vec<u64>,
    value: u64,
    clock: u64,
    faults_left: u32,
    question: Option<Question>,
    /// Goes on once there are no questions left.
    spawner: Option<usize>,
    logs: Vec<Vec<u64>>,
}

impl<'p> State<'p> {
    fn new(program: &'p Program, faults: u32) -> State<'p> {
        let tasks = program.tasks.len();
        let mut stands = vec![Stands::Unborn; tasks];
        stands[0] = Stands::Ready;
        State {
            program,
            stands,
            next: vec![0; tasks],
            tokens: vec![false; tasks],
            sleeps_until: vec![0; tasks],
            holder: None,
            waiters: Vec::new(),
            messages: Vec::new(),
            value: 0,
            clock: 0,
            faults_left: faults,
            question: None,
            spawner: None,
            logs: vec![Vec::new(); tasks],
        }
    }

    fn instr(&self, task: usize) -> Option<Instr> {
        self.program.tasks[task].get(self.next[task]).copied()
    }

    /// Whether what a task waits for is there.
    fn is_served(&self, task: usize) -> bool {
        match self.instr(task) {
            Some(Instr::Park(_)) => self.tokens[task],
            Some(Instr::Recv(_)) => !self.messages.is_empty(),
            _ => false,
        }
    }

    fn enabled(&self, task: usize) -> bool {
        match self.stands[task] {
            Stands::Unborn | Stands::Ended => false,
            Stands::Waits { by_fault, due, .. } => by_fault.is_some() || due || self.is_served(task),
            Stands::Sleeps => true,
            Stands::WantsMutex { .. } => self.holder.is_none(),
            Stands::Ready => !matches!(self.instr(task), Some(Instr::Lock)) || self.holder.is_none(),
        }
    }

    /// A task comes to its next instruction. A park without a timeout waits there; other waits begin with a step.
    fn arrive(&mut self, task: usize) {
        match self.instr(task) {
            Some(Instr::Park(None)) if !self.is_served(task) => self.begin_to_wait(task, None),
            _ => {}
        }
    }

    fn begin_to_wait(&mut self, task: usize, time: Option<u64>) {
        let deadline = time.map(|time| self.clock + time);
        let due = deadline.is_some_and(|deadline| deadline <= self.clock);
        self.stands[task] = Stands::Waits { deadline, by_fault: None, due };
        if deadline.is_some() && !due {
            self.ask(task, Fault::TimesOut);
        } else {
            self.ask_to_wake(task);
        }
    }

    /// A receive does not wake for no reason.
    fn ask_to_wake(&mut self, task: usize) {
        if !matches!(self.instr(task), Some(Instr::Recv(_))) {
            self.ask(task, Fault::Wakes);
        }
    }

    fn ask(&mut self, task: usize, fault: Fault) {
        if self.faults_left > 0 {
            self.question = Some(Question::Fault { task, fault });
        }
    }

    fn answer(&mut self, value: usize) {
        match self.question.take().expect("there is a question") {
            Question::Waiter { .. } => self.wake(value),
            Question::Fault { task, fault } => {
                self.faults_left -= value as u32;
                match (fault, value) {
                    (Fault::Fails, happens) => self.exchange(task, happens == 0),
                    (fault, 1) => {
                        if let Stands::Waits { by_fault, .. } = &mut self.stands[task] {
                            *by_fault = Some(fault);
                        }
                    }
                    (Fault::TimesOut, _) => self.ask_to_wake(task),
                    _ => {}
                }
            }
        }
        if self.question.is_none()
            && let Some(spawner) = self.spawner.take()
        {
            self.advance(spawner);
        }
    }

    fn exchange(&mut self, task: usize, succeeds: bool) {
        if let (Some(Instr::Weak(_, new)), true) = (self.instr(task), succeeds) {
            self.value = new;
        }
        self.logs[task].push(succeeds as u64);
        self.advance(task);
    }

    fn wake(&mut self, waiter: usize) {
        let task = self.waiters.remove(waiter);
        self.stands[task] = Stands::WantsMutex { timed_out: false };
    }

    fn advance(&mut self, task: usize) {
        self.next[task] += 1;
        self.stands[task] = Stands::Ready;
        self.arrive(task);
    }

    fn pass_until(&mut self, time: u64) {
        self.clock = self.clock.max(time);
        for stands in &mut self.stands {
            if let Stands::Waits { deadline: Some(deadline), by_fault: None, due } = stands {
                *due |= *deadline <= self.clock;
            }
        }
    }

    /// The next step of an enabled task.
    fn step(&mut self, task: usize) {
        match self.stands[task] {
            Stands::Waits { deadline, by_fault, .. } => {
                let timed_out = by_fault != Some(Fault::Wakes) && deadline.is_some();
                return self.stop_waiting(task, deadline.filter(|_| timed_out));
            }
            Stands::Sleeps => {
                self.pass_until(self.sleeps_until[task]);
                return self.advance(task);
            }
            Stands::WantsMutex { timed_out } => {
                self.holder = Some(task);
                self.logs[task].push(timed_out as u64);
                return self.advance(task);
            }
            _ => {}
        }
        match self.instr(task) {
            None => {
                self.stands[task] = Stands::Ended;
                return;
            }
            Some(Instr::Spawn(child)) => {
                self.stands[child] = Stands::Ready;
                self.arrive(child);
                if self.question.is_some() {
                    // The child's questions come before its parent goes on.
                    self.spawner = Some(task);
                    return;
                }
            }
            Some(Instr::Store(value)) => self.value = value,
            Some(Instr::Load) => self.logs[task].push(self.value),
            Some(Instr::Weak(expected, _)) => {
                if self.value == expected && self.faults_left > 0 {
                    return self.ask(task, Fault::Fails);
                }
                let succeeds = self.value == expected;
                return self.exchange(task, succeeds);
            }
            Some(Instr::Lock) => self.holder = Some(task),
            Some(Instr::Unlock) => self.holder = None,
            Some(Instr::Wait(time)) => {
                self.holder = None;
                self.waiters.push(task);
                return self.begin_to_wait(task, time);
            }
            Some(Instr::Notify { all }) => {
                let count = self.waiters.len();
                self.advance(task);
                match (all, count) {
                    (false, 2..) => {
                        assert!(self.question.is_none(), "programs keep notifications and waits apart");
                        self.question = Some(Question::Waiter { count });
                    }
                    (_, 0) => {}
                    (false, _) => self.wake(0),
                    (true, _) => (0..count).for_each(|_| self.wake(0)),
                }
                return;
            }
            Some(Instr::Park(time)) if !self.is_served(task) => return self.begin_to_wait(task, time),
            Some(Instr::Recv(time)) if !self.is_served(task) => return self.begin_to_wait(task, Some(time)),
            Some(Instr::Park(_)) => self.tokens[task] = false,
            Some(Instr::Unpark(other)) => self.tokens[other] |= self.stands[other] != Stands::Ended,
            Some(Instr::Sleep(0)) => {}
            Some(Instr::Sleep(time)) => {
                self.sleeps_until[task] = self.clock + time;
                self.stands[task] = Stands::Sleeps;
                return;
            }
            Some(Instr::Now) => self.logs[task].push(self.clock),
            Some(Instr::Send(message)) => self.messages.push(message),
            Some(Instr::Recv(_)) => {
                let message = self.messages.remove(0);
                self.logs[task].push(message);
            }
        }
        self.advance(task);
    }

    /// A task that waited goes on. `deadline`: the time that has passed, unless what it waited for is there.
    fn stop_waiting(&mut self, task: usize, deadline: Option<u64>) {
        let served = self.is_served(task);
        if let Some(deadline) = deadline.filter(|_| !served) {
            self.pass_until(deadline);
        }
        match self.instr(task) {
            Some(Instr::Wait(_)) => {
                self.waiters.retain(|&waiter| waiter != task);
                self.stands[task] = Stands::WantsMutex { timed_out: deadline.is_some() };
                return;
            }
            Some(Instr::Recv(_)) => {
                let message = if served { self.messages.remove(0) } else { 0 };
                self.logs[task].push(message);
            }
            _ => self.tokens[task] = false,
        }
        self.advance(task);
    }

    /// Nobody is enabled: the earliest deadlines are due. False if there are none.
    fn let_time_pass(&mut self) -> bool {
        let deadline = |stands: &Stands| match stands {
            Stands::Waits { deadline, by_fault: None, due: false } => *deadline,
            _ => None,
        };
        let Some(earliest) = self.stands.iter().filter_map(deadline).min() else { return false };
        for stands in &mut self.stands {
            if let Stands::Waits { deadline, by_fault: None, due } = stands {
                *due |= *deadline == Some(earliest);
            }
        }
        true
    }

    fn outcome(&self) -> Outcome {
        let live = |stands: &Stands| !matches!(stands, Stands::Unborn | Stands::Ended);
        let stuck = (0..self.stands.len()).filter(|&task| live(&self.stands[task])).collect();
        Outcome { logs: self.logs.clone(), value: self.value, stuck }
    }
}

/// Counts executions and collects outcomes. False if there are too many.
fn explore(state: &mut State<'_>, executions: &mut u64, outcomes: &mut BTreeSet<Outcome>) -> bool {
    if let Some(question) = &state.question {
        let count = if let Question::Waiter { count } = question { *count } else { 2 };
        return (0..count).all(|value| {
            let mut next = state.clone();
            next.answer(value);
            explore(&mut next, executions, outcomes)
        });
    }
    let tasks = 0..state.stands.len();
    if !tasks.clone().any(|task| state.enabled(task)) && !state.let_time_pass() {
        *executions += 1;
        outcomes.insert(state.outcome());
        return *executions <= LIMIT;
    }
    tasks.into_iter().filter(|&task| state.enabled(task)).all(|task| {
        let mut next = state.clone();
        next.step(task);
        explore(&mut next, executions, outcomes)
    })
}

/// Compares the library with the model. False if the program is too large.
fn agrees(program: &Program, faults: u32) -> bool {
    let (mut executions, mut known) = (0, BTreeSet::new());
    if !explore(&mut State::new(program, faults), &mut executions, &mut known) {
        return false;
    }
    let search = |builder: Builder| {
        let outcomes = timed_programs::Outcomes::default();
        let report = builder.faults(faults).keep_going(true).minimise(1).explore(closure(program, &outcomes));
        let report = report.unwrap_or_else(|error| panic!("{error}\n{program}"));
        assert_ne!(report.verdict, Verdict::Diverged, "{program}\n{report}");
        let outcomes = std::mem::take(&mut *outcomes.lock().unwrap());
        (report, outcomes)
    };
    let (report, outcomes) = search(Builder::new().fair(false).search(Search::Dfs));
    assert!(outcomes == known, "{faults} faults: {outcomes:#?}, not {known:#?}\n{program}");
    assert_eq!(report.executions(), executions, "{faults} faults\n{program}");
    for builder in [
        Builder::new().fair(false).search(Search::Preemptions),
        Builder::new().fair(false).search(Search::Delays),
    ] {
        let (again, outcomes) = search(builder.unbounded());
        assert!(outcomes == known, "{faults} faults\n{program}");
        let figures = |report: &caissa::Report| (report.executions(), report.summary.classes());
        assert_eq!(figures(&again), figures(&report), "{faults} faults\n{program}");
    }
    for builder in [
        Builder::new().fair(false).search(Search::Dfs),
        Builder::new().fair(false).search(Search::Preemptions).unbounded(),
    ] {
        let (reduced, outcomes) = search(builder.reduce(true));
        assert!(outcomes == known, "{faults} faults, reduced: {outcomes:#?}, not {known:#?}\n{program}");
        assert_eq!(
            reduced.summary.classes(),
            report.summary.classes(),
            "{faults} faults, reduced\n{program}"
        );
        assert!(reduced.executions() <= executions, "{faults} faults, reduced\n{program}");
    }
    true
}

/// Random programs; `tries` says how many, `faults` the budget.
fn on_random_programs(tries: u64, seed: u64, faults: u32) {
    let small = (0..tries).filter(|n| agrees(&random_program(seed + n), faults)).count() as u64;
    assert!(small * 2 > tries, "only {small} of {tries} programs were small enough");
}

#[test]
fn without_faults() {
    on_random_programs(600, 1_000, 0);
}

#[test]
fn with_one_fault() {
    on_random_programs(500, 2_000, 1);
}

#[test]
fn with_two_faults() {
    on_random_programs(400, 3_000, 2);
}
