// An async mutex whose guard is kept during the increment.
// origin: folklore
// verdict: verified
// twin: fail/async_mutex.rs

async fn count(shared: Arc<(Plain<usize>, future::sync::Mutex<()>)>) {
    let _guard = shared.1.lock().await;
    shared.0.increment();
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
