//! States that were reached and are not in the store yet.
//!
//! They are written down one behind the other, and put into the store many at a time: so that the places in memory that will be looked at are
//! fetched side by side. Besides, what was just written can be read only after a while.

use super::records::{self, HEAD, short_head};
use super::states::StateRef;

/// So many are put away at a time.
pub(super) const MANY: usize = 256;
/// Or fewer, if they have so many bytes.
const MUCH: usize = 1 << 22;
/// Bytes that are always there to write a state into.
pub(super) const ROOM: usize = 48;

/// States, as records without parents; and their parents.
pub(super) struct Reached {
    /// Longer than what is in use.
    bytes: Vec<u8>,
    end: usize,
    parents: Vec<StateRef>,
}

impl Default for Reached {
    fn default() -> Reached {
        Reached { bytes: vec![0; HEAD + ROOM], end: 0, parents: Vec::new() }
    }
}

impl Reached {
    /// Adds a state.
    pub(super) fn push(&mut self, state: &[u8], parent: StateRef) {
        let len = records::len(state.len());
        self.make_room(len);
        records::write(state, &mut self.bytes[self.end..self.end + len]);
        self.added(len, parent);
    }

    /// Where a short state of at most so many bytes may be written, to be added then.
    #[inline]
    pub(super) fn room(&mut self, len: usize) -> &mut [u8] {
        if len > ROOM {
            self.make_room(HEAD + len);
        }
        &mut self.bytes[self.end + HEAD..]
    }

    /// Adds what was written there, so many bytes and zeros up to the end of a word.
    #[inline]
    pub(super) fn push_written(&mut self, len: usize, parent: StateRef) {
        *self.bytes[self.end..].first_chunk_mut().expect("there is always room") = short_head(len);
        let all = (HEAD + len).next_multiple_of(8);
        debug_assert!(self.bytes[self.end..][HEAD + len..all].iter().all(|&byte| byte == 0));
        self.added(all, parent);
    }

    #[inline]
    fn added(&mut self, len: usize, parent: StateRef) {
        self.end += len;
        self.parents.push(parent);
        self.make_room(HEAD + ROOM);
    }

    #[inline]
    fn make_room(&mut self, len: usize) {
        if self.bytes.len() < self.end + len {
            self.bytes.resize(2 * (self.end + len), 0);
        }
    }

    /// Whether they should be put away.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.parents.len() >= MANY || self.end >= MUCH
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// All of them: records, where they begin, and parents.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], usize, StateRef)> {
        let mut start = 0;
        self.parents.iter().map(move |&parent| {
            let from = start;
            start += records::extent(&self.bytes[from..]).2;
            (&self.bytes[from..start], from, parent)
        })
    }

    /// The record that begins at a place.
    #[inline]
    pub(super) fn record(&self, start: usize, len: usize) -> &[u8] {
        &self.bytes[start..start + len]
    }

    pub(super) fn clear(&mut self) {
        self.end = 0;
        self.parents.clear();
    }
}
