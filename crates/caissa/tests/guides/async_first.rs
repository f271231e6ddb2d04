use caissa::future::sync::Mutex;
use caissa::future::{block_on, spawn};
use caissa::sync::Arc;

#[test]
fn both_deposits_count() {
    caissa::check(|| {
        block_on(async {
            let balance = Arc::new(Mutex::new(0));
            let other = {
                let balance = Arc::clone(&balance);
                spawn(async move { *balance.lock().await += 5 })
            };
            *balance.lock().await += 10;
            other.await.unwrap();
            assert_eq!(*balance.lock().await, 15);
        });
    });
}
