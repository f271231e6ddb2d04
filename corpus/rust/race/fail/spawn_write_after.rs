// Written after the spawn. The task that is spawned does not wait for it.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/spawn_write_after.rs

pub fn spawn_write_after() {
    let pair = Arc::new(Pair::new());
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            pair.read(); // race
        })
    };
    pair.write(1); // race
    child.join().unwrap();
}
