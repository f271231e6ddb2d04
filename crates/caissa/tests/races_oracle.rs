//! The race detector against brute force: random small programs, whose every execution is judged twice.
//!
//! Tasks write down what they do, each operation right after its effect and each data access right before. From that, and nothing
//! else, happens-before is computed as the C++ standard words it (release sequences, fences), by transitive closure and without
//! clocks. An execution must have been ended by a race exactly if two accesses are unordered, and at the second of the first such
//! pair.

use std::sync::{Arc, Mutex as StdMutex};

use crate::support::racing::Data;
use caissa::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use caissa::sync::atomic::{AtomicU32, Ordering, fence};
use caissa::sync::mpsc::{Receiver, Sender, channel};
use caissa::sync::{Mutex, RwLock};
use caissa::{Builder, Search, thread};

const TASKS: usize = 3;

#[derive(Clone, Copy, Debug)]
enum Instr {
    Load(usize, Ordering),
    Store(usize, u32, Ordering),
    Add(usize, Ordering),
    Exchange(usize, u32, Ordering, Ordering),
    Fence(Ordering),
    Lock(usize),
    TryLock(usize),
    Unlock(usize),
    Read,
    Write,
    /// Gives the rwlock back, however it is held.
    RwUnlock,
    Send,
    /// For the last task only.
    TryRecv,
    /// Accesses of data; `guarded` if only after something was seen.
    Get {
        cell: usize,
        guarded: bool,
    },
    Set {
        cell: usize,
        guarded: bool,
    },
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Did {
    /// Reads an atomic, writes it, or both, with this ordering.
    Atomic {
        atomic: usize,
        reads: bool,
        writes: bool,
        order: Ordering,
    },
    Fence(Ordering),
    /// Takes or gives a lock; the last one is the rwlock.
    Took {
        lock: usize,
        shared: bool,
    },
    Gave {
        lock: usize,
        shared: bool,
    },
    Sent,
    Received,
    Data {
        cell: usize,
        writes: bool,
    },
}

#[derive(Default)]
struct Log {
    events: Vec<(usize, Did)>,
    complete: bool,
}

struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const LOADS: &[Ordering] = &[Relaxed, Acquire, SeqCst];
const STORES: &[Ordering] = &[Relaxed, Release, SeqCst];
const UPDATES: &[Ordering] = &[Relaxed, Acquire, Release, AcqRel, SeqCst];
const FENCES: &[Ordering] = &[Acquire, Release, AcqRel, SeqCst];

fn task(rng: &mut Rng, number: usize) -> Vec<Instr> {
    let mut instrs = Vec::new();
    let mut gives = Vec::new();
    for _ in 0..rng.below(4) + 3 {
        let atomic = rng.below(2);
        let data = (rng.below(2), rng.below(2) > 0);
        instrs.push(match rng.below(15) {
            0 | 1 => Instr::Load(atomic, rng.one(LOADS)),
            2 | 3 => Instr::Store(atomic, 1, rng.one(STORES)),
            4 => Instr::Add(atomic, rng.one(UPDATES)),
            5 => Instr::Exchange(atomic, rng.below(2) as u32, rng.one(UPDATES), rng.one(LOADS)),
            6 => Instr::Fence(rng.one(FENCES)),
            7 if gives.is_empty() => {
                let lock = rng.below(2);
                gives.push(Instr::Unlock(lock));
                if rng.below(3) == 0 { Instr::TryLock(lock) } else { Instr::Lock(lock) }
            }
            8 if gives.is_empty() => {
                gives.push(Instr::RwUnlock);
                rng.one(&[Instr::Read, Instr::Write])
            }
            9 | 10 if !gives.is_empty() => gives.pop().expect("not empty"),
            11 if number == TASKS - 1 => Instr::TryRecv,
            11 => Instr::Send,
            7..=10 | 12 => Instr::Set { cell: data.0, guarded: data.1 },
            13 => Instr::Set { cell: data.0, guarded: data.1 },
            _ => Instr::Get { cell: data.0, guarded: data.1 },
        });
    }
    instrs.extend(gives);
    instrs
}

#[derive(Default)]
struct Shared {
    atomics: [AtomicU32; 2],
    locks: [Mutex<()>; 2],
    rwlock: RwLock<()>,
    data: [Data; 2],
}

fn run(
    number: usize,
    instrs: &[Instr],
    shared: &Shared,
    sender: &Sender<u32>,
    receiver: Option<&Receiver<u32>>,
    log: &dyn Fn(usize, Did),
) {
    let log = |did| log(number, did);
    let mut held = [None, None];
    let (mut reading, mut writing) = (None, None);
    let mut seen = 0;
    let atomic = |atomic, reads, writes, order| Did::Atomic { atomic, reads, writes, order };
    for &instr in instrs {
        match instr {
            Instr::Load(index, order) => {
                seen = shared.atomics[index].load(order);
                log(atomic(index, true, false, order));
            }
            Instr::Store(index, value, order) => {
                shared.atomics[index].store(value, order);
                log(atomic(index, false, true, order));
            }
            Instr::Add(index, order) => {
                seen = shared.atomics[index].fetch_add(1, order);
                log(atomic(index, true, true, order));
            }
            Instr::Exchange(index, expected, success, failure) => {
                match shared.atomics[index].compare_exchange(expected, 2, success, failure) {
                    Ok(value) => {
                        seen = value;
                        log(atomic(index, true, true, success));
                    }
                    Err(value) => {
                        seen = value;
                        log(atomic(index, true, false, failure));
                    }
                }
            }
            Instr::Fence(order) => {
                fence(order);
                log(Did::Fence(order));
            }
            Instr::Lock(lock) => {
                held[lock] = Some(shared.locks[lock].lock().unwrap());
                log(Did::Took { lock, shared: false });
            }
            Instr::TryLock(lock) => {
                held[lock] = shared.locks[lock].try_lock().ok();
                if held[lock].is_some() {
                    log(Did::Took { lock, shared: false });
                }
            }
            Instr::Unlock(lock) => {
                if held[lock].take().is_some() {
                    log(Did::Gave { lock, shared: false });
                }
            }
            Instr::Read => {
                reading = Some(shared.rwlock.read().unwrap());
                log(Did::Took { lock: 2, shared: true });
            }
            Instr::Write => {
                writing = Some(shared.rwlock.write().unwrap());
                log(Did::Took { lock: 2, shared: false });
            }
            Instr::RwUnlock => {
                if reading.take().is_some() {
                    log(Did::Gave { lock: 2, shared: true });
                }
                if writing.take().is_some() {
                    log(Did::Gave { lock: 2, shared: false });
                }
            }
            Instr::Send => {
                sender.send(1).unwrap();
                log(Did::Sent);
            }
            Instr::TryRecv => {
                if let Some(Ok(value)) = receiver.map(Receiver::try_recv) {
                    seen = value;
                    log(Did::Received);
                }
            }
            Instr::Get { guarded: true, .. } | Instr::Set { guarded: true, .. } if seen == 0 => {}
            Instr::Get { cell, .. } => {
                log(Did::Data { cell, writes: false });
                shared.data[cell].get();
            }
            Instr::Set { cell, .. } => {
                log(Did::Data { cell, writes: true });
                shared.data[cell].set(1);
            }
        }
    }
}

/// The second access of the first pair that nothing orders, by its number.
fn first_race(events: &[(usize, Did)]) -> Option<usize> {
    let releases = |order| matches!(order, Release | AcqRel | SeqCst);
    let acquires = |order| matches!(order, Acquire | AcqRel | SeqCst);
    let mut edges: Vec<(usize, usize)> = Vec::new();
    // The last event of the same task before this one that is such a one.
    let fence_before = |at: usize| {
        let fences = |&index: &usize| {
            events[index].0 == events[at].0 && matches!(events[index].1, Did::Fence(order) if releases(order))
        };
        (0..at).rev().filter(fences).collect::<Vec<_>>()
    };
    let mut messages = (Vec::new(), Vec::new());
    for (at, &(task, did)) in events.iter().enumerate() {
        match did {
            Did::Atomic { atomic, reads: true, order, .. } => {
                // What it reads, and what that one continues.
                let mut heads = Vec::new();
                let mut from = at;
                while let Some(write) = (0..from).rev().find(|&index| {
                    matches!(events[index].1, Did::Atomic { atomic: other, writes: true, .. } if other == atomic)
                }) {
                    let Did::Atomic { reads, order, .. } = events[write].1 else { unreachable!() };
                    if releases(order) {
                        heads.push(write);
                    }
                    heads.extend(fence_before(write));
                    if !reads {
                        break;
                    }
                    from = write;
                }
                let mut ends = Vec::new();
                if acquires(order) {
                    ends.push(at);
                }
                ends.extend((at + 1..events.len()).filter(|&index| {
                    events[index].0 == task && matches!(events[index].1, Did::Fence(order) if acquires(order))
                }));
                for head in heads {
                    edges.extend(ends.iter().map(|&end| (head, end)));
                }
            }
            Did::Took { lock, shared } => {
                edges.extend((0..at).filter_map(|index| match events[index].1 {
                    Did::Gave { lock: other, shared: by_reader } if other == lock => {
                        (!by_reader || !shared).then_some((index, at))
                    }
                    _ => None,
                }));
            }
            Did::Sent => messages.0.push(at),
            Did::Received => {
                edges.push((messages.0[messages.1.len()], at));
                messages.1.push(at);
            }
            _ => {}
        }
        // The order within a task.
        edges.extend((0..at).rev().find(|&index| events[index].0 == task).map(|index| (index, at)));
    }
    let mut before = vec![vec![false; events.len()]; events.len()];
    for at in 0..events.len() {
        for &(from, _) in edges.iter().filter(|&&(_, to)| to == at) {
            before[at][from] = true;
            let earlier = before[from].clone();
            for (index, earlier) in earlier.into_iter().enumerate() {
                before[at][index] |= earlier;
            }
        }
    }
    (0..events.len()).find(|&second| {
        let Did::Data { cell, writes } = events[second].1 else { return false };
        (0..second).any(|first| match events[first].1 {
            Did::Data { cell: other, writes: wrote } => {
                other == cell
                    && (writes || wrote)
                    && events[first].0 != events[second].0
                    && !before[second][first]
            }
            _ => false,
        })
    })
}

/// What came of a program: executions that were judged, and how many of them raced.
fn judge(seed: u64, search: Search, workers: usize) -> (usize, usize) {
    let mut rng = Rng(seed);
    let program: Arc<Vec<Vec<Instr>>> = Arc::new((0..TASKS).map(|number| task(&mut rng, number)).collect());
    let logs: Arc<StdMutex<Vec<Arc<StdMutex<Log>>>>> = Arc::default();
    let body = {
        let (program, logs) = (Arc::clone(&program), Arc::clone(&logs));
        move || {
            let log: Arc<StdMutex<Log>> = Arc::default();
            logs.lock().unwrap().push(Arc::clone(&log));
            let shared = Arc::new(Shared::default());
            let (sender, receiver) = channel();
            let mut receiver = Some(receiver);
            let tasks: Vec<_> = (0..TASKS)
                .map(|number| {
                    let (program, shared, log) =
                        (Arc::clone(&program), Arc::clone(&shared), Arc::clone(&log));
                    let sender = sender.clone();
                    let receiver = if number == TASKS - 1 { receiver.take() } else { None };
                    thread::spawn(move || {
                        let write = |task, did| log.lock().unwrap().events.push((task, did));
                        run(number, &program[number], &shared, &sender, receiver.as_ref(), &write);
                        // Both sides stay until all have ended.
                        (sender, receiver)
                    })
                })
                .collect();
            let _sides: Vec<_> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
            log.lock().unwrap().complete = true;
        }
    };
    let builder = Builder::new().search(search).max_executions(120).keep_going(true).minimise(0);
    let report = builder.workers(workers).force_clocks(true).explore(body).unwrap();
    assert!(report.divergence.is_none(), "seed {seed}: {report}");
    let found = report.finding.as_ref().map(|finding| finding.bug.kind());
    let (mut judged, mut raced) = (0, 0);
    for log in logs.lock().unwrap().iter() {
        let log = log.lock().unwrap();
        let expected = first_race(&log.events);
        match expected {
            None => assert!(log.complete, "seed {seed}: no race in {:#?} of {program:#?}", log.events),
            Some(at) => {
                assert!(!log.complete, "seed {seed}: a race at {at} of {:#?} in {program:#?}", log.events);
                assert_eq!(at + 1, log.events.len(), "seed {seed}: {:#?} of {program:#?}", log.events);
            }
        }
        judged += 1;
        raced += expected.is_some() as usize;
    }
    assert_eq!(found, (raced > 0).then_some("race"), "seed {seed}: {report}");
    (judged, raced)
}

#[test]
fn clocks_and_closure_agree_on_every_execution() {
    let mut sum = (0, 0);
    let (mut silent, mut racy) = (0, 0);
    for seed in 0..800 {
        let search = [Search::Dfs, Search::Random, Search::Preemptions, Search::Delays][seed as usize % 4];
        let (judged, raced) = judge(seed, search, 1);
        sum = (sum.0 + judged, sum.1 + raced);
        if raced == 0 {
            silent += 1;
        } else {
            racy += 1;
        }
    }
    // Both happen often, also in one program.
    println!("{sum:?} of {silent} silent and {racy} racy programs");
    assert!(sum.0 > 50_000 && sum.1 > 10_000, "{sum:?}");
    assert!(silent > 200 && racy > 200, "{silent} {racy}");
}

#[test]
fn they_agree_with_two_workers() {
    let (judged, raced) = (0..40)
        .map(|seed| judge(seed, Search::Preemptions, 2))
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(raced > 0 && judged > raced, "{judged} {raced}");
}
