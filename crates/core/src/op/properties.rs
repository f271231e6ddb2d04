//! What is known of each kind of operation before it takes effect.

use super::kind::OpKind;
use crate::class::Access;

impl OpKind {
    /// Whether another task's operation can disable a pending operation of this kind or enable it again.
    #[inline]
    pub fn can_block(self) -> bool {
        matches!(
            self,
            OpKind::Lock
                | OpKind::Relock
                | OpKind::Read
                | OpKind::Write
                | OpKind::Leave
                | OpKind::Send
                | OpKind::Recv
                | OpKind::RecvUntil
                | OpKind::Handover
                | OpKind::CallOnce
                | OpKind::GetOrInit
                | OpKind::Force
                | OpKind::AwaitOnce
                | OpKind::AwaitOnceForce
                | OpKind::ScopeEnd
                | OpKind::SemWait
        )
    }

    /// Whether it is the question whether a fault happens (docs/semantics.md, "Faults").
    pub fn is_fault(self) -> bool {
        matches!(self, OpKind::MayTimeOut | OpKind::MayWake | OpKind::MayFail)
    }

    /// Whether the task says by this operation that it makes no progress by itself.
    #[inline]
    pub fn is_yield(self) -> bool {
        matches!(
            self,
            OpKind::Yield
                | OpKind::Spin
                | OpKind::Sleep
                | OpKind::WakeUp
                | OpKind::ParkUntil
                | OpKind::ParkExpires
                | OpKind::WaitUntil
                | OpKind::WaitExpires
                | OpKind::RecvUntil
                | OpKind::RecvExpires
                | OpKind::LockUntil
                | OpKind::LockExpires
                | OpKind::ReadUntil
                | OpKind::WriteUntil
                | OpKind::RwExpires
                | OpKind::SemWaitUntil
                | OpKind::SemExpires
                | OpKind::FutexWaitUntil
                | OpKind::FutexExpires
                | OpKind::IoUntil
                | OpKind::IoExpires
        )
    }

    /// Whether what is noted of the operation is the time.
    pub(crate) fn is_timed(self) -> bool {
        self.is_yield() || matches!(self, OpKind::AwaitExpires | OpKind::PollTimer | OpKind::SetTimer)
    }

    /// Whether the operation only looks at its object, as far as can be known before it takes effect: two such operations
    /// of different tasks on one object may change places.
    #[inline]
    pub fn only_reads(self) -> bool {
        matches!(
            self,
            OpKind::Load
                | OpKind::IsPoisoned
                | OpKind::IsRwPoisoned
                | OpKind::Read
                | OpKind::TryRead
                | OpKind::ReadUnlock
                | OpKind::Join
                | OpKind::IsFinished
                | OpKind::DropHandle
                | OpKind::Now
                | OpKind::SetTimer
                | OpKind::IsCompleted
                | OpKind::GetOnce
                | OpKind::AwaitOnce
                | OpKind::AwaitOnceForce
                | OpKind::CellRead
        )
    }

    /// How the operation touches its object, where that is known before it takes effect and it touches nothing else.
    pub(crate) fn known_access(self) -> Option<Access> {
        match self {
            OpKind::Load | OpKind::CellRead => Some(Access::Read),
            OpKind::CellWrite
            | OpKind::CellGet
            | OpKind::Store
            | OpKind::Rmw
            | OpKind::Lock
            | OpKind::Unlock => Some(Access::Write),
            _ => None,
        }
    }

    /// Whether it is known that the operation touches its object and nothing else.
    pub(super) fn touches_its_object_only(self) -> bool {
        matches!(
            self,
            OpKind::Load
                | OpKind::Store
                | OpKind::Rmw
                | OpKind::CompareExchange
                | OpKind::Lock
                | OpKind::TryLock
                | OpKind::Unlock
                | OpKind::Read
                | OpKind::TryRead
                | OpKind::Write
                | OpKind::TryWrite
                | OpKind::ReadUnlock
                | OpKind::WriteUnlock
                | OpKind::CellRead
                | OpKind::CellWrite
                | OpKind::CellGet
        )
    }

    /// Whether the operation starts to hold a lock.
    pub fn acquires(self) -> bool {
        matches!(
            self,
            OpKind::Lock
                | OpKind::TryLock
                | OpKind::Relock
                | OpKind::Read
                | OpKind::TryRead
                | OpKind::Write
                | OpKind::TryWrite
        )
    }
}
