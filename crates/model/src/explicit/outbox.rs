//! States on their way into the store. They are put there many at a time: the places in memory that will be looked at are then fetched side by
//! side, and a shard is locked once for all that go there.

use super::states::{StateRef, hash};

/// A state that is to be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) hash: u64,
    start: u32,
    len: u32,
    pub(super) parent: StateRef,
}

/// States that are to be stored.
#[derive(Default)]
pub(super) struct Outbox {
    pub(super) items: Vec<Item>,
    bytes: Vec<u8>,
}

/// So many are put away at a time, about.
const MANY: usize = 512;

impl Outbox {
    pub(super) fn push(&mut self, bytes: &[u8], parent: StateRef) {
        let (start, len) = (self.bytes.len() as u32, bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self.items.push(Item { hash: hash(bytes), start, len, parent });
    }

    pub(super) fn is_full(&self) -> bool {
        self.items.len() >= MANY
    }

    pub(super) fn bytes(&self, item: &Item) -> &[u8] {
        &self.bytes[item.start as usize..][..item.len as usize]
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.bytes.clear();
    }
}
