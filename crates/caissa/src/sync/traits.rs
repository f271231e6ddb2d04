//! The traits that locks and their guards have in common.

/// Access to the data and its formatting, for a guard with a `lock`.
macro_rules! guard_traits {
    ($guard:ident) => {
        impl<T: ?Sized> std::ops::Deref for $guard<'_, T> {
            type Target = T;
            #[inline]
            fn deref(&self) -> &T {
                // SAFETY: the guard holds the lock, at least for reading.
                unsafe { &*self.lock.data.get() }
            }
        }

        impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }

        impl<T: ?Sized + std::fmt::Display> std::fmt::Display for $guard<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
    ($guard:ident, exclusive) => {
        guard_traits!($guard);

        impl<T: ?Sized> std::ops::DerefMut for $guard<'_, T> {
            #[inline]
            fn deref_mut(&mut self) -> &mut T {
                if self.outside.is_none() {
                    self.lock.home.mark_changed();
                    if let Some(rt) = crate::rt::inside() {
                        rt.changes_hidden();
                    }
                }
                // SAFETY: the guard holds the lock, alone.
                unsafe { &mut *self.lock.data.get() }
            }
        }
    };
}

/// What a lock can do besides locking. `$locked` is what std shows for the data while somebody holds it.
macro_rules! lock_traits {
    ($lock:ident, $try:ident, $locked:expr, $is_poisoned:ident, $clear_poison:ident) => {
        impl<T: ?Sized> $lock<T> {
            /// Whether a task panicked while it held the lock exclusively.
            #[track_caller]
            pub fn is_poisoned(&self) -> bool {
                self.look_at_poison(OpKind::$is_poisoned, Access::Read, Location::caller());
                self.poison.get(&self.home)
            }

            /// Makes the lock not poisoned.
            #[track_caller]
            pub fn clear_poison(&self) {
                self.look_at_poison(OpKind::$clear_poison, Access::Write, Location::caller());
                self.poison.set(&self.home, false);
            }

            fn look_at_poison(&self, kind: OpKind, access: Access, source: Source) {
                if let Some(rt) = rt::current() {
                    let object = self.object(rt, source);
                    rt.point(Op::new(kind, ObjectId(object as u32)), source);
                    rt.touch_class(object, access);
                }
            }
        }

        impl<T: ?Sized> std::panic::UnwindSafe for $lock<T> {}
        impl<T: ?Sized> std::panic::RefUnwindSafe for $lock<T> {}

        impl<T: Default> Default for $lock<T> {
            fn default() -> $lock<T> {
                $lock::new(T::default())
            }
        }

        impl<T> From<T> for $lock<T> {
            fn from(value: T) -> $lock<T> {
                $lock::new(value)
            }
        }

        impl<T: ?Sized + std::fmt::Debug> std::fmt::Debug for $lock<T> {
            /// Inside a check shows no value: looking at it would be an operation of its own.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($lock));
                if crate::rt::inside().is_none() {
                    match self.$try() {
                        Ok(guard) => shown.field("data", &&*guard),
                        Err(std::sync::TryLockError::Poisoned(guard)) => {
                            shown.field("data", &&**guard.get_ref())
                        }
                        Err(std::sync::TryLockError::WouldBlock) => shown.field("data", &$locked),
                    };
                }
                shown.field("poisoned", &self.poison.get(&self.home)).finish_non_exhaustive()
            }
        }
    };
}

pub(super) use {guard_traits, lock_traits};
