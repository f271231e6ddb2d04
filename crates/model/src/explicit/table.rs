//! A table of the places of records, by their hashes.
//!
//! Open, with linear probing. Any number of workers may look entries up and add some; only to make it larger one has to have it alone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::records::{PLACE_BITS, Records, hash};

/// The place of a record, one more than that, in the lowest bits; how far the entry lies behind its slot in the table; a part of the hash of
/// the record. 0 is free.
pub(super) type Entry = u64;
const BEHIND_BITS: u32 = 11;
const TAG_SHIFT: u32 = PLACE_BITS + BEHIND_BITS;
/// The tag is the part of the hash from this bit on. The slot in the table is what lies below, and more in large tables: when these grow, the next
/// bit is in the tag, and records need not be read.
const TAG_FROM: u32 = 16;

#[inline]
fn tag(hash: u64) -> u64 {
    (hash >> TAG_FROM) << TAG_SHIFT >> TAG_SHIFT
}

#[inline]
fn entry(hash: u64, place: u64) -> Entry {
    tag(hash) << TAG_SHIFT | (place + 1)
}

/// Whether the record of an entry may have this hash.
#[inline]
pub(super) fn has_tag(entry: Entry, hash: u64) -> bool {
    entry >> TAG_SHIFT == tag(hash)
}

/// Where the record of an entry is.
#[inline]
pub(super) fn place(entry: Entry) -> u64 {
    (entry & ((1 << PLACE_BITS) - 1)) - 1
}

const MAX_BEHIND: usize = (1 << BEHIND_BITS) - 1;

#[inline]
fn with_behind(entry: Entry, behind: usize) -> Entry {
    entry & !((MAX_BEHIND as u64) << PLACE_BITS) | (behind.min(MAX_BEHIND) as u64) << PLACE_BITS
}

fn behind(entry: Entry) -> usize {
    (entry >> PLACE_BITS) as usize & MAX_BEHIND
}

/// The table.
pub(super) struct Table {
    slots: Vec<AtomicU64>,
    /// Some entry may be so far behind its slot that it does not say how far.
    has_far: AtomicBool,
}

impl Table {
    pub(super) fn new() -> Table {
        Table { slots: (0..64).map(|_| AtomicU64::default()).collect(), has_far: AtomicBool::new(false) }
    }

    /// A power of two.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Entries; 0 where a slot is free.
    #[inline]
    pub(super) fn slots(&self) -> &[AtomicU64] {
        &self.slots
    }

    /// Adds the place of a record with this hash at a slot, if that is still free; or returns the entry that is there now.
    #[inline]
    pub(super) fn add(&self, slot: usize, hash: u64, place: u64) -> Result<(), Entry> {
        let behind = slot.wrapping_sub(hash as usize) & (self.len() - 1);
        self.note(behind);
        let new = with_behind(entry(hash, place), behind);
        self.slots[slot].compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }

    #[inline]
    fn note(&self, behind: usize) {
        if behind >= MAX_BEHIND {
            self.has_far.store(true, Ordering::Relaxed);
        }
    }

    /// Puts an entry at the first free slot from this one on; nobody else has the table.
    fn put(&mut self, slot: usize, entry: Entry) {
        let mask = self.len() - 1;
        let free = (0..=mask).find(|behind| *self.slots[(slot + behind) & mask].get_mut() == 0);
        let behind = free.expect("there is always a free one");
        self.note(behind);
        *self.slots[(slot + behind) & mask].get_mut() = with_behind(entry, behind);
    }

    /// Doubles the table, which has the places of all of these records, by so many threads.
    pub(super) fn grow(&mut self, records: &Records, threads: usize) {
        let bits = self.len().trailing_zeros();
        let knows_bit = (TAG_FROM..TAG_FROM + 64 - TAG_SHIFT).contains(&bits);
        if knows_bit && !*self.has_far.get_mut() {
            self.double(threads);
        } else {
            self.make(records, bits + 1);
        }
    }

    /// Makes the table of records, with two to the power of `bits` slots.
    fn make(&mut self, records: &Records, bits: u32) {
        *self.has_far.get_mut() = false;
        self.slots.iter_mut().for_each(|entry| *entry.get_mut() = 0);
        self.slots.resize_with(1 << bits, AtomicU64::default);
        records.each(|record, place| {
            let hash = hash(record);
            self.put(hash as usize & (self.len() - 1), entry(hash, place));
        });
    }

    /// Doubles it where it lies, by its entries, which all say how far behind their slots they are.
    fn double(&mut self, threads: usize) {
        let old = self.len();
        let bit = 1 << (old.trailing_zeros() - TAG_FROM) << TAG_SHIFT;
        // Not a new one of twice the size beside it: new memory is dear, and large allocations can often grow where they lie.
        self.slots.resize_with(2 * old, AtomicU64::default);
        let (mut lower, mut upper) = self.slots.split_at_mut(old);
        // The first ones may have been put there behind the end of the table: they come last.
        let mut last = vec![];
        for (slot, entry) in lower.iter_mut().enumerate() {
            let entry = entry.get_mut();
            if *entry == 0 {
                break;
            }
            if behind(*entry) > slot {
                last.push((slot.wrapping_sub(behind(*entry)) & (old - 1), std::mem::take(entry)));
            }
        }
        let threads = if old < LARGE { 1 } else { threads.min(MAX_THREADS) };
        std::thread::scope(|scope| {
            for left in (1..threads).rev() {
                // Behind a free slot there is nothing that belongs before it. Those that were just made free do not lie so far behind.
                let cut = lower.len() * left / (left + 1);
                let free = lower[cut..].iter_mut().position(|entry| *entry.get_mut() == 0);
                let cut = free.map_or(lower.len(), |free| cut + free);
                let (one, other);
                (lower, one) = lower.split_at_mut(cut);
                (upper, other) = upper.split_at_mut(cut);
                scope.spawn(move || spread(one, other, bit));
            }
            spread(lower, upper, bit);
        });
        for (slot, entry) in last {
            self.put(if entry & bit == 0 { slot } else { slot + old }, entry);
        }
    }
}

/// Smaller tables are not worth several threads.
const LARGE: usize = 1 << 17;
const MAX_THREADS: usize = 16;
const _: () = assert!(LARGE / MAX_THREADS > MAX_BEHIND);

/// Spreads the entries of a part of a table over it and the one that is as far behind it as the table was long: those with this bit go there. None belongs
/// before the part. Each comes to a slot not behind its old one, which is free by then.
fn spread(lower: &mut [AtomicU64], upper: &mut [AtomicU64], bit: Entry) {
    for slot in 0..lower.len() {
        let entry = std::mem::take(lower[slot].get_mut());
        if entry == 0 {
            continue;
        }
        let to = if entry & bit == 0 { &mut *lower } else { &mut *upper };
        let home = slot - behind(entry);
        let free = (home..).find(|&slot| *to[slot].get_mut() == 0).expect("there is no end");
        *to[free].get_mut() = with_behind(entry, free - home);
    }
}

#[cfg(test)]
mod tests {
    use super::super::records::{self, NOWHERE, Writer};
    use super::*;

    /// Entries without how far behind they are, each with the slot that it belongs to; all of them are found from there on.
    fn sorted(table: &mut Table) -> Vec<(u64, usize)> {
        let mask = table.len() - 1;
        let mut places = vec![];
        for slot in 0..=mask {
            let entry = *table.slots[slot].get_mut();
            if entry != 0 {
                for behind in 0..behind(entry) {
                    assert_ne!(*table.slots[slot.wrapping_sub(behind + 1) & mask].get_mut(), 0, "no gap");
                }
                places.push((place(entry), slot.wrapping_sub(behind(entry)) & mask));
            }
        }
        places.sort_unstable();
        places
    }

    /// A table of so many records, made by adding them.
    fn table(records: &Records, count: u32) -> Table {
        let (mut table, mut writer) = (Table::new(), Writer::default());
        for number in 0..count {
            if number as usize * 4 >= table.len() * 3 {
                table.grow(records, 1);
            }
            let record = records::of(&number.to_le_bytes());
            let place = writer.append(records, &record, NOWHERE);
            let (hash, mask) = (hash(&record), table.len() - 1);
            let free = (0..).map(|behind| (hash as usize + behind) & mask);
            let slot = free.into_iter().find(|&slot| table.slots[slot].load(Ordering::Relaxed) == 0);
            assert_eq!(table.add(slot.expect("there is no end"), hash, place), Ok(()));
        }
        table
    }

    #[test]
    fn tables_made_of_records_and_of_entries_hold_the_same() {
        for (count, threads) in [(60_000, 1), (150_000, 1), (150_000, 2), (151_000, 3), (190_000, 5)] {
            let records = Records::default();
            let mut table = table(&records, count);
            let bits = table.len().trailing_zeros();
            assert!(bits >= TAG_FROM);
            for more in 1..=3 {
                table.double(threads);
                let by_entries = sorted(&mut table);
                assert_eq!(by_entries.len(), count as usize);
                table.make(&records, bits + more);
                assert_eq!(sorted(&mut table), by_entries);
            }
        }
    }

    /// A table of places from 0 on, of records that are not there, by these hashes.
    fn of_hashes(bits: u32, hashes: &[u64]) -> Table {
        let mut table = Table::new();
        table.make(&Records::default(), bits);
        for (place, &hash) in hashes.iter().enumerate() {
            table.put(hash as usize & (table.len() - 1), entry(hash, place as u64));
        }
        table
    }

    #[test]
    fn a_full_table_doubles() {
        // So full that entries are far behind their slots, some even behind the end of the table.
        const BITS: u32 = 17;
        let mut seed = 3u64;
        let mut hashes: Vec<u64> = (0..(1 << BITS) * 3 / 4)
            .map(|_| {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                seed ^ seed >> 29
            })
            .collect();
        hashes.iter_mut().take(60).for_each(|hash| *hash |= (1 << BITS) - 4);
        let places: Vec<_> = hashes.iter().map(|hash| *hash as usize & ((2 << BITS) - 1)).collect();
        let places: Vec<_> = (0..).zip(places).collect();
        for threads in 1..6 {
            let mut table = of_hashes(BITS, &hashes);
            assert!(!*table.has_far.get_mut() && behind(*table.slots[20].get_mut()) > 20);
            table.grow(&Records::default(), threads);
            assert_eq!(sorted(&mut table), places, "{threads} threads");
        }
    }

    #[test]
    fn entries_too_far_from_their_slots_are_made_anew() {
        let records = Records::default();
        let mut table = table(&records, 70_000);
        let (bits, before) = (table.len().trailing_zeros(), sorted(&mut table).len());
        for place in 0..2_100 {
            table.put(7, entry(7, 1_000_000 + place));
        }
        assert!(*table.has_far.get_mut());
        table.grow(&records, 1);
        assert_eq!((table.len().trailing_zeros(), sorted(&mut table).len()), (bits + 1, before));
        assert!(!*table.has_far.get_mut());
    }
}
