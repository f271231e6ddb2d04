//! The fair search of the library against a model of it, on random programs with spin loops, locks and tries: as many
//! executions at each exact cost, and the same outcomes.

mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc as StdArc, Mutex as StdMutex};

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Mutex};
use caissa::{Builder, Report, Search, Verdict, thread};
use model::{Instr, Measure, Model, Outcome, Program, Summary, Task, Unsuitable};

/// Programs with more executions are left out.
const LIMIT: u64 = 1_000;
/// No execution that comes to an end is nearly that long.
const MAX_STEPS: usize = 100;

struct Shared {
    program: Program,
    atomics: Vec<AtomicUsize>,
    mutexes: Vec<Mutex<()>>,
    /// Written only at the end of a task, and so no matter for the order of steps.
    observed: StdMutex<Vec<Vec<usize>>>,
}

impl Shared {
    fn run(self: &Arc<Shared>, task: Task) {
        let mut guards: Vec<_> = self.mutexes.iter().map(|_| None).collect();
        let mut children = BTreeMap::new();
        for &instr in &self.program.tasks[task] {
            let observe = |value| self.observed.lock().unwrap()[task].push(value);
            match instr {
                Instr::Load(atomic) => observe(self.atomics[atomic].load(SeqCst)),
                Instr::Store(atomic, value) => self.atomics[atomic].store(value, SeqCst),
                Instr::Add(atomic, value) => _ = self.atomics[atomic].fetch_add(value, SeqCst),
                Instr::Yield => thread::yield_now(),
                Instr::Lock(mutex) => guards[mutex] = Some(self.mutexes[mutex].lock().unwrap()),
                Instr::Unlock(mutex) => guards[mutex] = None,
                Instr::TryLock(mutex) => {
                    guards[mutex] = self.mutexes[mutex].try_lock().ok();
                    observe(usize::from(guards[mutex].is_some()));
                }
                Instr::TryUntilLocked(mutex) => {
                    while guards[mutex].is_none() {
                        guards[mutex] = self.mutexes[mutex].try_lock().ok();
                    }
                }
                Instr::WaitFor(atomic, value) => {
                    while self.atomics[atomic].load(SeqCst) < value {
                        thread::yield_now();
                    }
                }
                Instr::SpinLock(atomic) => {
                    while self.atomics[atomic].swap(1, SeqCst) == 1 {
                        thread::yield_now();
                    }
                }
                Instr::Spawn(child) => {
                    let shared = Arc::clone(self);
                    children.insert(child, thread::spawn(move || shared.run(child)));
                }
                Instr::Join(child) => children.remove(&child).unwrap().join().unwrap(),
            }
        }
    }
}

/// A number below `n` from a stream that a seed fixes.
fn below(stream: &mut u64, n: usize) -> usize {
    *stream ^= *stream << 13;
    *stream ^= *stream >> 7;
    *stream ^= *stream << 17;
    (*stream >> 11) as usize % n
}

/// What a task does between its beginning and its end. Who waits for an atomic may wait in vain.
fn body(stream: &mut u64, pieces: usize) -> Vec<Instr> {
    let mut list = Vec::new();
    for _ in 0..pieces {
        let (data, mutex) = (below(stream, 2), below(stream, 2));
        let inner = match below(stream, 4) {
            0 => Instr::Yield,
            1 => Instr::WaitFor(data, 1),
            _ => Instr::Add(data, 1),
        };
        match below(stream, 9) {
            0 => list.push(Instr::Load(data)),
            1 | 2 => list.push(Instr::Add(data, 1)),
            3 => list.push(Instr::Yield),
            4 => list.push(Instr::WaitFor(data, 1)),
            5 => list.extend([Instr::Lock(mutex), inner, Instr::Unlock(mutex)]),
            6 => list.extend([Instr::TryLock(mutex), inner, Instr::Unlock(mutex)]),
            7 => list.extend([Instr::TryUntilLocked(mutex), inner, Instr::Unlock(mutex)]),
            _ => list.extend([Instr::SpinLock(2), inner, Instr::Store(2, 0)]),
        }
    }
    list
}

fn random_program(seed: u64) -> Program {
    let mut stream = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let children = 1 + below(&mut stream, 2);
    let pieces = if children == 1 { 3 } else { 2 };
    let mut tasks: Vec<Vec<Instr>> = (0..=children)
        .map(|_| {
            let pieces = 1 + below(&mut stream, pieces);
            body(&mut stream, pieces)
        })
        .collect();
    // The second child is spawned by main or by the first.
    let parent = if children == 2 { below(&mut stream, 2) } else { 0 };
    for child in (1..=children).rev() {
        let parent = if child == 2 { parent } else { 0 };
        tasks[parent].insert(0, Instr::Spawn(child));
        tasks[parent].push(Instr::Join(child));
    }
    Program { tasks, atomics: 3, mutexes: 2 }
}

/// What executions that came to their end have observed.
type Outcomes = StdArc<StdMutex<BTreeSet<Outcome>>>;

fn explore(builder: Builder, program: &Program, outcomes: &Outcomes) -> Report {
    let (in_closure, outcomes) = (program.clone(), outcomes.clone());
    let report = builder.faults(0).explore(move || {
        let program = in_closure.clone();
        let shared = Arc::new(Shared {
            atomics: (0..program.atomics).map(|_| AtomicUsize::new(0)).collect(),
            mutexes: (0..program.mutexes).map(|_| Mutex::new(())).collect(),
            observed: StdMutex::new(vec![Vec::new(); program.tasks.len()]),
            program,
        });
        shared.run(0);
        let observed = shared.observed.lock().unwrap().clone();
        outcomes.lock().unwrap().insert(Outcome { observed, ended: true });
    });
    report.unwrap_or_else(|error| panic!("{error}\n{program:?}"))
}

/// Whether the program was compared: it is left out if it is too large or has an execution without end.
fn agrees(program: &Program, measure: Measure, k: u32) -> bool {
    let model = Model { program, measure, k, max_executions: LIMIT, max_steps: MAX_STEPS };
    let expected = match model.explore() {
        Ok(expected) => expected,
        Err(Unsuitable::TooManyExecutions | Unsuitable::Endless) => return false,
    };
    let builder = match measure {
        Measure::Preemptions => Builder::new().search(Search::Preemptions),
        Measure::RoundRobin => Builder::new().search(Search::Delays).scheduler("rr"),
    };
    let Summary { executions, outcomes } = expected;
    let seen = Outcomes::default();
    let report = explore(builder.unbounded().fair_k(k).keep_going(true).minimise(1), program, &seen);
    let found: Vec<u64> = report.summary.bounds.iter().map(|bound| bound.executions).collect();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let count = |cost: usize| executions.get(&cost).copied().unwrap_or(0);
    let known: Vec<u64> = (0..found.len().max(1 + executions.keys().max().unwrap())).map(count).collect();
    assert_eq!(found, known, "executions by {measure:?}, k = {k}\n{program:?}");
    let (outcomes, deadlocks): (BTreeSet<_>, BTreeSet<_>) =
        outcomes.into_iter().partition(|outcome| outcome.ended);
    assert!(seen == outcomes, "outcomes, k = {k}\n{program:?}\n{seen:?}\n{outcomes:?}");
    let deadlock = !deadlocks.is_empty();
    assert_eq!(report.verdict, if deadlock { Verdict::Bug } else { Verdict::Verified }, "{program:?}");
    true
}

#[test]
fn the_library_has_the_fair_executions_of_the_model() {
    let mut compared = [0; 3];
    for seed in 1..=400 {
        let program = random_program(seed);
        for (index, (measure, k)) in
            [(Measure::Preemptions, 1), (Measure::Preemptions, 2), (Measure::RoundRobin, 1)]
                .into_iter()
                .enumerate()
        {
            compared[index] += u32::from(agrees(&program, measure, k));
        }
    }
    assert!(compared.iter().all(|&count| count > 100), "{compared:?}");
}

/// Loops of these programs yield, so whatever the algorithm lets run for ever is fair (Theorem 1).
#[test]
fn executions_without_end_are_livelocks() {
    let mut compared = 0;
    for seed in 1..=200 {
        let program = random_program(seed);
        let model = Model {
            program: &program,
            measure: Measure::Preemptions,
            k: 1,
            max_executions: LIMIT,
            max_steps: MAX_STEPS,
        };
        let Err(Unsuitable::Endless) = model.explore() else { continue };
        let builder =
            Builder::new().search(Search::Preemptions).bound(3).max_steps(2_000).max_executions(500);
        let report = explore(builder, &program, &Outcomes::default());
        let finding = report.finding.as_ref().unwrap_or_else(|| panic!("{report}\n{program:?}"));
        assert_eq!(finding.bug.kind(), "livelock", "{report}\n{program:?}");
        let replay = Builder::new().max_steps(2_000).replay(&finding.schedule());
        let again = explore(replay, &program, &Outcomes::default());
        assert_eq!(
            again.finding.as_ref().map(|again| &again.bug),
            Some(&finding.bug),
            "{again}\n{program:?}"
        );
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}
