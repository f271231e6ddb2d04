//! Thread-local values: one for each task, made anew in each execution.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;

use crate::cell::{Cell as OurCell, RefCell as OurRefCell};
use crate::rt;

/// A thread-local key, declared by [`crate::thread_local!`]; see [`std::thread::LocalKey`].
pub struct LocalKey<T: 'static> {
    outside: &'static std::thread::LocalKey<T>,
    init: fn() -> T,
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(outside: &'static std::thread::LocalKey<T>, init: fn() -> T) -> LocalKey<T> {
        LocalKey { outside, init }
    }

    /// Calls `f` with this task's value, which is made at the first use.
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.try_with(f).expect("cannot access a Thread Local Storage value during or after destruction")
    }

    /// As [`LocalKey::with`]; fails if the value is being destroyed or has been.
    ///
    /// # Errors
    /// If this task is ending and its value is gone.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        let Some(rt) = rt::current() else { return self.outside.try_with(f).map_err(|_| AccessError) };
        let key = std::ptr::from_ref(self) as usize;
        let task = rt.current().index();
        let locals = || rt.engine().tasks[task].locals.get_or_insert_default();
        if std::mem::needs_drop::<T>() && locals().destroyed.contains(&key) {
            return Err(AccessError);
        }
        let made = locals().values.contains_key(&key);
        if !made {
            // Runs the program's code, which may use this key and others.
            let value: Box<dyn Any> = Box::new((self.init)());
            locals().values.insert(key, value);
            locals().order.push(key);
        }
        let value = locals().values.get(&key).and_then(|value| value.downcast_ref::<T>());
        let value: *const T = value.expect("it was made just now, with this type");
        // SAFETY: the value is boxed and lives until its task ends; this is that task.
        Ok(f(unsafe { &*value }))
    }
}

/// What keys of cells can do; for std's cells and for ours.
macro_rules! cell_keys {
    ($($cell:ident, $ref_cell:ident;)*) => { $(
        impl<T: 'static> LocalKey<$cell<T>> {
            /// Sets the value.
            pub fn set(&'static self, value: T) {
                self.with(|cell| cell.set(value));
            }

            /// A copy of the value.
            pub fn get(&'static self) -> T
            where
                T: Copy,
            {
                self.with(<$cell<T>>::get)
            }

            /// Takes the value and leaves the default.
            pub fn take(&'static self) -> T
            where
                T: Default,
            {
                self.with(<$cell<T>>::take)
            }

            /// Replaces the value and returns the old one.
            pub fn replace(&'static self, value: T) -> T {
                self.with(|cell| cell.replace(value))
            }
        }

        impl<T: 'static> LocalKey<$ref_cell<T>> {
            /// Calls `f` with the value borrowed.
            pub fn with_borrow<F, R>(&'static self, f: F) -> R
            where
                F: FnOnce(&T) -> R,
            {
                self.with(|cell| f(&cell.borrow()))
            }

            /// Calls `f` with the value borrowed mutably.
            pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
            where
                F: FnOnce(&mut T) -> R,
            {
                self.with(|cell| f(&mut cell.borrow_mut()))
            }

            /// Sets the value.
            pub fn set(&'static self, value: T) {
                self.with(|cell| *cell.borrow_mut() = value);
            }

            /// Takes the value and leaves the default.
            pub fn take(&'static self) -> T
            where
                T: Default,
            {
                self.with(<$ref_cell<T>>::take)
            }

            /// Replaces the value and returns the old one.
            pub fn replace(&'static self, value: T) -> T {
                self.with(|cell| cell.replace(value))
            }
        }
    )* };
}

cell_keys! {
    Cell, RefCell;
    OurCell, OurRefCell;
}

/// The thread-local value of a task that is ending is gone; see [`std::thread::AccessError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl std::error::Error for AccessError {}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalKey { .. }")
    }
}

/// Declares thread-local values; see [`std::thread_local!`]. Inside a check each task has its own, and each execution
/// begins without any.
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::thread_local!(@key [$(#[$attr])* $vis] $name, $t, $init);
        $($crate::thread_local!($($rest)*);)?
    };
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = $init:expr $(; $($rest:tt)*)?) => {
        $crate::thread_local!(@key [$(#[$attr])* $vis] $name, $t, $init);
        $($crate::thread_local!($($rest)*);)?
    };
    (@key [$(#[$attr:meta])* $vis:vis] $name:ident, $t:ty, $init:expr) => {
        $(#[$attr])*
        $vis static $name: $crate::thread::LocalKey<$t> = {
            fn __caissa_init() -> $t {
                $init
            }
            ::std::thread_local! { static __CAISSA_OUTSIDE: $t = __caissa_init(); }
            $crate::thread::LocalKey::new(&__CAISSA_OUTSIDE, __caissa_init)
        };
    };
}
