//! [`Barrier`].

use std::fmt;
use std::panic::Location;

use caissa_core::class::Access;
use caissa_core::{ObjectId, ObjectKind, Op, OpKind};

use crate::rt::{self, Home};

/// Lets a number of tasks wait for each other; see [`std::sync::Barrier`].
pub struct Barrier {
    home: Home,
    count: usize,
    outside: std::sync::Barrier,
}

/// Tells one of the tasks that met at a [`Barrier`] that it is the leader.
pub struct BarrierWaitResult(bool);

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult").field("is_leader", &self.0).finish()
    }
}

impl BarrierWaitResult {
    /// Whether this task is the leader: the one that arrived last.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for `n` tasks.
    pub const fn new(n: usize) -> Barrier {
        Barrier { home: Home::new(), count: n, outside: std::sync::Barrier::new(n) }
    }

    /// Waits until `n` tasks have come here.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let source = Location::caller();
        let Some(rt) = rt::current() else {
            self.home.touch_outside(ObjectKind::Barrier, source);
            return BarrierWaitResult(self.outside.wait().is_leader());
        };
        let barrier = self.home.find(rt, ObjectKind::Barrier, source, || false);
        let id = ObjectId(barrier as u32);
        rt.point(Op::new(OpKind::Arrive, id), source);
        rt.touch(barrier, Access::Write);
        let engine = rt.engine();
        let me = engine.running;
        engine.objects[barrier].queue.push(me);
        if engine.objects[barrier].queue.len() >= self.count {
            let met = engine.execution.release_tag();
            for task in std::mem::take(&mut engine.objects[barrier].queue) {
                rt.woke(task, barrier);
                rt.engine().tasks[task.index()].woken_tag = met;
            }
            rt.engine().refresh(barrier);
            return BarrierWaitResult(true);
        }
        rt.block(Op::new(OpKind::Leave, id), source);
        rt.absorb_wake();
        rt.acquire_wake();
        BarrierWaitResult(false)
    }
}
