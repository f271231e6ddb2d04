// Bounded buffer with one condition variable. A producer puts two items through a buffer of one
// slot to two consumers; all of them wait on the same condition variable and notify one waiter. If
// the first consumer's notification, meant for the producer, wakes the second consumer, that one
// finds nothing and sleeps again, and the producer is never told.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 57 executions
// delays rr: 1, 8 executions
// delays dfs: 0, 1 executions
// twin: pass/bounded_buffer.rs

struct Buffer {
    slot: Mutex<Option<usize>>,
    /// Both kinds of task wait for this: the slot has been filled, or emptied.
    changed: Condvar,
}

impl Buffer {
    fn put(&self, item: usize) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.changed.wait(slot).unwrap();
        }
        *slot = Some(item);
        self.changed.notify_one();
    }

    fn take(&self) -> usize {
        let mut slot = self.slot.lock().unwrap();
        loop {
            if let Some(item) = slot.take() {
                self.changed.notify_one();
                return item;
            }
            slot = self.changed.wait(slot).unwrap();
        }
    }
}

pub fn bounded_buffer() {
    let buffer = Arc::new(Buffer { slot: Mutex::new(None), changed: Condvar::new() });
    let consumers: Vec<_> = (0..2)
        .map(|_| {
            let buffer = buffer.clone();
            thread::spawn(move || buffer.take())
        })
        .collect();
    buffer.put(1);
    buffer.put(2);
    let taken: usize = consumers.into_iter().map(|task| task.join().unwrap()).sum();
    assert_eq!(taken, 3, "an item was lost or taken twice");
}
