//! Random programs and what runs them, over `sy`: the types of std, or those of the library.
//!
//! This file is part of two crates: of the test, and of the crate that `cargo caissa` is given.

use std::hint::black_box;

use super::sy;
use sy::cell::Cell;
use sy::sync::atomic::{AtomicU32, Ordering, fence};
use sy::sync::{Mutex, Once, RwLock};
use sy::thread::{self, JoinHandle};

/// What a thread does.
#[derive(Debug)]
pub enum Step {
    Get(usize),
    Set(usize),
    Store(usize, u32, Ordering),
    Add(usize, Ordering),
    Claim(usize, Ordering),
    Fence(Ordering),
    Yield,
    /// Goes on inside if this atomic has this value.
    If(usize, u32, Ordering, Vec<Step>),
    Lock(usize, Vec<Step>),
    TryLock(usize, Vec<Step>),
    // Readers are left out: those of std order one another, since they count themselves, and those of the library do not.
    Write(Vec<Step>),
    Once(Vec<Step>),
    Spawn(Vec<Step>),
    /// Joins the oldest thread of those that this one has spawned and not joined. At its end it joins all others.
    Join,
}

const OBJECTS: usize = 2;

/// A generator of random numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % limit as u64) as usize
    }

    fn one_of(&mut self, orders: &[Ordering]) -> Ordering {
        orders[self.below(orders.len())]
    }

    /// What the first thread does. `held`: locks that must not be taken again.
    pub fn program(&mut self) -> Vec<Step> {
        let threads = 2 + self.below(2);
        let mut steps = Vec::new();
        for thread in 0..threads {
            steps.push(Step::Spawn(self.thread(if threads == 2 { 4 } else { 3 }, thread == 1)));
            match self.below(3) {
                0 => steps.push(Step::Join),
                1 => steps.push(self.step(&mut Vec::new(), 1)),
                _ => {}
            }
        }
        steps.push(Step::Join);
        steps.push(self.step(&mut Vec::new(), 1));
        steps
    }

    fn thread(&mut self, most: usize, spawns: bool) -> Vec<Step> {
        let mut steps = self.steps(most, &mut Vec::new(), 0);
        if spawns && self.below(4) == 0 {
            steps.insert(0, Step::Spawn(self.steps(2, &mut Vec::new(), 1)));
            if self.below(2) == 0 {
                steps.push(Step::Join);
                steps.push(self.step(&mut Vec::new(), 1));
            }
        }
        steps
    }

    fn steps(&mut self, most: usize, held: &mut Vec<usize>, depth: usize) -> Vec<Step> {
        (0..1 + self.below(most)).map(|_| self.step(held, depth)).collect()
    }

    fn step(&mut self, held: &mut Vec<usize>, depth: usize) -> Step {
        use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
        let object = self.below(OBJECTS);
        let updates = [Relaxed, Acquire, Release, AcqRel, SeqCst];
        match self.below(if depth > 2 { 11 } else { 20 }) {
            0..=2 => Step::Get(object),
            3 | 4 => Step::Set(object),
            5..=7 => Step::Store(object, 1 + self.below(2) as u32, self.one_of(&[Relaxed, Release, SeqCst])),
            8 => Step::Add(object, self.one_of(&updates)),
            9 => Step::Claim(object, self.one_of(&updates)),
            10 if self.below(3) == 0 => Step::Yield,
            10 => Step::Fence(self.one_of(&updates[1..])),
            11..=14 => {
                let (value, order) = (1 + self.below(2) as u32, self.one_of(&[Relaxed, Acquire, SeqCst]));
                Step::If(object, value, order, self.steps(2, held, depth + 1))
            }
            kind => {
                let lock = if kind < 18 { object } else { OBJECTS + kind - 18 };
                if held.contains(&lock) || held.len() > 1 {
                    return Step::Get(object);
                }
                held.push(lock);
                let inside = self.steps(2, held, depth + 1);
                held.pop();
                match kind {
                    15 | 16 => Step::Lock(object, inside),
                    17 => Step::TryLock(object, inside),
                    18 => Step::Write(inside),
                    _ => Step::Once(inside),
                }
            }
        }
    }
}

/// What the threads share.
struct Shared {
    data: [Cell<u32>; OBJECTS],
    atomics: [AtomicU32; OBJECTS],
    mutexes: [Mutex<()>; OBJECTS],
    lock: RwLock<()>,
    once: Once,
}

// SAFETY: not at all; whether they race is the question.
unsafe impl Sync for Shared {}

/// Runs the program of a seed.
pub fn run(seed: u64) {
    let steps: &'static [Step] = Vec::leak(Random::new(seed).program());
    let shared: &'static Shared = Box::leak(Box::new(Shared {
        data: [Cell::new(0), Cell::new(0)],
        atomics: [AtomicU32::new(0), AtomicU32::new(0)],
        mutexes: [Mutex::new(()), Mutex::new(())],
        lock: RwLock::new(()),
        once: Once::new(),
    }));
    shared.thread(steps);
}

impl Shared {
    fn thread(&'static self, steps: &'static [Step]) {
        let mut spawned = Vec::new();
        self.steps(steps, &mut spawned);
        spawned.into_iter().for_each(|thread| thread.join().unwrap());
    }

    fn steps(&'static self, steps: &'static [Step], spawned: &mut Vec<JoinHandle<()>>) {
        for step in steps {
            self.step(step, spawned);
        }
    }

    fn step(&'static self, step: &'static Step, spawned: &mut Vec<JoinHandle<()>>) {
        match step {
            Step::Get(data) => drop(black_box(self.data[*data].get())),
            Step::Set(data) => self.data[*data].set(1),
            Step::Store(atomic, value, order) => self.atomics[*atomic].store(*value, *order),
            Step::Add(atomic, order) => drop(black_box(self.atomics[*atomic].fetch_add(1, *order))),
            Step::Claim(atomic, order) => {
                let _ = self.atomics[*atomic].compare_exchange(0, 1, *order, Ordering::Relaxed);
            }
            Step::Fence(order) => fence(*order),
            Step::Yield => thread::yield_now(),
            Step::If(atomic, value, order, inside) => {
                if self.atomics[*atomic].load(*order) == *value {
                    self.steps(inside, spawned);
                }
            }
            Step::Lock(mutex, inside) => {
                let _guard = self.mutexes[*mutex].lock().unwrap();
                self.steps(inside, spawned);
            }
            Step::TryLock(mutex, inside) => {
                if let Ok(_guard) = self.mutexes[*mutex].try_lock() {
                    self.steps(inside, spawned);
                }
            }
            Step::Write(inside) => {
                let _guard = self.lock.write().unwrap();
                self.steps(inside, spawned);
            }
            Step::Once(inside) => self.once.call_once(|| self.steps(inside, spawned)),
            Step::Spawn(inside) => spawned.push(thread::spawn(move || self.thread(inside))),
            Step::Join => {
                if !spawned.is_empty() {
                    spawned.remove(0).join().unwrap();
                }
            }
        }
    }
}
