//! Random programs of async tasks, compared with a model that shares no code: every execution, with what it shows.
//!
//! The model is the prose of docs/async.md, read literally: which steps a task takes, when it can take them, what a
//! semaphore and a notification do, what an abort does. It enumerates all orders of steps. Equal must be: how many executions
//! show each log. Each log says which task got on with what, in order, so a step too many, too few or in the wrong place shows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use caissa::future::sync::{Notify, Semaphore};
use caissa::future::{AbortHandle, spawn, yield_now};
use caissa::{Builder, Report, Search, Verdict};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    /// Waits for permits and keeps them.
    Acquire(usize),
    TryAcquire,
    Release,
    Notified,
    NotifyOne,
    NotifyWaiters,
    Yield,
    /// Aborts a task that was spawned before.
    Abort(usize),
}

#[derive(Clone, Debug)]
struct Program {
    permits: usize,
    tasks: Vec<Vec<Act>>,
}

// ---- the program itself ----

type Log = Arc<Mutex<Vec<String>>>;

fn write(log: &Log, text: &str) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.last_mut().expect("an execution begins with a log").push_str(text);
}

async fn act(
    me: usize,
    acts: Vec<Act>,
    shared: Arc<(Semaphore, Notify)>,
    handles: Arc<Mutex<Vec<AbortHandle>>>,
    log: Log,
) {
    let (semaphore, notify) = &*shared;
    for act in acts {
        let seen = match act {
            Act::Acquire(count) => {
                semaphore.acquire_many(count as u32).await.unwrap().forget();
                "a"
            }
            Act::TryAcquire => match semaphore.try_acquire() {
                Ok(permit) => {
                    permit.forget();
                    "t"
                }
                Err(_) => "f",
            },
            Act::Release => {
                semaphore.add_permits(1);
                "r"
            }
            Act::Notified => {
                notify.notified().await;
                "n"
            }
            Act::NotifyOne => {
                notify.notify_one();
                "o"
            }
            Act::NotifyWaiters => {
                notify.notify_waiters();
                "w"
            }
            Act::Yield => {
                yield_now().await;
                "y"
            }
            Act::Abort(task) => {
                let handle = handles.lock().unwrap_or_else(PoisonError::into_inner)[task].clone();
                handle.abort();
                "x"
            }
        };
        write(&log, &format!("{me}{seen} "));
    }
}

fn run(program: &Program, log: &Log) {
    log.lock().unwrap_or_else(PoisonError::into_inner).push(String::new());
    let shared = Arc::new((Semaphore::new(program.permits), Notify::new()));
    let handles = Arc::new(Mutex::new(Vec::new()));
    for (me, acts) in program.tasks.iter().enumerate() {
        let task = spawn(act(me, acts.clone(), Arc::clone(&shared), Arc::clone(&handles), Arc::clone(log)));
        handles.lock().unwrap_or_else(PoisonError::into_inner).push(task.abort_handle());
    }
}

// ---- the model ----

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    /// To be polled when woken.
    Await,
    /// At its next act, or at the second step of it.
    Act,
    /// `notified()` was called, when all had been notified so often.
    Come(u32),
    /// Polled again while it waits.
    Look,
    /// Cancelled, and about to give up its place in a queue.
    GiveUp,
    End,
    Ended,
}

#[derive(Clone, Debug)]
struct Task {
    at: At,
    /// Waits for something in a queue.
    queued: bool,
    /// What it waited for has been given to it.
    granted: bool,
    /// Not for it alone.
    by_all: bool,
    next: usize,
    woken: bool,
    aborted: bool,
    yielded: bool,
}

#[derive(Clone, Debug)]
struct Model<'a> {
    program: &'a Program,
    /// Tasks that have been spawned.
    tasks: Vec<Task>,
    main_ended: bool,
    permits: usize,
    /// Who waits for how many permits more.
    acquiring: Vec<(usize, usize)>,
    notified: Vec<usize>,
    kept: bool,
    rounds: u32,
    log: String,
}

impl Model<'_> {
    fn outcomes(self, seen: &mut BTreeMap<String, u64>, left: &mut u64) {
        let mut stuck = true;
        // Main spawns one task after the other and ends.
        if !self.main_ended {
            stuck = false;
            let mut next = self.clone();
            if next.tasks.len() < next.program.tasks.len() {
                next.tasks.push(Task {
                    at: At::Await,
                    queued: false,
                    granted: false,
                    by_all: false,
                    next: 0,
                    woken: true,
                    aborted: false,
                    yielded: false,
                });
            } else {
                next.main_ended = true;
            }
            next.outcomes(seen, left);
        }
        for task in 0..self.tasks.len() {
            let enabled = match self.tasks[task].at {
                At::Await => self.tasks[task].woken,
                At::Ended => false,
                _ => true,
            };
            if enabled && *left > 0 {
                stuck = false;
                let mut next = self.clone();
                next.step(task);
                next.outcomes(seen, left);
            }
        }
        if stuck {
            *left = left.saturating_sub(1);
            *seen.entry(self.log).or_default() += 1;
        }
    }

    fn done(&mut self, me: usize, letter: char) {
        self.log.push_str(&format!("{me}{letter} "));
        let task = &mut self.tasks[me];
        task.next += 1;
        task.queued = false;
        task.granted = false;
        self.go_on(me);
    }

    fn go_on(&mut self, me: usize) {
        let acts = self.program.tasks[me].len();
        let task = &mut self.tasks[me];
        task.at = if task.next == acts { At::End } else { At::Act };
    }

    fn act(&self, me: usize) -> Act {
        self.program.tasks[me][self.tasks[me].next]
    }

    fn grant(&mut self, task: usize, by_all: bool) {
        self.tasks[task].granted = true;
        self.tasks[task].by_all = by_all;
        self.tasks[task].woken = true;
    }

    fn release(&mut self, mut count: usize) {
        while count > 0 {
            let Some((task, needs)) = self.acquiring.first_mut() else { break };
            *needs -= 1;
            count -= 1;
            if *needs == 0 {
                let task = *task;
                self.acquiring.remove(0);
                self.grant(task, false);
            }
        }
        self.permits += count;
    }

    fn notify_one(&mut self) {
        if self.notified.is_empty() {
            self.kept = true;
        } else {
            let task = self.notified.remove(0);
            self.grant(task, false);
        }
    }

    fn step(&mut self, me: usize) {
        match self.tasks[me].at {
            At::Await => {
                let task = &mut self.tasks[me];
                task.woken = false;
                if task.aborted {
                    task.at = if task.queued { At::GiveUp } else { At::End };
                } else if task.queued {
                    task.at = At::Look;
                } else if task.yielded {
                    task.yielded = false;
                    self.done(me, 'y');
                } else {
                    self.go_on(me);
                }
            }
            At::Look if self.tasks[me].granted => {
                let letter = if matches!(self.act(me), Act::Acquire(_)) { 'a' } else { 'n' };
                self.done(me, letter);
            }
            At::Look => self.tasks[me].at = At::Await,
            At::GiveUp => {
                self.give_up(me);
                self.tasks[me].at = At::End;
            }
            At::End => self.tasks[me].at = At::Ended,
            At::Come(rounds) => {
                if self.rounds != rounds || std::mem::take(&mut self.kept) {
                    self.done(me, 'n');
                } else {
                    self.notified.push(me);
                    self.tasks[me].queued = true;
                    self.tasks[me].at = At::Await;
                }
            }
            At::Act => self.take(me),
            At::Ended => unreachable!("it is not enabled"),
        }
    }

    fn take(&mut self, me: usize) {
        match self.act(me) {
            Act::Acquire(count) if self.permits >= count => {
                self.permits -= count;
                self.done(me, 'a');
            }
            Act::Acquire(count) => {
                self.acquiring.push((me, count - std::mem::take(&mut self.permits)));
                self.tasks[me].queued = true;
                self.tasks[me].at = At::Await;
            }
            Act::TryAcquire => {
                let free = self.permits > 0;
                self.permits -= usize::from(free);
                self.done(me, if free { 't' } else { 'f' });
            }
            Act::Release => {
                self.release(1);
                self.done(me, 'r');
            }
            Act::Notified => self.tasks[me].at = At::Come(self.rounds),
            Act::NotifyOne => {
                self.notify_one();
                self.done(me, 'o');
            }
            Act::NotifyWaiters => {
                self.rounds += 1;
                for task in std::mem::take(&mut self.notified) {
                    self.grant(task, true);
                }
                self.done(me, 'w');
            }
            Act::Yield => {
                self.tasks[me].yielded = true;
                self.tasks[me].woken = true;
                self.tasks[me].at = At::Await;
            }
            Act::Abort(task) => {
                if self.tasks[task].at != At::Ended {
                    self.tasks[task].aborted = true;
                    self.tasks[task].woken = true;
                }
                self.done(me, 'x');
            }
        }
    }

    /// A place in a queue, or what was given there, goes to the next.
    fn give_up(&mut self, me: usize) {
        match self.act(me) {
            Act::Acquire(count) => {
                let waits = self.acquiring.iter().position(|(task, _)| *task == me);
                let had = match waits {
                    Some(index) => count - self.acquiring.remove(index).1,
                    None => count,
                };
                self.release(had);
            }
            _ => {
                self.notified.retain(|task| *task != me);
                if self.tasks[me].granted && !self.tasks[me].by_all {
                    self.notify_one();
                }
            }
        }
    }
}

// ---- comparing ----

/// A generator of numbers that are the same in every run (the constants are Knuth's).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Programs about a semaphore, about a notification, or about both, with aborts here and there.
fn random_program(numbers: &mut Numbers) -> Program {
    let about = numbers.below(3);
    let tasks = 2 + numbers.below(2);
    let mut act = |me: usize| {
        if me > 0 && numbers.below(4) == 0 {
            return Act::Abort(numbers.below(me));
        }
        let first = [0, 7, 0][about];
        match first + numbers.below([7, 6, 13][about]) {
            0 | 1 => Act::Acquire(1),
            2 => Act::Acquire(2),
            3 => Act::TryAcquire,
            4..=6 => Act::Release,
            7 | 8 => Act::Notified,
            9 | 10 => Act::NotifyOne,
            11 => Act::NotifyWaiters,
            _ => Act::Yield,
        }
    };
    let lists = (0..tasks).map(|me| (0..if tasks == 2 { 3 } else { 2 - me / 2 }).map(|_| act(me)).collect());
    let lists = lists.collect();
    Program { permits: numbers.below(3), tasks: lists }
}

/// What random programs seldom hit upon: something is given to a task that is cancelled before it knows.
fn chosen_programs() -> Vec<Program> {
    use Act::{Abort, Acquire, Notified, NotifyOne, NotifyWaiters, Release, Yield};
    let programs = [
        vec![vec![Notified], vec![NotifyOne, Abort(0), Notified]],
        vec![vec![Notified], vec![NotifyWaiters, Abort(0), Notified]],
        vec![vec![Acquire(1)], vec![Release, Abort(0), Acquire(1)]],
        vec![vec![Acquire(2)], vec![Release, Abort(0), Acquire(1)]],
        vec![vec![Notified], vec![Notified], vec![NotifyOne, Abort(0)]],
        vec![vec![Yield, Yield], vec![Abort(0)]],
    ];
    programs.into_iter().map(|tasks| Program { permits: 0, tasks }).collect()
}

/// Executions of a program that are not too many to be compared.
const MOST: u64 = 30_000;

fn explore(program: &Program, reduce: bool) -> (Report, Vec<String>) {
    let log: Log = Log::default();
    let (inner, of) = (Arc::clone(&log), program.clone());
    let builder = Builder::new().fair(false).search(Search::Dfs).allow_detached(true).reduce(reduce);
    let report = builder.explore(move || run(&of, &inner)).unwrap();
    assert_eq!(report.verdict, Verdict::Verified, "{program:?}: {report}");
    let logs = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
    (report, logs)
}

/// A log in the order of the tasks, not of time.
fn by_task(log: &str) -> Vec<&str> {
    let mut words: Vec<&str> = log.split_whitespace().collect();
    words.sort_by_key(|word| word[..1].to_owned());
    words
}

#[test]
fn every_execution_is_the_models_and_the_other_way_round() {
    let mut numbers = Numbers(2026);
    let (mut compared, mut deadlocks) = (0, 0);
    let (mut all, mut fewer) = (0, 0);
    let mut chosen = chosen_programs();
    while compared < 200 {
        let program = chosen.pop().unwrap_or_else(|| random_program(&mut numbers));
        let model = Model {
            program: &program,
            tasks: Vec::new(),
            main_ended: false,
            permits: program.permits,
            acquiring: Vec::new(),
            notified: Vec::new(),
            kept: false,
            rounds: 0,
            log: String::new(),
        };
        let (mut expected, mut left) = (BTreeMap::new(), MOST);
        model.outcomes(&mut expected, &mut left);
        if left == 0 {
            continue;
        }
        compared += 1;
        let acts: usize = program.tasks.iter().map(Vec::len).sum();
        deadlocks += usize::from(expected.keys().any(|log| log.split_whitespace().count() < acts));
        let (report, logs) = explore(&program, false);
        // The first execution is run twice more, to see whether the program does the same again.
        let extra = logs.len() - report.executions() as usize;
        assert_eq!(extra, 2, "{program:?}");
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for log in &logs[extra..] {
            *seen.entry(log.clone()).or_default() += 1;
        }
        assert_eq!(seen, expected, "{program:?}");

        // Equivalent executions look the same to each task. Those that are left out half-way leave logs, too.
        let (reduced, logs) = explore(&program, true);
        assert_eq!(reduced.summary.classes(), report.summary.classes(), "{program:?}");
        let logs: BTreeSet<_> = logs.iter().map(|log| by_task(log)).collect();
        let missing = expected.keys().find(|log| !logs.contains(&by_task(log)));
        assert_eq!(missing, None, "{program:?}");
        (all, fewer) = (all + report.executions(), fewer + reduced.executions());
    }
    assert!(fewer < all / 2, "{fewer} of {all} executions");
    assert!(deadlocks > 20, "programs in which not all get on: {deadlocks}");
}
