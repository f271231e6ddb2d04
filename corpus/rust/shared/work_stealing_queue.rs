// The work-stealing queue of Cilk-5, with the THE protocol (Frigo, Leiserson, Randall, PLDI 1998),
// four ways to get it wrong, and the harness that all its cases run.
//
// The victim pushes and pops at the tail, thieves steal at the head. Items lie in the slots
// head..tail. Each side first claims an item by moving its own index and only then looks at the
// other's: if both claim the last item, at least one of them notices. A thief holds the lock
// throughout; the victim takes it only when it notices.

const SC: Ordering = Ordering::SeqCst;

/// Which mistakes this queue makes.
struct Defects {
    /// `pop` reads the head before it has claimed its item.
    pop_reads_head_first: bool,
    /// `pop` takes the lock after a conflict but does not look again.
    pop_no_recheck: bool,
    /// `steal` does not take the lock.
    steal_unlocked: bool,
    /// `steal` looks at the tail before it claims its item.
    steal_checks_first: bool,
}

const CORRECT: Defects = Defects {
    pop_reads_head_first: false,
    pop_no_recheck: false,
    steal_unlocked: false,
    steal_checks_first: false,
};

struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    lock: Mutex<()>,
    /// An item is not 0, so a slot that was never filled shows. Slot 0 stays empty: the indices
    /// start at 1, because popping from an empty queue moves the tail below the head for a moment.
    slots: [AtomicUsize; 4],
    defects: Defects,
}

impl Queue {
    fn new(defects: Defects) -> Self {
        Queue {
            head: AtomicUsize::new(1),
            tail: AtomicUsize::new(1),
            lock: Mutex::new(()),
            slots: [AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)],
            defects,
        }
    }

    /// Only the victim pushes.
    fn push(&self, item: usize) {
        let tail = self.tail.load(SC);
        self.slots[tail].store(item, SC);
        self.tail.store(tail + 1, SC);
    }

    /// Only the victim pops.
    fn pop(&self) -> Option<usize> {
        let claimed = self.tail.load(SC) - 1;
        let head = if self.defects.pop_reads_head_first {
            let head = self.head.load(SC);
            self.tail.store(claimed, SC);
            head
        } else {
            self.tail.store(claimed, SC);
            fence(SC);
            self.head.load(SC)
        };
        if head > claimed {
            // The queue is empty, or a thief is after the same item. Under the lock no thief is
            // under way, so a second look decides.
            self.tail.store(claimed + 1, SC);
            let _guard = self.lock.lock().unwrap();
            self.tail.store(claimed, SC);
            fence(SC);
            if !self.defects.pop_no_recheck && self.head.load(SC) > claimed {
                self.tail.store(claimed + 1, SC);
                return None;
            }
        }
        Some(self.take_from(claimed))
    }

    /// Any thief steals.
    fn steal(&self) -> Option<usize> {
        let _guard = if self.defects.steal_unlocked { None } else { Some(self.lock.lock().unwrap()) };
        let claimed = self.head.load(SC);
        if self.defects.steal_checks_first {
            if claimed + 1 > self.tail.load(SC) {
                return None;
            }
            self.head.store(claimed + 1, SC);
        } else {
            self.head.store(claimed + 1, SC);
            fence(SC);
            if claimed + 1 > self.tail.load(SC) {
                self.head.store(claimed, SC);
                return None;
            }
        }
        Some(self.take_from(claimed))
    }

    fn take_from(&self, slot: usize) -> usize {
        let item = self.slots[slot].load(SC);
        assert!(item != 0, "an item was taken from a slot that holds none");
        item
    }
}

/// What the victim and the thieves do with the queue.
struct Harness {
    /// The items are the numbers from 1 to this one.
    items: usize,
    /// Whether the victim pushes the items before there are thieves, or beside them.
    filled_at_start: bool,
    thieves: usize,
    steals_per_thief: usize,
    pops: usize,
    /// Whether the victim pops what is left once the thieves have finished.
    drained_at_end: bool,
}

/// A record of what was taken: byte i counts how often item i was.
fn record_of(item: usize) -> usize {
    1 << (8 * item)
}

/// The calling task is the victim. Fails unless each item is taken exactly once.
fn run(harness: Harness, defects: Defects) {
    let queue = Arc::new(Queue::new(defects));
    let push_all = || (1..=harness.items).for_each(|item| queue.push(item));
    if harness.filled_at_start {
        push_all();
    }
    let thieves: Vec<_> = (0..harness.thieves)
        .map(|_| {
            let queue = queue.clone();
            thread::spawn(move || {
                let steals = (0..harness.steals_per_thief).filter_map(|_| queue.steal());
                steals.map(record_of).sum::<usize>()
            })
        })
        .collect();
    if !harness.filled_at_start {
        push_all();
    }
    let pops = (0..harness.pops).filter_map(|_| queue.pop());
    let mut taken: usize = pops.map(record_of).sum();
    for thief in thieves {
        taken += thief.join().unwrap();
    }
    if harness.drained_at_end {
        while let Some(item) = queue.pop() {
            taken += record_of(item);
        }
    }
    let once_each: usize = (1..=harness.items).map(record_of).sum();
    assert!(taken == once_each, "an item was lost or taken twice");
}
