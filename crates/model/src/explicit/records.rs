//! States as records of words: how they are written, and the list of all of them.
//!
//! The first word of a record has the length of the state, the state that it was first reached from and the first three bytes; the others follow,
//! and zeros up to a whole word. A long state has its length in the second word and its bytes from the third on. So two states are equal if
//! their words are, but for the parent.
//!
//! The list only grows. It has pieces; each is filled by one worker, and all may read what a place in the table has led them to: words are
//! atomic, and the table's entry is written after them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Bits of a place: of a word in the list.
pub(super) const PLACE_BITS: u32 = 33;
/// The parent of the first state.
pub(super) const NOWHERE: u64 = (1 << PLACE_BITS) - 1;
/// Bits of a place within its piece.
const PIECE_BITS: u32 = 15;
/// Words of a piece, and of the first one; those between double.
const PIECE: usize = 1 << PIECE_BITS;
const FIRST_PIECE: usize = 512;
/// As many pieces as there are places for, but for some that workers may take before they notice.
const MOST_PIECES: usize = (1 << (PLACE_BITS - PIECE_BITS)) - (1 << 12);

const LEN_BITS: u32 = 7;
/// Instead of the length of a state that is not shorter.
const LONG: usize = (1 << LEN_BITS) - 1;
/// Short states have fewer bytes.
pub(super) const MAX_SHORT: usize = LONG;
/// Bytes before the first one of the state: the length and the parent.
pub(super) const HEAD: usize = 5;
const PARENT: u64 = NOWHERE << LEN_BITS;

#[inline]
fn word(bytes: &[u8], index: usize) -> u64 {
    u64::from_le_bytes(*bytes[8 * index..].first_chunk().expect("records are whole words"))
}

/// Whether a place is the first one of a piece.
#[inline]
pub(super) fn begins_piece(place: u64) -> bool {
    (place as usize).is_multiple_of(PIECE)
}

/// Words of a record of so many bytes.
#[inline]
fn words(len: usize) -> usize {
    if len < LONG { (HEAD + len).div_ceil(8) } else { 2 + len.div_ceil(8) }
}

/// The state in the record that bytes begin with: where its bytes begin, how many they are, and how many the record has.
#[inline]
pub(super) fn extent(bytes: &[u8]) -> (usize, usize, usize) {
    match bytes[0] as usize & LONG {
        LONG => {
            let len = word(bytes, 1) as usize;
            (16, len, 8 * words(len))
        }
        len => (HEAD, len, 8 * words(len)),
    }
}

/// The head of a record of so many bytes, fewer than `LONG`, without a parent.
#[inline]
pub(super) fn short_head(len: usize) -> [u8; HEAD] {
    debug_assert!(len < LONG);
    [len as u8, 0, 0, 0, 0]
}

/// Bytes of the record of a state of so many bytes.
#[inline]
pub(super) fn len(len: usize) -> usize {
    8 * words(len)
}

/// Writes a state as a record, without a parent, into as many bytes as that has.
pub(super) fn write(state: &[u8], record: &mut [u8]) {
    let start = if state.len() < LONG {
        record[..HEAD].copy_from_slice(&short_head(state.len()));
        HEAD
    } else {
        record[..8].copy_from_slice(&(LONG as u64).to_le_bytes());
        record[8..16].copy_from_slice(&(state.len() as u64).to_le_bytes());
        16
    };
    let (bytes, zeros) = record[start..].split_at_mut(state.len());
    bytes.copy_from_slice(state);
    zeros.fill(0);
}

/// A state as a record, without a parent.
pub(super) fn of(state: &[u8]) -> Vec<u8> {
    let mut record = vec![0; len(state.len())];
    write(state, &mut record);
    record
}

const K: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3, 0xb752_45b0_4a1c_5e2d];

/// A hash of a record without a parent: of pairs of words, the product with the one before it mixed in, its halves added without carry; and the
/// factors too, for one may be 0.
#[inline]
pub(super) fn hash(record: &[u8]) -> u64 {
    #[inline(always)]
    fn fold(a: u64, b: u64) -> u64 {
        let product = a as u128 * b as u128;
        product as u64 ^ (product >> 64) as u64 ^ a ^ b.rotate_left(32)
    }
    let mut state = K[1];
    let mut pairs = record.chunks_exact(16);
    for pair in &mut pairs {
        state = fold(word(pair, 0) ^ state, word(pair, 1) ^ K[0]);
    }
    if !pairs.remainder().is_empty() {
        state = fold(word(pairs.remainder(), 0) ^ state, K[0]);
    }
    fold(state ^ K[2], K[1])
}

type Piece = Arc<[AtomicU64]>;

/// The list.
#[derive(Default)]
pub(super) struct Records {
    pieces: RwLock<Vec<Piece>>,
    /// Words of all pieces.
    words: AtomicU64,
}

impl Records {
    fn pieces(&self) -> std::sync::RwLockReadGuard<'_, Vec<Piece>> {
        self.pieces.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new piece with room for so many words, and its number.
    #[cold]
    fn new_piece(&self, words: usize) -> (usize, Piece) {
        let mut pieces = self.pieces.write().unwrap_or_else(PoisonError::into_inner);
        let number = pieces.len();
        let len = (FIRST_PIECE << number.min(PIECE_BITS as usize)).min(PIECE).max(words);
        let piece: Piece = std::iter::repeat_with(AtomicU64::default).take(len).collect();
        self.words.fetch_add(len as u64, Ordering::Relaxed);
        pieces.push(Arc::clone(&piece));
        // Where a long record goes on there is nothing else.
        pieces.resize_with(number + len.div_ceil(PIECE), || Arc::new([]));
        assert!(pieces.len() < 1 << (PLACE_BITS - PIECE_BITS), "a search ends before");
        (number, piece)
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        8 * self.words.load(Ordering::Relaxed)
    }

    /// Whether there may soon be no places any more.
    pub(super) fn is_full(&self) -> bool {
        self.pieces().len() > MOST_PIECES
    }

    /// The bytes of the state at a place, and its parent.
    pub(super) fn get(&self, place: u64) -> (Vec<u8>, u64) {
        let mut reader = Reader::default();
        let mut bytes = Vec::new();
        let parent = reader.read(self, place, &mut bytes);
        let (start, len, _) = extent(&bytes);
        (bytes[start..start + len].to_vec(), parent)
    }

    /// Gives all records, without parents, and their places. Nobody may add to them meanwhile.
    pub(super) fn each(&self, mut record: impl FnMut(&[u8], u64)) {
        let pieces = self.pieces();
        let mut bytes = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let mut at = 0;
            // Behind the last record there is nothing, if not the end.
            while at < piece.len() && piece[at].load(Ordering::Relaxed) != 0 {
                copy(&piece[at..], &mut bytes);
                record(&bytes, (number << PIECE_BITS | at) as u64);
                at += bytes.len() / 8;
            }
        }
    }
}

/// Copies the record that words begin with, without its parent, which is returned.
fn copy(from: &[AtomicU64], bytes: &mut Vec<u8>) -> u64 {
    let head = from[0].load(Ordering::Relaxed);
    let count = match head as usize & LONG {
        LONG => words(from[1].load(Ordering::Relaxed) as usize),
        len => words(len),
    };
    bytes.clear();
    bytes.extend_from_slice(&(head & !PARENT).to_le_bytes());
    from[1..count]
        .iter()
        .for_each(|word| bytes.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes()));
    (head & PARENT) >> LEN_BITS
}

/// The pieces that a worker has met so far.
#[derive(Default)]
pub(super) struct Reader {
    pieces: Vec<Piece>,
}

impl Reader {
    #[inline]
    fn at(&mut self, records: &Records, place: u64) -> &[AtomicU64] {
        let number = (place >> PIECE_BITS) as usize;
        if number >= self.pieces.len() {
            self.meet(records);
        }
        &self.pieces[number][place as usize % PIECE..]
    }

    #[cold]
    fn meet(&mut self, records: &Records) {
        let pieces = records.pieces();
        self.pieces.extend(pieces[self.pieces.len()..].iter().cloned());
    }

    /// Has the record at a place fetched from memory, soon; what is returned is of no meaning.
    #[inline]
    pub(super) fn touch(&mut self, records: &Records, place: u64) -> u64 {
        self.at(records, place)[0].load(Ordering::Relaxed)
    }

    /// Whether the record at a place is this one, which has no parent.
    #[inline]
    pub(super) fn is(&mut self, records: &Records, place: u64, record: &[u8]) -> bool {
        let other = self.at(records, place);
        // Records of the same length have as many words. Of long ones only the second word tells, which may not be there.
        (other[0].load(Ordering::Relaxed) ^ word(record, 0)) & !PARENT == 0
            && (1..record.len() / 8).all(|index| {
                other.get(index).is_some_and(|other| other.load(Ordering::Relaxed) == word(record, index))
            })
    }

    /// Reads a record, without its parent, which is returned.
    pub(super) fn read(&mut self, records: &Records, place: u64, bytes: &mut Vec<u8>) -> u64 {
        copy(self.at(records, place), bytes)
    }

    /// Copies so many words behind `bytes`.
    #[inline]
    pub(super) fn read_words(&mut self, records: &Records, place: u64, count: usize, bytes: &mut Vec<u8>) {
        let words = &self.at(records, place)[..count];
        bytes.extend(words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes()));
    }
}

/// Where a worker adds records: the rest of a piece.
#[derive(Default)]
pub(super) struct Writer {
    piece: Option<Piece>,
    number: usize,
    end: usize,
}

impl Writer {
    /// Adds a record, and returns its place.
    #[inline]
    pub(super) fn append(&mut self, records: &Records, record: &[u8], parent: u64) -> u64 {
        let count = record.len() / 8;
        let piece = match &mut self.piece {
            Some(piece) if self.end + count <= piece.len() => piece,
            piece => {
                let (number, new) = records.new_piece(count);
                (self.number, self.end) = (number, 0);
                piece.insert(new)
            }
        };
        assert_ne!(word(record, 0), 0, "no state is empty: that is the end of a piece");
        let to = &piece[self.end..self.end + count];
        to[0].store(word(record, 0) | parent << LEN_BITS, Ordering::Relaxed);
        for (index, to) in to.iter().enumerate().skip(1) {
            to.store(word(record, index), Ordering::Relaxed);
        }
        let place = self.number << PIECE_BITS | self.end;
        self.end += count;
        place as u64
    }

    /// Takes the last record back, which has so many bytes and which nobody has met.
    #[cold]
    pub(super) fn take_back(&mut self, len: usize) {
        let piece = self.piece.as_ref().expect("a record was added");
        self.end -= len / 8;
        piece[self.end..][..len / 8].iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_makes_the_hash_forget_another_one() {
        // Each word of four becomes one that is 0 after something was mixed in; another one has many values.
        for fixed in 0..4 {
            for special in K.into_iter().chain([0, 1, u64::MAX]) {
                for other in (0..4).filter(|&other| other != fixed) {
                    let hashes: std::collections::BTreeSet<u64> = (0..1_000u64)
                        .map(|number| {
                            let mut words = [7; 4];
                            words[fixed] = special;
                            words[other] = number << 7;
                            hash(&words.map(u64::to_le_bytes).concat())
                        })
                        .collect();
                    assert_eq!(hashes.len(), 1_000, "{special:#x} at {fixed}, many at {other}");
                }
            }
        }
    }

    #[test]
    fn records_are_told_apart_by_every_byte_and_by_their_length() {
        let (records, mut writer, mut reader) = (Records::default(), Writer::default(), Reader::default());
        for len in [1, 3, 4, 11, 12, 100, 126, 127, 128, 300] {
            let state = vec![5; len];
            for parent in [0, 7, NOWHERE] {
                let place = writer.append(&records, &of(&state), parent);
                assert!(reader.is(&records, place, &of(&state)));
                for byte in 0..len {
                    let mut other = state.clone();
                    other[byte] ^= 1;
                    assert!(!reader.is(&records, place, &of(&other)), "byte {byte} of {len}");
                }
                for other in [[&state[..], &[0]].concat(), state[1..].to_vec()] {
                    assert!(!reader.is(&records, place, &of(&other)), "{len} bytes and {}", other.len());
                }
                assert_eq!(records.get(place), (state.clone(), parent));
            }
        }
    }

    #[test]
    fn records_say_how_long_they_are() {
        for len in (1..300).chain([1_000, 70_000]) {
            let state: Vec<u8> = (0..len).map(|byte| byte as u8 | 1).collect();
            let record = of(&state);
            let (start, found, all) = extent(&record);
            assert_eq!((&record[start..start + found], all), (&state[..], record.len()));
            assert!(record.len().is_multiple_of(8) && record[start + found..].iter().all(|&byte| byte == 0));
        }
    }
}
