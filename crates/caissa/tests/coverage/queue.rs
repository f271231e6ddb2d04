//! The work-stealing queue of Cilk-5 with the THE protocol (Frigo, Leiserson, Randall, PLDI 1998), as in
//! `corpus/rust/shared/work_stealing_queue.rs`, but a thief tries the lock again and again instead of waiting for it: the program
//! has executions without end, none of them fair.
//!
//! The main task is the victim. It starts the thieves, pushes its items and pops as often; a thief steals once, or, if it is
//! stubborn, until it has got something or the victim is done. A state is where each task is, in which round the victim is, which
//! items each has got, both indices, how many slots are filled, whether the lock is held, and whether the victim is done.

use std::sync::atomic::AtomicU8 as StdAtomicU8;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use caissa::sync::atomic::{AtomicBool, AtomicU8};
use caissa::sync::{Arc, Mutex};
use caissa::thread;

use super::cells::Seen;
use super::explorer::{Model, pack};

#[derive(Clone, Copy)]
pub struct WorkStealing {
    pub thieves: usize,
    pub items: u8,
    /// A thief that comes back with nothing tries again, unless the victim has ended.
    pub stubborn: bool,
}

// Where the victim is: what it does next.
const SPAWNS: u8 = 0;
const FILLS: u8 = 1;
const RAISES_TAIL: u8 = 2;
const CLAIMS: u8 = 3;
const LOOKS: u8 = 4;
const RETREATS: u8 = 5;
const LOCKS: u8 = 6;
const CLAIMS_AGAIN: u8 = 7;
const LOOKS_AGAIN: u8 = 8;
const GIVES_UP: u8 = 9;
const UNLOCKS_WITHOUT: u8 = 10;
const UNLOCKS: u8 = 11;
const TAKES: u8 = 12;
const SAYS_DONE: u8 = 13;
const ENDS: u8 = 14;

// Where a thief is: what it does next.
const UNBORN: u8 = 0;
const TRIES: u8 = 1;
const READS_HEAD: u8 = 2;
const RAISES_HEAD: u8 = 3;
const READS_TAIL: u8 = 4;
const LOWERS_HEAD: u8 = 5;
const STEALS: u8 = 6;
const LEAVES: u8 = 7;
const LEAVES_WITHOUT: u8 = 8;
const ASKS: u8 = 9;
const PAUSES: u8 = 10;
const THIEF_ENDS: u8 = 11;

/// Not shown.
const ENDED: u8 = 15;

/// The first index; below it the tail goes for a moment when the queue is empty.
const FIRST: u8 = 1;

/// What tasks write down in plain memory.
struct Places {
    victim: StdAtomicU8,
    /// Pushes or pops done.
    round: StdAtomicU8,
    thieves: Vec<StdAtomicU8>,
    /// The items that each task has got, as bits, the victim last.
    got: Vec<StdAtomicU8>,
}

struct Queue {
    head: AtomicU8,
    tail: AtomicU8,
    lock: Mutex<()>,
    /// The victim has ended; for stubborn thieves.
    done: AtomicBool,
    slots: Vec<AtomicU8>,
}

impl WorkStealing {
    /// The closure to check.
    pub fn program(self, seen: Seen) -> impl Fn() + Send + Sync + 'static {
        move || {
            let zeros = |count| (0..count).map(|_| StdAtomicU8::new(0)).collect();
            let places = Arc::new(Places {
                victim: StdAtomicU8::new(SPAWNS),
                round: StdAtomicU8::new(0),
                thieves: zeros(self.thieves),
                got: zeros(self.thieves + 1),
            });
            let queue = Arc::new(Queue {
                head: AtomicU8::new(FIRST),
                tail: AtomicU8::new(FIRST),
                lock: Mutex::new(()),
                done: AtomicBool::new(false),
                slots: (0..FIRST + self.items).map(|_| AtomicU8::new(0)).collect(),
            });
            {
                let (queue, places) = (Arc::clone(&queue), Arc::clone(&places));
                seen.show(move || {
                    let get = |number: &StdAtomicU8| number.load(Relaxed);
                    let filled = queue.slots.iter().filter(|slot| slot.load(SeqCst) != 0).count() as u8;
                    let held = queue.lock.try_lock().is_err() as u8;
                    let done = queue.done.load(SeqCst) as u8;
                    let shared = [queue.head.load(SeqCst), queue.tail.load(SeqCst), held, filled, done];
                    let victim = [get(&places.victim), get(&places.round)];
                    let others = places.thieves.iter().chain(&places.got).map(get);
                    pack(victim.into_iter().chain(shared).chain(others))
                });
            }
            for me in 0..self.thieves {
                let (queue, places) = (Arc::clone(&queue), Arc::clone(&places));
                thread::spawn(move || {
                    let at = |place| places.thieves[me].store(place, Relaxed);
                    loop {
                        at(TRIES);
                        let stolen = queue.steal(&at, &places.got[me]);
                        if stolen || !self.stubborn {
                            break;
                        }
                        at(ASKS);
                        if queue.done.load(SeqCst) {
                            break;
                        }
                        at(PAUSES);
                        thread::yield_now();
                    }
                    at(THIEF_ENDS);
                });
            }
            queue.be_victim(self.items, &places, &places.got[self.thieves]);
            let at = |place| places.victim.store(place, Relaxed);
            if self.stubborn {
                at(SAYS_DONE);
                queue.done.store(true, SeqCst);
            }
            at(ENDS);
        }
    }
}

impl Queue {
    fn be_victim(&self, items: u8, places: &Places, got: &StdAtomicU8) {
        let at = |place| places.victim.store(place, Relaxed);
        let round = |round| places.round.store(round, Relaxed);
        for item in 1..=items {
            at(FILLS);
            self.slots[usize::from(item)].store(item, SeqCst);
            at(RAISES_TAIL);
            self.tail.store(item + 1, SeqCst);
            round(item);
        }
        round(0);
        // Only the victim writes the tail, so it knows what is there.
        let mut tail = FIRST + items;
        for pops in 1..=items {
            at(CLAIMS);
            if self.pop(tail - 1, &at) {
                tail -= 1;
                let item = self.slots[usize::from(tail)].load(SeqCst);
                got.fetch_or(1 << item, Relaxed);
            }
            round(pops);
        }
    }

    /// Whether the item was got that lies at `claimed`.
    fn pop(&self, claimed: u8, at: &impl Fn(u8)) -> bool {
        self.tail.store(claimed, SeqCst);
        at(LOOKS);
        if self.head.load(SeqCst) > claimed {
            at(RETREATS);
            self.tail.store(claimed + 1, SeqCst);
            at(LOCKS);
            let guard = self.lock.lock().unwrap();
            at(CLAIMS_AGAIN);
            self.tail.store(claimed, SeqCst);
            at(LOOKS_AGAIN);
            if self.head.load(SeqCst) > claimed {
                at(GIVES_UP);
                self.tail.store(claimed + 1, SeqCst);
                at(UNLOCKS_WITHOUT);
                drop(guard);
                return false;
            }
            at(UNLOCKS);
            drop(guard);
        }
        at(TAKES);
        true
    }

    /// Whether an item was got.
    fn steal(&self, at: &impl Fn(u8), got: &StdAtomicU8) -> bool {
        let guard = loop {
            if let Ok(guard) = self.lock.try_lock() {
                break guard;
            }
        };
        at(READS_HEAD);
        let claimed = self.head.load(SeqCst);
        at(RAISES_HEAD);
        self.head.store(claimed + 1, SeqCst);
        at(READS_TAIL);
        if claimed + 1 > self.tail.load(SeqCst) {
            at(LOWERS_HEAD);
            self.head.store(claimed, SeqCst);
            at(LEAVES_WITHOUT);
            drop(guard);
            return false;
        }
        at(STEALS);
        let item = self.slots[usize::from(claimed)].load(SeqCst);
        got.fetch_or(1 << item, Relaxed);
        at(LEAVES);
        drop(guard);
        true
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    victim: u8,
    round: u8,
    head: u8,
    tail: u8,
    held: bool,
    filled: u8,
    done: bool,
    thieves: Vec<u8>,
    got: Vec<u8>,
}

impl Model for WorkStealing {
    type State = State;

    fn tasks(&self) -> usize {
        self.thieves + 1
    }

    fn start(&self) -> State {
        State {
            victim: SPAWNS,
            round: 0,
            head: FIRST,
            tail: FIRST,
            held: false,
            filled: 0,
            done: false,
            thieves: vec![UNBORN; self.thieves],
            got: vec![0; self.thieves + 1],
        }
    }

    fn is_enabled(&self, state: &State, task: usize) -> bool {
        if task == self.thieves {
            state.victim != ENDED && !(state.victim == LOCKS && state.held)
        } else {
            ![UNBORN, ENDED].contains(&state.thieves[task])
        }
    }

    fn step(&self, state: &mut State, task: usize) {
        if task == self.thieves { self.step_victim(state) } else { self.step_thief(state, task) }
    }

    fn yields(&self, state: &State, task: usize) -> bool {
        let place = *state.thieves.get(task).unwrap_or(&UNBORN);
        place == PAUSES || place == TRIES && state.held
    }

    fn shown(&self, state: &State) -> u64 {
        let victim = [state.victim.min(ENDS), state.round];
        let shared = [state.head, state.tail, state.held as u8, state.filled, state.done as u8];
        let thieves = state.thieves.iter().map(|&place| place.min(THIEF_ENDS));
        pack(victim.into_iter().chain(shared).chain(thieves).chain(state.got.iter().copied()))
    }
}

impl WorkStealing {
    fn step_victim(&self, state: &mut State) {
        let meets = state.head > state.tail;
        state.victim = match state.victim {
            SPAWNS => {
                let next = state.thieves.iter().position(|&place| place == UNBORN).expect("one to spawn");
                state.thieves[next] = TRIES;
                if next + 1 == self.thieves { FILLS } else { SPAWNS }
            }
            FILLS => {
                state.filled += 1;
                RAISES_TAIL
            }
            RAISES_TAIL => {
                state.tail += 1;
                state.round += 1;
                if state.round < self.items {
                    FILLS
                } else {
                    state.round = 0;
                    CLAIMS
                }
            }
            CLAIMS | CLAIMS_AGAIN => {
                state.tail -= 1;
                state.victim + 1
            }
            LOOKS => {
                if meets {
                    RETREATS
                } else {
                    TAKES
                }
            }
            RETREATS | GIVES_UP => {
                state.tail += 1;
                state.victim + 1
            }
            LOCKS => {
                state.held = true;
                CLAIMS_AGAIN
            }
            LOOKS_AGAIN => {
                if meets {
                    GIVES_UP
                } else {
                    UNLOCKS
                }
            }
            UNLOCKS => {
                state.held = false;
                TAKES
            }
            UNLOCKS_WITHOUT => {
                state.held = false;
                self.pop_ends(state)
            }
            TAKES => {
                state.got[self.thieves] |= 1 << state.tail;
                self.pop_ends(state)
            }
            SAYS_DONE => {
                state.done = true;
                ENDS
            }
            ENDS => ENDED,
            place => unreachable!("the victim is at {place}"),
        };
    }

    fn pop_ends(&self, state: &mut State) -> u8 {
        state.round += 1;
        match state.round < self.items {
            true => CLAIMS,
            false if self.stubborn => SAYS_DONE,
            false => ENDS,
        }
    }

    fn step_thief(&self, state: &mut State, me: usize) {
        state.thieves[me] = match state.thieves[me] {
            TRIES if state.held => TRIES,
            TRIES => {
                state.held = true;
                READS_HEAD
            }
            READS_HEAD => RAISES_HEAD,
            RAISES_HEAD => {
                state.head += 1;
                READS_TAIL
            }
            // Its own step has raised the head, and nobody else does while it has the lock.
            READS_TAIL => {
                if state.head > state.tail {
                    LOWERS_HEAD
                } else {
                    STEALS
                }
            }
            LOWERS_HEAD => {
                state.head -= 1;
                LEAVES_WITHOUT
            }
            STEALS => {
                state.got[me] |= 1 << (state.head - 1);
                LEAVES
            }
            LEAVES => {
                state.held = false;
                THIEF_ENDS
            }
            LEAVES_WITHOUT => {
                state.held = false;
                if self.stubborn { ASKS } else { THIEF_ENDS }
            }
            ASKS => {
                if state.done {
                    THIEF_ENDS
                } else {
                    PAUSES
                }
            }
            PAUSES => TRIES,
            THIEF_ENDS => ENDED,
            place => unreachable!("a thief is at {place}"),
        };
    }
}
