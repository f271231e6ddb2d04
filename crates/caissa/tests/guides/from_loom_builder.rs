use caissa::Builder;
use caissa::sync::{Arc, Mutex};
use caissa::thread;

#[test]
fn a_bound_and_a_limit() {
    Builder::new().preemptions(3).max_steps(5_000).check(|| {
        let list = Arc::new(Mutex::new(Vec::new()));
        let other = {
            let list = Arc::clone(&list);
            thread::spawn(move || list.lock().unwrap().push(1))
        };
        list.lock().unwrap().push(2);
        other.join().unwrap();
        assert_eq!(list.lock().unwrap().len(), 2);
    });
}
