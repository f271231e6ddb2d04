//! States on their way into the store.
//!
//! First they are only written down, one behind the other: what was just written can be read only after a while. Then their hashes tell to which
//! shards they go. There they are put many at a time, so that the places in memory that will be looked at are fetched side by side. A shard is one
//! worker's; the others send it what goes there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::states::{StateRef, hash};

/// States that were just reached.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) bytes: Vec<u8>,
    /// Where each of them ends, and the state that it was reached from.
    ends: Vec<(u32, StateRef)>,
}

/// So many wait to be sorted into outboxes.
const SOME: usize = 64;

impl Reached {
    /// What was written behind the others is one more.
    #[inline]
    pub(super) fn push(&mut self, parent: StateRef) {
        self.ends.push((self.bytes.len() as u32, parent));
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.ends.len() >= SOME
    }

    /// All of them, with their hashes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &[u8], StateRef)> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, parent)| {
            let bytes = &self.bytes[start..end as usize];
            start = end as usize;
            (hash(bytes), bytes, parent)
        })
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

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
const MANY: usize = 256;

impl Outbox {
    #[inline]
    pub(super) fn push(&mut self, hash: u64, bytes: &[u8], parent: StateRef) {
        let (start, len) = (self.bytes.len() as u32, bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self.items.push(Item { hash, start, len, parent });
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

/// What other workers have sent to one.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Mailbox {
    boxes: Mutex<Boxes>,
    any: AtomicBool,
}

#[derive(Default)]
struct Boxes {
    sent: Vec<Outbox>,
    empty: Vec<Outbox>,
}

impl Mailbox {
    fn boxes(&self) -> MutexGuard<'_, Boxes> {
        self.boxes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what is in an outbox, which is empty then.
    pub(super) fn send(&self, outbox: &mut Outbox) {
        let mut boxes = self.boxes();
        let empty = boxes.empty.pop().unwrap_or_default();
        boxes.sent.push(std::mem::replace(outbox, empty));
        self.any.store(true, Ordering::Release);
    }

    /// Something that was sent.
    #[inline]
    pub(super) fn receive(&self) -> Option<Outbox> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let mut boxes = self.boxes();
        let outbox = boxes.sent.pop();
        self.any.store(!boxes.sent.is_empty(), Ordering::Release);
        outbox
    }

    /// Gives an empty one back, to be used again.
    pub(super) fn give_back(&self, outbox: Outbox) {
        self.boxes().empty.push(outbox);
    }
}
