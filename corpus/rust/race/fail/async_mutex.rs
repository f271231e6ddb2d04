// An async mutex whose guard is dropped before the increment.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/async_mutex.rs

async fn count(shared: Arc<(Plain<usize>, future::sync::Mutex<()>)>) {
    let _ = shared.1.lock().await;
    shared.0.increment(); // race
}

pub fn async_mutex() {
    let shared = Arc::new((Plain::new(0), future::sync::Mutex::new(())));
    future::block_on(async {
        let other = future::spawn(count(shared.clone()));
        count(shared.clone()).await;
        other.await.unwrap();
    });
    assert_eq!(shared.0.get(), 2, "an increment was lost");
}
