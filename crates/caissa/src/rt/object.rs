//! Objects of an execution, and how a value in the program's memory finds its object.
//!
//! Types must have a `const fn new`, so nothing can be registered when a value is made. Instead each value holds a
//! [`Home`]: one word that names the execution in which it was used last and its place in that execution's table. The
//! first use in an execution finds a word that does not fit and registers the value; that is also where a value that
//! lives across executions is noticed. Ends of channels, whose destructors others see, are registered when they are made:
//! dropping one may be its first use. They are never made in a const, and only a word that fits tells a destructor that the
//! value is of the present execution.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use caissa_core::{ObjectKind, OpKind, TaskId, TaskSet};

use super::misuse::Misuse;
use super::{Engine, Rt, Source};

const INDEX_BITS: u32 = 20;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
/// Set when the execution named in the word has changed the value.
const CHANGED: u64 = 1 << INDEX_BITS;
/// Set while a guard of that execution holds the value.
const HELD: u64 = 1 << (INDEX_BITS + 1);
const STAMP_SHIFT: u32 = INDEX_BITS + 2;
/// A stamp is the number of a block and that of an execution in it.
const EXECUTION_BITS: u32 = 16;
/// One bit less than there is room for, so that no word looks like `OUTSIDE`.
const BLOCK_BITS: u32 = 64 - STAMP_SHIFT - EXECUTION_BITS - 1;
/// The word while threads outside any check hold the value; their number is in the low bits.
const OUTSIDE: u64 = u64::MAX << STAMP_SHIFT;

fn is_outside(word: u64) -> bool {
    word >= OUTSIDE
}

/// Names an execution; what a word carries above the index. No two executions of a process have the same: an engine draws
/// blocks of numbers and counts within them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// The first number of a block that nobody has.
    pub(crate) fn new_block() -> Stamp {
        static BLOCKS: AtomicU64 = AtomicU64::new(1);
        let block = BLOCKS.fetch_add(1, Ordering::Relaxed);
        assert!(block < 1 << BLOCK_BITS, "a process has started more checks than there are numbers for");
        Stamp(block << EXECUTION_BITS)
    }

    /// The next execution of the same block, if it has one.
    pub(crate) fn next(self) -> Option<Stamp> {
        let next = Stamp(self.0 + 1);
        (next.block() == self.block()).then_some(next)
    }

    fn block(self) -> u64 {
        self.0 >> EXECUTION_BITS
    }
}

/// What threads outside a check did with its objects; the first one counts.
pub(crate) type OutsideUse = Arc<OnceLock<Misuse>>;

/// The blocks of the engines that are running a check now.
static LIVE: Mutex<Vec<(u64, OutsideUse)>> = Mutex::new(Vec::new());

pub(crate) fn set_live(stamp: Stamp, outside: &OutsideUse) {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner).push((stamp.block(), Arc::clone(outside)));
}

pub(crate) fn set_dead(stamp: Stamp) {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner).retain(|(block, _)| *block != stamp.block());
}

fn live(stamp: Stamp) -> Option<OutsideUse> {
    let blocks = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    blocks.iter().find(|(block, _)| *block == stamp.block()).map(|(_, outside)| Arc::clone(outside))
}

/// Objects whose guards lie on stacks that were abandoned, as words without their flags: nobody will use those guards.
static ABANDONED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// The guard of this object's holder will never be used again.
pub(crate) fn abandon_guard(stamp: Stamp, index: usize) {
    ABANDONED.lock().unwrap_or_else(PoisonError::into_inner).insert(stamp.0 << STAMP_SHIFT | index as u64);
}

/// Whether a guard of the execution that a word names may still be used.
fn is_held(word: u64) -> bool {
    word & HELD != 0
        && !ABANDONED.lock().unwrap_or_else(PoisonError::into_inner).contains(&(word & !(HELD | CHANGED)))
}

/// A thread that is no task uses an object: if its check is running, both are told. If it is over but a guard of it is
/// left, the object cannot be used either.
#[cold]
fn require_over(word: u64, kind: ObjectKind, source: Source) {
    if super::once::is_destroying() {
        return;
    }
    let stamp = Stamp(word >> STAMP_SHIFT);
    if live(stamp).is_some() {
        panic!("{}", misuse_elsewhere(stamp, kind, source));
    }
    if is_held(word) {
        panic!("{}", Misuse::LeftLocked { kind, source });
    }
}

/// What is wrong with using an object whose word another execution has left.
fn left_by_another(
    word: u64,
    present: Stamp,
    kind: ObjectKind,
    source: Source,
    changed: bool,
) -> Option<Misuse> {
    let stamp = Stamp(word >> STAMP_SHIFT);
    if word == 0 {
        None
    } else if stamp.block() != present.block() && live(stamp).is_some() {
        Some(Misuse::SharedWithOtherCheck { kind, source })
    } else if is_held(word) {
        Some(Misuse::LeftLocked { kind, source })
    } else {
        (changed || word & CHANGED != 0).then_some(Misuse::Changed { kind, source })
    }
}

/// What is wrong with using an object of an execution where that execution does not run. A running check is told too.
pub(crate) fn misuse_elsewhere(stamp: Stamp, kind: ObjectKind, source: Source) -> Misuse {
    match live(stamp) {
        Some(outside) if super::current().is_none() && !super::once::is_destroying() => {
            let misuse = Misuse::UsedFromOutside { kind, source };
            let _ = outside.set(misuse.clone());
            misuse
        }
        _ => Misuse::OtherExecution { kind, source },
    }
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

    /// As [`Home::find`], for values that every execution makes anew: also says whether this is the first use in this
    /// execution. `None` if another running check has the word.
    #[inline]
    pub(crate) fn find_anew(&self, rt: Rt, kind: ObjectKind, source: Source) -> Option<(usize, bool)> {
        match self.find_present(rt) {
            Some(index) => Some((index, false)),
            None => Some((self.register_anew(rt, kind, source)?, true)),
        }
    }

    #[cold]
    fn register_anew(&self, rt: Rt, kind: ObjectKind, source: Source) -> Option<usize> {
        let word = self.0.load(Ordering::Relaxed);
        let stamp = Stamp(word >> STAMP_SHIFT);
        if word != 0 && stamp.block() != rt.engine().stamp.block() && live(stamp).is_some() {
            return None;
        }
        let index = rt.new_object(kind, source);
        let new = rt.engine().stamp.0 << STAMP_SHIFT | index as u64;
        self.0.compare_exchange(word, new, Ordering::Acquire, Ordering::Relaxed).ok()?;
        Some(index)
    }

    /// Whether the value has been used in some execution.
    pub(crate) fn is_used(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    #[cold]
    fn register(&self, rt: Rt, word: u64, kind: ObjectKind, source: Source, changed: bool) -> usize {
        if is_outside(word) {
            rt.misuse(Misuse::HeldOutside { kind, source });
        }
        if word != 0
            && let Some(misuse) = left_by_another(word, rt.engine().stamp, kind, source, changed)
        {
            rt.misuse(misuse);
        }
        let index = rt.new_object(kind, source);
        let new = rt.engine().stamp.0 << STAMP_SHIFT | index as u64;
        if self.0.compare_exchange(word, new, Ordering::Acquire, Ordering::Relaxed).is_err() {
            rt.misuse(Misuse::SharedWithOtherCheck { kind, source });
        }
        index
    }

    /// A state hook looks at the value: its place in the table of the present execution, if it has been used there.
    pub(super) fn look(&self, rt: Rt, kind: ObjectKind, source: Source) -> Result<Option<usize>, Misuse> {
        let (word, stamp) = (self.0.load(Ordering::Relaxed), rt.engine().stamp);
        if is_outside(word) {
            Err(Misuse::HeldOutside { kind, source })
        } else if word >> STAMP_SHIFT == stamp.0 {
            Ok(Some((word & INDEX_MASK) as usize))
        } else {
            left_by_another(word, stamp, kind, source, false).map_or(Ok(None), Err)
        }
    }

    /// A state hook holds the value, like a thread outside; the word as it was.
    pub(super) fn hold_for_hook(&self) -> u64 {
        self.0.swap(OUTSIDE + 1, Ordering::Relaxed)
    }

    /// The state hook does not hold the value any more. True if it was borrowed mutably.
    pub(super) fn end_hold(&self, before: u64) -> bool {
        self.0.swap(before, Ordering::Relaxed) & CHANGED != 0
    }

    /// A guard of the present execution holds the value from now on, or does not any more.
    #[inline]
    pub(crate) fn set_held(&self, held: bool) {
        let word = self.0.load(Ordering::Relaxed);
        self.0.store(if held { word | HELD } else { word & !HELD }, Ordering::Relaxed);
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
        if word != 0 && !is_outside(word) {
            require_over(word, kind, source);
            // What it is from now on is not that execution's doing.
            let _ = self.0.compare_exchange(word, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// A thread outside any check holds the value until [`Home::leave_outside`]; meanwhile no check can take it. Several
    /// may at a time, as far as a lock of std's lets them.
    pub(crate) fn enter_outside(&self, kind: ObjectKind, source: Source) {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let next = if is_outside(word) {
                word + 1
            } else {
                if word != 0 {
                    require_over(word, kind, source);
                }
                OUTSIDE + 1
            };
            match self.0.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }

    /// What is wrong with using the value where its execution does not run.
    pub(crate) fn misuse_elsewhere(&self, kind: ObjectKind, source: Source) -> Misuse {
        misuse_elsewhere(Stamp(self.0.load(Ordering::Relaxed) >> STAMP_SHIFT), kind, source)
    }

    pub(crate) fn leave_outside(&self) {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let next = if word == OUTSIDE + 1 { 0 } else { word - 1 };
            match self.0.compare_exchange_weak(word, next, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }
}

/// What the engine knows of an object. The fields mean different things for different kinds.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// Where it was used first, or where it was made.
    pub(crate) source: Source,
    /// Tasks that have announced an operation on it which can be disabled.
    pub(crate) waiting: TaskSet,
    /// Mutex: who holds it. RwLock: who holds it for writing. Once: who does it now.
    pub(crate) holder: Option<TaskId>,
    /// RwLock: who holds it for reading, as often as held. Condvar: who waits for a notification. Barrier: who has
    /// arrived. Rendezvous channel: whose message has not been taken.
    pub(crate) queue: Vec<TaskId>,
    /// Mutex, RwLock and Once: poisoned or not, if that was changed in this execution.
    pub(crate) poisoned: Option<bool>,
    /// Channel: messages. Scope: tasks that have not ended. Once: 1 if it has been done.
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
            OpKind::Recv | OpKind::RecvUntil => self.count > 0 || self.senders == 0,
            OpKind::ScopeEnd => self.count == 0,
            OpKind::CallOnce | OpKind::GetOrInit | OpKind::Force => self.holder.is_none(),
            OpKind::AwaitOnce => self.holder.is_none() && (self.count > 0 || self.poisoned == Some(true)),
            OpKind::AwaitOnceForce => self.count > 0,
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

impl Rt {
    /// A new entry of the table of objects.
    pub(crate) fn new_object(self, kind: ObjectKind, source: Source) -> usize {
        let index = self.engine().new_object(kind, source);
        if index as u64 > INDEX_MASK {
            self.misuse(Misuse::TooManyObjects);
        }
        index
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
        self.execution.add_object(index);
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
