//! Objects that synchronise: what is known of each, and who may use it.
//!
//! An object is known by its address and kind from its first use in an execution. What the program has in its memory there matters only where a
//! static initialiser has put it.

use caissa_core::{ObjectKind, OpKind, TaskId, TaskSet};

/// What kind of mutex it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flavour {
    #[default]
    Normal,
    Recursive,
    ErrorCheck,
}

/// What is known of an object. The fields mean different things for different kinds.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    /// Where it lies; of a file its number.
    pub(crate) address: usize,
    /// Another object at or beside this address, plus 1.
    pub(crate) next: u32,
    /// It has been used before: what its memory says has been looked at.
    pub(crate) known: bool,
    /// Tasks that have announced an operation on it which can be disabled.
    pub(crate) waiting: TaskSet,
    /// Mutex: who holds it. RwLock: who holds it for writing. Once: who does it now.
    pub(crate) holder: Option<TaskId>,
    /// Mutex: how often it is held. Semaphore: its value. Barrier: how many it is for.
    pub(crate) count: u32,
    /// RwLock: who holds it for reading, as often as held. Condvar, futex: who waits. Barrier: who has arrived.
    pub(crate) queue: Vec<TaskId>,
    pub(crate) flavour: Flavour,
    /// Mutex: it is given back when its holder ends.
    pub(crate) robust: bool,
    /// Mutex: its holder has ended, and nobody has said that what it guards is consistent.
    pub(crate) abandoned: bool,
    /// Mutex: nobody can use it any more.
    pub(crate) unusable: bool,
    /// It is one of libc's, whose memory tells whether it was destroyed.
    pub(crate) marked: bool,
}

impl Object {
    pub(crate) fn new(kind: ObjectKind, address: usize, next: u32) -> Object {
        Object {
            kind,
            address,
            next,
            known: false,
            waiting: TaskSet::new(),
            holder: None,
            count: 0,
            queue: Vec::new(),
            flavour: Flavour::Normal,
            robust: false,
            abandoned: false,
            unusable: false,
            marked: false,
        }
    }

    /// Makes an entry of the table that was used before a new one, and keeps its memory.
    pub(crate) fn reset(&mut self, kind: ObjectKind, address: usize, next: u32) {
        self.waiting.clear();
        self.queue.clear();
        self.kind = kind;
        self.address = address;
        self.next = next;
        self.marked = false;
        self.renew();
    }

    /// It is as if it had never been used.
    pub(crate) fn renew(&mut self) {
        self.known = false;
        self.holder = None;
        self.count = 0;
        self.flavour = Flavour::Normal;
        self.robust = false;
        self.abandoned = false;
        self.unusable = false;
    }

    /// Whether an operation of this kind by a task could take effect now.
    #[inline]
    pub(crate) fn allows(&self, kind: OpKind, task: TaskId) -> bool {
        match kind {
            // A recursive one is there for its holder.
            OpKind::Lock | OpKind::LockUntil | OpKind::Relock => {
                self.holder.is_none() || (self.holder == Some(task) && self.flavour == Flavour::Recursive)
            }
            OpKind::Read | OpKind::ReadUntil => self.holder.is_none(),
            OpKind::Write | OpKind::WriteUntil => self.holder.is_none() && self.queue.is_empty(),
            OpKind::Leave => !self.queue.contains(&task),
            OpKind::CallOnce => self.holder.is_none(),
            OpKind::SemWait | OpKind::SemWaitUntil => self.count > 0,
            _ => true,
        }
    }

    /// The tasks that would have to act before such an operation can take effect.
    pub(crate) fn blockers(&self, kind: OpKind) -> Vec<TaskId> {
        match kind {
            OpKind::Lock
            | OpKind::LockUntil
            | OpKind::Relock
            | OpKind::Read
            | OpKind::ReadUntil
            | OpKind::CallOnce => self.holder.into_iter().collect(),
            OpKind::Write | OpKind::WriteUntil => {
                self.holder.into_iter().chain(self.queue.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }
}
