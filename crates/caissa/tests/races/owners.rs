//! The order that the reference counts of `Arc` give: its last owner comes after all others.

use std::sync::Arc;

use caissa::sync::atomic::{AtomicUsize, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use caissa::{Builder, thread};

use crate::support::racing::{Data, is_silent, races};

/// A queue of plain slots, for one task that pushes and one that pops; what is left is popped at its end.
#[derive(Default)]
struct Queue {
    slots: [Data; 4],
    head: AtomicUsize,
    tail: AtomicUsize,
}

impl Queue {
    fn push(&self, value: u32) {
        let tail = self.tail.load(Relaxed);
        self.slots[tail].set(value);
        self.tail.store(tail + 1, Release);
    }

    fn pop(&self) -> Option<u32> {
        let head = self.head.load(Relaxed);
        if head == self.tail.load(Acquire) {
            return None;
        }
        let value = self.slots[head].get();
        self.slots[head].set(0);
        self.head.store(head + 1, Relaxed);
        Some(value)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // By plain loads, as its last owner may.
        let (head, tail) = (*self.head.get_mut(), *self.tail.get_mut());
        (head..tail).for_each(|index| self.slots[index].set(0));
    }
}

#[test]
fn the_destructor_of_what_an_arc_owns_comes_after_all_owners() {
    is_silent(|| {
        let queue = Arc::new(Queue::default());
        let others = [0, 1].map(|number| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                if number == 0 {
                    queue.push(1);
                    queue.push(2);
                } else {
                    queue.pop();
                }
            })
        });
        drop(queue);
        // Nobody joins the one who pushes before the other may be the last owner.
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn a_destructor_that_no_arc_calls_is_like_any_other_code() {
    struct Pops(Arc<Queue>);
    impl Drop for Pops {
        fn drop(&mut self) {
            self.0.slots[0].set(7);
        }
    }
    let (_, text) = races(|| {
        let queue = Arc::new(Queue::default());
        let other = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || {
                queue.push(1);
                queue.push(2);
            })
        };
        drop(Pops(Arc::clone(&queue)));
        other.join().unwrap();
    });
    assert!(text.contains("data race"), "{text}");
}

#[test]
fn a_race_of_the_owners_is_found_all_the_same() {
    races(|| {
        let queue = Arc::new(Queue::default());
        let others = [0, 1].map(|_| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || queue.push(1))
        });
        drop(queue);
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

#[test]
fn it_holds_on_small_stacks() {
    let report = Builder::new().stack_size(64 << 10).explore(|| {
        let queue = Arc::new(Queue::default());
        let other = {
            let queue = Arc::clone(&queue);
            thread::spawn(move || queue.push(1))
        };
        drop(queue);
        other.join().unwrap();
    });
    assert!(report.unwrap().finding.is_none());
}

/// Writes its data when it is destroyed.
#[derive(Default)]
struct WritesAtEnd(Data);

impl Drop for WritesAtEnd {
    fn drop(&mut self) {
        self.0.set(9);
    }
}

#[test]
fn what_the_owner_before_knew_is_still_learnt_by_joining_it() {
    is_silent(|| {
        let (data, owned) = (Arc::new(Data::default()), Arc::new(WritesAtEnd::default()));
        let shared = Arc::new(AtomicUsize::new(0));
        let other = {
            let (data, owned, shared) = (Arc::clone(&data), Arc::clone(&owned), Arc::clone(&shared));
            thread::spawn(move || {
                let writer = {
                    let data = Arc::clone(&data);
                    thread::spawn(move || data.set(1))
                };
                writer.join().unwrap();
                owned.0.set(1);
                drop(owned);
                shared.store(1, Relaxed);
                shared.load(Relaxed);
            })
        };
        shared.load(Relaxed);
        drop(owned);
        other.join().unwrap();
        assert_eq!(data.get(), 1);
    });
}

/// Adds to a counter that others own too when it is destroyed.
struct CountsAtEnd(Arc<Data>);

impl Drop for CountsAtEnd {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn what_a_destructor_uses_and_does_not_own_is_not_excused() {
    races(|| {
        let counter = Arc::new(Data::default());
        let value = Arc::new(CountsAtEnd(Arc::clone(&counter)));
        let other = {
            let counter = Arc::clone(&counter);
            thread::spawn(move || counter.set(counter.get() + 1))
        };
        drop(value);
        other.join().unwrap();
    });
    // The result of a task that nobody joins goes with it.
    races(|| {
        let counter = Arc::new(Data::default());
        let owned = Arc::clone(&counter);
        drop(thread::spawn(move || CountsAtEnd(owned)));
        counter.set(1);
        // It is still there when the task ends.
        thread::yield_now();
        drop(counter);
    });
}
