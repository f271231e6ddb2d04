//! The states that were met, each with the state that it was first reached from.
//!
//! All workers share a list of records and an open hash table of their places, and add to both without waiting for each other. Storage is
//! exact: a state counts as known only if its bytes are equal.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

use super::compact::Compact;
use super::node::Encoded;
use super::reached::{MANY, Reached};
use super::records::{self, NOWHERE, Reader, Records, Writer, hash};
use super::table::{Table, has_tag, place};

/// Names a state: where its record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StateRef(u64);

impl StateRef {
    /// The parent of the first state.
    pub(crate) const NONE: StateRef = StateRef(NOWHERE);

    /// A name that means something to the store only.
    pub(crate) fn from_number(number: u64) -> StateRef {
        StateRef(number)
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

/// Records that lie side by side and are expanded by one worker.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    place: u64,
    words: usize,
}

/// Words of a chunk, about.
const CHUNK: usize = 512;

/// All states, exactly.
struct Exact {
    workers: usize,
    records: Records,
    /// Who adds an entry reads; who makes the table anew writes.
    table: RwLock<Table>,
    states: AtomicU64,
    words: AtomicU64,
    slots: AtomicU64,
    /// Those that each worker has added.
    levels: Vec<Level>,
}

/// States that a worker has added last.
#[derive(Default)]
#[repr(align(128))]
struct Level {
    /// Those of the present level.
    now: RwLock<Vec<Chunk>>,
    /// How many chunks of it were taken, or asked for when there were none left.
    taken: AtomicUsize,
    /// Those of the next level.
    next: Mutex<Vec<Chunk>>,
}

impl Level {
    fn take(&self) -> Option<Chunk> {
        let next = self.taken.fetch_add(1, Ordering::Relaxed);
        self.now.read().expect(LOCK).get(next).copied()
    }
}

/// All states.
pub(crate) struct Store {
    kept: Kept,
}

/// How states are kept.
enum Kept {
    Exact(Exact),
    Compact(Compact),
}

const LOCK: &str = "no worker panics with it";

impl Exact {
    fn new(workers: usize) -> Exact {
        let table = Table::new();
        Exact {
            workers,
            records: Records::default(),
            slots: AtomicU64::new(table.len() as u64),
            table: RwLock::new(table),
            states: AtomicU64::new(0),
            words: AtomicU64::new(0),
            levels: (0..workers).map(|_| Level::default()).collect(),
        }
    }

    /// Whether a table is large enough for so many more states, whatever the others add meanwhile.
    fn has_room(&self, table: &Table, more: usize) -> bool {
        let others = (self.workers - 1) * MANY;
        let count = self.states.load(Ordering::Relaxed) as usize + more + others;
        count * 4 <= table.len() * 3
    }

    /// Makes the table larger until it has room for so many more states.
    #[cold]
    fn grow(&self, more: usize) {
        let mut table = self.table.write().expect(LOCK);
        while !self.has_room(&table, more) {
            table.grow(&self.records, self.workers);
        }
        self.slots.store(table.len() as u64, Ordering::Relaxed);
    }

    fn next_level(&self) -> bool {
        let mut any = false;
        for level in &self.levels {
            let mut now = level.now.write().expect(LOCK);
            now.clear();
            now.append(&mut level.next.lock().expect(LOCK));
            level.taken.store(0, Ordering::Relaxed);
            any |= !now.is_empty();
        }
        any
    }
}

/// A worker's way to the states.
pub(super) struct Access<'a> {
    store: &'a Store,
    /// The worker's number.
    number: usize,
    reader: Reader,
    writer: Writer,
    /// What it has added to the next level.
    chunks: Vec<Chunk>,
    items: Vec<Item>,
}

/// A state that is to be stored.
struct Item {
    hash: u64,
    /// Where its record is among those that were reached, and how many bytes it has.
    start: u32,
    len: u32,
    /// It is not in the table before this slot.
    slot: usize,
    parent: StateRef,
}

impl<'a> Access<'a> {
    pub(super) fn new(store: &'a Store, number: usize) -> Access<'a> {
        let (reader, writer) = (Reader::default(), Writer::default());
        Access { store, number, reader, writer, chunks: Vec::new(), items: Vec::new() }
    }

    /// Adds states; `fresh` gets those that were not known.
    pub(super) fn insert_all(&mut self, reached: &mut Reached, mut fresh: impl FnMut(StateRef)) {
        match &self.store.kept {
            Kept::Exact(exact) => self.insert_exactly(exact, reached, fresh),
            Kept::Compact(compact) => compact.insert_all(reached, &mut fresh),
        }
        reached.clear();
    }

    fn insert_exactly(&mut self, exact: &Exact, reached: &Reached, mut fresh: impl FnMut(StateRef)) {
        assert!(reached.len() <= MANY, "others count on that");
        let mut table = exact.table.read().expect(LOCK);
        while !exact.has_room(&table, reached.len()) {
            drop(table);
            exact.grow(reached.len());
            table = exact.table.read().expect(LOCK);
        }
        let mask = table.len() - 1;
        let slots = table.slots();
        self.items.clear();
        for (record, start, parent) in reached.iter() {
            let hash = hash(record);
            let slot = hash as usize & mask;
            self.items.push(Item { hash, start: start as u32, len: record.len() as u32, slot, parent });
        }
        // Many of these loads can be under way at a time, if little else is done; one by one each would be waited for. First those of the table,
        // then those of the records that are likely to be the same.
        let mut sum = 0;
        for item in &self.items {
            sum ^= slots[item.slot].load(Ordering::Relaxed);
        }
        for item in &mut self.items {
            let entry = loop {
                let entry = slots[item.slot].load(Ordering::Acquire);
                if entry == 0 || has_tag(entry, item.hash) {
                    break entry;
                }
                item.slot = (item.slot + 1) & mask;
            };
            if entry != 0 {
                sum ^= self.reader.touch(&exact.records, place(entry));
            }
        }
        std::hint::black_box(sum);
        let items = std::mem::take(&mut self.items);
        let (mut states, mut words) = (0, 0);
        for item in &items {
            if let Some(state) =
                self.insert(exact, &table, item, reached.record(item.start as usize, item.len as usize))
            {
                states += 1;
                words += item.len as u64 / 8;
                fresh(state);
            }
        }
        self.items = items;
        exact.states.fetch_add(states, Ordering::Relaxed);
        exact.words.fetch_add(words, Ordering::Relaxed);
    }

    /// Adds a state, if it is not known.
    #[inline]
    fn insert(&mut self, exact: &Exact, table: &Table, item: &Item, record: &[u8]) -> Option<StateRef> {
        let mask = table.len() - 1;
        let mut slot = item.slot;
        let mut added = None;
        loop {
            let mut other = table.slots()[slot].load(Ordering::Acquire);
            if other == 0 {
                let place = *added
                    .get_or_insert_with(|| self.writer.append(&exact.records, record, item.parent.number()));
                match table.add(slot, item.hash, place) {
                    Ok(()) => {
                        self.chunk(place, record.len() / 8);
                        return Some(StateRef(place));
                    }
                    // Another worker was quicker.
                    Err(now) => other = now,
                }
            }
            if has_tag(other, item.hash) && self.reader.is(&exact.records, place(other), record) {
                if added.is_some() {
                    self.writer.take_back(record.len());
                }
                return None;
            }
            slot = (slot + 1) & mask;
        }
    }

    /// A record of so many words, at a place, is part of the next level.
    #[inline]
    fn chunk(&mut self, place: u64, words: usize) {
        match self.chunks.last_mut() {
            Some(chunk)
                if chunk.place + chunk.words as u64 == place
                    && !records::begins_piece(place)
                    && chunk.words < CHUNK =>
            {
                chunk.words += words;
            }
            _ => self.chunks.push(Chunk { place, words }),
        }
    }

    /// What was added since the present level began will be taken when the next one has begun.
    pub(super) fn end_level(&mut self) {
        if let Kept::Exact(exact) = &self.store.kept {
            exact.levels[self.number].next.lock().expect(LOCK).append(&mut self.chunks);
        }
    }

    /// Takes some states of the present level; false if there are none left.
    pub(super) fn take(&mut self, batch: &mut Batch) -> bool {
        batch.clear();
        match &self.store.kept {
            Kept::Exact(exact) => {
                // First its own: what they lead to is often what it has met.
                let numbers = (self.number..exact.workers).chain(0..self.number);
                let chunk = numbers.filter_map(|number| exact.levels[number].take()).next();
                let Some(Chunk { place, words }) = chunk else { return false };
                self.reader.read_words(&exact.records, place, words, &mut batch.bytes);
                batch.walk(place);
            }
            Kept::Compact(compact) => compact.take(self.number, batch),
        }
        !batch.is_empty()
    }

    /// Takes one state, which must be kept exactly.
    pub(super) fn read(&mut self, state: StateRef, batch: &mut Batch) {
        batch.clear();
        let Kept::Exact(exact) = &self.store.kept else {
            unreachable!("only breadth-first search has no need of them");
        };
        self.reader.read(&exact.records, state.0, &mut batch.bytes);
        batch.walk(state.0);
    }
}

/// States that a worker has taken.
#[derive(Default)]
pub(crate) struct Batch {
    /// Each state, where its bytes begin and how many they are.
    states: Vec<(StateRef, u32, u32)>,
    bytes: Vec<u8>,
}

impl Batch {
    fn clear(&mut self) {
        self.states.clear();
        self.bytes.clear();
    }

    /// Finds the states among records that were copied from a place on.
    fn walk(&mut self, place: u64) {
        let (mut at, end) = (0, self.bytes.len());
        while at < end {
            let (start, len, next) = records::extent(&self.bytes[at..]);
            self.states.push((StateRef(place + at as u64 / 8), (at + start) as u32, len as u32));
            at += next;
        }
        self.bytes.resize(end + Encoded::BEHIND, 0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The states.
    pub(super) fn iter(&self) -> impl Iterator<Item = (StateRef, Encoded<'_>)> {
        self.states
            .iter()
            .map(|&(state, start, len)| (state, Encoded::new(&self.bytes[start as usize..], len as usize)))
    }

    /// Adds a state with its record.
    pub(super) fn push(&mut self, state: StateRef, record: &[u8]) {
        self.bytes.truncate(self.bytes.len().saturating_sub(Encoded::BEHIND));
        let at = self.bytes.len();
        let (start, len, _) = records::extent(record);
        self.states.push((state, (at + start) as u32, len as u32));
        self.bytes.extend_from_slice(record);
        self.bytes.resize(self.bytes.len() + Encoded::BEHIND, 0);
    }
}

impl Store {
    pub(crate) fn new(workers: u32, compact: bool) -> Store {
        let workers = workers as usize;
        let kept = match compact {
            true => Kept::Compact(Compact::new(workers)),
            false => Kept::Exact(Exact::new(workers)),
        };
        Store { kept }
    }

    /// Whether these are the bytes of a state, as far as that is known.
    pub(crate) fn is(&self, state: StateRef, bytes: &[u8]) -> bool {
        match &self.kept {
            Kept::Exact(exact) => exact.records.get(state.0).0 == bytes,
            Kept::Compact(compact) => compact.is(state, bytes),
        }
    }

    /// The state that a state was first reached from.
    pub(crate) fn parent(&self, state: StateRef) -> StateRef {
        match &self.kept {
            Kept::Exact(exact) => StateRef(exact.records.get(state.0).1),
            Kept::Compact(compact) => compact.parent(state),
        }
    }

    /// What orders states in the same way, however many workers there are.
    pub(crate) fn rank(&self, state: StateRef) -> Vec<u8> {
        match &self.kept {
            Kept::Exact(exact) => exact.records.get(state.0).0,
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

    /// How many states there are.
    pub(crate) fn count(&self) -> u64 {
        match &self.kept {
            Kept::Exact(exact) => exact.states.load(Ordering::Relaxed),
            Kept::Compact(compact) => compact.count(),
        }
    }

    /// Bytes of states, and of everything.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        match &self.kept {
            Kept::Exact(exact) => {
                let states = 8 * exact.words.load(Ordering::Relaxed);
                (states, exact.records.bytes() + 8 * exact.slots.load(Ordering::Relaxed))
            }
            Kept::Compact(compact) => compact.bytes(),
        }
    }

    /// Whether no more states can be named.
    pub(crate) fn is_full(&self) -> bool {
        matches!(&self.kept, Kept::Exact(exact) if exact.records.is_full())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds states and returns those that were not known.
    fn add(access: &mut Access<'_>, states: impl Iterator<Item = Vec<u8>>) -> Vec<StateRef> {
        let (mut reached, mut fresh) = (Reached::default(), vec![]);
        for state in states {
            reached.push(&state, StateRef::NONE);
            if reached.is_full() {
                access.insert_all(&mut reached, |state| fresh.push(state));
            }
        }
        access.insert_all(&mut reached, |state| fresh.push(state));
        fresh
    }

    fn state(number: u32) -> Vec<u8> {
        let len = 4 + number as usize % 23;
        number.to_le_bytes().into_iter().chain((4..len).map(|byte| byte as u8)).collect()
    }

    /// The states of the next level.
    fn level(store: &Store, access: &mut Access<'_>) -> Vec<(StateRef, Vec<u8>)> {
        access.end_level();
        assert!(store.next_level());
        let (mut batch, mut states) = (Batch::default(), vec![]);
        while access.take(&mut batch) {
            states.extend(batch.iter().map(|(state, node)| (state, node.bytes().to_vec())));
        }
        states
    }

    fn exact(store: &Store) -> &Exact {
        match &store.kept {
            Kept::Exact(exact) => exact,
            Kept::Compact(_) => panic!("it keeps states exactly"),
        }
    }

    #[test]
    fn states_are_found_again_however_the_table_has_grown() {
        let store = Store::new(1, false);
        let mut access = Access::new(&store, 0);
        for begin in (0..150_000).step_by(1_000) {
            assert_eq!(add(&mut access, (begin..begin + 1_000).map(state)).len(), 1_000);
        }
        for begin in (0..150_000).step_by(1_000) {
            assert!(add(&mut access, (begin..begin + 1_000).map(state)).is_empty());
        }
        assert_eq!(store.count(), 150_000);
        let states = level(&store, &mut access);
        assert_eq!(states.len(), 150_000);
        for (number, (name, bytes)) in states.iter().enumerate() {
            assert!(*bytes == state(number as u32) && store.is(*name, bytes));
        }
        assert!(!store.next_level());
    }

    #[test]
    fn each_state_is_new_to_one_of_many_workers_only() {
        const WORKERS: u32 = 4;
        const STATES: u32 = 60_000;
        for round in 0..4 {
            let compact = round == 3;
            let store = Store::new(WORKERS, compact);
            let fresh: Vec<Vec<StateRef>> = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..WORKERS)
                    .map(|worker| {
                        let store = &store;
                        scope.spawn(move || {
                            let mut access = Access::new(store, worker as usize);
                            // Nearly the same order, so that they often meet; some states come twice.
                            let order =
                                (0..STATES).map(|number| number ^ (worker * round)).chain(0..STATES / 4);
                            let fresh = add(&mut access, order.map(state));
                            access.end_level();
                            fresh
                        })
                    })
                    .collect();
                workers.into_iter().map(|worker| worker.join().expect("it adds states")).collect()
            });
            let met: std::collections::BTreeSet<u32> = (0..WORKERS)
                .flat_map(|worker| (0..STATES).map(move |number| number ^ (worker * round)))
                .collect();
            assert_eq!(store.count() as usize, met.len());
            let mut names: Vec<StateRef> = fresh.concat();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), met.len(), "each was new once");
            // Whoever takes them, those of the others too.
            let mut states: Vec<_> = level(&store, &mut Access::new(&store, 2));
            states.sort();
            assert!(states.iter().map(|(name, _)| name).eq(&names), "all of them are the next level");
            let mut found: Vec<_> = states.into_iter().map(|(_, bytes)| bytes).collect();
            let mut all: Vec<_> = met.into_iter().map(state).collect();
            found.sort();
            all.sort();
            assert!(found == all);
            if !compact {
                let mut records = 0;
                exact(&store).records.each(|_, _| records += 1);
                assert_eq!(records, all.len(), "what came too late was taken back");
            }
        }
    }

    #[test]
    fn states_whose_hashes_look_alike_are_told_apart() {
        // The same slot and the same tag, as far as a small table goes.
        let mut alike = std::collections::BTreeMap::<u64, Vec<u32>>::new();
        for number in 0..200_000 {
            alike.entry(hash(&records::of(&state(number))) & 0xf_ffff_003f).or_default().push(number);
        }
        let alike: Vec<u32> = alike.into_values().filter(|numbers| numbers.len() > 1).flatten().collect();
        assert!(alike.len() > 50, "{} are alike", alike.len());
        let store = Store::new(1, false);
        let mut access = Access::new(&store, 0);
        assert_eq!(add(&mut access, alike.iter().copied().map(state)).len(), alike.len());
        assert!(add(&mut access, alike.iter().copied().map(state)).is_empty());
    }

    #[test]
    fn a_table_has_room_for_what_others_may_add() {
        let (alone, together) = (Exact::new(1), Exact::new(3));
        assert!(alone.has_room(&alone.table.read().expect(LOCK), 48));
        assert!(!alone.has_room(&alone.table.read().expect(LOCK), 49));
        assert!(!together.has_room(&together.table.read().expect(LOCK), 1));
        together.grow(1);
        assert_eq!(together.table.read().expect(LOCK).len(), 1_024);
    }

    #[test]
    fn long_states_have_room() {
        let store = Store::new(1, false);
        let mut access = Access::new(&store, 0);
        let long = |len: usize| vec![len as u8; len];
        let piece = 8 << 15;
        let lens = [3, piece - 20, 40, piece, 5, 3 * piece + 7, 126, 127, 128, 255, 2 * piece - 11, 9];
        assert_eq!(add(&mut access, lens.into_iter().map(long)).len(), lens.len());
        assert!(add(&mut access, lens.into_iter().map(long)).is_empty());
        assert!(level(&store, &mut access).into_iter().map(|(_, bytes)| bytes).eq(lens.map(long)));
    }

    #[test]
    fn parents_are_kept() {
        let store = Store::new(1, false);
        let mut access = Access::new(&store, 0);
        let (mut reached, mut last) = (Reached::default(), StateRef::NONE);
        for number in 0..100_000 {
            let parent = last;
            let bytes = if number % 1_000 == 7 { vec![number as u8; 500] } else { state(number) };
            reached.push(&bytes, parent);
            access.insert_all(&mut reached, |state| last = state);
            if parent == last {
                continue;
            }
            assert!(store.parent(last) == parent && store.is(last, &bytes));
        }
        assert!(store.count() > 99_000);
    }
}
