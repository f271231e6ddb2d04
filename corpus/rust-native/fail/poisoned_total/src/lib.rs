//! A deposit of nothing panics under the lock, which its caller expects and handles; but the lock is poisoned
//! then, and whoever asks for the total after that panics too.

use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct Till {
    total: Mutex<u32>,
}

impl Till {
    pub fn deposit(&self, amount: u32) {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(amount > 0, "nothing to deposit");
        *total += amount;
    }

    pub fn total(&self) -> u32 {
        *self.total.lock().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_bad_deposit_leaves_the_total_readable() {
        let till = Till::default();
        till.deposit(5);
        thread::scope(|s| {
            let bad = s.spawn(|| till.deposit(0));
            assert_eq!(till.total(), 5);
            assert!(bad.join().is_err());
        });
    }
}
