// Tickets given once. Each task takes the next ticket by fetch_add; Relaxed is enough, for no
// two tasks use the same slot.
// origin: folklore
// verdict: verified
// twin: fail/ticket_load_store.rs

pub fn ticket_load_store() {
    let (slots, next) = ([Plain::new(0), Plain::new(0)], AtomicUsize::new(0));
    let task = || {
        let ticket = next.fetch_add(1, Relaxed);
        slots[ticket].increment();
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!((slots[0].get(), slots[1].get()), (1, 1), "a slot was used twice");
}
