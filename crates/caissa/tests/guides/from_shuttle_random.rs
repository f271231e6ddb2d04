use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Search, Verdict, thread};

fn lossy() {
    let counter = Arc::new(AtomicUsize::new(0));
    let add = |counter: &AtomicUsize| counter.store(counter.load(SeqCst) + 1, SeqCst);
    let other = {
        let counter = Arc::clone(&counter);
        thread::spawn(move || add(&counter))
    };
    add(&counter);
    other.join().unwrap();
    assert_eq!(counter.load(SeqCst), 2, "an addition is lost");
}

#[test]
fn samples_with_a_seed() {
    for search in [Search::Random, Search::Pct, Search::Pos, Search::Surw] {
        let report = Builder::new().search(search).seed(7).max_executions(1_000).explore(lossy).unwrap();
        assert_eq!(report.verdict, Verdict::Bug);
    }
}
