// Tickets given twice. Each task takes the next ticket by a load and a store, and uses the slot
// of its number. Two tasks that load the same number use the same slot.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, a slot was used twice
// promoted: 1
// twin: pass/ticket_load_store.rs

pub fn ticket_load_store() {
    let (slots, next) = ([Plain::new(0), Plain::new(0)], AtomicUsize::new(0));
    let task = || {
        let ticket = next.load(SeqCst);
        next.store(ticket + 1, SeqCst);
        slots[ticket].increment(); // race
    };
    thread::scope(|s| {
        s.spawn(task);
        s.spawn(task);
    });
    assert_eq!((slots[0].get(), slots[1].get()), (1, 1), "a slot was used twice");
}
