// A seqlock over atomic data, with fences. Relaxed accesses may meet; the fences order them
// with the sequence number.
// origin: Boehm, MSPC 2012
// verdict: verified
// twin: fail/seqlock_plain.rs

pub fn seqlock_plain() {
    let (sequence, first, second) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|s| {
        s.spawn(|| {
            sequence.store(1, Relaxed);
            fence(Release);
            first.store(1, Relaxed);
            second.store(1, Relaxed);
            sequence.store(2, Release);
        });
        s.spawn(|| {
            let before = sequence.load(Acquire);
            let halves = (first.load(Relaxed), second.load(Relaxed));
            fence(Acquire);
            if before % 2 == 0 && sequence.load(Relaxed) == before {
                assert_eq!(halves.0, halves.1);
            }
        });
    });
}
