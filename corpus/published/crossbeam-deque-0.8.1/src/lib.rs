//! RUSTSEC-2021-0093, mended: a thief takes a task only if the buffer is still the one that it has read.

#[cfg(test)]
mod tests {
    use crossbeam_deque::Worker;
    use std::thread;

    /// Pops tasks until `left` are left.
    fn pop(worker: &Worker<u32>, left: usize) -> Vec<u32> {
        let many = worker.len().saturating_sub(left);
        (0..many).filter_map(|_| worker.pop()).collect()
    }

    #[test]
    fn each_is_popped_once() {
        let worker = Worker::new_lifo();
        (0..65).for_each(|task| worker.push(task));
        let mut all = pop(&worker, 32);
        let stealer = worker.stealer();
        let thief = thread::spawn(move || {
            let own = Worker::new_lifo();
            let _ = stealer.steal_batch(&own);
            pop(&own, 0)
        });
        all.extend((0..17).filter_map(|_| worker.pop()));
        worker.push(65);
        all.extend(thief.join().unwrap());
        all.extend(pop(&worker, 0));
        all.sort();
        assert!(all.iter().copied().eq(0..66), "{all:?}");
    }
}
