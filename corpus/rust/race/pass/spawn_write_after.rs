// Written before the spawn: ordered before everything the spawned task does.
// origin: folklore
// verdict: verified
// twin: fail/spawn_write_after.rs

pub fn spawn_write_after() {
    let pair = Arc::new(Pair::new());
    pair.write(1);
    let child = {
        let pair = pair.clone();
        thread::spawn(move || {
            pair.read();
        })
    };
    child.join().unwrap();
}
