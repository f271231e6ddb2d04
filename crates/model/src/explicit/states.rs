//! The states that were met, as strings of bytes, each with the state that it was first reached from.
//!
//! States are spread over shards by their hashes, so that workers seldom wait for each other. A shard is a list of records, which
//! only grows, and an open hash table of their places. Storage is exact: a state counts as known only if its bytes are equal.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::compact::Compact;
use super::outbox::{Item, Outbox};

/// Shards, where there are several workers.
const SHARDS: usize = 64;

/// Names a state: its shard and where its record begins there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateRef(u64);

impl StateRef {
    /// The parent of the first state.
    pub(crate) const NONE: StateRef = StateRef((1 << 48) - 1);

    /// A name that means something to the store only.
    pub(crate) fn from_number(number: u64) -> StateRef {
        StateRef(number)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }

    fn new(shard: usize, at: usize) -> StateRef {
        StateRef((shard as u64) << 40 | at as u64)
    }

    fn shard(self) -> usize {
        (self.0 >> 40) as usize
    }

    fn at(self) -> usize {
        (self.0 & ((1 << 40) - 1)) as usize
    }
}

/// Bytes of a parent in a record.
const PARENT: usize = 6;
/// Bytes of a piece of a shard's list. A record does not cross from one to the next.
const PIECE: usize = 1 << 16;
/// The first byte of a record is its length, if that is less; or one of these: the piece ends here; the length follows.
const PIECE_ENDS: u8 = 254;
const LONG: u8 = 255;

/// A part of the states.
pub(crate) struct Shard {
    number: usize,
    /// Places of records, one more than they are, below; 24 bits of the hash above. 0 is free.
    table: Vec<u64>,
    count: usize,
    /// Room for entries of the table.
    entries: Vec<u64>,
    pieces: Vec<Box<[u8]>>,
    end: usize,
    /// Up to here states have been taken to be expanded.
    taken: usize,
    /// As far as they may be taken now.
    level_end: usize,
}

/// All states, exactly.
struct Exact {
    shards: Vec<Mutex<Shard>>,
}

/// All states.
pub(crate) struct Store {
    kept: Kept,
    shards: usize,
}

/// How states are kept.
enum Kept {
    Exact(Exact),
    Compact(Compact),
}

/// A hash of 64 bits.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    #[inline(always)]
    fn fold(a: u64, b: u64) -> u64 {
        let product = a as u128 * b as u128;
        product as u64 ^ (product >> 64) as u64
    }
    let mut state = bytes.len() as u64 ^ 0x243f_6a88_85a3_08d3;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        state = fold(state ^ u64::from_le_bytes(chunk.try_into().expect("eight bytes")), K);
    }
    let rest = chunks.remainder();
    let mut last = 0;
    for (index, &byte) in rest.iter().enumerate() {
        last |= (byte as u64) << (8 * index);
    }
    fold(state ^ last, K ^ 0x5555_5555_0000_0001)
}

impl Shard {
    fn new(number: usize) -> Shard {
        let table = vec![0; 64];
        Shard {
            number,
            table,
            count: 0,
            entries: Vec::new(),
            pieces: Vec::new(),
            end: 0,
            taken: 0,
            level_end: 0,
        }
    }

    fn record(&self, at: usize) -> (u64, &[u8], usize) {
        let bytes = &self.pieces[at / PIECE][at % PIECE..];
        let (len, head) = match bytes[0] {
            LONG => (u32::from_le_bytes(bytes[1..5].try_into().expect("four bytes")) as usize, 5),
            len => (len as usize, 1),
        };
        let mut parent = [0; 8];
        parent[..PARENT].copy_from_slice(&bytes[head..head + PARENT]);
        let start = head + PARENT;
        (u64::from_le_bytes(parent), &bytes[start..start + len], start + len)
    }

    /// Whether a record has these bytes.
    #[inline]
    fn is(&self, at: usize, bytes: &[u8]) -> bool {
        if bytes.len() >= PIECE_ENDS as usize {
            return self.record(at).1 == bytes;
        }
        let record = &self.pieces[at / PIECE][at % PIECE..];
        record[0] as usize == bytes.len() && &record[1 + PARENT..][..bytes.len()] == bytes
    }

    /// Adds states; `fresh` gets those that were not known.
    fn insert_all(&mut self, outbox: &Outbox, items: &[Item], fresh: &mut impl FnMut(StateRef)) {
        while (self.count + items.len()) * 4 > self.table.len() * 3 {
            self.grow();
        }
        // All of these loads can be under way at a time; one by one each would be waited for.
        let mask = self.table.len() - 1;
        self.entries.clear();
        self.entries.extend(items.iter().map(|item| self.table[item.hash as usize & mask]));
        let mut sum = 0;
        for (item, &entry) in items.iter().zip(&self.entries) {
            if entry != 0 && entry >> 40 == item.hash >> 40 {
                let at = (entry & ((1 << 40) - 1)) as usize - 1;
                sum ^= self.pieces[at / PIECE][at % PIECE];
            }
        }
        std::hint::black_box(sum);
        for item in items {
            if let Some(state) = self.insert(item.hash, outbox.bytes(item), item.parent) {
                fresh(state);
            }
        }
    }

    /// Adds a state; `None` if it is known.
    fn insert(&mut self, hash: u64, bytes: &[u8], parent: StateRef) -> Option<StateRef> {
        let mask = self.table.len() - 1;
        let tag = hash >> 40;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if entry >> 40 == tag && self.is((entry & ((1 << 40) - 1)) as usize - 1, bytes) {
                return None;
            }
            slot = (slot + 1) & mask;
        }
        let at = self.append(bytes, parent);
        self.table[slot] = tag << 40 | (at as u64 + 1);
        self.count += 1;
        Some(StateRef::new(self.number, at))
    }

    fn append(&mut self, bytes: &[u8], parent: StateRef) -> usize {
        let head = if bytes.len() < PIECE_ENDS as usize { 1 } else { 5 };
        let len = head + PARENT + bytes.len();
        let mut at = self.end;
        if at % PIECE + len > PIECE || at / PIECE >= self.pieces.len() {
            at = self.pieces.len() * PIECE;
            assert!(len <= PIECE, "a state of {len} bytes is too large");
            if !self.end.is_multiple_of(PIECE) && self.end < at {
                // What is left of the piece says that it is the end.
                self.pieces[self.end / PIECE][self.end % PIECE] = PIECE_ENDS;
            }
            self.pieces.push(vec![0; PIECE].into_boxed_slice());
        }
        let to = &mut self.pieces[at / PIECE][at % PIECE..];
        if head == 1 {
            to[0] = bytes.len() as u8;
        } else {
            to[0] = LONG;
            to[1..5].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
        }
        to[head..head + PARENT].copy_from_slice(&parent.0.to_le_bytes()[..PARENT]);
        to[head + PARENT..len].copy_from_slice(bytes);
        self.end = at + len;
        at
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let old = std::mem::replace(&mut self.table, vec![0; size]);
        for entry in old.into_iter().filter(|&entry| entry != 0) {
            let hash = hash(self.record((entry & ((1 << 40) - 1)) as usize - 1).1);
            let mut slot = hash as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = entry;
        }
    }

    /// Takes up to `max` states of the present level, each with its bytes.
    fn take(&mut self, max: usize, batch: &mut Batch) {
        for _ in 0..max {
            let at = self.taken;
            if at >= self.level_end {
                return;
            }
            let first = self.pieces[at / PIECE][at % PIECE];
            if first == PIECE_ENDS {
                self.taken = (at / PIECE + 1) * PIECE;
                continue;
            }
            let (_, bytes, len) = self.record(at);
            batch.push(StateRef::new(self.number, at), bytes);
            self.taken = at + len;
        }
    }
}

/// States that a worker has taken.
#[derive(Default)]
pub(crate) struct Batch {
    refs: Vec<(StateRef, usize)>,
    bytes: Vec<u8>,
}

impl Batch {
    pub(crate) fn clear(&mut self) {
        self.refs.clear();
        self.bytes.clear();
    }

    pub(super) fn push(&mut self, state: StateRef, bytes: &[u8]) {
        self.refs.push((state, self.bytes.len()));
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.refs.is_empty()
    }

    /// The states.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (StateRef, &[u8])> {
        self.refs.iter().enumerate().map(|(index, &(state, start))| {
            let end = self.refs.get(index + 1).map_or(self.bytes.len(), |next| next.1);
            (state, &self.bytes[start..end])
        })
    }
}

impl Exact {
    fn shard(&self, number: usize) -> MutexGuard<'_, Shard> {
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert_all(&self, outbox: &mut Outbox, fresh: &mut impl FnMut(StateRef)) {
        let count = self.shards.len() as u64;
        if count == 1 {
            return self.shard(0).insert_all(outbox, &outbox.items, fresh);
        }
        // The table uses the lowest bits, the tag the highest.
        let shard_of = |item: &Item| ((item.hash >> 32) % count) as usize;
        outbox.items.sort_unstable_by_key(shard_of);
        for items in outbox.items.chunk_by(|one, other| shard_of(one) == shard_of(other)) {
            self.shard(shard_of(&items[0])).insert_all(outbox, items, fresh);
        }
    }

    fn get(&self, state: StateRef) -> (Vec<u8>, StateRef) {
        let shard = self.shard(state.shard());
        let (parent, bytes, _) = shard.record(state.at());
        (bytes.to_vec(), StateRef(parent))
    }

    fn next_level(&self) -> bool {
        let mut any = false;
        for number in 0..self.shards.len() {
            let mut shard = self.shard(number);
            shard.level_end = shard.end;
            any |= shard.taken < shard.level_end;
        }
        any
    }

    fn bytes(&self) -> (u64, u64) {
        let mut sum = (0, 0);
        for number in 0..self.shards.len() {
            let shard = self.shard(number);
            sum.0 += shard.end as u64;
            sum.1 += (shard.pieces.len() * PIECE + shard.table.len() * 8) as u64;
        }
        sum
    }
}

/// States that are taken at a time.
const BATCH: usize = 64;

impl Store {
    pub(crate) fn new(workers: u32, compact: bool) -> Store {
        let shards = if workers > 1 { SHARDS } else { 1 };
        let kept = match compact {
            true => Kept::Compact(Compact::new(shards)),
            false => Kept::Exact(Exact {
                shards: (0..shards).map(|number| Mutex::new(Shard::new(number))).collect(),
            }),
        };
        Store { kept, shards }
    }

    /// How many shards there are.
    pub(crate) fn shards(&self) -> usize {
        self.shards
    }

    /// Adds states; `fresh` gets those that were not known.
    pub(super) fn insert_all(&self, outbox: &mut Outbox, mut fresh: impl FnMut(StateRef)) {
        match &self.kept {
            Kept::Exact(exact) => exact.insert_all(outbox, &mut fresh),
            Kept::Compact(compact) => {
                for item in &outbox.items {
                    if let Some(state) = compact.insert(outbox.bytes(item), item.parent) {
                        fresh(state);
                    }
                }
            }
        }
        outbox.clear();
    }

    /// The bytes of a state, which must be kept exactly.
    pub(crate) fn get(&self, state: StateRef) -> Vec<u8> {
        match &self.kept {
            Kept::Exact(exact) => exact.get(state).0,
            Kept::Compact(_) => unreachable!("only breadth-first search has no need of them"),
        }
    }

    /// Whether these are the bytes of a state, as far as that is known.
    pub(crate) fn is(&self, state: StateRef, bytes: &[u8]) -> bool {
        match &self.kept {
            Kept::Exact(exact) => exact.get(state).0 == bytes,
            Kept::Compact(compact) => compact.is(state, bytes),
        }
    }

    /// The state that a state was first reached from.
    pub(crate) fn parent(&self, state: StateRef) -> StateRef {
        match &self.kept {
            Kept::Exact(exact) => exact.get(state).1,
            Kept::Compact(compact) => compact.parent(state),
        }
    }

    /// What orders states in the same way, however many workers there are.
    pub(crate) fn rank(&self, state: StateRef) -> Vec<u8> {
        match &self.kept {
            Kept::Exact(exact) => exact.get(state).0,
            Kept::Compact(_) => state.0.to_be_bytes().to_vec(),
        }
    }

    /// The states that are not expanded yet become the next level. False if there are none.
    pub(crate) fn next_level(&self) -> bool {
        match &self.kept {
            Kept::Exact(exact) => exact.next_level(),
            Kept::Compact(compact) => compact.next_level(),
        }
    }

    /// Takes some states of the present level from a shard.
    pub(crate) fn take(&self, shard: usize, batch: &mut Batch) {
        batch.clear();
        match &self.kept {
            Kept::Exact(exact) => exact.shard(shard).take(BATCH, batch),
            Kept::Compact(compact) => compact.take(shard, BATCH, batch),
        }
    }

    /// How many states there are.
    pub(crate) fn count(&self) -> u64 {
        match &self.kept {
            Kept::Exact(exact) => (0..self.shards).map(|number| exact.shard(number).count as u64).sum(),
            Kept::Compact(compact) => compact.count(),
        }
    }

    /// Bytes of states, and of everything.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        match &self.kept {
            Kept::Exact(exact) => exact.bytes(),
            Kept::Compact(compact) => compact.bytes(),
        }
    }
}
