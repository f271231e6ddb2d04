//! Mistakes in how the library is used. Each message says what happened and what to do.

use std::fmt;

use caissa_core::ObjectKind;

use super::Source;

/// A use of the library that makes an exploration meaningless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// An object that an earlier execution changed is used by a later one.
    Changed {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// A lock that an earlier execution left locked is used by a later one.
    LeftLocked {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// An object belongs to an execution that is over.
    OtherExecution {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// An object was made outside any check and can only be used there.
    MadeOutside {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// Another running check, or another worker of this one, uses the object.
    SharedWithOtherCheck {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// A thread outside the check holds the object.
    HeldOutside {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// A thread that is no task of the check used an object of it.
    UsedFromOutside {
        /// What it is.
        kind: ObjectKind,
        /// Where it is used.
        source: Source,
    },
    /// A delaying scheduler that the user wrote has panicked.
    SchedulerPanicked {
        /// Its registered name.
        name: String,
        /// What it panicked with.
        message: String,
    },
    /// The closure given to [`state`](crate::state) did something else than look.
    StateHookActs {
        /// What it did.
        what: String,
        /// Where it was given.
        hook: Source,
    },
    /// The closure given to [`state`](crate::state) panicked.
    StateHookPanicked {
        /// What it panicked with.
        message: String,
        /// Where.
        place: String,
        /// Where it was given.
        hook: Source,
    },
    /// A check was started inside a check.
    NestedCheck,
    /// More objects in one execution than there are numbers.
    TooManyObjects,
    /// The system gives no memory for another stack.
    NoStack {
        /// Its size in bytes.
        size: usize,
        /// How many stacks there are already.
        tasks: usize,
        /// What the system said.
        error: String,
    },
    /// Executions could not be unwound, again and again.
    StacksAbandoned {
        /// How many stacks were left as they were.
        count: u32,
    },
    /// A moment of virtual time was used with one of real time.
    MixedTimes {
        /// Where.
        source: Source,
    },
    /// `choose` among no values, or among more than there are numbers for.
    NothingToChoose {
        /// Among how many.
        count: usize,
        /// Where.
        source: Source,
    },
    /// A scope of `preempt_only` that the first execution did not have.
    LateScope {
        /// Where.
        source: Source,
    },
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misuse::Changed { kind, source } => write!(
                f,
                "the {} used at {source} outlives an execution, and an earlier execution has changed it. Every execution \
                 must start from the same state. If it is a static, make it a local of the closure (or a \
                 `caissa::thread_local!`, which is made anew for each execution); if the closure captures it, make it inside \
                 the closure; if it is meant to collect results over all executions, use std's type",
                kind.word()
            ),
            Misuse::LeftLocked { kind, source } => write!(
                f,
                "the {} used at {source} outlives an execution, and an earlier execution has left it locked: its guard was \
                 forgotten, leaked, or kept somewhere outside the closure. Drop guards before the closure and its tasks end",
                kind.word()
            ),
            Misuse::OtherExecution { kind, source } => write!(
                f,
                "the {} used at {source} belongs to another execution, which is over. Make it inside the closure, and do \
                 not keep it in a static or outside the closure",
                kind.word()
            ),
            Misuse::MadeOutside { kind, source } => write!(
                f,
                "the {} used at {source} was made outside the check. Make it inside the closure; to hand results to the \
                 outside, use std's type",
                kind.word()
            ),
            Misuse::SharedWithOtherCheck { kind, source } => write!(
                f,
                "the {} used at {source} is used by another running check or by another worker of this one at the same \
                 time. Make it inside the closure, or run with one worker and one test thread",
                kind.word()
            ),
            Misuse::HeldOutside { kind, source } => write!(
                f,
                "the {} used at {source} is in use by a thread that the check does not control. Start threads with \
                 `caissa::thread::spawn` inside the closure",
                kind.word()
            ),
            Misuse::UsedFromOutside { kind, source } => write!(
                f,
                "the {} used at {source} belongs to a check that is running, and the thread that used it is not one of its \
                 tasks. Inside a check, start threads with `caissa::thread::spawn`, not with `std::thread::spawn` or a \
                 thread pool",
                kind.word()
            ),
            Misuse::SchedulerPanicked { name, message } => {
                write!(f, "the scheduler `{name}` panicked: {message}. It must answer every call of give, take and delay")
            }
            Misuse::StateHookActs { what, hook } => write!(
                f,
                "the closure given to `caissa::state` at {hook} {what}. It may only look: `load` of atomics, `try_lock` and \
                 `try_read` of locks, `UnsafeCell::with`. What else belongs to the state must be kept in std's types"
            ),
            Misuse::StateHookPanicked { message, place, hook } => write!(
                f,
                "the closure given to `caissa::state` at {hook} panicked at {place}: {message}. It is called at every scheduling \
                 point, wherever the tasks are then, and must have an answer at each"
            ),
            Misuse::NestedCheck => f.write_str(
                "a check was started inside a check. Take the inner one out: everything that the closure does, in any \
                 task, is already explored",
            ),
            Misuse::TooManyObjects => {
                f.write_str("one execution used more than 1,048,576 objects. Make the test smaller")
            }
            Misuse::NoStack { size, tasks, error } => write!(
                f,
                "the system gives no stack of {size} bytes for a task ({error}); there are {tasks} already. Set a smaller \
                 `stack_size` (CAISSA_STACK_SIZE), or use fewer tasks"
            ),
            Misuse::StacksAbandoned { count } => write!(
                f,
                "{count} executions that ended early could not be unwound: a destructor of the program waits, for a join or a \
                 message that will not come any more, and its stack had to be abandoned. Let destructors not wait, or use a search \
                 that cuts no executions (preemptions or delays)"
            ),
            Misuse::MixedTimes { source } => write!(
                f,
                "at {source} an `Instant` of inside a check meets one of outside. Time inside a check is virtual and begins \
                 anew with each execution: take both with `caissa::time::Instant::now()` inside the closure"
            ),
            Misuse::NothingToChoose { count, source } => {
                write!(f, "`choose({count})` at {source}: give it at least 1, and at most {}", u32::MAX)
            }
            Misuse::LateScope { source } => write!(
                f,
                "the guard of `preempt_only()` at {source} is the first one, and the first execution came to none: until now \
                 preemptions were explored everywhere, from now on only in such scopes. Let every execution come to one, for \
                 instance by `drop(caissa::preempt_only())` at the beginning of the closure"
            ),
        }
    }
}

impl std::error::Error for Misuse {}
