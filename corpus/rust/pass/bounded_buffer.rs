// Bounded buffer with two condition variables. A producer puts two items through a buffer of one
// slot to two consumers; producer and consumers wait on condition variables of their own. A
// notification reaches only a task that can use it, so waking one is enough.
// origin: folklore
// verdict: verified, 23508 executions
// preemptions: 3, 4610 executions
// delays rr: 3, 678 executions
// delays dfs: 3, 875 executions
// twin: fail/bounded_buffer.rs

struct Buffer {
    slot: Mutex<Option<usize>>,
    filled: Condvar,
    emptied: Condvar,
}

impl Buffer {
    fn put(&self, item: usize) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.emptied.wait(slot).unwrap();
        }
        *slot = Some(item);
        self.filled.notify_one();
    }

    fn take(&self) -> usize {
        let mut slot = self.slot.lock().unwrap();
        loop {
            if let Some(item) = slot.take() {
                self.emptied.notify_one();
                return item;
            }
            slot = self.filled.wait(slot).unwrap();
        }
    }
}

pub fn bounded_buffer() {
    let buffer = Arc::new(Buffer { slot: Mutex::new(None), filled: Condvar::new(), emptied: Condvar::new() });
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
