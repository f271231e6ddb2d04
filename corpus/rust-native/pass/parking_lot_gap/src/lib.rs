//! The lock is held from the look at the flag to the wait (parking_lot).

use parking_lot::{Condvar, Mutex};

#[derive(Default)]
pub struct Latch {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Latch {
    pub fn is_open(&self) -> bool {
        *self.open.lock()
    }

    pub fn wait(&self) {
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
    }

    pub fn open(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn it_opens() {
        let latch = Latch::default();
        thread::scope(|s| {
            s.spawn(|| latch.open());
            latch.wait();
        });
        assert!(latch.is_open());
    }
}
