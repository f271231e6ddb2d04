// A write under the read lock of an async RwLock.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/async_rwlock.rs

async fn count(shared: Arc<(Plain<usize>, future::sync::RwLock<()>)>) {
    let _guard = shared.1.read().await;
    shared.0.increment(); // race
}

pub fn async_rwlock() {
    let shared = Arc::new((Plain::new(0), future::sync::RwLock::new(())));
    future::block_on(async {
        let other = future::spawn(count(shared.clone()));
        count(shared.clone()).await;
        other.await.unwrap();
    });
    assert_eq!(shared.0.get(), 2, "an increment was lost");
}
