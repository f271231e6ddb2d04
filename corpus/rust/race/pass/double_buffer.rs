// A double buffer that is flipped again only when the reader has said that it is done.
// origin: folklore
// verdict: verified
// twin: fail/double_buffer.rs

pub fn double_buffer() {
    let (buffers, front) = ([Pair::new(), Pair::new()], AtomicUsize::new(0));
    let read = AtomicBool::new(false);
    let update = |value| {
        let back = 1 - front.load(Relaxed);
        buffers[back].write(value);
        front.store(back, Release);
    };
    thread::scope(|s| {
        s.spawn(|| {
            update(1);
            if read.load(Acquire) {
                update(2);
            }
        });
        s.spawn(|| {
            buffers[front.load(Acquire)].read();
            read.store(true, Release);
        });
    });
}
