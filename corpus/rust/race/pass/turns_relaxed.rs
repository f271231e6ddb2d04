// Turns taken with SeqCst: a store releases and a load acquires.
// origin: folklore
// verdict: verified
// twin: fail/turns_relaxed.rs

pub fn turns_relaxed() {
    let order = SeqCst;
    let (counter, turn) = (Plain::new(0), AtomicUsize::new(0));
    let task = |me: usize| {
        if turn.load(order) == me {
            counter.increment();
            turn.store(me + 1, order);
        }
    };
    thread::scope(|s| {
        s.spawn(|| task(0));
        s.spawn(|| task(1));
    });
    assert_eq!(counter.get(), turn.load(order), "an increment was lost");
}
