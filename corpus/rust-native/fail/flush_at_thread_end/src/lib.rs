//! Each thread counts for itself and adds that to the total when its thread local is destroyed, but the end
//! of a scope does not wait for destructors of thread locals.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

static TOTAL: AtomicU32 = AtomicU32::new(0);

struct Hits(Cell<u32>);

impl Drop for Hits {
    fn drop(&mut self) {
        TOTAL.fetch_add(self.0.get(), Ordering::Relaxed);
    }
}

thread_local! {
    static HITS: Hits = const { Hits(Cell::new(0)) };
}

pub fn hit() {
    HITS.with(|hits| hits.0.set(hits.0.get() + 1));
}

pub fn total() -> u32 {
    TOTAL.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn all_hits_are_counted() {
        thread::scope(|s| {
            s.spawn(hit);
        });
        assert_eq!(total(), 1);
    }
}
