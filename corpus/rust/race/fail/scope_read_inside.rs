// Read inside the scope, while its task may still write.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/scope_read_inside.rs

pub fn scope_read_inside() {
    let pair = Pair::new();
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
        });
        pair.read(); // race
    });
}
