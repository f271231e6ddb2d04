use loom::model::Builder;
use loom::sync::{Arc, Mutex};
use loom::thread;

#[test]
fn a_bound_and_a_limit() {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 5_000;
    builder.check(|| {
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
