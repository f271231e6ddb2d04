use std::time::Duration;

use caissa::future::sync::oneshot;
use caissa::future::time::timeout;
use caissa::future::{block_on, spawn};

#[test]
fn an_answer_comes_in_time_or_not() {
    caissa::check(|| {
        let (sender, receiver) = oneshot::channel();
        let task = spawn(async move { sender.send(42).is_ok() });
        match block_on(timeout(Duration::from_secs(5), receiver)) {
            Ok(answer) => assert_eq!(answer, Ok(42)),
            // Explored too, with one fault: the five seconds pass before the task has run.
            Err(_elapsed) => {}
        }
        block_on(task).unwrap();
    });
}
