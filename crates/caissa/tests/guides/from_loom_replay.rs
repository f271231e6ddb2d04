use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use caissa::{Builder, Verdict, thread};

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
fn the_schedule_of_a_finding_replays_it() {
    let report = Builder::new().explore(lossy).unwrap();
    assert_eq!(report.verdict, Verdict::Bug);
    let finding = report.finding.unwrap();
    assert!(finding.minimal && finding.preemptions == 1);
    let schedule = finding.schedule(); // "cai1:...", as the report prints it
    let again = Builder::new().replay(&schedule).explore(lossy).unwrap();
    assert_eq!(again.verdict, Verdict::Bug);
}
