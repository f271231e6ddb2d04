// Written before the wake-up: ordered before the poll that it causes.
// origin: folklore
// verdict: verified
// twin: fail/async_waker.rs

pub fn async_waker() {
    let pair = Arc::new(Pair::new());
    let mut writer = None;
    future::block_on(poll_fn(|cx| {
        if writer.is_some() {
            return Poll::Ready(());
        }
        let (pair, waker) = (pair.clone(), cx.waker().clone());
        writer = Some(thread::spawn(move || {
            pair.write(1);
            waker.wake();
        }));
        Poll::Pending
    }));
    pair.read();
    writer.unwrap().join().unwrap();
}
