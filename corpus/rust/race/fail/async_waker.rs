// Written after the wake-up. The future is polled again, and ready, before its result is there.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_waker.rs

pub fn async_waker() {
    let pair = Arc::new(Pair::new());
    let mut writer = None;
    future::block_on(poll_fn(|cx| {
        if writer.is_some() {
            return Poll::Ready(());
        }
        let (pair, waker) = (pair.clone(), cx.waker().clone());
        writer = Some(thread::spawn(move || {
            waker.wake();
            pair.write(1); // race
        }));
        Poll::Pending
    }));
    pair.read(); // race
    writer.unwrap().join().unwrap();
}
