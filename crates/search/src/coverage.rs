//! What a search has seen: classes of executions, and states where the program shows them.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use caissa_core::Outcome;

use crate::checkpoint::{Reader, Writer};

/// What has been seen so far, in all parts of a search.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    classes: Hashes,
    states: Hashes,
}

/// A set of things that are known by their hashes.
type Hashes = HashSet<u64, BuildHasherDefault<Itself>>;

/// They are hashes already.
#[derive(Default)]
struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("a hash is written as one number")
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Coverage {
    /// Adds what an outcome has; says how many of its classes and of its states are new.
    pub(crate) fn add(&mut self, outcome: &Outcome) -> (u64, u64) {
        (add(&mut self.classes, &outcome.classes), add(&mut self.states, &outcome.states))
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.classes.capacity() + self.states.capacity()) as u64 * 10
    }

    pub(crate) fn save(&self, to: &mut Writer) {
        for hashes in [&self.classes, &self.states] {
            to.count(hashes.len());
            hashes.iter().for_each(|&hash| to.word(hash));
        }
    }

    pub(crate) fn load(from: &mut Reader<'_>) -> Option<Coverage> {
        Some(Coverage { classes: load(from)?, states: load(from)? })
    }
}

fn add(hashes: &mut Hashes, more: &[u64]) -> u64 {
    more.iter().filter(|&&hash| hashes.insert(hash)).count() as u64
}

fn load(from: &mut Reader<'_>) -> Option<Hashes> {
    let mut hashes = Hashes::default();
    for _ in 0..from.count()? {
        hashes.insert(from.word()?);
    }
    Some(hashes)
}
