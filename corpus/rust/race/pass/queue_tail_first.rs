// A queue of one producer and one consumer that fills the slot before it advances its tail.
// origin: folklore
// verdict: verified
// twin: fail/queue_tail_first.rs

struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [Plain<usize>; 2],
}

impl Queue {
    fn push(&self, value: usize) -> bool {
        let tail = self.tail.load(Relaxed);
        if tail - self.head.load(Acquire) == self.slots.len() {
            return false;
        }
        self.slots[tail % 2].set(value);
        self.tail.store(tail + 1, Release);
        true
    }

    fn pop(&self) -> Option<usize> {
        let head = self.head.load(Relaxed);
        if head == self.tail.load(Acquire) {
            return None;
        }
        let value = self.slots[head % 2].get();
        self.head.store(head + 1, Release);
        Some(value)
    }
}

pub fn queue_tail_first() {
    let queue =
        Queue { head: AtomicUsize::new(0), tail: AtomicUsize::new(0), slots: [Plain::new(0), Plain::new(0)] };
    thread::scope(|s| {
        s.spawn(|| {
            for value in 1..=2 {
                if !queue.push(value) {
                    return;
                }
            }
        });
        s.spawn(|| {
            let mut last = 0;
            for _ in 1..=2 {
                if let Some(value) = queue.pop() {
                    assert_eq!(value, last + 1, "popped what was not pushed");
                    last = value;
                }
            }
        });
    });
}
