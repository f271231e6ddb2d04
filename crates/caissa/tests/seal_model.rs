//! Preemption sealing on random programs, against a model that shares no code: it enumerates every schedule in which no task is left at
//! a sealed point while it could go on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex as StdMutex;

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Search, Verdict, no_preempt, preempt_only, thread};

const LOCKS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Adds 1 to the number and notes what it was.
    Add,
    /// Takes a mutex; only if none is held.
    Lock(usize),
    /// Releases it.
    Unlock,
    /// The task's last step.
    End,
}

/// An operation, and whether the point before it is sealed.
#[derive(Clone, Copy, Debug)]
struct Op(Kind, bool);

type Program = Vec<Vec<Op>>;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Tasks of a few operations, sealed by chance; one lock at a time.
fn random_program(dice: &mut Dice) -> Program {
    let tasks = 2 + dice.below(2);
    let steps = if tasks == 2 { 4 } else { 2 };
    let task = |dice: &mut Dice| {
        let mut ops = Vec::new();
        let mut held = false;
        for _ in 0..1 + dice.below(steps) {
            let kind = match dice.below(3) {
                0 if held => Kind::Unlock,
                0 => Kind::Lock(dice.below(LOCKS as u64) as usize),
                _ => Kind::Add,
            };
            match kind {
                Kind::Lock(_) => held = true,
                Kind::Unlock => held = false,
                Kind::Add | Kind::End => {}
            }
            ops.push(Op(kind, dice.below(2) == 0));
        }
        if held {
            ops.push(Op(Kind::Unlock, dice.below(2) == 0));
        }
        ops.push(Op(Kind::End, false));
        ops
    };
    (0..tasks).map(|_| task(dice)).collect()
}

type Outcome = Vec<Vec<usize>>;

/// What there is to find: executions by preemptions, outcomes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Figures {
    executions: BTreeMap<u32, u64>,
    outcomes: BTreeSet<Outcome>,
}

#[derive(Clone)]
struct State {
    next: Vec<usize>,
    held: [Option<usize>; LOCKS],
    number: usize,
    found: Outcome,
    last: usize,
    preemptions: u32,
}

/// Task 0 is the main one, which has done everything but its end. `ends`: whether the ends of tasks are sealed.
fn model(program: &Program, ends: bool) -> Figures {
    let mut tasks = vec![vec![Op(Kind::End, ends)]];
    tasks.extend(program.iter().cloned());
    tasks.iter_mut().filter_map(|ops| ops.last_mut()).for_each(|end| end.1 = ends);
    let state = State {
        next: vec![0; tasks.len()],
        held: [None; LOCKS],
        number: 0,
        found: vec![Vec::new(); program.len()],
        last: 0,
        preemptions: 0,
    };
    let mut figures = Figures::default();
    follow(&tasks, &state, &mut figures);
    figures
}

fn follow(tasks: &[Vec<Op>], state: &State, figures: &mut Figures) {
    let op = |task: usize| tasks[task].get(state.next[task]).copied();
    let can_go_on = |task: usize| match op(task) {
        Some(Op(Kind::Lock(lock), _)) => state.held[lock].is_none(),
        Some(_) => true,
        None => false,
    };
    let last = state.last;
    let stays = can_go_on(last);
    let sealed = stays && op(last).is_some_and(|Op(_, sealed)| sealed);
    let options: Vec<usize> =
        (0..tasks.len()).filter(|&task| can_go_on(task) && !(sealed && task != last)).collect();
    if options.is_empty() {
        *figures.executions.entry(state.preemptions).or_default() += 1;
        figures.outcomes.insert(state.found.clone());
    }
    for task in options {
        let mut state = state.clone();
        state.preemptions += (stays && task != last) as u32;
        state.last = task;
        state.next[task] += 1;
        match op(task).expect("it can go on").0 {
            Kind::Add => {
                state.found[task - 1].push(state.number);
                state.number += 1;
            }
            Kind::Lock(lock) => state.held[lock] = Some(task),
            Kind::Unlock => {
                state.held.iter_mut().filter(|held| **held == Some(task)).for_each(|held| *held = None)
            }
            Kind::End => {}
        }
        follow(tasks, &state, figures);
    }
}

/// How points are sealed.
#[derive(Clone, Copy, Debug)]
enum By {
    /// Each operation that is sealed has a guard.
    Closing,
    /// Each one that is not has one.
    Opening,
}

struct Noted {
    found: StdMutex<Outcome>,
    all: Arc<StdMutex<BTreeSet<Outcome>>>,
}

impl Drop for Noted {
    fn drop(&mut self) {
        self.all.lock().unwrap().insert(std::mem::take(&mut *self.found.lock().unwrap()));
    }
}

fn run_task(ops: &[Op], by: By, number: &AtomicUsize, locks: &[Mutex<()>]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut held = None;
    for &Op(kind, sealed) in ops {
        let _closed = (matches!(by, By::Closing) && sealed).then(no_preempt);
        let _open = (matches!(by, By::Opening) && !sealed).then(preempt_only);
        match kind {
            Kind::Add => found.push(number.fetch_add(1, SeqCst)),
            Kind::Lock(lock) => held = Some(locks[lock].lock().unwrap()),
            Kind::Unlock => drop(held.take()),
            Kind::End => {}
        }
    }
    found
}

/// The end of a task lies behind its closure, where no guard is: with opening guards it is sealed.
fn run(builder: Builder, program: &Program, by: By) -> (Figures, Verdict) {
    let all = Arc::new(StdMutex::new(BTreeSet::new()));
    let (tasks, noted) = (program.clone(), Arc::clone(&all));
    let report = builder.explore(move || {
        let _closed = no_preempt();
        let found = StdMutex::new(vec![Vec::new(); tasks.len()]);
        let noted = Arc::new(Noted { found, all: Arc::clone(&noted) });
        let shared = Arc::new((AtomicUsize::new(0), [(); LOCKS].map(Mutex::new)));
        for (index, ops) in tasks.iter().enumerate() {
            let (ops, noted, shared) = (ops.clone(), Arc::clone(&noted), Arc::clone(&shared));
            thread::spawn(move || {
                let found = run_task(&ops, by, &shared.0, &shared.1);
                noted.found.lock().unwrap()[index] = found;
            });
        }
        if matches!(by, By::Opening) {
            drop(preempt_only());
        }
    });
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    let mut executions: BTreeMap<u32, u64> =
        report.summary.bounds.iter().map(|bound| (bound.bound, bound.executions)).collect();
    executions.retain(|_, executions| *executions > 0);
    let outcomes = all.lock().unwrap().clone();
    (Figures { executions, outcomes }, report.verdict)
}

#[test]
fn searches_run_what_the_model_allows() {
    let mut dice = Dice(11);
    let mut sealed = 0;
    for round in 0..60 {
        let program = random_program(&mut dice);
        let expected = model(&program, false);
        let unbounded = |search| Builder::new().search(search).unbounded();
        let (figures, _) = run(unbounded(Search::Preemptions), &program, By::Closing);
        assert_eq!(figures, expected, "{round}: {program:?}");
        let total: u64 = expected.executions.values().sum();
        for builder in [
            unbounded(Search::Dfs),
            unbounded(Search::Delays),
            unbounded(Search::Delays).scheduler("depth-first"),
            unbounded(Search::Contexts),
        ] {
            let (figures, verdict) = run(builder, &program, By::Closing);
            assert_eq!(figures.executions.values().sum::<u64>(), total, "{round}: {program:?}");
            // Executions that are cut leave parts of outcomes.
            assert!(figures.outcomes.is_superset(&expected.outcomes), "{round}: {program:?}");
            sealed += (verdict == Verdict::Bounded) as u32;
        }
        let (figures, _) = run(unbounded(Search::Preemptions), &program, By::Opening);
        assert_eq!(figures, model(&program, true), "{round}: {program:?}");
    }
    assert!(sealed > 200, "{sealed} searches left something out");
}
