use caissa::future::sync::Notify;
use caissa::future::{block_on, spawn};
use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicBool, Ordering::SeqCst};

fn a_notification_is_missed() {
    let shared = Arc::new((AtomicBool::new(false), Notify::new()));
    let waiter = {
        let shared = Arc::clone(&shared);
        spawn(async move {
            while !shared.0.load(SeqCst) {
                shared.1.notified().await;
            }
        })
    };
    shared.0.store(true, SeqCst);
    shared.1.notify_waiters();
    block_on(waiter).unwrap();
}
