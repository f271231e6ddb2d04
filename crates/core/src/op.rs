//! Operations: what a task announces before it does it.

mod kind;
mod properties;

pub use kind::{ObjectKind, OpKind};

use core::fmt;

use crate::class::mix2;
use crate::source::Source;

/// An object that operations touch, numbered within one execution in the order of first use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct ObjectId(pub u32);

/// Memory ordering of an atomic operation or fence, recorded for reports and for weak memory to come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum MemoryOrder {
    /// Not an atomic operation.
    #[default]
    None,
    /// Relaxed.
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

impl From<core::sync::atomic::Ordering> for MemoryOrder {
    #[inline]
    fn from(order: core::sync::atomic::Ordering) -> MemoryOrder {
        use core::sync::atomic::Ordering;
        match order {
            Ordering::Relaxed => MemoryOrder::Relaxed,
            Ordering::Acquire => MemoryOrder::Acquire,
            Ordering::Release => MemoryOrder::Release,
            Ordering::AcqRel => MemoryOrder::AcqRel,
            _ => MemoryOrder::SeqCst,
        }
    }
}

/// A task's next visible action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Op {
    /// What is done.
    pub kind: OpKind,
    /// With which memory ordering (a successful compare-exchange's, where there are two).
    pub order: MemoryOrder,
    /// The ordering of a compare-exchange that fails.
    pub failure_order: MemoryOrder,
    /// To which object; for kinds on [`ObjectKind::Task`] the number of the task.
    pub object: ObjectId,
}

impl Op {
    /// An operation without a memory ordering.
    #[inline]
    pub const fn new(kind: OpKind, object: ObjectId) -> Op {
        Op { kind, order: MemoryOrder::None, failure_order: MemoryOrder::None, object }
    }

    /// An atomic operation.
    #[inline]
    pub const fn atomic(kind: OpKind, object: ObjectId, order: MemoryOrder) -> Op {
        Op { kind, order, failure_order: MemoryOrder::None, object }
    }

    /// The same operation with the ordering that holds if it fails.
    #[inline]
    pub const fn or_else(mut self, failure_order: MemoryOrder) -> Op {
        self.failure_order = failure_order;
        self
    }

    /// Whether the order of this operation and another task's matters: one object, and not both only read it.
    #[inline]
    pub fn conflicts_with(&self, other: &Op) -> bool {
        let tasks = |op: &Op| op.kind.object_kind() == ObjectKind::Task;
        self.object == other.object
            && tasks(self) == tasks(other)
            && !(self.kind.only_reads() && other.kind.only_reads())
    }

    /// Whether both operations, of different tasks, touch nothing but their objects and may change places.
    pub fn is_independent_of(&self, other: Op) -> bool {
        let known = self.kind.touches_its_object_only() && other.kind.touches_its_object_only();
        known && (self.object != other.object || (self.kind.only_reads() && other.kind.only_reads()))
    }

    /// As [`Op::fingerprint`], the same in every version: what goes into schedules.
    pub fn stable_fingerprint(&self) -> u64 {
        self.kind.word().bytes().fold(self.object.0 as u64, |hash, byte| mix2(hash, byte as u64))
    }

    /// A number that differs for different operations, for comparisons within one process.
    pub fn fingerprint(&self) -> u64 {
        (self.kind as u64) << 32 | self.object.0 as u64
    }
}

/// An operation that a task has announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// What it will do.
    pub op: Op,
    /// Where; `None` before its first operation.
    pub source: Option<Source>,
}

impl Op {
    /// Whether it is shown with its object, by its kind and number: not the running task, nor another one.
    pub fn names_object(&self) -> bool {
        self.kind.object_kind() != ObjectKind::Task && !self.stands_alone()
    }

    /// Whether its word says everything.
    fn stands_alone(&self) -> bool {
        matches!(
            self.kind,
            OpKind::End
                | OpKind::Start
                | OpKind::Spawn
                | OpKind::Yield
                | OpKind::Choose
                | OpKind::Fence
                | OpKind::Park
                | OpKind::ParkUntil
                | OpKind::ParkExpires
                | OpKind::ParkWakes
                | OpKind::Spin
                | OpKind::Sleep
                | OpKind::WakeUp
                | OpKind::Now
                | OpKind::SetTimer
                | OpKind::MayTimeOut
                | OpKind::MayWake
                | OpKind::Await
                | OpKind::AwaitExpires
                | OpKind::Statement
                | OpKind::PollTimer
                | OpKind::Exit
        )
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind.word();
        if self.stands_alone() {
            return f.write_str(word);
        }
        match self.kind.object_kind() {
            ObjectKind::Task => write!(f, "{word} T{}", self.object.0),
            kind => write!(f, "{word} {}#{}", kind.word(), self.object.0),
        }
    }
}
