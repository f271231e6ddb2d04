//! Kinds of operations and of objects, with what is known of each.

/// What sort of thing an object is; only names and messages depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum ObjectKind {
    /// A task itself: spawn, join, park, unpark and end refer to it by its [`crate::TaskId`].
    Task,
    /// A mutual-exclusion lock.
    Mutex,
    /// A reader-writer lock.
    RwLock,
    /// A condition variable.
    Condvar,
    /// A barrier.
    Barrier,
    /// An atomic variable.
    Atomic,
    /// A channel.
    Channel,
    /// A scope that waits for the tasks spawned in it.
    Scope,
    /// A thread that async tasks share: one of them runs at a time.
    LocalSet,
    /// An async mutual-exclusion lock.
    AsyncMutex,
    /// An async reader-writer lock.
    AsyncRwLock,
    /// An async semaphore.
    Semaphore,
    /// An async notification.
    Notify,
    /// A channel for one message.
    Oneshot,
    /// An async channel of many senders and one receiver.
    AsyncChannel,
    /// An async channel whose every receiver gets every message.
    Broadcast,
    /// An async channel that keeps the last value.
    Watch,
    /// An async barrier.
    AsyncBarrier,
    /// A cell that an async task sets once.
    OnceCell,
    /// Something that is done once: a `Once`, `OnceLock` or `LazyLock`.
    Once,
    /// A cell of plain memory.
    Cell,
    /// A statement of a model.
    Statement,
    /// A word that a native program waits at by system calls.
    Futex,
    /// A file descriptor of a native program.
    File,
    /// The keys of thread-specific data.
    Keys,
}

impl ObjectKind {
    /// Every kind, in the order of its number; used by encodings.
    pub const ALL: &'static [ObjectKind] = &[
        ObjectKind::Task,
        ObjectKind::Mutex,
        ObjectKind::RwLock,
        ObjectKind::Condvar,
        ObjectKind::Barrier,
        ObjectKind::Atomic,
        ObjectKind::Channel,
        ObjectKind::Scope,
        ObjectKind::LocalSet,
        ObjectKind::AsyncMutex,
        ObjectKind::AsyncRwLock,
        ObjectKind::Semaphore,
        ObjectKind::Notify,
        ObjectKind::Oneshot,
        ObjectKind::AsyncChannel,
        ObjectKind::Broadcast,
        ObjectKind::Watch,
        ObjectKind::AsyncBarrier,
        ObjectKind::OnceCell,
        ObjectKind::Once,
        ObjectKind::Cell,
        ObjectKind::Statement,
        ObjectKind::Futex,
        ObjectKind::File,
        ObjectKind::Keys,
    ];

    /// The word used in reports.
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Task => "task",
            ObjectKind::Mutex => "mutex",
            ObjectKind::RwLock => "rwlock",
            ObjectKind::Condvar => "condvar",
            ObjectKind::Barrier => "barrier",
            ObjectKind::Atomic => "atomic",
            ObjectKind::Channel => "channel",
            ObjectKind::Scope => "scope",
            ObjectKind::LocalSet => "local set",
            ObjectKind::AsyncMutex => "async mutex",
            ObjectKind::AsyncRwLock => "async rwlock",
            ObjectKind::Semaphore => "semaphore",
            ObjectKind::Notify => "notify",
            ObjectKind::Oneshot => "oneshot",
            ObjectKind::AsyncChannel => "async channel",
            ObjectKind::Broadcast => "broadcast",
            ObjectKind::Watch => "watch",
            ObjectKind::AsyncBarrier => "async barrier",
            ObjectKind::OnceCell => "once cell",
            ObjectKind::Once => "once",
            ObjectKind::Cell => "cell",
            ObjectKind::Statement => "statement",
            ObjectKind::Futex => "futex",
            ObjectKind::File => "fd",
            ObjectKind::Keys => "keys",
        }
    }
}

macro_rules! op_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal on $object:ident),* $(,)?) => {
        /// What an operation does. The word of each kind appears in reports and trace files.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(u8)]
        pub enum OpKind { $($(#[$doc])* $name),* }

        impl OpKind {
            /// Every kind, in the order of its number; used by encodings.
            pub const ALL: &'static [OpKind] = &[$(OpKind::$name),*];

            /// The word used in reports and trace files.
            pub fn word(self) -> &'static str {
                match self { $(OpKind::$name => $word),* }
            }

            /// The kind of object that the operation's `object` field names.
            pub fn object_kind(self) -> ObjectKind {
                match self { $(OpKind::$name => ObjectKind::$object),* }
            }
        }
    };
}

op_kinds! {
    /// Start of a task; no point by default, see docs/soundness.md.
    Start = "start" on Task,
    /// End of a task.
    End = "end" on Task,
    /// Creation of a task.
    Spawn = "spawn" on Task,
    /// Waiting for a task to end.
    Join = "join" on Task,
    /// Asking whether a task has ended.
    IsFinished = "is_finished" on Task,
    /// Waiting for this task's own token.
    Park = "park" on Task,
    /// Making another task's token available.
    Unpark = "unpark" on Task,
    /// Waiting for this task's own token, for some time.
    ParkUntil = "park_timeout" on Task,
    /// The time of a park has passed.
    ParkExpires = "time out" on Task,
    /// A park returns for no reason.
    ParkWakes = "wake by itself" on Task,
    /// Saying that this task makes no progress by itself.
    Yield = "yield" on Task,
    /// Waiting in a loop.
    Spin = "spin_loop" on Task,
    /// Beginning to sleep, which reads the clock.
    Sleep = "sleep" on Task,
    /// Having slept.
    WakeUp = "wake up" on Task,
    /// Reading the clock.
    Now = "read the clock" on Task,
    /// A fault: a wait times out although something else could happen first.
    MayTimeOut = "may time out early" on Task,
    /// A fault: a wait ends for no reason.
    MayWake = "may wake by itself" on Task,
    /// A fault: a weak compare-exchange fails for no reason.
    MayFail = "may fail for no reason" on Atomic,
    /// A data choice.
    Choose = "choose" on Task,
    /// Acquiring a mutex; disabled while it is held.
    Lock = "lock" on Mutex,
    /// Trying to acquire a mutex.
    TryLock = "try_lock" on Mutex,
    /// Releasing a mutex.
    Unlock = "unlock" on Mutex,
    /// Acquiring a mutex again after a condvar wait.
    Relock = "lock again" on Mutex,
    /// Asking whether a mutex is poisoned.
    IsPoisoned = "is_poisoned" on Mutex,
    /// Making a mutex not poisoned.
    ClearPoison = "clear_poison" on Mutex,
    /// Asking whether a rwlock is poisoned.
    IsRwPoisoned = "is_poisoned" on RwLock,
    /// Making a rwlock not poisoned.
    ClearRwPoison = "clear_poison" on RwLock,
    /// Acquiring a rwlock for reading.
    Read = "read" on RwLock,
    /// Trying to acquire a rwlock for reading.
    TryRead = "try_read" on RwLock,
    /// Acquiring a rwlock for writing.
    Write = "write" on RwLock,
    /// Trying to acquire a rwlock for writing.
    TryWrite = "try_write" on RwLock,
    /// Releasing a rwlock held for reading.
    ReadUnlock = "unlock read" on RwLock,
    /// Releasing a rwlock held for writing.
    WriteUnlock = "unlock write" on RwLock,
    /// Releasing a mutex and waiting for a notification, in one step.
    Wait = "wait" on Condvar,
    /// As `Wait`, for some time.
    WaitUntil = "wait_timeout" on Condvar,
    /// The time of a wait has passed: the task waits for a notification no longer, and for its mutex next.
    WaitExpires = "time out" on Condvar,
    /// A wait ends for no reason; the task waits for its mutex next.
    WaitWakes = "wake by itself" on Condvar,
    /// Waking one waiting task.
    NotifyOne = "notify_one" on Condvar,
    /// Waking all waiting tasks.
    NotifyAll = "notify_all" on Condvar,
    /// Arriving at a barrier.
    Arrive = "arrive" on Barrier,
    /// Leaving a barrier; disabled until all have arrived.
    Leave = "leave" on Barrier,
    /// Reading an atomic.
    Load = "load" on Atomic,
    /// Writing an atomic.
    Store = "store" on Atomic,
    /// Reading and writing an atomic in one step.
    Rmw = "update" on Atomic,
    /// Comparing and exchanging.
    CompareExchange = "compare_exchange" on Atomic,
    /// A memory fence; touches no object.
    Fence = "fence" on Task,
    /// Sending to a channel; disabled while it is full.
    Send = "send" on Channel,
    /// Trying to send.
    TrySend = "try_send" on Channel,
    /// Receiving; disabled while the channel is empty and can still be sent to.
    Recv = "recv" on Channel,
    /// Receiving, for some time; disabled as `Recv`.
    RecvUntil = "recv_timeout" on Channel,
    /// The time of a receive has passed.
    RecvExpires = "time out" on Channel,
    /// Coming to receive from a rendezvous channel, whether or not a sender is there.
    Meet = "come to recv" on Channel,
    /// Trying to receive.
    TryRecv = "try_recv" on Channel,
    /// Waiting until a message of a rendezvous channel has been taken.
    Handover = "hand over" on Channel,
    /// Dropping a sender.
    DropSender = "drop sender" on Channel,
    /// Dropping the receiver.
    DropReceiver = "drop receiver" on Channel,
    /// Turning a rwlock held for writing into one held for reading.
    Downgrade = "downgrade" on RwLock,
    /// Doing something once; disabled while another task does it.
    CallOnce = "call_once" on Once,
    /// Making a value once, if there is none; disabled while another task does it.
    GetOrInit = "get_or_init" on Once,
    /// Making the value of a lazy lock, if there is none; disabled while another task does it.
    Force = "force" on Once,
    /// What is done once has been done, or its task has panicked.
    OnceDone = "done" on Once,
    /// Asking whether it has been done.
    IsCompleted = "is_completed" on Once,
    /// Looking whether there is a value.
    GetOnce = "get" on Once,
    /// Waiting until it has been done or has failed.
    AwaitOnce = "wait" on Once,
    /// Waiting until it has been done.
    AwaitOnceForce = "wait_force" on Once,
    /// Reading a cell; a point where that was asked for.
    CellRead = "read" on Cell,
    /// Writing a cell; a point where that was asked for.
    CellWrite = "write" on Cell,
    /// Waiting for all tasks of a scope.
    ScopeEnd = "end scope" on Scope,
    /// Waiting for this task's waker; polling its future then.
    Await = "await" on Task,
    /// A timer that the task has waited for is due.
    AwaitExpires = "time out" on Task,
    /// Asking whether a timer is due, and leaving a waker.
    PollTimer = "poll timer" on Task,
    /// Waking the async task that a waker belongs to.
    Wake = "wake" on Task,
    /// Cancelling an async task.
    Abort = "abort" on Task,
    /// Asking an async task for its result, and leaving a waker.
    PollJoin = "poll join of" on Task,
    /// Acquiring an async mutex, or coming to wait for it.
    AsyncLock = "lock" on AsyncMutex,
    /// Trying to acquire an async mutex.
    AsyncTryLock = "try_lock" on AsyncMutex,
    /// Releasing an async mutex.
    AsyncUnlock = "unlock" on AsyncMutex,
    /// Giving up waiting for an async mutex.
    CancelLock = "give up waiting for" on AsyncMutex,
    /// Acquiring an async rwlock for reading, or coming to wait for it.
    AsyncRead = "read" on AsyncRwLock,
    /// Acquiring an async rwlock for writing, or coming to wait for it.
    AsyncWrite = "write" on AsyncRwLock,
    /// Trying to acquire an async rwlock for reading.
    AsyncTryRead = "try_read" on AsyncRwLock,
    /// Trying to acquire an async rwlock for writing.
    AsyncTryWrite = "try_write" on AsyncRwLock,
    /// Releasing an async rwlock held for reading.
    AsyncReadUnlock = "unlock read" on AsyncRwLock,
    /// Releasing an async rwlock held for writing.
    AsyncWriteUnlock = "unlock write" on AsyncRwLock,
    /// Turning a lock for writing into one for reading.
    AsyncDowngrade = "downgrade" on AsyncRwLock,
    /// Giving up waiting for an async rwlock.
    CancelRwLock = "give up waiting for" on AsyncRwLock,
    /// Acquiring permits, or coming to wait for them.
    Acquire = "acquire" on Semaphore,
    /// Trying to acquire permits.
    TryAcquire = "try_acquire" on Semaphore,
    /// Giving permits back, or adding some.
    Release = "release" on Semaphore,
    /// Taking permits away for ever.
    ForgetPermits = "forget_permits" on Semaphore,
    /// Closing a semaphore.
    CloseSemaphore = "close" on Semaphore,
    /// Asking for the state of a semaphore.
    LookAtSemaphore = "look at" on Semaphore,
    /// Giving up waiting for permits.
    CancelAcquire = "give up waiting for" on Semaphore,
    /// Making a future that waits for a notification.
    Notified = "notified" on Notify,
    /// Waiting for a notification, or getting it.
    PollNotified = "wait for" on Notify,
    /// Notifying one waiter, or the next one to come.
    AsyncNotifyOne = "notify_one" on Notify,
    /// Notifying the waiter that came last, or the next one to come.
    AsyncNotifyLast = "notify_last" on Notify,
    /// Notifying all who wait now.
    NotifyWaiters = "notify_waiters" on Notify,
    /// Giving up waiting for a notification.
    CancelNotified = "give up waiting for" on Notify,
    /// Sending the one message.
    OneshotSend = "send" on Oneshot,
    /// Receiving the one message, or coming to wait for it.
    OneshotRecv = "recv" on Oneshot,
    /// Trying to receive the one message.
    OneshotTryRecv = "try_recv" on Oneshot,
    /// Closing the channel from the receiving side.
    OneshotClose = "close" on Oneshot,
    /// Asking whether the receiver is gone.
    OneshotIsClosed = "is_closed" on Oneshot,
    /// Waiting until the receiver is gone.
    OneshotClosed = "wait for close of" on Oneshot,
    /// Dropping the sender before it sent.
    OneshotDropSender = "drop sender" on Oneshot,
    /// Dropping the receiver.
    OneshotDropReceiver = "drop receiver" on Oneshot,
    /// Sending to an async channel that has room for all.
    AsyncSend = "send" on AsyncChannel,
    /// Trying to send to an async channel, or to reserve room.
    AsyncTrySend = "try_send" on AsyncChannel,
    /// Reserving room in an async channel, or coming to wait for it.
    AsyncReserve = "reserve" on AsyncChannel,
    /// Giving reserved room back.
    AsyncUnreserve = "give back room of" on AsyncChannel,
    /// Giving up waiting for room.
    CancelReserve = "give up waiting for" on AsyncChannel,
    /// Receiving from an async channel, or coming to wait for a message.
    AsyncRecv = "recv" on AsyncChannel,
    /// Trying to receive from an async channel.
    AsyncTryRecv = "try_recv" on AsyncChannel,
    /// Closing an async channel from the receiving side.
    AsyncClose = "close" on AsyncChannel,
    /// Asking for the state of an async channel.
    LookAtChannel = "look at" on AsyncChannel,
    /// Waiting until the receiver of an async channel is gone.
    AsyncClosed = "wait for close of" on AsyncChannel,
    /// Making another sender, or one of a weak one.
    AsyncAddSender = "add sender to" on AsyncChannel,
    /// Dropping a sender of an async channel.
    AsyncDropSender = "drop sender" on AsyncChannel,
    /// Dropping the receiver of an async channel.
    AsyncDropReceiver = "drop receiver" on AsyncChannel,
    /// Sending to all receivers.
    BroadcastSend = "send" on Broadcast,
    /// Receiving from a broadcast, or coming to wait for a message.
    BroadcastRecv = "recv" on Broadcast,
    /// Trying to receive from a broadcast.
    BroadcastTryRecv = "try_recv" on Broadcast,
    /// Making another receiver.
    BroadcastSubscribe = "subscribe to" on Broadcast,
    /// Asking for the state of a broadcast.
    LookAtBroadcast = "look at" on Broadcast,
    /// Dropping a sender of a broadcast.
    BroadcastDropSender = "drop sender" on Broadcast,
    /// Dropping a receiver of a broadcast.
    BroadcastDropReceiver = "drop receiver" on Broadcast,
    /// Making a new version of the value known.
    WatchSend = "send" on Watch,
    /// Waiting for a version that was not seen.
    WatchChanged = "wait for change of" on Watch,
    /// Asking for the state of a watch, or marking a version as seen.
    LookAtWatch = "look at" on Watch,
    /// Waiting until all receivers are gone.
    WatchClosed = "wait for close of" on Watch,
    /// Making another receiver or sender.
    WatchSubscribe = "subscribe to" on Watch,
    /// Dropping a sender of a watch.
    WatchDropSender = "drop sender" on Watch,
    /// Dropping a receiver of a watch.
    WatchDropReceiver = "drop receiver" on Watch,
    /// Arriving at an async barrier, or seeing that all have.
    AsyncArrive = "wait at" on AsyncBarrier,
    /// Looking into a cell.
    OnceGet = "get" on OnceCell,
    /// Setting a cell, or coming to wait for who sets it.
    OnceSet = "set" on OnceCell,
    /// Giving up setting a cell.
    OnceGiveUp = "give up setting" on OnceCell,
    /// Dropping the handle of a task that was not joined and whose result has to be dropped.
    DropHandle = "drop handle of" on Task,
    /// Reading the clock to know when a timer is due.
    SetTimer = "set timer" on Task,
    /// Taking a pointer to what is in a cell, which counts as writing it; a point where that was asked for.
    CellGet = "get" on Cell,
    /// Going on with a statement of a model.
    Statement = "step" on Statement,
    /// Acquiring a mutex, for some time; disabled while it is held.
    LockUntil = "timed lock" on Mutex,
    /// The time for a mutex has passed.
    LockExpires = "time out" on Mutex,
    /// Acquiring a rwlock for reading, for some time.
    ReadUntil = "timed read" on RwLock,
    /// Acquiring a rwlock for writing, for some time.
    WriteUntil = "timed write" on RwLock,
    /// The time for a rwlock has passed.
    RwExpires = "time out" on RwLock,
    /// Taking one from a native semaphore; disabled while there is none.
    SemWait = "wait" on Semaphore,
    /// As `SemWait`, for some time.
    SemWaitUntil = "timed wait" on Semaphore,
    /// The time for a semaphore has passed.
    SemExpires = "time out" on Semaphore,
    /// Taking one from a native semaphore if there is one.
    SemTryWait = "try_wait" on Semaphore,
    /// Adding one to a native semaphore.
    SemPost = "post" on Semaphore,
    /// Asking for the value of a native semaphore.
    SemValue = "value of" on Semaphore,
    /// Looking at a futex, and waiting there if it has not changed.
    FutexWait = "wait" on Futex,
    /// As `FutexWait`, for some time.
    FutexWaitUntil = "timed wait" on Futex,
    /// The time for a futex has passed.
    FutexExpires = "time out" on Futex,
    /// Going on after having been woken at a futex.
    FutexWoken = "woken" on Futex,
    /// A wait at a futex ends for no reason.
    FutexWakes = "wake by itself" on Futex,
    /// Waking who waits at a futex.
    FutexWake = "wake" on Futex,
    /// Using a file; disabled until that does not block.
    Io = "use" on File,
    /// As `Io`, for some time.
    IoUntil = "poll" on File,
    /// The time for a file has passed.
    IoExpires = "time out" on File,
    /// The end of the process.
    Exit = "exit" on Task,
    /// Asking a thread to end.
    Cancel = "cancel" on Task,
    /// Destroying a thread's values of keys that have destructors.
    DestroyValues = "destroy values of" on Keys,
    /// Deleting a key.
    DeleteKey = "delete from" on Keys,
}
