// A queue of one producer and one consumer whose producer looks at the head with Relaxed. It
// fills a slot again that it knows to be free, but is not ordered after the read that freed it.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: none under sequential consistency
// twin: pass/queue_relaxed_head.rs

struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [Plain<usize>; 2],
}

impl Queue {
    fn push(&self, value: usize) -> bool {
        let tail = self.tail.load(Relaxed);
        if tail - self.head.load(Relaxed) == self.slots.len() {
            return false;
        }
        self.slots[tail % 2].set(value); // race
        self.tail.store(tail + 1, Release);
        true
    }

    fn pop(&self) -> Option<usize> {
        let head = self.head.load(Relaxed);
        if head == self.tail.load(Acquire) {
            return None;
        }
        let value = self.slots[head % 2].get(); // race
        self.head.store(head + 1, Release);
        Some(value)
    }
}

pub fn queue_relaxed_head() {
    let queue =
        Queue { head: AtomicUsize::new(0), tail: AtomicUsize::new(0), slots: [Plain::new(0), Plain::new(0)] };
    thread::scope(|s| {
        s.spawn(|| {
            for value in 1..=3 {
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
