//! A program on which the fair search does not come to every state: one task yields again and again before it does something,
//! though nothing it could wait for is missing, and the other one has something to do all the while.
//!
//! Musuvathi and Qadeer, PLDI 2008, Theorem 5: what the fair search comes to for certain are the states that can be reached
//! without a yield. With parameter k it takes only every k-th yield for one.

use std::sync::atomic::AtomicU8 as StdAtomicU8;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use caissa::sync::Arc;
use caissa::sync::atomic::AtomicU8;
use caissa::thread;

use super::cells::Seen;
use super::explorer::{Model, pack};

#[derive(Clone, Copy)]
pub struct Patience {
    /// Yields of the patient task, which begins before the main task does anything else.
    pub yields: u8,
}

// Where the main task is.
const SPAWNS: u8 = 0;
const STORES: u8 = 1;
const ENDS: u8 = 2;
const ENDED: u8 = 15;

impl Patience {
    /// The closure to check.
    pub fn program(self, seen: Seen) -> impl Fn() + Send + Sync + 'static {
        move || {
            let shared = Arc::new(AtomicU8::new(0));
            let places: Arc<[StdAtomicU8; 2]> = Arc::default();
            let (looks, shown) = (Arc::clone(&shared), Arc::clone(&places));
            seen.show(move || pack([shown[0].load(Relaxed), shown[1].load(Relaxed), looks.load(SeqCst)]));
            let (other, theirs) = (Arc::clone(&shared), Arc::clone(&places));
            thread::spawn(move || {
                let at = |place| theirs[0].store(place, Relaxed);
                at(1);
                for yields in 0..self.yields {
                    thread::yield_now();
                    at(yields + 2);
                }
                other.fetch_or(1, SeqCst);
                at(self.yields + 2);
            });
            places[1].store(STORES, Relaxed);
            shared.fetch_or(2, SeqCst);
            places[1].store(ENDS, Relaxed);
        }
    }
}

impl Model for Patience {
    /// Where the patient task and the main task are, and the variable.
    type State = [u8; 3];

    fn tasks(&self) -> usize {
        2
    }

    fn start(&self) -> [u8; 3] {
        [0, SPAWNS, 0]
    }

    fn is_enabled(&self, state: &[u8; 3], task: usize) -> bool {
        state[task] != ENDED && (task == 1 || state[1] != SPAWNS)
    }

    fn step(&self, state: &mut [u8; 3], task: usize) {
        let stores = |place| place == if task == 1 { STORES } else { self.yields + 1 };
        let ends = |place| place == if task == 1 { ENDS } else { self.yields + 2 };
        match state[task] {
            SPAWNS => *state = [1, STORES, 0],
            place if ends(place) => state[task] = ENDED,
            place => {
                state[2] |= if stores(place) { 1 << task } else { 0 };
                state[task] += 1;
            }
        }
    }

    fn yields(&self, state: &[u8; 3], task: usize) -> bool {
        task == 0 && (1..=self.yields).contains(&state[0])
    }

    fn shown(&self, state: &[u8; 3]) -> u64 {
        pack([state[0].min(self.yields + 2), state[1].min(ENDS), state[2]])
    }
}
