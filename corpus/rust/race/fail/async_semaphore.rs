// A semaphore with a permit too many. Two tasks count at the same time.
// origin: folklore
// verdict: bug race
// preemptions: 1
// consequence: panic, an increment was lost
// promoted: 1
// twin: pass/async_semaphore.rs

async fn count(shared: Arc<(Plain<usize>, future::sync::Semaphore)>) {
    let _permit = shared.1.acquire().await.unwrap();
    shared.0.increment(); // race
}

pub fn async_semaphore() {
    let shared = Arc::new((Plain::new(0), future::sync::Semaphore::new(2)));
    future::block_on(async {
        let other = future::spawn(count(shared.clone()));
        count(shared.clone()).await;
        other.await.unwrap();
    });
    assert_eq!(shared.0.get(), 2, "an increment was lost");
}
