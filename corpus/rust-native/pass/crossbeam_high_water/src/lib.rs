//! The highest level is stored by fetch_max (crossbeam-utils).

use crossbeam_utils::atomic::AtomicCell;

#[derive(Default)]
pub struct Gauge {
    highest: AtomicCell<u64>,
}

impl Gauge {
    pub fn record(&self, level: u64) {
        self.highest.fetch_max(level);
    }

    pub fn highest(&self) -> u64 {
        self.highest.load()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn the_highest_stays() {
        let gauge = Gauge::default();
        thread::scope(|s| {
            s.spawn(|| gauge.record(9));
            gauge.record(5);
        });
        assert_eq!(gauge.highest(), 9);
    }
}
