use std::cell::RefCell;
use std::rc::Rc;

use caissa::future::{block_on, spawn_local, yield_now};

#[test]
fn local_tasks_share_a_list() {
    caissa::check(|| {
        let list = Rc::new(RefCell::new(Vec::new()));
        block_on(async {
            let tasks = [1, 2].map(|n| {
                let list = Rc::clone(&list);
                spawn_local(async move {
                    list.borrow_mut().push(n);
                    yield_now().await;
                    list.borrow_mut().push(n);
                })
            });
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert_eq!(list.borrow().len(), 4);
    });
}
