//! The types of the mirror implement the traits that std's do, auto traits included, whatever their parameter is.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Whether a type implements a trait.
macro_rules! implements {
    ($type:ty, $($name:tt)*) => {{
        #[allow(dead_code)]
        trait Otherwise {
            const ANSWER: bool = false;
        }
        #[allow(dead_code)]
        struct Asked<T>(std::marker::PhantomData<T>);
        impl<T> Otherwise for Asked<T> {}
        #[allow(dead_code)]
        impl<T: $($name)*> Asked<T> {
            const ANSWER: bool = true;
        }
        <Asked<$type>>::ANSWER
    }};
}

/// For each type and each trait: whether it is implemented.
type Answers = BTreeMap<(&'static str, &'static str), bool>;

macro_rules! answers {
    ($answers:ident: $($type:ty;)*) => { $(
        answers!(@traits $answers, $type,
            Send, Sync, Unpin, std::panic::UnwindSafe, std::panic::RefUnwindSafe, std::fmt::Debug, std::fmt::Display,
            std::fmt::Pointer, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, std::hash::Hash, std::error::Error,
            Iterator, IntoIterator, std::ops::Deref, std::ops::DerefMut, From<X>, From<u8>, From<bool>,
            std::ops::Add<std::time::Duration>, std::ops::Sub<std::time::Duration>, std::ops::Sub,
            std::ops::AddAssign<std::time::Duration>, std::ops::SubAssign<std::time::Duration>);
    )* };
    (@traits $answers:ident, $type:ty, $($trait:path),*) => {
        $($answers.insert((stringify!($type), stringify!($trait)), implements!($type, $trait));)*
    };
}

macro_rules! compare {
    ($name:ident, $parameter:ty) => {
        #[test]
        fn $name() {
            type X = $parameter;
            macro_rules! of_types {
                () => {{
                    let mut answers = Answers::new();
                    answers! { answers:
                        cell::UnsafeCell<X>;
                        cell::Cell<X>;
                        cell::RefCell<X>;
                        cell::OnceCell<X>;
                        sync::Barrier;
                        sync::BarrierWaitResult;
                        sync::Condvar;
                        sync::WaitTimeoutResult;
                        sync::LazyLock<X>;
                        sync::LazyLock<u8, X>;
                        sync::Mutex<X>;
                        sync::MutexGuard<'static, X>;
                        sync::Once;
                        sync::OnceState;
                        sync::OnceLock<X>;
                        sync::RwLock<X>;
                        sync::RwLockReadGuard<'static, X>;
                        sync::RwLockWriteGuard<'static, X>;
                        sync::atomic::AtomicBool;
                        sync::atomic::AtomicU8;
                        sync::atomic::AtomicIsize;
                        sync::atomic::AtomicPtr<X>;
                        sync::mpsc::Sender<X>;
                        sync::mpsc::SyncSender<X>;
                        sync::mpsc::Receiver<X>;
                        sync::mpsc::Iter<'static, X>;
                        sync::mpsc::TryIter<'static, X>;
                        sync::mpsc::IntoIter<X>;
                        thread::AccessError;
                        thread::Builder;
                        thread::JoinHandle<X>;
                        thread::LocalKey<X>;
                        thread::Scope<'static, 'static>;
                        thread::ScopedJoinHandle<'static, X>;
                        thread::Thread;
                        thread::ThreadId;
                        time::Instant;
                    }
                    answers
                }};
            }
            fn with_std() -> Answers {
                use std::{cell, sync, thread, time};
                of_types!()
            }
            fn with_caissa() -> Answers {
                use caissa::{cell, sync, thread, time};
                of_types!()
            }
            let (expected, ours) = (with_std(), with_caissa());
            let differ: Vec<_> = expected.iter().filter(|(key, answer)| ours[*key] != **answer).collect();
            assert!(differ.is_empty(), "with {} std's answers are {differ:#?}", stringify!($parameter));
        }
    };
}

compare!(of_a_plain_value, u8);
compare!(of_what_cannot_be_shared, Cell<u8>);
compare!(of_what_cannot_be_sent, Rc<u8>);
compare!(of_what_can_be_shared_and_not_sent, std::sync::MutexGuard<'static, u8>);
compare!(of_what_is_not_unwind_safe, &'static mut RefCell<u8>);
compare!(of_what_cannot_move, std::marker::PhantomPinned);
compare!(of_what_shows_nothing, Opaque);

/// Has no traits of its own.
#[allow(dead_code)]
struct Opaque;
