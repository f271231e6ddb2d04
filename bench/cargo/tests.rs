//! The tests that `bench cargo` measures: bodies of bodies.rs with the types of std.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
use std::thread;

include!("bodies.rs");

macro_rules! tests {
    ($($name:ident)*) => {
        #[cfg(test)]
        mod tests {
            $(
                #[test]
                fn $name() {
                    super::$name();
                }
            )*
        }
    };
}

tests!(mutex channel condvar scoped rwlock barrier);
