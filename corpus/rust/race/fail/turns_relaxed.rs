// Turns taken with Relaxed stores. Two tasks write in turn; whose turn it is stands in an
// atomic that both use with Relaxed. They never write at the same time, but nothing orders what
// they write.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/turns_relaxed.rs

pub fn turns_relaxed() {
    let order = Relaxed;
    let (counter, turn) = (Plain::new(0), AtomicUsize::new(0));
    let task = |me: usize| {
        if turn.load(order) == me {
            counter.increment(); // race
            turn.store(me + 1, order);
        }
    };
    thread::scope(|s| {
        s.spawn(|| task(0));
        s.spawn(|| task(1));
    });
    assert_eq!(counter.get(), turn.load(order), "an increment was lost");
}
