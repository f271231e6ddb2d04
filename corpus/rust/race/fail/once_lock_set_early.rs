// A OnceLock that is set too early: with the number of a slot that is still to be filled.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/once_lock_set_early.rs

pub fn once_lock_set_early() {
    let (slots, chosen) = ([Pair::new(), Pair::new()], OnceLock::new());
    thread::scope(|s| {
        s.spawn(|| {
            chosen.set(1).unwrap();
            slots[1].write(1); // race
        });
        s.spawn(|| {
            if let Some(&slot) = chosen.get() {
                let slot: &Pair = &slots[slot];
                slot.read(); // race
            }
        });
    });
}
