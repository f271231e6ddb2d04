// A wait that times out is no news. The reader reads only if it has seen the flag.
// origin: folklore
// verdict: verified
// twin: fail/condvar_timeout_ignored.rs

pub fn condvar_timeout_ignored() {
    let (pair, written, news) = (Pair::new(), Mutex::new(false), Condvar::new());
    thread::scope(|s| {
        s.spawn(|| {
            pair.write(1);
            *written.lock().unwrap() = true;
            news.notify_one();
        });
        s.spawn(|| {
            let guard = written.lock().unwrap();
            let (guard, _) = news.wait_timeout_while(guard, Duration::from_secs(1), |written| !*written).unwrap();
            if *guard {
                pair.read();
            }
        });
    });
}
