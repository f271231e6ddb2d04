//! Runs the oracle's abstract programs with the library's types.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use caissa::sync::atomic::{AtomicU64, Ordering::SeqCst};
use caissa::sync::mpsc::TryRecvError;
use caissa::sync::{Barrier, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use caissa::thread::{self, JoinHandle, Thread};

use crate::oracle::interpret::{Observation, Outcome};
use crate::oracle::program::{Instr, Program};
use crate::support::channels::{Ends, ends_by_task};

/// The outcomes of all executions so far.
pub type Outcomes = Arc<StdMutex<BTreeSet<Outcome>>>;

/// One execution's objects and what its tasks observed. The last task to let go of it hands in the outcome.
struct World {
    program: Arc<Program>,
    atomics: Vec<AtomicU64>,
    mutexes: Vec<Mutex<()>>,
    rwlocks: Vec<RwLock<()>>,
    condvars: Vec<Condvar>,
    barriers: Vec<Barrier>,
    /// By task; each takes its own when it begins.
    ends: StdMutex<Vec<Vec<Ends>>>,
    threads: StdMutex<Vec<Option<Thread>>>,
    logs: StdMutex<Vec<Vec<Observation>>>,
    /// Begun and ended, by task.
    alive: StdMutex<Vec<(bool, bool)>>,
    outcomes: Outcomes,
}

impl Drop for World {
    fn drop(&mut self) {
        let alive = self.alive.get_mut().unwrap();
        let stuck =
            alive.iter().enumerate().filter(|(_, state)| **state == (true, false)).map(|(task, _)| task);
        let outcome = Outcome {
            logs: std::mem::take(self.logs.get_mut().unwrap()),
            atomics: std::mem::take(&mut self.atomics).into_iter().map(AtomicU64::into_inner).collect(),
            stuck: stuck.collect(),
        };
        self.outcomes.lock().unwrap().insert(outcome);
    }
}

/// A closure that runs the program once and adds its outcome.
pub fn closure(program: &Program, outcomes: &Outcomes) -> impl Fn() + Send + Sync + 'static {
    let program = Arc::new(program.clone());
    let outcomes = Arc::clone(outcomes);
    move || {
        let tasks = program.tasks.len();
        let world = Arc::new(World {
            atomics: (0..program.atomics).map(|_| AtomicU64::new(0)).collect(),
            mutexes: (0..program.mutexes).map(|_| Mutex::new(())).collect(),
            rwlocks: (0..program.rwlocks).map(|_| RwLock::new(())).collect(),
            condvars: (0..program.condvars).map(|_| Condvar::new()).collect(),
            barriers: program.barriers.iter().map(|&size| Barrier::new(size)).collect(),
            ends: StdMutex::new(ends_by_task(&program)),
            threads: StdMutex::new(vec![None; tasks]),
            logs: StdMutex::new(vec![Vec::new(); tasks]),
            alive: StdMutex::new(vec![(false, false); tasks]),
            program: Arc::clone(&program),
            outcomes: Arc::clone(&outcomes),
        });
        run(&world, 0);
    }
}

fn run(world: &Arc<World>, me: usize) {
    world.threads.lock().unwrap()[me] = Some(thread::current());
    world.alive.lock().unwrap()[me].0 = true;
    let mut held: Vec<Option<MutexGuard<'_, ()>>> = world.mutexes.iter().map(|_| None).collect();
    let mut reading: Vec<Option<RwLockReadGuard<'_, ()>>> = world.rwlocks.iter().map(|_| None).collect();
    let mut writing: Vec<Option<RwLockWriteGuard<'_, ()>>> = world.rwlocks.iter().map(|_| None).collect();
    let mut children: Vec<Option<JoinHandle<()>>> = world.program.tasks.iter().map(|_| None).collect();
    let mut ends = std::mem::take(&mut world.ends.lock().unwrap()[me]);
    let log = |observation| world.logs.lock().unwrap()[me].push(observation);
    for &instr in &world.program.tasks[me] {
        match instr {
            Instr::Load(a) => log(Observation::Loaded(world.atomics[a].load(SeqCst))),
            Instr::Store(a, value) => world.atomics[a].store(value, SeqCst),
            Instr::Add(a, n) => log(Observation::Added(world.atomics[a].fetch_add(n, SeqCst))),
            Instr::Cas(a, expected, new) => {
                let result = world.atomics[a].compare_exchange(expected, new, SeqCst, SeqCst);
                let (ok, old) = (result.is_ok(), result.unwrap_or_else(|old| old));
                log(Observation::Compared { ok, old });
            }
            Instr::Lock(m) => held[m] = Some(world.mutexes[m].lock().unwrap()),
            Instr::Unlock(m) => held[m] = None,
            Instr::TryLock(m) => {
                held[m] = world.mutexes[m].try_lock().ok();
                log(Observation::Tried(held[m].is_some()));
            }
            Instr::Read(r) => reading[r] = Some(world.rwlocks[r].read().unwrap()),
            Instr::ReadUnlock(r) => reading[r] = None,
            Instr::Write(r) => writing[r] = Some(world.rwlocks[r].write().unwrap()),
            Instr::WriteUnlock(r) => writing[r] = None,
            Instr::Spawn(t) => {
                let world = Arc::clone(world);
                children[t] = Some(thread::spawn(move || run(&world, t)));
            }
            Instr::Join(t) => children[t].take().unwrap().join().unwrap(),
            Instr::Park => thread::park(),
            Instr::Unpark(t) => {
                let thread = world.threads.lock().unwrap()[t].clone().unwrap();
                thread.unpark();
            }
            Instr::Yield => thread::yield_now(),
            Instr::Wait(c, m) => {
                if let Some(guard) = held[m].take() {
                    held[m] = Some(world.condvars[c].wait(guard).unwrap());
                }
            }
            Instr::NotifyOne(c) => world.condvars[c].notify_one(),
            Instr::NotifyAll(c) => world.condvars[c].notify_all(),
            Instr::Arrive(b) => log(Observation::Led(world.barriers[b].wait().is_leader())),
            Instr::Send(c, message) => log(Observation::Sent(ends[c].send(message))),
            Instr::TrySend(c, message) => {
                let (sent, connected) = ends[c].try_send(message);
                log(Observation::TrySent { sent, connected });
            }
            Instr::Recv(c) => log(match ends[c].receiver().recv() {
                Ok(message) => Observation::Received(message),
                Err(_) => Observation::Missed { connected: false },
            }),
            Instr::TryRecv(c) => log(match ends[c].receiver().try_recv() {
                Ok(message) => Observation::Received(message),
                Err(error) => Observation::Missed { connected: error == TryRecvError::Empty },
            }),
            Instr::DropSender(c) => ends[c].sender = None,
            Instr::DropReceiver(c) => ends[c].receiver = None,
            Instr::Choose(count) => log(Observation::Chose(caissa::choose(count))),
            Instr::IsFinished(t) => {
                log(Observation::Finished(children[t].as_ref().unwrap().is_finished()));
            }
        }
    }
    world.alive.lock().unwrap()[me].1 = true;
}
