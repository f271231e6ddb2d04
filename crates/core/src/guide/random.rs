//! The random walk: at every point each enabled task is as likely as any other.

use crate::task::{TaskId, TaskSet};

/// A small seeded generator (xorshift64*), the same on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator for this seed; every seed is good, also 0.
    pub fn new(seed: u64) -> Random {
        Random { state: crate::class::mix(seed ^ 0x5eed_0fca_155a).max(1) }
    }

    /// The next number.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`, which must not be 0.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.next_u64() >> 32) * n as u64) >> 32) as u32
    }

    /// One of these tasks. Nothing is drawn if there is only one.
    #[inline]
    pub(crate) fn at(&mut self, enabled: &TaskSet) -> TaskId {
        let nth = if enabled.len() > 1 { self.below(enabled.len()) } else { 0 };
        enabled.nth(nth).expect("below the number of enabled tasks")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_in_range_and_reaches_all() {
        let mut random = Random::new(0);
        let mut seen = [0u32; 5];
        for _ in 0..1000 {
            seen[random.below(5) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n > 120), "{seen:?}");
    }
}
