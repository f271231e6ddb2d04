//! A channel inside a check.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::time::Duration;

use caissa_core::class::Access;
use caissa_core::{Note, ObjectId, ObjectKind, Op, OpKind, Tag};

use crate::rt::clock::{Ended, Wait};
use crate::rt::{self, Home, Rt, Source};

/// A channel that lives in an execution.
pub(super) struct Channel<T> {
    home: Home,
    /// A sender waits until its message has been taken.
    rendezvous: bool,
    messages: UnsafeCell<VecDeque<T>>,
    order: UnsafeCell<Order>,
}

/// Who comes after whom by the messages of a channel; kept where races are looked for.
#[derive(Default)]
struct Order {
    /// What each message hands on, as they lie in the channel.
    sent: VecDeque<Tag>,
    /// What each receiver hands on to the sender that gets the room it has left, the first to leave first.
    left: VecDeque<Tag>,
    /// How much room has never been used.
    fresh: usize,
}

// SAFETY: the messages and their order are touched only by tasks of the execution that the channel belongs to (`Channel::enter` checks
// that), all on one OS thread, and between two points.
unsafe impl<T: Send> Send for Channel<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Channel<T> {}

impl<T> Channel<T> {
    pub(super) fn new(rt: Rt, capacity: Option<usize>, source: Source) -> Arc<Channel<T>> {
        let channel = Channel {
            home: Home::new(),
            rendezvous: capacity == Some(0),
            messages: UnsafeCell::new(VecDeque::new()),
            order: UnsafeCell::new(Order { fresh: capacity.unwrap_or(usize::MAX), ..Order::default() }),
        };
        let object = channel.home.find(rt, ObjectKind::Channel, source, || false);
        let object = &mut rt.engine().objects[object];
        object.capacity = capacity.map_or(usize::MAX, |capacity| capacity.max(1));
        object.senders = 1;
        Arc::new(channel)
    }

    /// The run time and the channel's object, if this is code of the execution that the channel belongs to.
    fn try_enter(&self) -> Option<(Rt, usize)> {
        let rt = rt::current()?;
        Some((rt, self.home.find_present(rt)?))
    }

    /// As `try_enter`, for destructors, which cannot panic: a thread outside a running check leaves word.
    fn try_enter_to_drop(&self, source: Source) -> Option<(Rt, usize)> {
        let entered = self.try_enter();
        if entered.is_none() && rt::current().is_none() {
            self.home.misuse_elsewhere(ObjectKind::Channel, source);
        }
        entered
    }

    /// As `try_enter`, where anything else is a mistake.
    fn enter(&self, source: Source) -> (Rt, usize) {
        match (self.try_enter(), rt::current()) {
            (Some(entered), _) => entered,
            (None, Some(rt)) => rt.misuse(self.home.misuse_elsewhere(ObjectKind::Channel, source)),
            (None, None) => panic!("{}", self.home.misuse_elsewhere(ObjectKind::Channel, source)),
        }
    }

    fn push(&self, message: T) {
        // SAFETY: see the impl of `Sync`.
        unsafe { (*self.messages.get()).push_back(message) };
    }

    fn pop(&self) -> Option<T> {
        // SAFETY: see the impl of `Sync`.
        unsafe { (*self.messages.get()).pop_front() }
    }

    /// The message that was put last.
    fn take_back(&self) -> Option<T> {
        // SAFETY: see the impl of `Sync`.
        unsafe { (*self.messages.get()).pop_back() }
    }

    /// The running task has sent a message: whoever receives it comes after it. In a bounded channel it comes after the receiver
    /// that has left the room for it.
    fn order_send(&self, rt: Rt) {
        let execution = &mut rt.engine().execution;
        if execution.has_clocks() {
            // SAFETY: see the impl of `Sync`.
            let order = unsafe { &mut *self.order.get() };
            match order.fresh.checked_sub(1) {
                Some(fresh) => order.fresh = fresh,
                None => execution.acquire_tag(order.left.pop_front().unwrap_or_default()),
            }
            order.sent.push_back(execution.release_tag());
        }
    }

    /// A sender that finds the receiver waiting comes after its coming.
    fn order_meeting(&self, tag: Tag) {
        // SAFETY: see the impl of `Sync`.
        let order = unsafe { &mut *self.order.get() };
        order.left.clear();
        order.left.push_back(tag);
    }

    /// The running task has received the first message. Returns what it hands on to a sender that waits for that.
    fn order_receive(&self, rt: Rt, bounded: bool) -> Tag {
        let execution = &mut rt.engine().execution;
        if !execution.has_clocks() {
            return Tag::default();
        }
        // SAFETY: see the impl of `Sync`.
        let order = unsafe { &mut *self.order.get() };
        execution.acquire_tag(order.sent.pop_front().unwrap_or_default());
        let tag = execution.release_tag();
        if bounded {
            order.left.push_back(tag);
        }
        tag
    }

    pub(super) fn send(&self, message: T, source: Source) -> Result<(), SendError<T>> {
        let (rt, object) = self.enter(source);
        let id = ObjectId(object as u32);
        rt.point_on(Op::new(OpKind::Send, id), source);
        if rt.engine().objects[object].receiver_gone {
            self.see_receiver_gone(rt, object);
            return Err(SendError(message));
        }
        self.put(rt, object, message);
        if !self.rendezvous {
            return Ok(());
        }
        let me = rt.current();
        rt.engine().objects[object].queue.push(me);
        rt.block(Op::new(OpKind::Handover, id), source);
        rt.absorb_wake();
        rt.acquire_wake();
        let queue = &mut rt.engine().objects[object].queue;
        match queue.iter().position(|&task| task == me) {
            None => Ok(()),
            Some(index) => {
                queue.remove(index);
                rt.engine().objects[object].count -= 1;
                rt.engine().execution.acquire(object, Access::Read);
                match self.take_back() {
                    Some(message) => Err(SendError(message)),
                    None => Ok(()),
                }
            }
        }
    }

    pub(super) fn try_send(&self, message: T, source: Source) -> Result<(), TrySendError<T>> {
        let (rt, object) = self.enter(source);
        rt.point(Op::new(OpKind::TrySend, ObjectId(object as u32)), source);
        let state = &rt.engine().objects[object];
        if state.receiver_gone {
            self.see_receiver_gone(rt, object);
            return Err(TrySendError::Disconnected(message));
        }
        let room = state.count < state.capacity && (!self.rendezvous || state.receiver_waits);
        rt.note(|| Note::Tried(room));
        if !room {
            rt.touch_class(object, Access::Read);
            rt.yields();
            return Err(TrySendError::Full(message));
        }
        self.put(rt, object, message);
        Ok(())
    }

    /// A sender finds that nobody will receive: it comes after the receiver's end.
    fn see_receiver_gone(&self, rt: Rt, object: usize) {
        rt.note(|| Note::Disconnected);
        rt.touch_class(object, Access::Read);
        rt.engine().execution.acquire(object, Access::Read);
    }

    fn put(&self, rt: Rt, object: usize, message: T) {
        self.push(message);
        rt.changes_hidden();
        self.order_send(rt);
        rt.touch_class(object, Access::Write);
        let engine = rt.engine();
        engine.objects[object].count += 1;
        engine.refresh(object);
    }

    pub(super) fn recv(&self, source: Source) -> Result<T, RecvError> {
        let (rt, object) = self.enter(source);
        let op = Op::new(OpKind::Recv, ObjectId(object as u32));
        if self.rendezvous {
            self.meet(rt, object, OpKind::Recv, source, || rt.block(op, source));
        } else {
            rt.point_on(op, source);
        }
        if rt.engine().objects[object].count == 0 {
            rt.stall_if_aborting();
        }
        self.take(rt, object).map_err(|_| RecvError)
    }

    /// A sender that only tries must find the receiver waiting: coming to wait is a step of its own.
    fn meet(&self, rt: Rt, object: usize, kind: OpKind, source: Source, wait: impl FnOnce()) {
        rt.point(Op::new(OpKind::Meet, ObjectId(object as u32)), source);
        if !rt.engine().objects[object].allows(kind, rt.current()) {
            rt.touch_class(object, Access::Write);
            rt.engine().objects[object].receiver_waits = true;
            self.order_meeting(rt.engine().execution.release_tag());
            wait();
            self.order_meeting(Tag::default());
            rt.engine().objects[object].receiver_waits = false;
        }
    }

    pub(super) fn recv_timeout(&self, timeout: Duration, source: Source) -> Result<T, RecvTimeoutError> {
        let (rt, object) = self.enter(source);
        let op = |kind| Op::new(kind, ObjectId(object as u32));
        let mut deadline = 0;
        let mut ended = Ended::Enabled;
        let mut wait = || {
            deadline = rt.deadline(timeout);
            let wait = Wait {
                op: op(OpKind::RecvUntil),
                deadline: Some(deadline),
                expires: op(OpKind::RecvExpires),
                wakes: None,
            };
            ended = rt.wait_until(wait, source);
        };
        if self.rendezvous {
            self.meet(rt, object, OpKind::RecvUntil, source, wait);
        } else {
            // Coming to wait is a step of its own, if there is nothing.
            rt.point(op(OpKind::RecvUntil), source);
            if !rt.engine().objects[object].allows(OpKind::RecvUntil, rt.current()) {
                rt.touch_class(object, Access::Read);
                wait();
            }
        }
        // Whatever woke it: what is there now counts.
        match self.take(rt, object) {
            Ok(message) => Ok(message),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {
                debug_assert_eq!(ended, Ended::TimedOut);
                if self.rendezvous {
                    // It waits no longer.
                    rt.touch_class(object, Access::Write);
                }
                rt.advance(deadline);
                Err(RecvTimeoutError::Timeout)
            }
        }
    }

    pub(super) fn try_recv(&self, source: Source) -> Result<T, TryRecvError> {
        let (rt, object) = self.enter(source);
        rt.point(Op::new(OpKind::TryRecv, ObjectId(object as u32)), source);
        let taken = self.take(rt, object);
        match taken {
            Ok(_) => rt.note(|| Note::Tried(true)),
            Err(TryRecvError::Empty) => rt.yields(),
            Err(TryRecvError::Disconnected) => {}
        }
        taken
    }

    fn take(&self, rt: Rt, object: usize) -> Result<T, TryRecvError> {
        let Some(message) = self.pop() else {
            rt.touch_class(object, Access::Read);
            let disconnected = rt.engine().objects[object].senders == 0;
            if disconnected {
                // After the ends of all senders, which count as reads of the channel.
                rt.engine().execution.acquire(object, Access::Write);
            }
            rt.note(|| if disconnected { Note::Disconnected } else { Note::Tried(false) });
            return Err(if disconnected { TryRecvError::Disconnected } else { TryRecvError::Empty });
        };
        rt.touch_class(object, Access::Write);
        let bounded = !self.rendezvous && rt.engine().objects[object].capacity != usize::MAX;
        let taken = self.order_receive(rt, bounded);
        let state = &mut rt.engine().objects[object];
        state.count -= 1;
        if self.rendezvous && !state.queue.is_empty() {
            let sender = state.queue.remove(0);
            rt.woke(sender, object);
            rt.engine().tasks[sender.index()].woken_tag = taken;
        }
        rt.engine().refresh(object);
        Ok(message)
    }

    pub(super) fn add_sender(&self, source: Source) {
        let (rt, object) = self.enter(source);
        rt.engine().objects[object].senders += 1;
    }

    /// A sender is dropped; the last one disconnects.
    pub(super) fn drop_sender(&self, source: Source) {
        if let Some((rt, object)) = self.try_enter_to_drop(source) {
            rt.point_then(Op::new(OpKind::DropSender, ObjectId(object as u32)), source, || {
                rt.touch_class(object, Access::Write);
                let engine = rt.engine();
                engine.execution.release(object, Access::Read);
                engine.objects[object].senders -= 1;
                engine.refresh(object);
            });
        }
    }

    pub(super) fn drop_receiver(&self, source: Source) {
        if let Some((rt, object)) = self.try_enter_to_drop(source) {
            rt.point_then(Op::new(OpKind::DropReceiver, ObjectId(object as u32)), source, || {
                rt.touch_class(object, Access::Write);
                let engine = rt.engine();
                engine.execution.release(object, Access::Write);
                engine.objects[object].receiver_gone = true;
                engine.refresh(object);
            });
            // A rendezvous sender takes its own message back; all others are lost.
            if !self.rendezvous {
                while let Some(message) = self.pop() {
                    // Its destructor comes after its sender, as who receives it would.
                    self.order_receive(rt, false);
                    drop(message);
                }
            }
        }
    }
}
