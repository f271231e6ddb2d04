use caissa::future;
use caissa::sync::{Arc, Mutex};

#[test]
fn two_tasks_push() {
    caissa::check(|| {
        future::block_on(async {
            let list = Arc::new(Mutex::new(Vec::new()));
            let tasks = [1, 2].map(|value| {
                let list = Arc::clone(&list);
                future::spawn(async move { list.lock().unwrap().push(value) })
            });
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(list.lock().unwrap().iter().sum::<i32>(), 3);
        });
    });
}
