use std::time::Duration;

use caissa::sync::{Arc, Condvar, Mutex};
use caissa::{Builder, Verdict, thread};

fn impatient() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = {
        let pair = Arc::clone(&pair);
        thread::spawn(move || {
            *pair.0.lock().unwrap() = true;
            pair.1.notify_one();
        })
    };
    let ready = pair.0.lock().unwrap();
    let hour = Duration::from_secs(3600);
    let (ready, result) = pair.1.wait_timeout_while(ready, hour, |ready| !*ready).unwrap();
    assert!(!result.timed_out(), "an hour is not always enough");
    drop(ready);
    other.join().unwrap();
}

#[test]
fn a_timeout_may_fire() {
    let report = Builder::new().explore(impatient).unwrap();
    assert_eq!(report.verdict, Verdict::Bug);
    let report = Builder::new().faults(0).explore(impatient).unwrap();
    assert!(report.finding.is_none());
}
