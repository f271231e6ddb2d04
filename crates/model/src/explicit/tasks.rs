//! Tasks as numbers: what a task can do from here on is kept once, and states hold its number.
//!
//! Numbers are given in the order in which tasks are met, so they differ from run to run with several workers; which tasks are equal
//! does not.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::memo::{self, Memo, Recorder};
use crate::code::Code;
use crate::machine::run::is_blocked_watched;
use crate::machine::{Task, TaskSpace, Tasks};

/// All tasks that were met, by number.
#[derive(Default)]
struct All {
    numbers: FxHashMap<Arc<[u32]>, u32>,
    words: Vec<Arc<[u32]>>,
    bytes: usize,
}

/// The numbers of all workers.
#[derive(Default)]
pub(crate) struct TaskTable(Mutex<All>);

impl TaskTable {
    /// How many different tasks there are.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).words.len()
    }

    /// About how much memory they take.
    pub(crate) fn bytes(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    fn number(&self, words: &[u32]) -> (u32, Arc<[u32]>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((words, &number)) = all.numbers.get_key_value(words) {
            return (number, Arc::clone(words));
        }
        let number = all.words.len() as u32;
        let words: Arc<[u32]> = words.into();
        all.words.push(Arc::clone(&words));
        all.numbers.insert(Arc::clone(&words), number);
        all.bytes += words.len() * 4 + 96;
        (number, words)
    }

    fn words(&self, number: u32) -> Arc<[u32]> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&all.words[number as usize])
    }
}

/// What a worker knows of a task.
#[derive(Clone)]
struct Known {
    task: Task,
    /// It may be blocked, depending on the globals.
    waits: bool,
}

const UNKNOWN: u32 = u32::MAX;

/// The tasks that a worker has met.
pub(crate) struct TaskCache<'a> {
    code: &'a Code,
    table: &'a TaskTable,
    numbers: FxHashMap<Arc<[u32]>, u32>,
    known: Vec<Option<Box<Known>>>,
    /// Their levels; `UNKNOWN` of those that were not met.
    levels: Vec<u32>,
    words: Vec<u32>,
    /// Which tasks are blocked, by the globals that it depends on.
    blocked: RefCell<(Memo<bool>, Recorder)>,
}

impl<'a> TaskCache<'a> {
    pub(crate) fn new(code: &'a Code, table: &'a TaskTable) -> TaskCache<'a> {
        TaskCache {
            code,
            table,
            numbers: FxHashMap::default(),
            known: Vec::new(),
            levels: Vec::new(),
            words: Vec::new(),
            blocked: RefCell::default(),
        }
    }

    /// The number of a task.
    pub(crate) fn number(&mut self, task: &Task) -> u32 {
        let mut words = std::mem::take(&mut self.words);
        task.pack(self.code, &mut words);
        let number = match self.numbers.get(&words[..]) {
            Some(&number) => number,
            None => {
                let (number, kept) = self.table.number(&words);
                self.learn(number, &kept);
                self.numbers.insert(kept, number);
                number
            }
        };
        self.words = words;
        number
    }

    /// Makes sure that a task of another worker is known here.
    #[inline]
    pub(crate) fn meet(&mut self, number: u32) {
        if self.known.get(number as usize).is_none_or(Option::is_none) {
            let words = self.table.words(number);
            self.learn(number, &words);
        }
    }

    /// The level of a task that may be another worker's.
    #[inline]
    pub(crate) fn meet_level(&mut self, number: u32) -> u32 {
        match self.levels.get(number as usize) {
            Some(&level) if level != UNKNOWN => level,
            _ => {
                self.meet(number);
                self.levels[number as usize]
            }
        }
    }

    #[cold]
    fn learn(&mut self, number: u32, words: &[u32]) {
        let mut task = Task::default();
        task.unpack(self.code, words);
        let waits = self.code.waits[task.pc as usize].is_some();
        if self.known.len() <= number as usize {
            self.known.resize(number as usize + 1, None);
            self.levels.resize(number as usize + 1, UNKNOWN);
        }
        self.levels[number as usize] = task.level;
        self.known[number as usize] = Some(Box::new(Known { task, waits }));
    }

    #[inline]
    fn is_blocked(&self, number: u32, task: &Task, globals: &[i32]) -> bool {
        let mut blocked = self.blocked.borrow_mut();
        let (memo, recorder) = &mut *blocked;
        let above = |slot| globals[slot as usize].wrapping_sub(self.code.ranges[slot as usize].0) as u32;
        let is_new = match memo.find(number, above) {
            memo::Known::Leaf(&blocked) => return blocked,
            memo::Known::New => true,
            memo::Known::Opaque => false,
        };
        recorder.clear();
        let blocked = is_blocked_watched(self.code, globals, task, recorder);
        if is_new {
            memo.learn(number, &recorder.reads, &self.code.ranges, Some(blocked));
        }
        blocked
    }

    #[inline]
    fn get(&self, number: u32) -> &Known {
        self.known[number as usize].as_deref().expect("it was met")
    }

    /// The task with a number.
    #[inline]
    pub(crate) fn task(&self, number: u32) -> &Task {
        &self.get(number).task
    }
}

impl<'c> TaskSpace for TaskCache<'c> {
    type At<'a>
        = TasksAt<'a, 'c>
    where
        'c: 'a;

    #[inline]
    fn at<'a>(&'a self, globals: &'a [i32]) -> TasksAt<'a, 'c> {
        TasksAt { cache: self, globals }
    }

    #[inline]
    fn load(&self, handle: u32, task: &mut Task) {
        task.clone_from(self.task(handle));
    }

    #[inline]
    fn store(&mut self, _: u32, task: &Task) -> u32 {
        self.number(task)
    }

    fn create(&mut self, task: &Task) -> u32 {
        self.number(task)
    }
}

/// The tasks in a state.
pub(crate) struct TasksAt<'a, 'c> {
    cache: &'a TaskCache<'c>,
    globals: &'a [i32],
}

impl Tasks for TasksAt<'_, '_> {
    #[inline]
    fn level(&self, task: u32) -> u32 {
        self.cache.levels[task as usize]
    }

    #[inline]
    fn is_blocked(&self, task: u32) -> bool {
        let known = self.cache.get(task);
        known.waits && self.cache.is_blocked(task, &known.task, self.globals)
    }

    #[inline]
    fn is_serial(&self, level: u32) -> bool {
        self.cache.code.serial[level as usize]
    }
}
