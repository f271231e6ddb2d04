// A double buffer that is flipped twice. The writer fills the back and flips; when it does so
// again it fills what a reader may still be reading.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/double_buffer.rs

pub fn double_buffer() {
    let (buffers, front) = ([Pair::new(), Pair::new()], AtomicUsize::new(0));
    let update = |value| {
        let back = 1 - front.load(Relaxed);
        buffers[back].write(value); // race
        front.store(back, Release);
    };
    thread::scope(|s| {
        s.spawn(|| {
            update(1);
            update(2);
        });
        s.spawn(|| {
            buffers[front.load(Acquire)].read(); // race
        });
    });
}
