//! The programs, once for each checker: the same text of corpus/rust, with that checker's types in scope.
//!
//! `Arc` is std's for all. Caissa and shuttle re-export it; loom has one of its own with more scheduling points, which
//! would make loom do work that the others do not.

macro_rules! corpus {
    ($path:literal) => {
        include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/rust/", $path));
    };
}

macro_rules! programs {
    ($checker:ident) => {
        pub mod $checker {
            #[allow(unused_imports)]
            mod types {
                pub use ::$checker::sync::atomic::{AtomicUsize, Ordering, fence};
                pub use ::$checker::sync::{Condvar, Mutex, RwLock};
                pub use ::$checker::thread;
                pub use std::sync::Arc;
            }

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
        }
    };
}

programs!(caissa);
programs!(loom);
programs!(shuttle);

/// One program under every checker.
pub struct Program {
    /// The short name and the corpus's name.
    pub name: &'static str,
    pub caissa: fn(),
    pub loom: fn(),
    pub shuttle: fn(),
}

pub const PROGRAMS: [Program; 4] = [
    Program {
        name: "a mutex_increments",
        caissa: caissa::a::mutex_increments,
        loom: loom::a::mutex_increments,
        shuttle: shuttle::a::mutex_increments,
    },
    Program {
        name: "b fetch_add_shared",
        caissa: caissa::b::fetch_add_shared,
        loom: loom::b::fetch_add_shared,
        shuttle: shuttle::b::fetch_add_shared,
    },
    Program {
        name: "e work_stealing_queue",
        caissa: caissa::e::work_stealing_queue,
        loom: loom::e::work_stealing_queue,
        shuttle: shuttle::e::work_stealing_queue,
    },
    Program {
        name: "h4 rmw_4x10",
        caissa: caissa::h4::rmw_4x10,
        loom: loom::h4::rmw_4x10,
        shuttle: shuttle::h4::rmw_4x10,
    },
];
