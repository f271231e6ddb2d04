//! The programs, once for each library: the same text of corpus/rust, with that library's types in scope.
//!
//! `Arc` is std's for all. Caissa and shuttle re-export it; loom has one of its own with more scheduling points, which
//! would make loom do work that the others do not.

/// The text of all programs, with the types of `super::types` in scope.
macro_rules! texts {
    () => {
        #[allow(unused_imports)]
        pub mod a {
            use super::types::*;
            corpus!("pass/mutex_increments.rs");
        }

        #[allow(unused_imports)]
        pub mod b {
            use super::types::*;
            corpus!("pass/fetch_add_shared.rs");
        }

        #[allow(unused_imports)]
        pub mod e {
            use super::types::*;
            corpus!("shared/work_stealing_queue.rs");
            corpus!("pass/work_stealing_queue.rs");
        }

        #[allow(unused_imports)]
        pub mod h4 {
            use super::types::*;
            corpus!("pass/rmw_4x10.rs");
        }

        // Loom does not run it.
        #[allow(unused_imports, dead_code)]
        pub mod h6 {
            use super::types::*;
            corpus!("pass/rmw_6x10.rs");
        }
    };
}

macro_rules! corpus {
    ($path:literal) => {
        include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/rust/", $path));
    };
}

/// The programs with the types of one library.
macro_rules! with_types_of {
    ($name:ident, $library:ident) => {
        pub mod $name {
            mod types {
                pub use ::std::sync::Arc;
                pub use ::$library::sync::Mutex;
                pub use ::$library::sync::atomic::{AtomicUsize, Ordering, fence};
                pub use ::$library::thread;
            }
            texts!();
        }
    };
}

/// The programs with the types of one library, in a shell that writes down what they do.
macro_rules! observed_with_types_of {
    ($name:ident, $library:ident) => {
        #[allow(dead_code)]
        pub mod $name {
            mod types {
                pub use ::std::sync::Arc;
                crate::observer::observed_types!($library);
            }
            texts!();
        }
    };
}

with_types_of!(caissa, caissa);
with_types_of!(loom, loom);
with_types_of!(shuttle, shuttle);
with_types_of!(threads, std);
observed_with_types_of!(caissa_observed, caissa);
observed_with_types_of!(loom_observed, loom);

/// std's types, but a spawned task runs at once and to its end: what the program costs by itself.
pub mod body {
    mod types {
        pub use std::sync::atomic::{AtomicUsize, Ordering, fence};
        pub use std::sync::{Arc, Mutex};

        pub mod thread {
            pub struct JoinHandle<T>(T);

            impl<T> JoinHandle<T> {
                pub fn join(self) -> std::thread::Result<T> {
                    Ok(self.0)
                }
            }

            pub fn spawn<T>(task: impl FnOnce() -> T) -> JoinHandle<T> {
                JoinHandle(task())
            }
        }
    }
    texts!();
}

/// One program under every library.
pub struct Program {
    /// The short name and the corpus's name.
    pub name: &'static str,
    pub caissa: fn(),
    pub shuttle: fn(),
    /// `None` where it has more threads than loom runs.
    pub loom: Option<fn()>,
    pub threads: fn(),
    pub body: fn(),
    pub caissa_observed: fn(),
    pub loom_observed: Option<fn()>,
}

impl Program {
    pub fn short(&self) -> &'static str {
        self.name.split(' ').next().expect("a name has a first word")
    }

    pub fn named(name: &str) -> &'static Program {
        PROGRAMS.iter().find(|program| program.short() == name).expect("the program exists")
    }
}

macro_rules! program {
    ($short:ident, $name:ident, $loom:expr, $loom_observed:expr) => {
        Program {
            name: concat!(stringify!($short), " ", stringify!($name)),
            caissa: caissa::$short::$name,
            shuttle: shuttle::$short::$name,
            loom: $loom,
            threads: threads::$short::$name,
            body: body::$short::$name,
            caissa_observed: caissa_observed::$short::$name,
            loom_observed: $loom_observed,
        }
    };
    ($short:ident, $name:ident) => {
        program!($short, $name, Some(loom::$short::$name), Some(loom_observed::$short::$name))
    };
}

pub const PROGRAMS: [Program; 5] = [
    program!(a, mutex_increments),
    program!(b, fetch_add_shared),
    program!(e, work_stealing_queue),
    program!(h4, rmw_4x10),
    program!(h6, rmw_6x10, None, None),
];
