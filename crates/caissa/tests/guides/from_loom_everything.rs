use caissa::sync::atomic::{AtomicBool, Ordering::SeqCst};
use caissa::{Builder, Search, Verdict, thread};

#[test]
fn every_schedule() {
    static SEEN: AtomicBool = AtomicBool::new(false); // `const fn new`, as in std
    let report = Builder::new()
        .search(Search::Dfs)
        .explore(|| {
            SEEN.store(false, SeqCst); // every execution starts from the same state
            thread::scope(|scope| {
                scope.spawn(|| SEEN.swap(true, SeqCst));
                scope.spawn(|| SEEN.swap(true, SeqCst));
            });
            assert!(SEEN.swap(false, SeqCst));
        })
        .unwrap();
    assert_eq!(report.verdict, Verdict::Verified);
}
