//! Tasks and sets of tasks.

use alloc::vec::Vec;
use core::fmt;

/// A task: a logical thread, numbered in the order of creation within one execution. The main task is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TaskId(pub u32);

impl TaskId {
    /// The task that runs the closure under test.
    pub const MAIN: TaskId = TaskId(0);

    /// The position of this task in a table with one entry per task.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", self.0)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", self.0)
    }
}

/// A set of tasks, iterated in ascending order.
///
/// The first 64 tasks live in one word, so that programs of ordinary size never leave it; any number of further tasks
/// is held in `rest`.
#[derive(Debug, Default)]
pub struct TaskSet {
    low: u64,
    /// How many tasks are in the set; asked at every decision.
    len: u32,
    /// Words for tasks 64, 65, ...; the last ones may be zero.
    rest: Vec<u64>,
}

impl TaskSet {
    /// The empty set.
    pub const fn new() -> TaskSet {
        TaskSet { low: 0, len: 0, rest: Vec::new() }
    }

    /// Adds a task; true if it was not there.
    #[inline]
    pub fn insert(&mut self, task: TaskId) -> bool {
        if task.0 < 64 {
            let bit = 1 << task.0;
            let new = self.low & bit == 0;
            self.low |= bit;
            self.len += new as u32;
            new
        } else {
            self.insert_rest(task)
        }
    }

    #[cold]
    fn insert_rest(&mut self, task: TaskId) -> bool {
        let (word, bit) = rest_position(task);
        if word >= self.rest.len() {
            self.rest.resize(word + 1, 0);
        }
        let new = self.rest[word] & bit == 0;
        self.rest[word] |= bit;
        self.len += new as u32;
        new
    }

    /// Removes a task; true if it was there.
    #[inline]
    pub fn remove(&mut self, task: TaskId) -> bool {
        if task.0 < 64 {
            let bit = 1 << task.0;
            let had = self.low & bit != 0;
            self.low &= !bit;
            self.len -= had as u32;
            had
        } else {
            self.remove_rest(task)
        }
    }

    #[cold]
    fn remove_rest(&mut self, task: TaskId) -> bool {
        let (word, bit) = rest_position(task);
        let Some(slot) = self.rest.get_mut(word) else { return false };
        let had = *slot & bit != 0;
        *slot &= !bit;
        self.len -= had as u32;
        had
    }

    /// Whether the task is in the set.
    #[inline]
    pub fn contains(&self, task: TaskId) -> bool {
        if task.0 < 64 {
            self.low & (1 << task.0) != 0
        } else {
            let (word, bit) = rest_position(task);
            self.rest.get(word).is_some_and(|slot| slot & bit != 0)
        }
    }

    /// Whether no task is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many tasks are in the set.
    #[inline]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether `task` is the only one.
    #[inline]
    pub fn is_only(&self, task: TaskId) -> bool {
        self.len == 1 && self.contains(task)
    }

    /// The lowest task.
    #[inline]
    pub fn first(&self) -> Option<TaskId> {
        if self.low != 0 { Some(TaskId(self.low.trailing_zeros())) } else { self.iter().next() }
    }

    /// The task with `n` lower ones before it.
    #[inline]
    pub fn nth(&self, n: u32) -> Option<TaskId> {
        self.iter().nth(n as usize)
    }

    /// Empties the set and keeps its memory.
    #[inline]
    pub fn clear(&mut self) {
        self.low = 0;
        self.len = 0;
        if !self.rest.is_empty() {
            self.rest.fill(0);
        }
    }

    /// Whether every task of another set is in this one.
    #[inline]
    pub(crate) fn has_all(&self, other: &TaskSet) -> bool {
        other.low & !self.low == 0 && (other.rest.is_empty() || other.iter().all(|task| self.contains(task)))
    }

    /// The tasks that are not in another set.
    #[inline]
    pub(crate) fn without<'a>(&'a self, other: &'a TaskSet) -> impl Iterator<Item = TaskId> + 'a {
        // Of the first 64 those of both are left out at once.
        let mine = Tasks { word: self.low & !other.low, ..self.iter() };
        mine.filter(|&task| task.0 < 64 || !other.contains(task))
    }

    /// Adds all tasks of another set.
    pub fn insert_all(&mut self, other: &TaskSet) {
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        self.low |= other.low;
        self.rest.iter_mut().zip(&other.rest).for_each(|(word, more)| *word |= more);
        self.len = self.low.count_ones() + self.rest.iter().map(|word| word.count_ones()).sum::<u32>();
    }

    /// The set as bits: of the first 64 tasks, and of the others.
    #[inline]
    pub(crate) fn words(&self) -> (u64, &[u64]) {
        (self.low, &self.rest)
    }

    /// The tasks in ascending order.
    #[inline]
    pub fn iter(&self) -> Tasks<'_> {
        Tasks { word: self.low, base: 0, rest: &self.rest }
    }
}

impl Clone for TaskSet {
    fn clone(&self) -> TaskSet {
        TaskSet { low: self.low, len: self.len, rest: self.rest.clone() }
    }

    #[inline]
    fn clone_from(&mut self, other: &TaskSet) {
        self.low = other.low;
        self.len = other.len;
        if !(self.rest.is_empty() && other.rest.is_empty()) {
            self.rest.clone_from(&other.rest);
        }
    }
}

impl PartialEq for TaskSet {
    fn eq(&self, other: &TaskSet) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl Eq for TaskSet {}

fn rest_position(task: TaskId) -> (usize, u64) {
    let index = task.index() - 64;
    (index / 64, 1 << (index % 64))
}

impl<'a> IntoIterator for &'a TaskSet {
    type Item = TaskId;
    type IntoIter = Tasks<'a>;
    fn into_iter(self) -> Tasks<'a> {
        self.iter()
    }
}

impl FromIterator<TaskId> for TaskSet {
    fn from_iter<I: IntoIterator<Item = TaskId>>(tasks: I) -> TaskSet {
        let mut set = TaskSet::new();
        for task in tasks {
            set.insert(task);
        }
        set
    }
}

/// The tasks of a [`TaskSet`] in ascending order.
pub struct Tasks<'a> {
    word: u64,
    base: u32,
    rest: &'a [u64],
}

impl Iterator for Tasks<'_> {
    type Item = TaskId;

    #[inline]
    fn next(&mut self) -> Option<TaskId> {
        while self.word == 0 {
            let (&word, rest) = self.rest.split_first()?;
            self.word = word;
            self.rest = rest;
            self.base += 64;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(TaskId(self.base + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn takes_up_other_sets_across_words() {
        let set = |tasks: &[u32]| tasks.iter().copied().map(TaskId).collect::<TaskSet>();
        let (a, b) = (set(&[1, 2, 70, 200]), set(&[2, 3, 70]));
        for (mut all, more) in [(a.clone(), &b), (b.clone(), &a)] {
            all.insert_all(more);
            assert_eq!((all.len(), all), (5, set(&[1, 2, 3, 70, 200])));
        }
    }

    #[test]
    fn holds_tasks_beyond_one_word() {
        let mut set = TaskSet::new();
        for task in [200, 3, 64, 63] {
            assert!(set.insert(TaskId(task)));
            assert!(!set.insert(TaskId(task)));
        }
        assert_eq!(set.iter().map(|t| t.0).collect::<Vec<_>>(), vec![3, 63, 64, 200]);
        assert_eq!(set.nth(2), Some(TaskId(64)));
        assert_eq!(set.len(), 4);
        assert!(set.remove(TaskId(3)) && set.remove(TaskId(63)) && set.remove(TaskId(64)));
        assert!(!set.remove(TaskId(64)));
        assert!(set.is_only(TaskId(200)) && !set.is_only(TaskId(3)));
        assert_eq!(set.first(), Some(TaskId(200)));
        set.clear();
        assert!(set.is_empty() && set.first().is_none());
    }
}
