//! The classes that a search has seen.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::checkpoint::{Reader, Writer};

/// A set of classes, by their hashes.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    seen: HashSet<u64, BuildHasherDefault<ClassHasher>>,
}

/// Classes are hashes already.
#[derive(Default)]
struct ClassHasher(u64);

impl Hasher for ClassHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("classes are written as one number")
    }
    fn write_u64(&mut self, class: u64) {
        self.0 = class;
    }
}

impl Classes {
    /// Adds classes; says how many of them are new.
    pub(crate) fn add(&mut self, classes: &[u64]) -> u64 {
        classes.iter().filter(|&&class| self.seen.insert(class)).count() as u64
    }

    /// About how many bytes of memory they take.
    pub(crate) fn bytes(&self) -> u64 {
        self.seen.capacity() as u64 * 10
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        to.count(self.seen.len());
        self.seen.iter().for_each(|&class| to.word(class));
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Option<Classes> {
        let count = from.count()?;
        let mut classes = Classes::default();
        classes.seen.reserve(count);
        for _ in 0..count {
            classes.seen.insert(from.word()?);
        }
        Some(classes)
    }
}
