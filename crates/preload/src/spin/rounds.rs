//! When a task is back where it was.
//!
//! How long a round is nobody knows, so a place to come back to is held for longer and longer, as by Brent's algorithm for cycles. Once a round was in place, places are held for
//! about as long as it took: who waits again and again waits by rounds of one length.
//!
//! A task that is always at the same place when others may go on may hold a lock there, which it has put back and taken again in the meantime, and nobody ever gets it. So a task
//! that changes anything on its way is not said to be stuck.

use std::ops::Range;

use caissa_core::class::mix2;

/// So many words that it writes to before it has been round.
const MOST_WRITES: usize = 64;
/// A round is no longer than this.
const LONGEST_ROUND: u32 = 256;

/// What is known of the way that a task goes.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    pub(super) watch: Option<Watch>,
    /// For so many stops a place to come back to is held.
    hold: u32,
    /// For so many it is not looked for any.
    pause: u32,
    /// Words that were written to in this round, and what they held before.
    written: Vec<(usize, u64)>,
    /// It has written to too many.
    pub(super) too_much: bool,
    /// In this round it has said itself that it waits.
    yields: bool,
    /// In this round it has changed what others see, if only for a moment.
    changes: bool,
    /// When it was looked at last it was in place.
    in_place: bool,
    /// And there is no other way to go on.
    stuck: bool,
}

/// Where a round begins and ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    key: u64,
    /// A number for what lies on its stack.
    stack: u64,
    age: u32,
}

impl Rounds {
    /// Nothing is known, as at the beginning.
    pub(crate) fn reset(&mut self) {
        self.written.clear();
        let written = std::mem::take(&mut self.written);
        *self = Rounds { written, ..Rounds::default() };
    }

    /// Whether the task goes round and changes nothing, as far as is known.
    pub(crate) fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Whether it goes round so for ever if the others do, whoever runs when. One that takes a lock and puts it back, and does not say that it waits, may let others through at some
    /// time, though it is not at that time that they have run.
    pub(crate) fn is_stuck(&self) -> bool {
        self.in_place && self.stuck
    }

    /// The task changes what others see.
    pub(crate) fn changes(&mut self) {
        self.changes = true;
    }

    /// The task says that it waits.
    pub(crate) fn yields(&mut self) {
        self.yields = true;
    }

    /// The next place to come back to is held for twice as long, up to the longest round.
    fn hold_longer(&mut self) {
        self.hold = (2 * self.hold).clamp(2, LONGEST_ROUND);
    }

    /// The task does something that neither its stack nor memory shows: where it was it cannot be again.
    pub(super) fn gets_on(&mut self) {
        self.watch = None;
        self.in_place = false;
    }

    fn begin(&mut self, key: u64, stack: u64) {
        self.written.clear();
        self.too_much = false;
        self.yields = false;
        self.changes = false;
        self.watch = Some(Watch { key, stack, age: 0 });
    }

    /// The task has come to a stop, known by this. Whether it has been there before, and nothing has changed; `stack` is a number for what lies on
    /// its stack. Who waits by yields of its own is not said to be back: it has yielded where it meant to, and nowhere else.
    pub(super) fn is_back(&mut self, key: u64, stack: impl FnOnce() -> u64) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        if let Some(watch) = &mut self.watch
            && watch.key != key
        {
            watch.age += 1;
            if watch.age < self.hold {
                return false;
            }
            self.watch = None;
            self.in_place = false;
            self.hold_longer();
        }
        let stack = stack();
        let Some(watch) = self.watch else {
            self.begin(key, stack);
            return false;
        };
        self.in_place = stack == watch.stack && self.is_restored();
        let waits = self.yields;
        if self.in_place {
            self.stuck = waits || !self.changes;
            self.hold = 2 * (watch.age + 1);
            self.begin(key, stack);
        } else {
            self.watch = None;
            self.pause = self.hold;
            self.hold_longer();
        }
        self.in_place && !waits
    }

    /// The task is about to write to memory that is not on its stack.
    #[cold]
    pub(super) fn remember(&mut self, address: usize, size: usize) {
        // Who writes nothing may name any address.
        let words = if size == 0 { 0..0 } else { address & !7..address + size }.step_by(8);
        for word in words {
            if self.written.len() >= MOST_WRITES {
                self.too_much = true;
                return;
            }
            if !self.written.iter().any(|&(known, _)| known == word) {
                // SAFETY: the program is about to write there.
                self.written.push((word, unsafe { read(word) }));
            }
        }
    }

    /// Memory is gone, or something new.
    pub(crate) fn forget(&mut self, memory: Range<usize>) {
        if self.written.iter().any(|&(word, _)| word < memory.end && word + 8 > memory.start) {
            self.written.clear();
            self.watch = None;
            self.in_place = false;
        }
    }

    /// Whether what was written to in this round is as it was.
    fn is_restored(&self) -> bool {
        // SAFETY: words that the program has written to since; nothing else runs, and memory that is gone was forgotten.
        !self.too_much && self.written.iter().all(|&(word, before)| unsafe { read(word) } == before)
    }
}

/// A number for what lies in some words.
///
/// # Safety
/// They are mapped.
pub(super) unsafe fn hash(words: Range<usize>) -> u64 {
    // Several at the same time: each step waits for the one before.
    const LANES: usize = 4;
    let mut lanes = [0u64; LANES];
    let mut word = words.start;
    while word + 8 * LANES <= words.end {
        for (at, lane) in lanes.iter_mut().enumerate() {
            // SAFETY: as the caller says.
            *lane = mix2(*lane, unsafe { read(word + 8 * at) });
        }
        word += 8 * LANES;
    }
    let rest = (word..words.end).step_by(8);
    // SAFETY: as the caller says.
    rest.map(|word| unsafe { read(word) }).chain(lanes).fold(0, mix2)
}

/// # Safety
/// The word is mapped.
pub(super) unsafe fn read(word: usize) -> u64 {
    // SAFETY: as the caller says.
    unsafe { (word as *const u64).read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task comes to a stop with this on its stack.
    fn stops(rounds: &mut Rounds, key: u64, stack: u64) -> bool {
        rounds.is_back(key, || stack)
    }

    /// After how many stops a task that goes round in place is known to, if its rounds are of so many.
    fn known_after(rounds: &mut Rounds, length: u64, what: u64) -> Option<u64> {
        (1..10_000).find(|stop| stops(rounds, mix2(what, stop % length), what))
    }

    #[test]
    fn rounds_in_place_are_known_soon_whatever_their_length() {
        for length in 1..=LONGEST_ROUND as u64 / 2 {
            let after = known_after(&mut Rounds::default(), length, 7);
            assert!(after.is_some_and(|after| after <= 6 * length + 4), "{length}: {after:?}");
        }
        assert_eq!(known_after(&mut Rounds::default(), 1, 7), Some(2));
        assert_eq!(known_after(&mut Rounds::default(), 2 * LONGEST_ROUND as u64, 7), None);
    }

    /// Who waits again and again, for another thing each time, does not go round for longer and longer.
    #[test]
    fn waiting_again_is_known_as_soon() {
        for length in [1, 3, 20] {
            let mut rounds = Rounds::default();
            for item in 0..1_000 {
                let after = known_after(&mut rounds, length, item);
                assert!(after.is_some_and(|after| after <= 6 * length + 4), "{length}, {item}: {after:?}");
            }
        }
    }

    #[test]
    fn who_changes_registers_or_the_stack_or_memory_is_not_in_place() {
        let mut rounds = Rounds::default();
        assert!((0..10_000).all(|stop| !stops(&mut rounds, stop, 0)), "a register counts");
        let mut rounds = Rounds::default();
        assert!((0..10_000).all(|stop| !stops(&mut rounds, 1, stop)), "the stack does");
        let mut rounds = Rounds::default();
        let mut counter = 0u64;
        for _ in 0..10_000 {
            rounds.remember((&raw const counter) as usize, 8);
            counter = std::hint::black_box(counter + 1);
            assert!(!stops(&mut rounds, 1, 0), "memory does");
        }
        let mut many = [0u64; 2 * MOST_WRITES];
        let mut rounds = Rounds::default();
        for _ in 0..100 {
            rounds.remember((&raw mut many) as usize, size_of_val(&many));
            assert!(!stops(&mut rounds, 1, 0), "more was written to than is compared");
        }
    }

    #[test]
    fn who_yields_itself_is_in_place_but_has_not_come_back() {
        let mut rounds = Rounds::default();
        for stop in 0..100u64 {
            assert!(!stops(&mut rounds, stop % 3, 0));
            if stop % 3 == 1 {
                rounds.yields();
            }
        }
        assert!(rounds.is_in_place() && rounds.is_stuck());
        assert!((0..6).any(|stop| stops(&mut rounds, stop % 3, 0)), "it does so no more");
    }

    #[test]
    fn who_does_what_memory_does_not_show_is_not_in_place() {
        let mut rounds = Rounds::default();
        for _ in 0..1_000 {
            assert!(!stops(&mut rounds, 1, 0) && !rounds.is_in_place());
            rounds.gets_on();
        }
        assert!((0..10).any(|_| stops(&mut rounds, 1, 0)), "it does so no more");
    }

    #[test]
    fn writing_nothing_anywhere_is_no_write() {
        let mut rounds = Rounds::default();
        stops(&mut rounds, 1, 0);
        rounds.remember(1, 0);
        assert!(stops(&mut rounds, 1, 0));
    }

    #[test]
    fn memory_that_is_gone_is_not_looked_at() {
        let mut rounds = Rounds::default();
        stops(&mut rounds, 1, 0);
        let block = Box::new(5u64);
        let address = (&raw const *block) as usize;
        rounds.remember(address, 8);
        rounds.forget(address + 8..address + 16);
        assert!(rounds.watch.is_some());
        rounds.forget(address + 7..address + 16);
        drop(block);
        assert!(!stops(&mut rounds, 1, 0), "it is not known where it was");
    }

    #[test]
    fn who_changes_what_others_see_may_let_them_through() {
        let mut rounds = Rounds::default();
        let mut go_round = |changes: bool, yields: bool| {
            for stop in 0..20u64 {
                stops(&mut rounds, stop % 4, 0);
                if stop % 4 == 1 && changes {
                    rounds.changes();
                }
                if stop % 4 == 2 && yields {
                    rounds.yields();
                }
            }
            assert!(rounds.is_in_place());
            rounds.is_stuck()
        };
        assert!(go_round(false, false));
        assert!(!go_round(true, false));
        assert!(go_round(true, true));
    }

    #[test]
    fn every_word_of_a_stack_counts() {
        for count in 0..20usize {
            let mut stack = vec![0u64; count];
            // SAFETY: the words of a vector.
            let hash =
                |stack: &[u64]| unsafe { hash(stack.as_ptr() as usize..stack.as_ptr_range().end as usize) };
            let mut seen = std::collections::BTreeSet::from([hash(&stack)]);
            for at in 0..count {
                stack[at] = 7;
                assert!(seen.insert(hash(&stack)), "word {at} of {count}");
                stack[at] = 0;
            }
            assert_eq!(hash(&stack), hash(&vec![0; count]));
        }
    }

    #[test]
    fn memory_may_change_and_be_as_it_was() {
        let mut rounds = Rounds::default();
        let mut lock = 0u64;
        assert!(!stops(&mut rounds, 1, 0));
        for value in [1, 0] {
            rounds.remember((&raw const lock) as usize, 8);
            lock = std::hint::black_box(value);
        }
        assert!(stops(&mut rounds, 1, 0) && rounds.is_in_place());
        assert_eq!(lock, 0);
    }
}
