//! Random small programs with waits, timeouts, sleeps and weak exchanges, and how to run them with the library.

use std::collections::BTreeSet;
use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::{Arc as StdArc, Mutex as StdMutex};
use std::time::Duration;

use caissa::sync::atomic::{AtomicU64, Ordering::SeqCst};
use caissa::sync::{Arc, Condvar, Mutex, MutexGuard, mpsc};
use caissa::thread::{self, Thread};
use caissa::time::Instant;

/// Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instr {
    Spawn(usize),
    Store(u64),
    /// Observes the value.
    Load,
    /// `Weak(expected, new)` observes whether it succeeded.
    Weak(u64, u64),
    Lock,
    Unlock,
    /// With the mutex; observes whether it timed out.
    Wait(Option<u64>),
    Notify {
        all: bool,
    },
    Park(Option<u64>),
    Unpark(usize),
    Sleep(u64),
    /// Observes the clock.
    Now,
    Send(u64),
    /// Observes the message, or 0 if it timed out.
    Recv(u64),
}

/// Per task a list of instructions. Main spawns all others first.
#[derive(Clone, Debug)]
pub struct Program {
    pub tasks: Vec<Vec<Instr>>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tasks.iter().enumerate().try_for_each(|(task, list)| writeln!(f, "{task}: {list:?}"))
    }
}

/// What came of an execution.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// Per task, what it observed.
    pub logs: Vec<Vec<u64>>,
    pub value: u64,
    /// Tasks that never ended.
    pub stuck: Vec<usize>,
}

pub type Outcomes = StdArc<StdMutex<BTreeSet<Outcome>>>;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn time(&mut self) -> u64 {
        [0, 5, 5, 7][self.below(4) as usize]
    }

    fn maybe_time(&mut self) -> Option<u64> {
        (self.below(3) > 0).then(|| self.time())
    }
}

/// One or two tasks beside main; the last one receives.
pub fn random_program(seed: u64) -> Program {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xca15);
    let count = 2 + rng.below(2) as usize;
    let mut tasks: Vec<Vec<Instr>> = Vec::new();
    // Few kinds in one program: with many, tasks hardly ever meet.
    let kinds = [rng.below(7), rng.below(7)];
    for task in 0..count {
        let mut list: Vec<Instr> =
            if task == 0 { (1..count).map(Instr::Spawn).collect() } else { Vec::new() };
        for _ in 0..1 + rng.below(3) {
            let kind = if rng.below(5) == 0 { rng.below(7) } else { kinds[rng.below(2) as usize] };
            random_instrs(&mut rng, kind, task, count, &mut list);
        }
        tasks.push(list);
    }
    Program { tasks }
}

fn random_instrs(rng: &mut Rng, kind: u64, task: usize, count: usize, list: &mut Vec<Instr>) {
    match kind {
        0 => list.push([Instr::Store(1 + rng.below(2)), Instr::Load][rng.below(2) as usize]),
        1 => list.push(Instr::Weak(rng.below(2), rng.below(3))),
        2 => list.extend([Instr::Lock, Instr::Wait(rng.maybe_time()), Instr::Unlock]),
        3 => {
            // A load behind it keeps a notification apart from the questions of what comes next.
            list.extend([Instr::Notify { all: rng.below(3) == 0 }, Instr::Load]);
        }
        4 if rng.below(2) == 0 => list.push(Instr::Park(rng.maybe_time())),
        // Main has made all tasks; others know main and those made before them.
        4 => list.push(Instr::Unpark(rng.below(if task == 0 { count } else { task + 1 } as u64) as usize)),
        5 => list.push(if rng.below(2) == 0 { Instr::Sleep(rng.time()) } else { Instr::Now }),
        _ if task == count - 1 => list.push(Instr::Recv(rng.time())),
        _ => list.push(Instr::Send(1 + rng.below(2))),
    }
}

/// What the tasks of an execution share. What came of it is noted when the last of them lets go.
struct World {
    program: Program,
    value: AtomicU64,
    lock: Mutex<()>,
    condvar: Condvar,
    /// Ends are never dropped, which would be steps.
    sender: ManuallyDrop<mpsc::Sender<u64>>,
    receiver: StdMutex<ManuallyDrop<mpsc::Receiver<u64>>>,
    threads: StdMutex<Vec<Option<Thread>>>,
    /// Per task: what it observed, whether it was made, whether it has come to its end.
    logs: StdMutex<Vec<(Vec<u64>, bool, bool)>>,
    start: Instant,
    outcomes: Outcomes,
}

impl Drop for World {
    fn drop(&mut self) {
        let logs = self.logs.get_mut().unwrap();
        let stuck = (0..logs.len()).filter(|&task| logs[task].1 && !logs[task].2).collect();
        let value = *self.value.get_mut();
        let logs = logs.iter_mut().map(|(log, ..)| std::mem::take(log)).collect();
        self.outcomes.lock().unwrap().insert(Outcome { logs, value, stuck });
    }
}

/// The program as a closure to be checked.
pub fn closure(program: &Program, outcomes: &Outcomes) -> impl Fn() + Send + Sync + 'static {
    let (program, outcomes) = (program.clone(), StdArc::clone(outcomes));
    move || {
        let (sender, receiver) = mpsc::channel();
        let tasks = program.tasks.len();
        let world = Arc::new(World {
            program: program.clone(),
            value: AtomicU64::new(0),
            lock: Mutex::new(()),
            condvar: Condvar::new(),
            sender: ManuallyDrop::new(sender),
            receiver: StdMutex::new(ManuallyDrop::new(receiver)),
            threads: StdMutex::new(vec![None; tasks]),
            logs: StdMutex::new(vec![(Vec::new(), false, false); tasks]),
            // A step before there is anyone else.
            start: Instant::now(),
            outcomes: StdArc::clone(&outcomes),
        });
        run(&world, 0);
    }
}

fn run(world: &Arc<World>, me: usize) {
    world.threads.lock().unwrap()[me] = Some(thread::current());
    world.logs.lock().unwrap()[me].1 = true;
    let log = |value: u64| world.logs.lock().unwrap()[me].0.push(value);
    let time = Duration::from_nanos;
    let mut held: Option<MutexGuard<'_, ()>> = None;
    for &instr in &world.program.tasks[me] {
        match instr {
            Instr::Spawn(task) => {
                let world = Arc::clone(world);
                drop(thread::spawn(move || run(&world, task)));
            }
            Instr::Store(value) => world.value.store(value, SeqCst),
            Instr::Load => log(world.value.load(SeqCst)),
            Instr::Weak(expected, new) => {
                log(world.value.compare_exchange_weak(expected, new, SeqCst, SeqCst).is_ok() as u64);
            }
            Instr::Lock => held = Some(world.lock.lock().unwrap()),
            Instr::Unlock => held = None,
            Instr::Wait(None) => {
                held = held.map(|guard| world.condvar.wait(guard).unwrap());
                log(0);
            }
            Instr::Wait(Some(timeout)) => {
                let guard = held.take().expect("it holds the mutex");
                let (guard, result) = world.condvar.wait_timeout(guard, time(timeout)).unwrap();
                held = Some(guard);
                log(result.timed_out() as u64);
            }
            Instr::Notify { all: true } => world.condvar.notify_all(),
            Instr::Notify { all: false } => world.condvar.notify_one(),
            Instr::Park(None) => thread::park(),
            Instr::Park(Some(timeout)) => thread::park_timeout(time(timeout)),
            Instr::Unpark(task) => {
                let thread = world.threads.lock().unwrap()[task].clone().expect("it was made before");
                thread.unpark();
            }
            Instr::Sleep(length) => thread::sleep(time(length)),
            Instr::Now => log(Instant::now().duration_since(world.start).as_nanos() as u64),
            Instr::Send(message) => world.sender.send(message).unwrap(),
            Instr::Recv(timeout) => {
                let receiver: *const mpsc::Receiver<u64> = &**world.receiver.lock().unwrap();
                // SAFETY: one task receives, and the world outlives it; std's lock must not be held across a point.
                log(unsafe { &*receiver }.recv_timeout(time(timeout)).unwrap_or(0));
            }
        }
    }
    world.logs.lock().unwrap()[me].2 = true;
}
