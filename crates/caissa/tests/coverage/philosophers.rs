//! Dining philosophers that give way: each takes its first fork, tries the second, and if that is taken puts the first one back
//! and begins again (Musuvathi and Qadeer, PLDI 2008, Figure 1).
//!
//! Where everybody does so, the left fork first, there is a fair execution without end, and the search of the paper would not end
//! either; so the program of its table must have been another one. Here they break the symmetry ([`Manners`]).
//!
//! The main task lets the others begin, one after the other, and is the last philosopher itself. A state is where each
//! philosopher is, and which forks are taken.

use std::sync::atomic::AtomicU8 as StdAtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use caissa::sync::{Arc, Mutex};
use caissa::thread;

use super::cells::Seen;
use super::explorer::{Model, pack};

/// Who gives way, so that somebody eats in the end if the scheduler is fair.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manners {
    /// Everybody; the last philosopher takes the right fork first.
    All,
    /// As `All`, but who has eaten puts the second fork back first, which leaves fewer ways to fail. Two philosophers never do
    /// then.
    Nested,
    /// The first philosopher; the others wait for their second fork. Who waits can be enabled and disabled again and again by
    /// one who gives way: this takes strong fairness.
    First,
}

#[derive(Clone, Copy)]
pub struct Philosophers {
    pub count: usize,
    pub manners: Manners,
}

// Where a philosopher is: what it does next.
/// It has not begun; the main task: it still lets others begin.
const BEGINS: u8 = 0;
const TAKES_FIRST: u8 = 1;
const TAKES_SECOND: u8 = 2;
const GIVES_WAY: u8 = 3;
const PUTS_ONE: u8 = 4;
const PUTS_OTHER: u8 = 5;
const ENDS: u8 = 6;
/// Not shown.
const ENDED: u8 = 7;

impl Philosophers {
    /// The forks of a philosopher, in the order in which it takes them.
    fn forks(self, me: usize) -> (usize, usize) {
        let (left, right) = (me, (me + 1) % self.count);
        let reversed = me + 1 == self.count && self.manners != Manners::First;
        if reversed { (right, left) } else { (left, right) }
    }

    fn waits(self, me: usize) -> bool {
        me > 0 && self.manners == Manners::First
    }

    /// The closure to check.
    pub fn program(self, seen: Seen) -> impl Fn() + Send + Sync + 'static {
        move || {
            let forks: Arc<Vec<Mutex<()>>> = Arc::new((0..self.count).map(|_| Mutex::new(())).collect());
            let places: Arc<Vec<StdAtomicU8>> =
                Arc::new((0..self.count).map(|_| StdAtomicU8::new(BEGINS)).collect());
            {
                let (forks, places) = (Arc::clone(&forks), Arc::clone(&places));
                seen.show(move || {
                    let places = places.iter().map(|place| place.load(Relaxed));
                    pack(places.chain(forks.iter().map(|fork| fork.try_lock().is_err() as u8)))
                });
            }
            for other in 0..self.count - 1 {
                let (forks, places) = (Arc::clone(&forks), Arc::clone(&places));
                thread::spawn(move || self.dine(other, &forks, &places));
            }
            self.dine(self.count - 1, &forks, &places);
        }
    }

    fn dine(self, me: usize, forks: &[Mutex<()>], places: &[StdAtomicU8]) {
        let at = |place| places[me].store(place, Relaxed);
        let (first, second) = self.forks(me);
        loop {
            at(TAKES_FIRST);
            let held = forks[first].lock().unwrap();
            at(TAKES_SECOND);
            let more = if self.waits(me) {
                Some(forks[second].lock().unwrap())
            } else {
                forks[second].try_lock().ok()
            };
            let Some(more) = more else {
                at(GIVES_WAY);
                drop(held);
                continue;
            };
            let (one, other) = if self.manners == Manners::Nested { (more, held) } else { (held, more) };
            at(PUTS_ONE);
            drop(one);
            at(PUTS_OTHER);
            drop(other);
            at(ENDS);
            return;
        }
    }
}

impl Model for Philosophers {
    /// Where each philosopher is. That says who has which forks.
    type State = Vec<u8>;

    fn tasks(&self) -> usize {
        self.count
    }

    fn start(&self) -> Vec<u8> {
        vec![BEGINS; self.count]
    }

    fn is_enabled(&self, state: &Vec<u8>, me: usize) -> bool {
        match state[me] {
            BEGINS => me + 1 == self.count,
            TAKES_FIRST => !self.is_taken(state, self.forks(me).0),
            TAKES_SECOND => !self.waits(me) || !self.is_taken(state, self.forks(me).1),
            ENDED => false,
            _ => true,
        }
    }

    fn step(&self, state: &mut Vec<u8>, me: usize) {
        state[me] = match state[me] {
            BEGINS => {
                // Whom it lets begin stands before its first fork at once.
                let other = state.iter().position(|&place| place == BEGINS).expect("somebody has not begun");
                state[other] = TAKES_FIRST;
                if other + 2 == self.count { TAKES_FIRST } else { BEGINS }
            }
            TAKES_FIRST => TAKES_SECOND,
            TAKES_SECOND if self.is_taken(state, self.forks(me).1) => GIVES_WAY,
            TAKES_SECOND => PUTS_ONE,
            GIVES_WAY => TAKES_FIRST,
            place => place + 1,
        };
    }

    fn yields(&self, state: &Vec<u8>, me: usize) -> bool {
        state[me] == TAKES_SECOND && self.is_taken(state, self.forks(me).1)
    }

    fn shown(&self, state: &Vec<u8>) -> u64 {
        let places = state.iter().map(|&place| place.min(ENDS));
        pack(places.chain((0..self.count).map(|fork| self.is_taken(state, fork) as u8)))
    }
}

impl Philosophers {
    fn is_taken(&self, state: &[u8], fork: usize) -> bool {
        state.iter().enumerate().any(|(philosopher, &place)| {
            let (first, second) = self.forks(philosopher);
            match place {
                TAKES_SECOND | GIVES_WAY => fork == first,
                PUTS_ONE => fork == first || fork == second,
                PUTS_OTHER => fork == if self.manners == Manners::Nested { first } else { second },
                _ => false,
            }
        })
    }
}
