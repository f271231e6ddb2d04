//! The queue is emptied by a look whether it is empty and a pop that counts on that, which another may have
//! undone (crossbeam-queue).

use crossbeam_queue::SegQueue;

pub fn drain(queue: &SegQueue<u32>) -> u32 {
    let mut sum = 0;
    while !queue.is_empty() {
        let item = queue.pop().unwrap();
        sum += item;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn two_drain() {
        let queue = SegQueue::new();
        queue.push(3);
        let sum = thread::scope(|s| {
            let other = s.spawn(|| drain(&queue));
            drain(&queue) + other.join().unwrap()
        });
        assert_eq!(sum, 3);
    }
}
