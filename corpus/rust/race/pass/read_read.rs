// Two readers. Reads do not race with each other, and both come after the write before they
// were spawned.
// origin: folklore
// verdict: verified
// twin: fail/read_read.rs

pub fn read_read() {
    let pair = Pair::new();
    pair.write(1);
    thread::scope(|s| {
        s.spawn(|| {
            pair.read();
        });
        s.spawn(|| {
            pair.read();
        });
    });
}
