//! Two halves of the work count into one total by fetch_add (rayon).

use std::sync::atomic::{AtomicUsize, Ordering};

fn count_into(total: &AtomicUsize, text: &str) {
    let words = text.split(' ').count();
    total.fetch_add(words, Ordering::Relaxed);
}

pub fn count_words(left: &str, right: &str) -> usize {
    let total = AtomicUsize::new(0);
    rayon::join(|| count_into(&total, left), || count_into(&total, right));
    total.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::ThreadPoolBuilder;

    #[test]
    fn both_sides_count() {
        let pool = ThreadPoolBuilder::new().num_threads(2).use_current_thread().build().unwrap();
        assert_eq!(pool.install(|| count_words("one two", "three")), 3);
    }
}
