// A seqlock over plain data. The reader throws away what it has read if a writer was there, so
// nothing wrong is used; but it reads while the writer writes, which plain data does not
// permit.
// origin: Boehm, MSPC 2012
// verdict: bug race
// preemptions: 0
// consequence: none under sequential consistency
// twin: pass/seqlock_plain.rs

pub fn seqlock_plain() {
    let (sequence, pair) = (AtomicUsize::new(0), Pair::new());
    thread::scope(|s| {
        s.spawn(|| {
            sequence.store(1, Relaxed);
            fence(Release);
            pair.write(1); // race
            sequence.store(2, Release);
        });
        s.spawn(|| {
            let before = sequence.load(Acquire);
            let halves = pair.halves(); // race
            fence(Acquire);
            if before % 2 == 0 && sequence.load(Relaxed) == before {
                assert_eq!(halves.0, halves.1);
            }
        });
    });
}
