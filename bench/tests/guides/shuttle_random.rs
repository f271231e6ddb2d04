use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::thread;

#[test]
fn the_flag_arrives() {
    shuttle::check_random(
        || {
            let pair = Arc::new((Mutex::new(false), Condvar::new()));
            let other = {
                let pair = Arc::clone(&pair);
                thread::spawn(move || {
                    *pair.0.lock().unwrap() = true;
                    pair.1.notify_one();
                })
            };
            let mut ready = pair.0.lock().unwrap();
            while !*ready {
                ready = pair.1.wait(ready).unwrap();
            }
            drop(ready);
            other.join().unwrap();
        },
        1_000,
    );
}
