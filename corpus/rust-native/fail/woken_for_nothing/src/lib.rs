//! A queue whose consumers wait once if it is empty and do not look again: when one item wakes two of them,
//! the second finds nothing.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Queue {
    items: Mutex<VecDeque<u32>>,
    added: Condvar,
}

impl Queue {
    pub fn push(&self, item: u32) {
        self.items.lock().unwrap().push_back(item);
        self.added.notify_all();
    }

    pub fn pop(&self) -> u32 {
        let mut items = self.items.lock().unwrap();
        if items.is_empty() {
            items = self.added.wait(items).unwrap();
        }
        let item = items.pop_front();
        drop(items);
        item.expect("an item was added")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_consumers() {
        let queue = Queue::default();
        thread::scope(|s| {
            let consumers = [s.spawn(|| queue.pop()), s.spawn(|| queue.pop())];
            s.spawn(|| queue.push(1)).join().unwrap();
            queue.push(2);
            let sum: u32 = consumers.into_iter().map(|consumer| consumer.join().unwrap()).sum();
            assert_eq!(sum, 3);
        });
    }
}
