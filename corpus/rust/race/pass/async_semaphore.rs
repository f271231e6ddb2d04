// A semaphore with one permit: to give it back is ordered before it is taken again.
// origin: folklore
// verdict: verified
// twin: fail/async_semaphore.rs

async fn count(shared: Arc<(Plain<usize>, future::sync::Semaphore)>) {
    let _permit = shared.1.acquire().await.unwrap();
    shared.0.increment();
}

pub fn async_semaphore() {
    let shared = Arc::new((Plain::new(0), future::sync::Semaphore::new(1)));
    future::block_on(async {
        let other = future::spawn(count(shared.clone()));
        count(shared.clone()).await;
        other.await.unwrap();
    });
    assert_eq!(shared.0.get(), 2, "an increment was lost");
}
