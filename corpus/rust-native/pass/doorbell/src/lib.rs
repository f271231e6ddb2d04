//! Who answers the door parks for as long as fewer have rung than it expects.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

pub struct Doorbell {
    rung: AtomicUsize,
    owner: Thread,
}

impl Doorbell {
    pub fn of_this_thread() -> Self {
        Doorbell { rung: AtomicUsize::new(0), owner: thread::current() }
    }

    pub fn ring(&self) {
        self.rung.fetch_add(1, Ordering::Release);
        self.owner.unpark();
    }

    pub fn answer(&self, visitors: usize) {
        while self.rung.load(Ordering::Acquire) < visitors {
            thread::park();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn two_visitors() {
        let bell = Arc::new(Doorbell::of_this_thread());
        let visitors = [0, 1].map(|_| {
            let bell = bell.clone();
            thread::spawn(move || bell.ring())
        });
        bell.answer(2);
        for visitor in visitors {
            visitor.join().unwrap();
        }
    }
}
