//! Counts happens-before classes from outside, in the same way for every checker.
//!
//! The programs are compiled once more with the checker's types in a shell that writes each operation down just after it
//! took effect. All tasks of an execution run on one OS thread and change only inside an operation, before its effect, so the
//! order written is the order in which they took effect.
//!
//! An execution's class is written as one sequence for each task: of each operation, which object it touched, whether it
//! wrote, and how many writes that object had seen. This says exactly which of two dependent operations came first, and
//! nothing else: two executions have the same sequences if and only if one turns into the other by swapping neighbouring
//! operations of different tasks that touch different objects or only read. What orders nothing (fence, spawn, join, the
//! end of a task) is not written.
//!
//! Loom also explores executions in which a load returns an older value. No interleaving does that, so they are in no class;
//! they are counted apart.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
struct Log {
    tasks: Vec<Vec<(u32, bool, u32)>>,
    objects: Vec<Seen>,
    /// A load returned another value than the last one written.
    stale: bool,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    writes: u32,
    value: usize,
}

thread_local! {
    static LOG: RefCell<Log> = RefCell::default();
    /// The task that runs. Each operation keeps it across the switches that may happen inside.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// What an operation did to its object.
pub enum Effect {
    /// Read this value.
    Read(usize),
    /// Left this value.
    Wrote(usize),
}

/// A new object that holds a value.
pub fn object(value: usize) -> usize {
    LOG.with_borrow_mut(|log| {
        log.objects.push(Seen { writes: 0, value });
        log.objects.len() - 1
    })
}

/// Performs an operation of the running task on an object and writes down its effect.
pub fn operation<R>(object: usize, perform: impl FnOnce() -> R, effect: impl FnOnce(&R) -> Effect) -> R {
    let me = CURRENT.get();
    let result = perform();
    CURRENT.set(me);
    LOG.with_borrow_mut(|log| {
        let seen = &mut log.objects[object];
        let before = seen.writes;
        let write = match effect(&result) {
            Effect::Read(value) => {
                log.stale |= value != seen.value;
                false
            }
            Effect::Wrote(value) => {
                *seen = Seen { writes: before + 1, value };
                true
            }
        };
        log.tasks[me].push((object as u32, write, before));
    });
    result
}

/// Performs what orders nothing but may let other tasks run.
pub fn passage<R>(perform: impl FnOnce() -> R) -> R {
    let me = CURRENT.get();
    let result = perform();
    CURRENT.set(me);
    result
}

/// The number of a new task.
pub fn new_task() -> usize {
    LOG.with_borrow_mut(|log| {
        log.tasks.push(Vec::new());
        log.tasks.len() - 1
    })
}

/// The task that runs is this one.
pub fn enter(task: usize) {
    CURRENT.set(task);
}

/// The classes that a check has covered.
#[derive(Default)]
pub struct Classes {
    /// By hash; among a million the odds that any two agree are one in 40 million.
    seen: HashSet<u64>,
    /// Executions that are in no class.
    pub stale: u64,
}

impl Classes {
    pub fn len(&self) -> u64 {
        self.seen.len() as u64
    }

    pub fn in_common(&self, other: &Classes) -> u64 {
        self.seen.intersection(&other.seen).count() as u64
    }
}

/// Runs one execution of an observed program and adds its class.
pub fn execution(program: fn(), classes: &Mutex<Classes>) {
    LOG.with_borrow_mut(|log| *log = Log { tasks: vec![Vec::new()], ..Log::default() });
    enter(0);
    program();
    let log = LOG.take();
    let mut classes = classes.lock().unwrap_or_else(PoisonError::into_inner);
    if log.stale {
        classes.stale += 1;
    } else {
        let mut hasher = DefaultHasher::new();
        log.tasks.hash(&mut hasher);
        classes.seen.insert(hasher.finish());
    }
}

/// The types that the programs use, of one library, observed.
macro_rules! observed_types {
    ($library:ident) => {
        use crate::observer::{self, Effect};
        use ::std::sync::LockResult;
        use ::$library::sync::atomic::AtomicUsize as Atomic;
        pub use ::$library::sync::atomic::{Ordering, fence};

        pub struct AtomicUsize {
            inner: Atomic,
            object: usize,
        }

        impl AtomicUsize {
            pub fn new(value: usize) -> AtomicUsize {
                AtomicUsize { inner: Atomic::new(value), object: observer::object(value) }
            }

            pub fn load(&self, order: Ordering) -> usize {
                observer::operation(self.object, || self.inner.load(order), |value| Effect::Read(*value))
            }

            pub fn store(&self, value: usize, order: Ordering) {
                observer::operation(self.object, || self.inner.store(value, order), |()| Effect::Wrote(value))
            }

            pub fn fetch_add(&self, more: usize, order: Ordering) -> usize {
                let add = || self.inner.fetch_add(more, order);
                observer::operation(self.object, add, |before| Effect::Wrote(before.wrapping_add(more)))
            }
        }

        pub struct Mutex<T> {
            inner: ::$library::sync::Mutex<T>,
            object: usize,
        }

        impl<T> Mutex<T> {
            pub fn new(value: T) -> Mutex<T> {
                Mutex { inner: ::$library::sync::Mutex::new(value), object: observer::object(0) }
            }

            pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
                let guard = observer::operation(
                    self.object,
                    || self.inner.lock().expect("no task panics with the lock"),
                    |_| Effect::Wrote(1),
                );
                Ok(MutexGuard { inner: Some(guard), object: self.object })
            }
        }

        pub struct MutexGuard<'m, T> {
            /// `None` only while it is dropped.
            inner: Option<::$library::sync::MutexGuard<'m, T>>,
            object: usize,
        }

        impl<T> ::std::ops::Deref for MutexGuard<'_, T> {
            type Target = T;
            fn deref(&self) -> &T {
                self.inner.as_ref().expect("not dropped yet")
            }
        }

        impl<T> ::std::ops::DerefMut for MutexGuard<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                self.inner.as_mut().expect("not dropped yet")
            }
        }

        impl<T> Drop for MutexGuard<'_, T> {
            fn drop(&mut self) {
                let guard = self.inner.take();
                observer::operation(self.object, || drop(guard), |()| Effect::Wrote(0));
            }
        }

        pub mod thread {
            use crate::observer;

            pub struct JoinHandle<T>(::$library::thread::JoinHandle<T>);

            impl<T> JoinHandle<T> {
                pub fn join(self) -> ::std::thread::Result<T> {
                    observer::passage(|| self.0.join())
                }
            }

            pub fn spawn<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
                let number = observer::new_task();
                JoinHandle(observer::passage(|| {
                    ::$library::thread::spawn(move || {
                        observer::enter(number);
                        task()
                    })
                }))
            }
        }
    };
}

pub(crate) use observed_types;

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays an execution of two tasks: (task, object, write).
    fn class_of(steps: &[(usize, usize, bool)]) -> Classes {
        let classes = Mutex::new(Classes::default());
        LOG.set(Log { tasks: vec![Vec::new(); 2], ..Log::default() });
        object(0);
        object(0);
        for &(task, object, write) in steps {
            enter(task);
            operation(object, || (), |()| if write { Effect::Wrote(0) } else { Effect::Read(0) });
        }
        let log = LOG.take();
        let mut hasher = DefaultHasher::new();
        log.tasks.hash(&mut hasher);
        classes.lock().unwrap().seen.insert(hasher.finish());
        classes.into_inner().unwrap()
    }

    fn same(a: &[(usize, usize, bool)], b: &[(usize, usize, bool)]) -> bool {
        class_of(a).in_common(&class_of(b)) == 1
    }

    #[test]
    fn independent_steps_commute_and_dependent_ones_do_not() {
        // Different objects.
        assert!(same(&[(0, 0, true), (1, 1, true)], &[(1, 1, true), (0, 0, true)]));
        // One object, both read.
        assert!(same(&[(0, 0, false), (1, 0, false)], &[(1, 0, false), (0, 0, false)]));
        // One object, one or both write.
        assert!(!same(&[(0, 0, true), (1, 0, false)], &[(1, 0, false), (0, 0, true)]));
        assert!(!same(&[(0, 0, true), (1, 0, true)], &[(1, 0, true), (0, 0, true)]));
        // Two reads on different sides of a write.
        let (read, write, other) = ((0, 0, false), (1, 0, true), (0, 1, true));
        assert!(!same(&[read, write, other], &[write, read, other]));
        assert!(same(&[read, write, other], &[read, other, write]));
    }

    #[test]
    fn a_load_of_an_old_value_is_noticed() {
        LOG.set(Log { tasks: vec![Vec::new()], ..Log::default() });
        let object = object(0);
        enter(0);
        operation(object, || (), |()| Effect::Wrote(1));
        operation(object, || (), |()| Effect::Read(1));
        assert!(!LOG.with_borrow(|log| log.stale));
        operation(object, || (), |()| Effect::Read(0));
        assert!(LOG.with_borrow(|log| log.stale));
    }
}
