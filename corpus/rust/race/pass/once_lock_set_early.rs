// A OnceLock that is set when the slot of that number was filled: get is ordered after set.
// origin: folklore
// verdict: verified
// twin: fail/once_lock_set_early.rs

pub fn once_lock_set_early() {
    let (slots, chosen) = ([Pair::new(), Pair::new()], OnceLock::new());
    thread::scope(|s| {
        s.spawn(|| {
            slots[1].write(1);
            chosen.set(1).unwrap();
        });
        s.spawn(|| {
            if let Some(&slot) = chosen.get() {
                let slot: &Pair = &slots[slot];
                slot.read();
            }
        });
    });
}
