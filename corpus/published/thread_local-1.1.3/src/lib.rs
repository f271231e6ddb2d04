//! RUSTSEC-2022-0006: `iter` loads the pointer to a bucket with `Relaxed`, and reads what is in the bucket while another thread has just made it.

#[cfg(test)]
mod tests {
    use std::thread;
    use thread_local::ThreadLocal;

    #[test]
    fn counts_are_added_up() {
        let counts = ThreadLocal::with_capacity(1);
        counts.get_or(|| 1);
        thread::scope(|s| {
            s.spawn(|| counts.get_or(|| 2));
            let sum: u32 = counts.iter().sum();
            assert!(sum == 1 || sum == 3);
        });
    }
}
