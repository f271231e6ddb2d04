//! A gate at which each waits for a number of its own, opened with notify_all.

use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Gate {
    open: Mutex<Vec<u32>>,
    changed: Condvar,
}

impl Gate {
    pub fn pass(&self, number: u32) {
        let mut open = self.open.lock().unwrap();
        while !open.contains(&number) {
            open = self.changed.wait(open).unwrap();
        }
    }

    pub fn open(&self, number: u32) {
        self.open.lock().unwrap().push(number);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn one_after_the_other() {
        let gate = Gate::default();
        thread::scope(|s| {
            s.spawn(|| {
                gate.pass(1);
                gate.open(2);
            });
            s.spawn(|| gate.open(1));
            gate.pass(2);
        });
    }
}
