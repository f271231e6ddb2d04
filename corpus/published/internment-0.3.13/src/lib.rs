//! RUSTSEC-2020-0017: a reference that is dropped counts itself out before it takes the lock of the table. If the value is interned and dropped again in between, it is freed, and then read.

#[cfg(test)]
mod tests {
    use internment::ArcIntern;
    use std::thread;

    #[test]
    fn a_number_is_dropped_and_interned_again() {
        drop(ArcIntern::new(0)); // The table of numbers is made.
        thread::scope(|s| {
            s.spawn(|| drop(ArcIntern::new(7)));
            assert_eq!(*ArcIntern::new(7), 7);
        });
    }
}
