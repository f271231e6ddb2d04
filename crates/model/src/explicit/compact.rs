//! States as fingerprints of 64 bits, an option: a state whose fingerprint is known counts as known, though it may be another one.
//!
//! The bytes of a state are kept only until it has been expanded; what stays is its fingerprint and that of the state it was reached
//! from. With n states the odds that any two have the same fingerprint are about n² / 2⁶⁵.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::states::{Batch, StateRef, hash};

#[derive(Default)]
struct Shard {
    /// Fingerprints, 0 is free; and the fingerprints of parents.
    table: Vec<[u64; 2]>,
    count: usize,
    /// States of the present level, and of the next: each with its length before it.
    now: Vec<u8>,
    taken: usize,
    next: Vec<u8>,
}

/// All states.
pub(crate) struct Compact {
    shards: Vec<Mutex<Shard>>,
}

/// The odds that two of so many states have the same fingerprint.
pub fn collision_odds(states: u64) -> f64 {
    (states as f64).powi(2) / 2f64.powi(65)
}

fn fingerprint(bytes: &[u8]) -> u64 {
    match hash(bytes) {
        0 => 1,
        hash if hash == StateRef::NONE.number() => 1,
        hash => hash,
    }
}

impl Shard {
    fn insert(&mut self, fingerprint: u64, bytes: &[u8], parent: u64) -> bool {
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
        self.next.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.next.extend_from_slice(bytes);
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

    fn take(&mut self, max: usize, batch: &mut Batch) {
        for _ in 0..max {
            let Some((head, rest)) = self.now[self.taken..].split_first_chunk::<4>() else { return };
            let len = u32::from_le_bytes(*head) as usize;
            batch.push(StateRef::from_number(fingerprint(&rest[..len])), &rest[..len]);
            self.taken += 4 + len;
        }
    }
}

impl Compact {
    pub(crate) fn new(shards: usize) -> Compact {
        Compact { shards: (0..shards).map(|_| Mutex::default()).collect() }
    }

    fn shard(&self, number: usize) -> MutexGuard<'_, Shard> {
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shard_of(&self, fingerprint: u64) -> MutexGuard<'_, Shard> {
        self.shard((fingerprint >> 32) as usize % self.shards.len())
    }

    pub(crate) fn insert(&self, bytes: &[u8], parent: StateRef) -> Option<StateRef> {
        let fingerprint = fingerprint(bytes);
        let new = self.shard_of(fingerprint).insert(fingerprint, bytes, parent.number());
        new.then(|| StateRef::from_number(fingerprint))
    }

    pub(crate) fn is(&self, state: StateRef, bytes: &[u8]) -> bool {
        state.number() == fingerprint(bytes)
    }

    pub(crate) fn parent(&self, state: StateRef) -> StateRef {
        StateRef::from_number(self.shard_of(state.number()).parent(state.number()))
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

    pub(crate) fn take(&self, shard: usize, max: usize, batch: &mut Batch) {
        self.shard(shard).take(max, batch);
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
