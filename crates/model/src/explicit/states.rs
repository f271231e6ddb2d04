//! The states that were met, as strings of bytes, each with the state that it was first reached from.
//!
//! States are spread over shards by their hashes, one for each worker, who alone adds to it: so that what it needs lies in its own cache. A shard is a list of records, which
//! only grows, and an open hash table of their places. Storage is exact: a state counts as known only if its bytes are equal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::compact::Compact;
use super::outbox::Outbox;

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
/// Bytes of a piece of a shard's list. A record does not cross from one to the next, unless it has all of them to itself.
const PIECE: usize = 1 << 20;
/// The first byte of a record is its length, if that is less; or one of these: the piece ends here; the length follows.
const PIECE_ENDS: u8 = 254;
const LONG: u8 = 255;

/// Where a record is, one more than that, in the lowest bits; how far the entry lies behind its place in the table; a part of the hash of the
/// record. 0 is free.
type Entry = u64;
const AT_BITS: u32 = 36;
const BEHIND_BITS: u32 = 9;
const TAG_SHIFT: u32 = AT_BITS + BEHIND_BITS;
/// The tag is the part of the hash from this bit on. The place in the table is what lies below, and more in large tables: when these grow, the next
/// bit is in the tag, and records need not be read.
const TAG_FROM: u32 = 16;

fn tag(hash: u64) -> u64 {
    (hash >> TAG_FROM) << TAG_SHIFT >> TAG_SHIFT
}

fn entry(hash: u64, at: usize) -> Entry {
    tag(hash) << TAG_SHIFT | (at as u64 + 1)
}

/// The place of the record.
fn at(entry: Entry) -> usize {
    (entry & ((1 << AT_BITS) - 1)) as usize - 1
}

fn behind(entry: Entry) -> usize {
    (entry >> AT_BITS) as usize & ((1 << BEHIND_BITS) - 1)
}

/// Puts an entry into a table, at the first free place from its own one on; false if that is too far.
fn put(table: &mut [Entry], place: usize, entry: Entry) -> bool {
    let mut behind = 0;
    while table[(place + behind) & (table.len() - 1)] != 0 {
        behind += 1;
    }
    let slot = (place + behind) & (table.len() - 1);
    table[slot] = entry & !(((1 << BEHIND_BITS) - 1) << AT_BITS) | (behind as u64) << AT_BITS;
    behind < 1 << BEHIND_BITS
}

/// A part of the states. What one worker changes does not lie beside what another one does.
#[repr(align(128))]
pub(crate) struct Shard {
    number: usize,
    table: Vec<Entry>,
    count: usize,
    /// Room for places in the table.
    slots: Vec<usize>,
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
    sizes: Vec<Size>,
}

/// How large a shard is, for those who do not want to wait for it.
#[derive(Default)]
#[repr(align(128))]
struct Size {
    states: AtomicU64,
    /// Bytes of states, and of everything.
    bytes: AtomicU64,
    all_bytes: AtomicU64,
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

/// A hash of 64 bits: of pairs of words, the product with the one before it mixed in, its halves added without carry.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const K: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3, 0xb752_45b0_4a1c_5e2d];
    #[inline(always)]
    fn fold(a: u64, b: u64) -> u64 {
        let product = a as u128 * b as u128;
        product as u64 ^ (product >> 64) as u64
    }
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let mut state = K[1];
    let mut chunks = bytes.chunks_exact(16);
    for chunk in &mut chunks {
        let [one, other] = [0, 8].map(|at| word(chunk[at..].first_chunk().expect("sixteen bytes")));
        state = fold(one ^ state, other ^ K[0]);
    }
    // What is left, in words that overlap each other and what was before.
    let [one, other] = match (chunks.remainder().first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(one), Some(other)) => [word(one), word(other)],
        (None, Some(other)) => [0, word(other)],
        (_, None) => [0, bytes.iter().rev().fold(0, |last, &byte| last << 8 | byte as u64)],
    };
    fold(fold(one ^ state, other ^ K[0]) ^ K[2], bytes.len() as u64 ^ K[1])
}

/// Where the record after one begins.
fn after(at: usize, len: usize) -> usize {
    if len > PIECE { (at + len).next_multiple_of(PIECE) } else { at + len }
}

impl Shard {
    fn new(number: usize) -> Shard {
        let table = vec![0; 64];
        Shard {
            number,
            table,
            count: 0,
            slots: Vec::new(),
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
    fn insert_all(&mut self, outbox: &Outbox, fresh: &mut impl FnMut(StateRef)) {
        let items = &outbox.items;
        while (self.count + items.len()) * 4 > self.table.len() * 3 {
            self.grow(false);
        }
        // All of these loads can be under way at a time; one by one each would be waited for. First those of the table, then those of the
        // records that are likely to be the same.
        let mask = self.table.len() - 1;
        let mut sum = 0;
        items.iter().for_each(|item| sum ^= self.table[item.hash as usize & mask]);
        self.slots.clear();
        for item in items {
            let mut slot = item.hash as usize & mask;
            while self.table[slot] != 0 && self.table[slot] >> TAG_SHIFT != tag(item.hash) {
                slot = (slot + 1) & mask;
            }
            if self.table[slot] != 0 {
                let at = at(self.table[slot]);
                sum ^= self.pieces[at / PIECE][at % PIECE] as u64;
            }
            self.slots.push(slot);
        }
        std::hint::black_box(sum);
        for (index, item) in items.iter().enumerate() {
            let is_same = self.table.len() == mask + 1;
            let slot = if is_same { self.slots[index] } else { item.hash as usize };
            if let Some(state) = self.insert(item.hash, slot, outbox.bytes(item), item.parent) {
                fresh(state);
            }
        }
    }

    /// Adds a state, which is not in the table before `slot`; `None` if it is known.
    fn insert(&mut self, hash: u64, mut slot: usize, bytes: &[u8], parent: StateRef) -> Option<StateRef> {
        let mask = self.table.len() - 1;
        let tag = tag(hash);
        loop {
            slot &= mask;
            let entry = self.table[slot];
            if entry == 0 {
                break;
            }
            if entry >> TAG_SHIFT == tag && self.is(at(entry), bytes) {
                return None;
            }
            slot += 1;
        }
        let at = self.append(bytes, parent);
        let behind = slot.wrapping_sub(hash as usize) & mask;
        self.table[slot] = entry(hash, at) | ((behind as u64) << AT_BITS) & ((1 << TAG_SHIFT) - 1);
        self.count += 1;
        if behind >> BEHIND_BITS > 0 {
            // It has no room to say so: the table is made again.
            self.grow(true);
        }
        Some(StateRef::new(self.number, at))
    }

    fn append(&mut self, bytes: &[u8], parent: StateRef) -> usize {
        let head = if bytes.len() < PIECE_ENDS as usize { 1 } else { 5 };
        let len = head + PARENT + bytes.len();
        let mut at = self.end;
        if at % PIECE + len > PIECE || at / PIECE >= self.pieces.len() {
            at = self.pieces.len() * PIECE;
            if !self.end.is_multiple_of(PIECE) && self.end < at {
                // What is left of the piece says that it is the end.
                self.pieces[self.end / PIECE][self.end % PIECE] = PIECE_ENDS;
            }
            self.pieces.push(vec![0; len.next_multiple_of(PIECE)].into_boxed_slice());
            // Where a long record goes on there is nothing else.
            self.pieces.resize_with((at + len).div_ceil(PIECE), Box::default);
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
        self.end = after(at, len);
        at
    }

    #[cold]
    fn grow(&mut self, mut anew: bool) {
        let mut bits = self.table.len().trailing_zeros() + 1;
        while !self.fill(bits, anew) {
            (bits, anew) = (bits + 1, true);
        }
    }

    /// Makes the table again, with two to the power of `bits` entries, of the records or, if it doubles, of its entries; false if that was not
    /// large enough.
    fn fill(&mut self, bits: u32, anew: bool) -> bool {
        // Written, not only asked for: pages that are read first are mapped twice.
        let mut table: Vec<Entry> = std::iter::repeat_n(0, 1 << bits).collect();
        let known = self.table.len().trailing_zeros();
        let mut fits = true;
        if anew || !(TAG_FROM..TAG_FROM + 64 - TAG_SHIFT).contains(&known) {
            let mut at = 0;
            while let Some((bytes, next)) = self.next(&mut at, self.end) {
                let hash = hash(bytes);
                fits &= put(&mut table, hash as usize & ((1 << bits) - 1), entry(hash, at));
                at = next;
            }
        } else {
            for (slot, &entry) in self.table.iter().enumerate().filter(|(_, entry)| **entry != 0) {
                let place = slot.wrapping_sub(behind(entry)) & (self.table.len() - 1);
                let bit = (entry >> TAG_SHIFT >> (known - TAG_FROM)) as usize & 1;
                fits &= put(&mut table, place | bit << known, entry);
            }
        }
        if fits {
            self.table = table;
        }
        fits
    }

    /// The bytes of the record that comes first from a place on, which moves there; and where the one after it begins.
    #[inline]
    fn next(&self, at: &mut usize, end: usize) -> Option<(&[u8], usize)> {
        if *at < end && !at.is_multiple_of(PIECE) && self.pieces[*at / PIECE][*at % PIECE] == PIECE_ENDS {
            *at = at.next_multiple_of(PIECE);
        }
        if *at >= end {
            return None;
        }
        let (_, bytes, len) = self.record(*at);
        Some((bytes, after(*at, len)))
    }

    /// Takes up to `max` states of the present level, each with its bytes.
    fn take(&mut self, max: usize, batch: &mut Batch) {
        for _ in 0..max {
            let mut at = self.taken;
            let Some((bytes, next)) = self.next(&mut at, self.level_end) else { return };
            batch.push(StateRef::new(self.number, at), bytes);
            self.taken = next;
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

    fn insert_all(&self, shard: usize, outbox: &Outbox, fresh: &mut impl FnMut(StateRef)) {
        let size = &self.sizes[shard];
        let mut shard = self.shard(shard);
        shard.insert_all(outbox, fresh);
        let (count, bytes) = (shard.count as u64, shard.end as u64);
        size.states.store(count, Ordering::Relaxed);
        size.bytes.store(bytes, Ordering::Relaxed);
        size.all_bytes.store(bytes + shard.table.len() as u64 * 8, Ordering::Relaxed);
    }

    fn sum(&self, what: impl Fn(&Size) -> &AtomicU64) -> u64 {
        self.sizes.iter().map(|size| what(size).load(Ordering::Relaxed)).sum()
    }
}

/// States that are taken at a time.
const BATCH: usize = 128;

impl Store {
    pub(crate) fn new(workers: u32, compact: bool) -> Store {
        let shards = workers as usize;
        let kept = match compact {
            true => Kept::Compact(Compact::new(shards)),
            false => Kept::Exact(Exact {
                shards: (0..shards).map(|number| Mutex::new(Shard::new(number))).collect(),
                sizes: (0..shards).map(|_| Size::default()).collect(),
            }),
        };
        Store { kept, shards }
    }

    /// How many shards there are.
    pub(crate) fn shards(&self) -> usize {
        self.shards
    }

    /// The shard of a state with this hash.
    #[inline]
    pub(super) fn shard_of(&self, hash: u64) -> usize {
        // By its highest bits, which neither the table nor the tag use.
        (((hash >> 32) * self.shards as u64) >> 32) as usize
    }

    /// Adds states to a shard; `fresh` gets those that were not known.
    pub(super) fn insert_all(&self, shard: usize, outbox: &mut Outbox, mut fresh: impl FnMut(StateRef)) {
        match &self.kept {
            Kept::Exact(exact) => exact.insert_all(shard, outbox, &mut fresh),
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
            Kept::Exact(exact) => exact.sum(|size| &size.states),
            Kept::Compact(compact) => compact.count(),
        }
    }

    /// Bytes of states, and of everything.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        match &self.kept {
            Kept::Exact(exact) => (exact.sum(|size| &size.bytes), exact.sum(|size| &size.all_bytes)),
            Kept::Compact(compact) => compact.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox(states: impl Iterator<Item = Vec<u8>>) -> Outbox {
        let mut outbox = Outbox::default();
        states.for_each(|bytes| outbox.push(hash(&bytes), &bytes, StateRef::NONE));
        outbox
    }

    /// Adds states and counts those that were not known.
    fn add(store: &Store, states: impl Iterator<Item = Vec<u8>>) -> usize {
        let mut fresh = 0;
        store.insert_all(0, &mut outbox(states), |_| fresh += 1);
        fresh
    }

    fn state(number: u32) -> Vec<u8> {
        let len = 4 + number as usize % 23;
        number.to_le_bytes().into_iter().chain((4..len).map(|byte| byte as u8)).collect()
    }

    #[test]
    fn states_are_found_again_however_the_table_has_grown() {
        let store = Store::new(1, false);
        for begin in (0..300_000).step_by(1_000) {
            assert_eq!(add(&store, (begin..begin + 1_000).map(state)), 1_000);
        }
        for begin in (0..300_000).step_by(1_000) {
            assert_eq!(add(&store, (begin..begin + 1_000).map(state)), 0);
        }
        assert_eq!(store.count(), 300_000);
        assert!(store.next_level());
        let (mut batch, mut next) = (Batch::default(), 0);
        loop {
            store.take(0, &mut batch);
            if batch.is_empty() {
                break;
            }
            for (name, bytes) in batch.iter() {
                assert!(bytes == state(next) && store.is(name, bytes));
                next += 1;
            }
        }
        assert_eq!(next, 300_000);
    }

    #[test]
    fn tables_made_of_records_and_of_entries_hold_the_same() {
        let mut shard = Shard::new(0);
        shard.insert_all(&outbox((0..60_000).map(state)), &mut |_| {});
        assert!(shard.table.len() >= 1 << TAG_FROM);
        let sorted = |shard: &Shard| {
            let places = shard.table.iter().enumerate().filter(|(_, entry)| **entry != 0);
            let mut places: Vec<_> = places
                .map(|(slot, &entry)| (at(entry), slot.wrapping_sub(behind(entry)) & (shard.table.len() - 1)))
                .collect();
            places.sort_unstable();
            places
        };
        shard.grow(false);
        let by_entries = sorted(&shard);
        let bits = shard.table.len().trailing_zeros();
        assert!(shard.fill(bits, true));
        assert_eq!(sorted(&shard), by_entries);
    }

    #[test]
    fn long_states_have_room() {
        let store = Store::new(1, false);
        let long = |len: usize| vec![len as u8; len];
        let lens = [3, PIECE - 20, 40, PIECE, 5, 3 * PIECE + 7, 253, 254, 255, 2 * PIECE - 11, 9];
        assert_eq!(add(&store, lens.into_iter().map(long)), lens.len());
        assert_eq!(add(&store, lens.into_iter().map(long)), 0);
        let (mut batch, mut found) = (Batch::default(), vec![]);
        store.next_level();
        store.take(0, &mut batch);
        batch.iter().for_each(|(_, bytes)| found.push(bytes.to_vec()));
        assert!(found == lens.map(long));
    }
}
