// A wait that times out is taken for news. The reader reads whether the writer has said so or
// not.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/condvar_timeout_ignored.rs

pub fn condvar_timeout_ignored() {
    let (pair, written, news) = (Pair::new(), Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1); // race
            *written.lock().unwrap() = true;
            news.notify_one();
        });
        s.spawn(|| {
            let guard = written.lock().unwrap();
            let (guard, _) = news.wait_timeout_while(guard, Duration::from_secs(1), |written| !*written).unwrap();
            drop(guard);
            pair.read(); // race
        });
    });
}
