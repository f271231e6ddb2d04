//! A free list of slots, linked by index, whose head also counts how often a slot was given back, so that it
//! is never twice the same.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const END: usize = 0xff;

/// Slots 0, 1 and 2, all free. The low byte of the head is the first of them, the rest is its version.
pub struct FreeList {
    head: AtomicUsize,
    next: [AtomicUsize; 3],
}

impl FreeList {
    pub fn new() -> Self {
        FreeList { head: AtomicUsize::new(0), next: [1, 2, END].map(AtomicUsize::new) }
    }

    pub fn take(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let slot = head & 0xff;
            if slot == END {
                return None;
            }
            let rest = head - slot + self.next[slot].load(SeqCst);
            if self.head.compare_exchange(head, rest, SeqCst, SeqCst).is_ok() {
                return Some(slot);
            }
        }
    }

    pub fn give_back(&self, slot: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[slot].store(head & 0xff, SeqCst);
            let version = (head >> 8) + 1;
            if self.head.compare_exchange(head, version << 8 | slot, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_slot_has_two_owners() {
        let slots = FreeList::new();
        let (mine, others) = thread::scope(|s| {
            let other = s.spawn(|| {
                let (first, second) = (slots.take().unwrap(), slots.take().unwrap());
                slots.give_back(first);
                second
            });
            (slots.take().unwrap(), other.join().unwrap())
        });
        let rest = slots.take().unwrap();
        assert!(mine != others && mine != rest && others != rest, "{mine} {others} {rest}");
    }
}
