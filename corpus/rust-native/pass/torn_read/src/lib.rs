//! A sequence lock whose reader looks at the sequence number before and after it reads.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[derive(Default)]
pub struct Point {
    sequence: AtomicU32,
    x: AtomicU32,
    y: AtomicU32,
}

impl Point {
    /// For one writer.
    pub fn set(&self, x: u32, y: u32) {
        self.sequence.fetch_add(1, SeqCst);
        self.x.store(x, SeqCst);
        self.y.store(y, SeqCst);
        self.sequence.fetch_add(1, SeqCst);
    }

    /// None if it is being written.
    pub fn get(&self) -> Option<(u32, u32)> {
        let before = self.sequence.load(SeqCst);
        let point = (self.x.load(SeqCst), self.y.load(SeqCst));
        let whole = before.is_multiple_of(2) && before == self.sequence.load(SeqCst);
        whole.then_some(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn both_coordinates_are_of_one_point() {
        let point = Point::default();
        thread::scope(|s| {
            s.spawn(|| point.set(3, 3));
            assert!(matches!(point.get(), None | Some((0, 0)) | Some((3, 3))));
        });
    }
}
