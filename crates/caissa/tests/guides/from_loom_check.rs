use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::thread;

#[test]
fn both_additions_count() {
    caissa::check(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let other = {
            let counter = Arc::clone(&counter);
            thread::spawn(move || counter.fetch_add(1, SeqCst))
        };
        counter.fetch_add(1, SeqCst);
        other.join().unwrap();
        assert_eq!(counter.load(SeqCst), 2);
    });
}
