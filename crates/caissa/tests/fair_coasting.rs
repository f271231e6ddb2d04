//! Points that are passed without a decision change nothing under fairness: every search finds the same on random programs with
//! and without a state hook, which has every point decided.

use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::sync::{Arc, Condvar, Mutex};
use caissa::time::{Duration, Instant};
use caissa::{Builder, Search, Verdict, thread};

/// What a task does next.
#[derive(Clone, Debug)]
enum Act {
    Load(usize),
    Add(usize),
    /// With a lock held.
    Hold(usize, Vec<Act>),
    Try(usize),
    Yield,
    Choose,
    Spawn(Vec<Act>),
    /// Looks three times, and yields in between.
    Spin(usize),
    Sleep,
    Park,
    Wait(usize),
    Notify,
    Now,
}

/// Random numbers from a seed (xorshift).
struct Draw(u64);

impl Draw {
    fn new(seed: u64) -> Draw {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..5).for_each(|_| _ = draw.below(2));
        draw
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn acts(&mut self, count: usize, depth: u32, held: bool, timed: bool) -> Vec<Act> {
        (0..count).map(|_| self.act(depth, held, timed)).collect()
    }

    fn act(&mut self, depth: u32, held: bool, timed: bool) -> Act {
        match self.below(if timed { 18 } else { 13 }) {
            0 => Act::Load(self.below(2)),
            1 | 2 => Act::Add(self.below(2)),
            3 | 4 if !held => {
                let count = self.below(2);
                Act::Hold(self.below(2), self.acts(count, depth, true, timed))
            }
            5 => Act::Try(self.below(2)),
            6 => Act::Choose,
            7 | 8 if depth > 0 => {
                let count = 1 + self.below(3);
                Act::Spawn(self.acts(count, depth - 1, false, timed))
            }
            9 => Act::Spin(self.below(2)),
            13 => Act::Sleep,
            14 => Act::Park,
            15 if !held => Act::Wait(self.below(2)),
            16 => Act::Notify,
            17 => Act::Now,
            _ => Act::Yield,
        }
    }
}

struct World {
    numbers: [AtomicUsize; 2],
    locks: [Mutex<u32>; 2],
    condvar: Condvar,
    main: thread::Thread,
}

fn run(world: &Arc<World>, acts: &[Act]) {
    let mut tasks = Vec::new();
    for act in acts {
        match act {
            Act::Load(number) => _ = world.numbers[*number].load(SeqCst),
            Act::Add(number) => _ = world.numbers[*number].fetch_add(1, SeqCst),
            Act::Hold(lock, acts) => {
                let _held = world.locks[*lock].lock().unwrap();
                run(world, acts);
            }
            Act::Try(lock) => drop(world.locks[*lock].try_lock()),
            Act::Yield => thread::yield_now(),
            Act::Choose => _ = caissa::choose(2),
            Act::Spawn(acts) => {
                let (world, acts) = (Arc::clone(world), acts.clone());
                tasks.push(thread::spawn(move || run(&world, &acts)));
            }
            Act::Spin(number) => {
                for _ in 0..3 {
                    if world.numbers[*number].load(SeqCst) > 1 {
                        break;
                    }
                    thread::yield_now();
                }
            }
            Act::Sleep => thread::sleep(Duration::from_millis(1)),
            Act::Park => thread::park_timeout(Duration::from_millis(2)),
            Act::Wait(lock) => {
                let held = world.locks[*lock].lock().unwrap();
                drop(world.condvar.wait_timeout(held, Duration::from_millis(3)));
            }
            Act::Notify => {
                world.condvar.notify_one();
                world.main.unpark();
            }
            Act::Now => {
                let _ = Instant::now();
                thread::yield_now();
            }
        }
    }
    tasks.into_iter().for_each(|task| task.join().unwrap());
}

fn program(acts: Vec<Act>, watched: bool) -> impl Fn() + Send + Sync + 'static {
    move || {
        if watched {
            caissa::state(|| 0u8);
        }
        let world = World {
            numbers: [0, 0].map(AtomicUsize::new),
            locks: [0, 0].map(Mutex::new),
            condvar: Condvar::new(),
            main: thread::current(),
        };
        run(&Arc::new(world), &acts);
    }
}

#[test]
fn what_is_passed_without_a_decision_changes_nothing() {
    let new = || Builder::new().max_steps(3_000).max_executions(300);
    let searches = [
        new().preemptions(1),
        new().preemptions(2),
        new().search(Search::Dfs),
        new().delays(2).scheduler("depth-first"),
        new().search(Search::Contexts).bound(3),
        new().preemptions(1).fair_k(2),
        new().search(Search::Random).max_executions(50),
    ];
    for seed in 1..=150 {
        let mut draw = Draw::new(seed);
        let count = 3 + draw.below(4);
        let acts = draw.acts(count, 2, false, seed % 2 == 0);
        for (index, search) in searches.iter().enumerate() {
            let explore = |watched| {
                let report = search.clone().explore(program(acts.clone(), watched)).unwrap();
                assert_ne!(
                    report.verdict,
                    Verdict::Diverged,
                    "seed {seed}, search {index}: {acts:?}\n{report}"
                );
                (report.verdict, report.executions(), report.summary.classes(), report.summary.step_limited())
            };
            assert_eq!(explore(false), explore(true), "seed {seed}, search {index}: {acts:?}");
        }
    }
}
