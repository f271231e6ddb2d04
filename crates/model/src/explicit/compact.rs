//! States as fingerprints of 64 bits, an option: a state whose fingerprint is known counts as known, though it may be another one.
//!
//! The bytes of a state are kept only until it has been expanded; what stays is its fingerprint and that of the state it was reached
//! from. With n states the odds that any two have the same fingerprint are about n² / 2⁶⁵.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::reached::Reached;
use super::records::{self, hash};
use super::states::{Batch, StateRef};

#[derive(Default)]
struct Shard {
    /// Fingerprints, 0 is free; and the fingerprints of parents.
    table: Vec<[u64; 2]>,
    count: usize,
    /// States of the present level, and of the next, as records.
    now: Vec<u8>,
    taken: usize,
    next: Vec<u8>,
}

/// All states.
pub(crate) struct Compact {
    shards: Vec<Mutex<Shard>>,
}

/// So many for each of several workers: that two want the same one at a time is rare.
const SHARDS: usize = 8;
/// States that are taken at a time.
const BATCH: usize = 128;

/// The odds that two of so many states have the same fingerprint.
pub fn collision_odds(states: u64) -> f64 {
    (states as f64).powi(2) / 2f64.powi(65)
}

fn fingerprint(record: &[u8]) -> u64 {
    match hash(record) {
        0 => 1,
        hash if hash == StateRef::NONE.number() => 1,
        hash => hash,
    }
}

impl Shard {
    fn insert(&mut self, fingerprint: u64, record: &[u8], parent: u64) -> bool {
        if self.count * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = fingerprint as usize & mask;
        while self.table[slot][0] != 0 {
            if self.table[slot][0] == fingerprint {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        self.table[slot] = [fingerprint, parent];
        self.count += 1;
        self.next.extend_from_slice(record);
        true
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(64);
        let old = std::mem::replace(&mut self.table, vec![[0; 2]; size]);
        for entry in old.into_iter().filter(|entry| entry[0] != 0) {
            let mut slot = entry[0] as usize & (size - 1);
            while self.table[slot][0] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = entry;
        }
    }

    fn parent(&self, fingerprint: u64) -> u64 {
        let mask = self.table.len() - 1;
        let mut slot = fingerprint as usize & mask;
        while self.table[slot][0] != fingerprint {
            slot = (slot + 1) & mask;
        }
        self.table[slot][1]
    }

    fn take(&mut self, batch: &mut Batch) {
        for _ in 0..BATCH {
            if self.taken == self.now.len() {
                return;
            }
            let record = &self.now[self.taken..];
            let record = &record[..records::extent(record).2];
            batch.push(StateRef::from_number(fingerprint(record)), record);
            self.taken += record.len();
        }
    }
}

impl Compact {
    pub(crate) fn new(workers: usize) -> Compact {
        let shards = if workers == 1 { 1 } else { workers * SHARDS };
        Compact { shards: (0..shards).map(|_| Mutex::default()).collect() }
    }

    fn shard(&self, number: usize) -> MutexGuard<'_, Shard> {
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the shard where a fingerprint is.
    fn shard_of(&self, fingerprint: u64) -> usize {
        (fingerprint >> 32) as usize % self.shards.len()
    }

    /// Adds states; `fresh` gets those that were not known.
    pub(super) fn insert_all(&self, reached: &Reached, fresh: &mut impl FnMut(StateRef)) {
        let number = |(record, _, parent)| {
            let fingerprint = fingerprint(record);
            (self.shard_of(fingerprint), fingerprint, record, parent)
        };
        let mut items: Vec<(usize, u64, &[u8], StateRef)> = reached.iter().map(number).collect();
        items.sort_by_key(|item| item.0);
        for items in items.chunk_by(|one, other| one.0 == other.0) {
            let mut shard = self.shard(items[0].0);
            for &(_, fingerprint, record, parent) in items {
                if shard.insert(fingerprint, record, parent.number()) {
                    fresh(StateRef::from_number(fingerprint));
                }
            }
        }
    }

    pub(crate) fn is(&self, state: StateRef, bytes: &[u8]) -> bool {
        state.number() == fingerprint(&records::of(bytes))
    }

    pub(crate) fn parent(&self, state: StateRef) -> StateRef {
        StateRef::from_number(self.shard(self.shard_of(state.number())).parent(state.number()))
    }

    pub(crate) fn next_level(&self) -> bool {
        let mut any = false;
        for number in 0..self.shards.len() {
            let mut shard = self.shard(number);
            // Sizes are kept: the next level will need about as much.
            let shard = &mut *shard;
            std::mem::swap(&mut shard.now, &mut shard.next);
            shard.next.clear();
            shard.taken = 0;
            any |= !shard.now.is_empty();
        }
        any
    }

    /// Takes some states of the present level, if there are any, for the worker with this number.
    pub(super) fn take(&self, worker: usize, batch: &mut Batch) {
        let first = worker * SHARDS % self.shards.len();
        for number in (first..self.shards.len()).chain(0..first) {
            if batch.is_empty() {
                self.shard(number).take(batch);
            }
        }
    }

    pub(crate) fn count(&self) -> u64 {
        (0..self.shards.len()).map(|number| self.shard(number).count as u64).sum()
    }

    /// Bytes of fingerprints, and of everything.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let mut sum = (0, 0);
        for number in 0..self.shards.len() {
            let shard = self.shard(number);
            sum.0 += shard.count as u64 * 16;
            sum.1 += (shard.table.len() * 16 + shard.now.capacity() + shard.next.capacity()) as u64;
        }
        sum
    }
}
