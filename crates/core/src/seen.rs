//! Prefixes that have been explored, by their class: what makes a search with a cache.
//!
//! Two prefixes of one class lead to the same state, so what follows the first of them also follows the second. A prefix
//! that comes up again is run to its end, so that its tasks end by themselves, and nothing is branched over. The key is the
//! class and, where choices cost something, the task that took the last step. Costs only grow in the course of a search,
//! so a prefix was never explored before at a greater cost.
//!
//! Not seen: what tasks share outside our types. Two prefixes may differ in it and count as one.

use alloc::vec;
use alloc::vec::Vec;

use crate::class::Mark;

/// A set of marks. They are hashes already, so a mark stands at the place that its lower half names, or the next free one.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// A power of two, at least twice as many places as marks; the mark that is all zeros is an empty place.
    places: Vec<Mark>,
    len: usize,
}

impl Seen {
    /// Adds a mark; true if it is new.
    pub(crate) fn insert(&mut self, mark: Mark) -> bool {
        if self.len * 2 >= self.places.len() {
            self.grow();
        }
        let mark = if mark == Mark::default() { Mark(1, 0) } else { mark };
        let new = put(&mut self.places, mark);
        self.len += new as usize;
        new
    }

    /// Whether it holds a mark.
    pub(crate) fn contains(&self, mark: Mark) -> bool {
        let mark = if mark == Mark::default() { Mark(1, 0) } else { mark };
        !self.places.is_empty() && place_of(&self.places, mark).is_ok()
    }

    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.places.len() * size_of::<Mark>()
    }

    #[cold]
    fn grow(&mut self) {
        let mut places = vec![Mark::default(); (self.places.len() * 2).max(1024)];
        for &mark in self.places.iter().filter(|&&mark| mark != Mark::default()) {
            put(&mut places, mark);
        }
        self.places = places;
    }
}

fn put(places: &mut [Mark], mark: Mark) -> bool {
    match place_of(places, mark) {
        Ok(_) => false,
        Err(free) => {
            places[free] = mark;
            true
        }
    }
}

/// Where a mark stands, or where it would.
fn place_of(places: &[Mark], mark: Mark) -> Result<usize, usize> {
    let last = places.len() - 1;
    let mut place = mark.0 as usize & last;
    loop {
        if places[place] == mark {
            return Ok(place);
        }
        if places[place] == Mark::default() {
            return Err(place);
        }
        place = (place + 1) & last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::mix;

    #[test]
    fn holds_what_was_put_in_and_nothing_else() {
        let mut seen = Seen::default();
        // Many in one place, and the two that share the mark of an empty place.
        let marks: Vec<Mark> = (1..5000).map(|n| Mark(mix(n) & 0xff, mix(n))).collect();
        for &mark in &marks {
            assert!(!seen.contains(mark) && seen.insert(mark) && !seen.insert(mark));
            assert!(seen.contains(mark));
        }
        assert!(seen.insert(Mark(0, 0)) && !seen.insert(Mark(1, 0)));
        assert!(marks.iter().all(|&mark| !seen.insert(mark)));
        assert!(seen.insert(Mark(7, 7)));
    }
}
