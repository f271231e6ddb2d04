//! The lock is given back between the look at the flag and the wait, and the notification may come just then
//! (parking_lot).

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
        while !self.is_open() {
            let mut open = self.open.lock();
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
