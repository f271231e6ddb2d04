// A reader and a writer, with nothing between them.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/read_read.rs

pub fn read_read() {
    let pair = Pair::new();
    thread::scope(|s| {
        s.spawn(|| {
            pair.read(); // race
        });
        s.spawn(|| {
            pair.write(1); // race
        });
    });
}
