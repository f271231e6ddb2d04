//! Objects of an execution, and how a value in the program's memory finds its object.
//!
//! Types must have a `const fn new`, so nothing can be registered when a value is made. Instead each value holds a
//! [`Home`]: one word that names the execution in which it was used last and its place in that execution's table. The
//! first use in an execution finds a word that does not fit and registers the value; that is also where a value that
//! lives across executions is noticed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use caissa_core::class::Past;
use caissa_core::{ObjectKind, OpKind, Source, TaskId, TaskSet};

use super::misuse::{Misuse, used_from_outside};
use super::{Engine, Rt};

const INDEX_BITS: u32 = 20;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
/// Set when the execution named in the word has changed the value.
const CHANGED: u64 = 1 << INDEX_BITS;
const STAMP_SHIFT: u32 = INDEX_BITS + 1;
const EXECUTION_BITS: u32 = 29;
const ENGINE_BITS: u32 = 64 - STAMP_SHIFT - EXECUTION_BITS;
/// The word while a thread outside any check holds the value.
const OUTSIDE: u64 = u64::MAX;

/// Names an execution of an engine; what a word carries above the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// The engine's number is never 0, so that no stamp is 0, and never all ones, so that no word is `OUTSIDE`.
    pub(crate) fn first(engine: u64) -> Stamp {
        let number = engine % ((1 << ENGINE_BITS) - 2) + 1;
        Stamp(number << EXECUTION_BITS)
    }

    /// The next execution of the same engine. Numbers repeat after half a billion executions; a value would have to
    /// survive exactly that many unseen to be taken for a present one.
    pub(crate) fn next(self) -> Stamp {
        let engine = self.0 >> EXECUTION_BITS << EXECUTION_BITS;
        Stamp(engine | (self.0 + 1) & ((1 << EXECUTION_BITS) - 1))
    }

    fn engine(self) -> u64 {
        self.0 >> EXECUTION_BITS
    }
}

/// Engines that are running a check now.
static LIVE: Mutex<Vec<u64>> = Mutex::new(Vec::new());

pub(crate) fn set_live(stamp: Stamp, live: bool) {
    let mut engines = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if live {
        engines.push(stamp.engine());
    } else {
        engines.retain(|&engine| engine != stamp.engine());
    }
}

fn is_live(stamp: Stamp) -> bool {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner).contains(&stamp.engine())
}

/// The word in a value that leads to its object.
#[derive(Debug)]
pub(crate) struct Home(AtomicU64);

impl Home {
    pub(crate) const fn new() -> Home {
        Home(AtomicU64::new(0))
    }

    /// The value's place in the table of the present execution. `changed` tells whether the value, if it comes from an
    /// earlier execution, differs from what it was when that one met it; types that cannot tell use [`Home::mark_changed`].
    #[inline(always)]
    pub(crate) fn find(
        &self,
        rt: Rt,
        kind: ObjectKind,
        source: Source,
        changed: impl FnOnce() -> bool,
    ) -> usize {
        let word = self.0.load(Ordering::Relaxed);
        if word >> STAMP_SHIFT == rt.engine().stamp.0 {
            (word & INDEX_MASK) as usize
        } else {
            self.register(rt, word, kind, source, changed())
        }
    }

    /// The value's place in the table, if it has been used in the present execution.
    #[inline]
    pub(crate) fn find_present(&self, rt: Rt) -> Option<usize> {
        let word = self.0.load(Ordering::Relaxed);
        (word >> STAMP_SHIFT == rt.engine().stamp.0).then_some((word & INDEX_MASK) as usize)
    }

    #[cold]
    fn register(&self, rt: Rt, word: u64, kind: ObjectKind, source: Source, changed: bool) -> usize {
        if word == OUTSIDE {
            rt.misuse(Misuse::HeldOutside { kind, source });
        } else if word != 0 {
            let stamp = Stamp(word >> STAMP_SHIFT);
            let engine = rt.engine();
            if stamp.engine() != engine.stamp.engine() && is_live(stamp) {
                rt.misuse(Misuse::SharedWithOtherCheck { kind, source });
            } else if changed || word & CHANGED != 0 {
                rt.misuse(Misuse::Changed { kind, source });
            }
        }
        let engine = rt.engine();
        let index = engine.new_object(kind, source);
        if index as u64 > INDEX_MASK {
            rt.misuse(Misuse::TooManyObjects);
            return 0;
        }
        let new = engine.stamp.0 << STAMP_SHIFT | index as u64;
        if self.0.compare_exchange(word, new, Ordering::Acquire, Ordering::Relaxed).is_err() {
            rt.misuse(Misuse::SharedWithOtherCheck { kind, source });
        }
        index
    }

    /// The present execution has changed the value.
    #[inline]
    pub(crate) fn mark_changed(&self) {
        let word = self.0.load(Ordering::Relaxed);
        if word & CHANGED == 0 && word != 0 {
            self.0.store(word | CHANGED, Ordering::Relaxed);
        }
    }

    /// A thread outside any check uses the value for a moment.
    #[inline]
    pub(crate) fn touch_outside(&self, kind: ObjectKind, source: Source) {
        let word = self.0.load(Ordering::Relaxed);
        if word != 0 && word != OUTSIDE {
            self.outside_slow(word, kind, source);
        }
    }

    #[cold]
    fn outside_slow(&self, word: u64, kind: ObjectKind, source: Source) {
        if is_live(Stamp(word >> STAMP_SHIFT)) {
            used_from_outside(kind, source);
        }
        let _ = self.0.compare_exchange(word, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// A thread outside any check holds the value until [`Home::leave_outside`]; meanwhile no check can take it.
    /// The caller has exclusive or shared access by a lock of std's.
    pub(crate) fn enter_outside(&self, kind: ObjectKind, source: Source) {
        self.touch_outside(kind, source);
        let word = self.0.load(Ordering::Relaxed);
        if word == OUTSIDE {
            return;
        }
        if self.0.compare_exchange(word, OUTSIDE, Ordering::Acquire, Ordering::Relaxed).is_err()
            && self.0.load(Ordering::Relaxed) != OUTSIDE
        {
            used_from_outside(kind, source);
        }
    }

    pub(crate) fn leave_outside(&self) {
        self.0.store(0, Ordering::Release);
    }
}

/// What the engine knows of an object. The fields mean different things for different kinds.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// Where it was used first.
    pub(crate) source: Source,
    pub(crate) past: Past,
    /// Tasks that have announced an operation on it which can be disabled.
    pub(crate) waiting: TaskSet,
    /// Mutex: who holds it. RwLock: who holds it for writing.
    pub(crate) holder: Option<TaskId>,
    /// RwLock: who holds it for reading, as often as held. Condvar: who waits for a notification. Barrier: who has
    /// arrived. Rendezvous channel: whose message has not been taken.
    pub(crate) queue: Vec<TaskId>,
    /// Mutex and RwLock: poisoned or not, if that was changed in this execution.
    pub(crate) poisoned: Option<bool>,
    /// Channel: messages. Scope: tasks that have not ended.
    pub(crate) count: usize,
    /// Channel: messages it can hold.
    pub(crate) capacity: usize,
    /// Channel: the other side is gone (senders for a receiver, the receiver for senders).
    pub(crate) senders: usize,
    pub(crate) receiver_gone: bool,
    /// Rendezvous channel: the receiver has come and no message is there.
    pub(crate) receiver_waits: bool,
}

impl Object {
    pub(crate) fn new(kind: ObjectKind, source: Source) -> Object {
        Object {
            kind,
            source,
            past: Past::default(),
            waiting: TaskSet::new(),
            holder: None,
            queue: Vec::new(),
            poisoned: None,
            count: 0,
            capacity: usize::MAX,
            senders: 0,
            receiver_gone: false,
            receiver_waits: false,
        }
    }

    /// Makes a used entry of the table new again and keeps its memory.
    pub(crate) fn reset(&mut self, kind: ObjectKind, source: Source) {
        self.waiting.clear();
        self.queue.clear();
        self.kind = kind;
        self.source = source;
        self.past = Past::default();
        self.holder = None;
        self.poisoned = None;
        self.count = 0;
        self.capacity = usize::MAX;
        self.senders = 0;
        self.receiver_gone = false;
        self.receiver_waits = false;
    }

    /// Whether an operation of this kind by `task` could take effect now.
    #[inline]
    pub(crate) fn allows(&self, kind: OpKind, task: TaskId) -> bool {
        match kind {
            OpKind::Lock | OpKind::Relock | OpKind::Read => self.holder.is_none(),
            OpKind::Write => self.holder.is_none() && self.queue.is_empty(),
            OpKind::Leave | OpKind::Handover => self.receiver_gone || !self.queue.contains(&task),
            OpKind::Send => self.count < self.capacity || self.receiver_gone,
            OpKind::Recv => self.count > 0 || self.senders == 0,
            OpKind::ScopeEnd => self.count == 0,
            _ => true,
        }
    }

    /// The tasks that could make a blocked operation of this kind possible, where the object knows.
    pub(crate) fn blockers(&self, kind: OpKind) -> Vec<TaskId> {
        match kind {
            OpKind::Write => self.holder.into_iter().chain(self.queue.iter().copied()).collect(),
            _ => self.holder.into_iter().collect(),
        }
    }
}

impl Engine {
    fn new_object(&mut self, kind: ObjectKind, source: Source) -> usize {
        let index = self.object_count;
        self.object_count += 1;
        match self.objects.get_mut(index) {
            Some(object) => object.reset(kind, source),
            None => self.objects.push(Object::new(kind, source)),
        }
        index
    }

    /// Enables and disables the tasks that wait at an object, after it has changed.
    #[inline]
    pub(crate) fn refresh(&mut self, index: usize) {
        if !self.objects[index].waiting.is_empty() {
            self.refresh_waiting(index);
        }
    }

    fn refresh_waiting(&mut self, index: usize) {
        let object = &self.objects[index];
        for task in &object.waiting {
            if object.allows(self.execution.pending(task).0.kind, task) {
                self.execution.enable(task);
            } else {
                self.execution.disable(task);
            }
        }
    }
}
