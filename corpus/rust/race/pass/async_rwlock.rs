// A write under the write lock of an async RwLock.
// origin: folklore
// verdict: verified
// twin: fail/async_rwlock.rs

async fn count(shared: Arc<(Plain<usize>, future::sync::RwLock<()>)>) {
    let _guard = shared.1.write().await;
    shared.0.increment();
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
