//! Every item of std that is said to be mirrored, used once with std's and once with ours. Nothing of this runs: it compiles or
//! it does not.
#![allow(deprecated, unused_must_use, clippy::let_underscore_future, clippy::let_unit_value)]

use std::collections::BTreeMap;

/// The items, and whether each is std's own.
pub fn items() -> BTreeMap<String, bool> {
    let atomic = |name: &String| (format!("std::sync::atomic::{name}"), false);
    let ours = OURS.iter().map(|name| (format!("std::{name}"), false));
    let stds = STDS.iter().map(|name| (format!("std::{name}"), true));
    ours.chain(stds).chain(atomics().iter().map(atomic)).collect()
}

macro_rules! mirrored {
    ($($name:literal => $use:expr;)*) => {
        const OURS: &[&str] = &[$($name),*];

        #[allow(dead_code)]
        mod with_std {
            use std::{cell, hint, sync, thread, thread_local, time};
            fn uses() { $(let _ = $use;)* }
        }

        #[allow(dead_code)]
        mod with_caissa {
            use caissa::{cell, hint, sync, thread, thread_local, time};
            fn uses() { $(let _ = $use;)* }
        }
    };
}

mirrored! {
    "cell::Cell" => |_: cell::Cell<u8>| ();
    "cell::Cell::new" => const { cell::Cell::new(1u8) };
    "cell::Cell::set" => |x: &cell::Cell<String>| x.set(String::new());
    "cell::Cell::get" => |x: &cell::Cell<u8>| -> u8 { x.get() };
    "cell::Cell::swap" => |x: &cell::Cell<String>, y: &cell::Cell<String>| x.swap(y);
    "cell::Cell::replace" => |x: &cell::Cell<String>| -> String { x.replace(String::new()) };
    "cell::Cell::update" => |x: &cell::Cell<u8>| x.update(|n| n + 1);
    "cell::Cell::take" => |x: &cell::Cell<String>| -> String { x.take() };
    "cell::Cell::into_inner" => |x: cell::Cell<String>| -> String { x.into_inner() };
    "cell::Cell::as_ptr" => |x: &cell::Cell<[u8]>| -> *mut [u8] { x.as_ptr() };
    "cell::Cell::get_mut" => |x: &mut cell::Cell<[u8]>| { x.get_mut()[0] = 1; };
    "cell::RefCell" => |_: cell::RefCell<u8>| ();
    "cell::RefCell::new" => const { cell::RefCell::new(1u8) };
    "cell::RefCell::into_inner" => |x: cell::RefCell<String>| -> String { x.into_inner() };
    "cell::RefCell::replace" => |x: &cell::RefCell<String>| -> String { x.replace(String::new()) };
    "cell::RefCell::replace_with" => |x: &cell::RefCell<String>| -> String { x.replace_with(|s| s.clone()) };
    "cell::RefCell::swap" => |x: &cell::RefCell<String>, y: &cell::RefCell<String>| x.swap(y);
    "cell::RefCell::borrow" => |x: &cell::RefCell<[u8]>| -> u8 { x.borrow()[0] };
    "cell::RefCell::try_borrow" => |x: &cell::RefCell<[u8]>| -> bool { x.try_borrow().is_ok() };
    "cell::RefCell::borrow_mut" => |x: &cell::RefCell<[u8]>| { x.borrow_mut()[0] = 1; };
    "cell::RefCell::try_borrow_mut" => |x: &cell::RefCell<[u8]>| -> bool { x.try_borrow_mut().is_ok() };
    "cell::RefCell::as_ptr" => |x: &cell::RefCell<[u8]>| -> *mut [u8] { x.as_ptr() };
    "cell::RefCell::get_mut" => |x: &mut cell::RefCell<[u8]>| { x.get_mut()[0] = 1; };
    // SAFETY: the reference is gone at once.
    "cell::RefCell::try_borrow_unguarded" => |x: &cell::RefCell<[u8]>| -> bool { unsafe { x.try_borrow_unguarded() }.is_ok() };
    "cell::RefCell::take" => |x: &cell::RefCell<String>| -> String { x.take() };
    "cell::OnceCell" => |_: cell::OnceCell<u8>| ();
    "cell::OnceCell::new" => const { cell::OnceCell::<u8>::new() };
    "cell::OnceCell::get" => |x: &cell::OnceCell<u8>| -> Option<u8> { x.get().copied() };
    "cell::OnceCell::get_mut" => |x: &mut cell::OnceCell<u8>| -> Option<u8> { x.get_mut().copied() };
    "cell::OnceCell::set" => |x: &cell::OnceCell<u8>| -> Result<(), u8> { x.set(1) };
    "cell::OnceCell::get_or_init" => |x: &cell::OnceCell<u8>| -> u8 { *x.get_or_init(|| 1) };
    "cell::OnceCell::into_inner" => |x: cell::OnceCell<u8>| -> Option<u8> { x.into_inner() };
    "cell::OnceCell::take" => |x: &mut cell::OnceCell<u8>| -> Option<u8> { x.take() };
    "cell::UnsafeCell" => |_: cell::UnsafeCell<u8>| ();
    "cell::UnsafeCell::new" => const { cell::UnsafeCell::new(1u8) };
    "cell::UnsafeCell::into_inner" => |x: cell::UnsafeCell<u8>| -> u8 { x.into_inner() };
    "cell::UnsafeCell::get" => |x: &cell::UnsafeCell<[u8]>| -> *mut [u8] { x.get() };
    "cell::UnsafeCell::get_mut" => |x: &mut cell::UnsafeCell<u8>| { *x.get_mut() = 1; };
    "cell::UnsafeCell::raw_get" => |x: *const cell::UnsafeCell<u8>| -> *mut u8 { cell::UnsafeCell::raw_get(x) };

    "hint::spin_loop" => || hint::spin_loop();

    "sync::Barrier" => |_: sync::Barrier| ();
    "sync::Barrier::new" => const { sync::Barrier::new(2) };
    "sync::Barrier::wait" => |x: &sync::Barrier| -> sync::BarrierWaitResult { x.wait() };
    "sync::BarrierWaitResult" => |_: sync::BarrierWaitResult| ();
    "sync::BarrierWaitResult::is_leader" => |x: &sync::BarrierWaitResult| -> bool { x.is_leader() };

    "sync::Condvar" => |_: sync::Condvar| ();
    "sync::Condvar::new" => const { sync::Condvar::new() };
    "sync::Condvar::wait" => |x: &sync::Condvar, g: sync::MutexGuard<'static, u8>| -> sync::LockResult<sync::MutexGuard<'static, u8>> { x.wait(g) };
    "sync::Condvar::wait_while" => |x: &sync::Condvar, g: sync::MutexGuard<'static, u8>| drop(x.wait_while(g, |n: &mut u8| *n == 0));
    "sync::Condvar::wait_timeout" => |x: &sync::Condvar, g: sync::MutexGuard<'static, u8>| -> sync::LockResult<(sync::MutexGuard<'static, u8>, sync::WaitTimeoutResult)> { x.wait_timeout(g, time::Duration::ZERO) };
    "sync::Condvar::wait_timeout_ms" => |x: &sync::Condvar, g: sync::MutexGuard<'static, u8>| -> sync::LockResult<(sync::MutexGuard<'static, u8>, bool)> { x.wait_timeout_ms(g, 1) };
    "sync::Condvar::wait_timeout_while" => |x: &sync::Condvar, g: sync::MutexGuard<'static, u8>| -> sync::LockResult<(sync::MutexGuard<'static, u8>, sync::WaitTimeoutResult)> { x.wait_timeout_while(g, time::Duration::ZERO, |n: &mut u8| *n == 0) };
    "sync::Condvar::notify_one" => |x: &sync::Condvar| x.notify_one();
    "sync::Condvar::notify_all" => |x: &sync::Condvar| x.notify_all();
    "sync::WaitTimeoutResult" => |_: sync::WaitTimeoutResult| ();
    "sync::WaitTimeoutResult::timed_out" => |x: &sync::WaitTimeoutResult| -> bool { x.timed_out() };

    "sync::LazyLock" => |_: sync::LazyLock<u8>, _: sync::LazyLock<u8, fn() -> u8>| ();
    "sync::LazyLock::new" => const { sync::LazyLock::new(|| 1u8) };
    "sync::LazyLock::force" => |x: &'static sync::LazyLock<u8>| -> &'static u8 { sync::LazyLock::force(x) };
    "sync::LazyLock::force_mut" => |x: &'static mut sync::LazyLock<u8>| -> &'static mut u8 { sync::LazyLock::force_mut(x) };
    "sync::LazyLock::get" => |x: &'static sync::LazyLock<u8>| -> Option<&'static u8> { sync::LazyLock::get(x) };
    "sync::LazyLock::get_mut" => |x: &'static mut sync::LazyLock<u8>| -> Option<&'static mut u8> { sync::LazyLock::get_mut(x) };

    "sync::Mutex" => |_: &sync::Mutex<[u8]>| ();
    "sync::Mutex::new" => const { sync::Mutex::new(1u8) };
    "sync::Mutex::lock" => |x: &'static sync::Mutex<[u8]>| -> sync::LockResult<sync::MutexGuard<'static, [u8]>> { x.lock() };
    "sync::Mutex::try_lock" => |x: &'static sync::Mutex<[u8]>| -> sync::TryLockResult<sync::MutexGuard<'static, [u8]>> { x.try_lock() };
    "sync::Mutex::is_poisoned" => |x: &sync::Mutex<[u8]>| -> bool { x.is_poisoned() };
    "sync::Mutex::clear_poison" => |x: &sync::Mutex<[u8]>| x.clear_poison();
    "sync::Mutex::into_inner" => |x: sync::Mutex<u8>| -> sync::LockResult<u8> { x.into_inner() };
    "sync::Mutex::get_mut" => |x: &'static mut sync::Mutex<[u8]>| -> sync::LockResult<&'static mut [u8]> { x.get_mut() };
    "sync::MutexGuard" => |_: sync::MutexGuard<'_, [u8]>| ();

    "sync::Once" => |_: sync::Once| ();
    "sync::Once::new" => const { sync::Once::new() };
    "sync::Once::call_once" => |x: &sync::Once| x.call_once(|| ());
    "sync::Once::call_once_force" => |x: &sync::Once| x.call_once_force(|_: &sync::OnceState| ());
    "sync::Once::is_completed" => |x: &sync::Once| -> bool { x.is_completed() };
    "sync::Once::wait" => |x: &sync::Once| x.wait();
    "sync::Once::wait_force" => |x: &sync::Once| x.wait_force();
    "sync::ONCE_INIT" => { static ONCE: sync::Once = sync::ONCE_INIT; &ONCE };
    "sync::OnceState" => |_: sync::OnceState| ();
    "sync::OnceState::is_poisoned" => |x: &sync::OnceState| -> bool { x.is_poisoned() };

    "sync::OnceLock" => |_: sync::OnceLock<u8>| ();
    "sync::OnceLock::new" => const { sync::OnceLock::<u8>::new() };
    "sync::OnceLock::get" => |x: &'static sync::OnceLock<u8>| -> Option<&'static u8> { x.get() };
    "sync::OnceLock::get_mut" => |x: &'static mut sync::OnceLock<u8>| -> Option<&'static mut u8> { x.get_mut() };
    "sync::OnceLock::wait" => |x: &'static sync::OnceLock<u8>| -> &'static u8 { x.wait() };
    "sync::OnceLock::set" => |x: &sync::OnceLock<u8>| -> Result<(), u8> { x.set(1) };
    "sync::OnceLock::get_or_init" => |x: &'static sync::OnceLock<u8>| -> &'static u8 { x.get_or_init(|| 1) };
    "sync::OnceLock::into_inner" => |x: sync::OnceLock<u8>| -> Option<u8> { x.into_inner() };
    "sync::OnceLock::take" => |x: &mut sync::OnceLock<u8>| -> Option<u8> { x.take() };

    "sync::RwLock" => |_: &sync::RwLock<[u8]>| ();
    "sync::RwLock::new" => const { sync::RwLock::new(1u8) };
    "sync::RwLock::read" => |x: &'static sync::RwLock<[u8]>| -> sync::LockResult<sync::RwLockReadGuard<'static, [u8]>> { x.read() };
    "sync::RwLock::try_read" => |x: &'static sync::RwLock<[u8]>| -> sync::TryLockResult<sync::RwLockReadGuard<'static, [u8]>> { x.try_read() };
    "sync::RwLock::write" => |x: &'static sync::RwLock<[u8]>| -> sync::LockResult<sync::RwLockWriteGuard<'static, [u8]>> { x.write() };
    "sync::RwLock::try_write" => |x: &'static sync::RwLock<[u8]>| -> sync::TryLockResult<sync::RwLockWriteGuard<'static, [u8]>> { x.try_write() };
    "sync::RwLock::is_poisoned" => |x: &sync::RwLock<[u8]>| -> bool { x.is_poisoned() };
    "sync::RwLock::clear_poison" => |x: &sync::RwLock<[u8]>| x.clear_poison();
    "sync::RwLock::into_inner" => |x: sync::RwLock<u8>| -> sync::LockResult<u8> { x.into_inner() };
    "sync::RwLock::get_mut" => |x: &'static mut sync::RwLock<[u8]>| -> sync::LockResult<&'static mut [u8]> { x.get_mut() };
    "sync::RwLockReadGuard" => |_: sync::RwLockReadGuard<'_, [u8]>| ();
    "sync::RwLockWriteGuard" => |_: sync::RwLockWriteGuard<'_, [u8]>| ();
    "sync::RwLockWriteGuard::downgrade" => |x: sync::RwLockWriteGuard<'static, [u8]>| -> sync::RwLockReadGuard<'static, [u8]> { sync::RwLockWriteGuard::downgrade(x) };

    "sync::atomic::fence" => || sync::atomic::fence(sync::atomic::Ordering::SeqCst);
    "sync::atomic::spin_loop_hint" => || sync::atomic::spin_loop_hint();
    "sync::atomic::ATOMIC_BOOL_INIT" => { static X: sync::atomic::AtomicBool = sync::atomic::ATOMIC_BOOL_INIT; &X };
    "sync::atomic::ATOMIC_ISIZE_INIT" => { static X: sync::atomic::AtomicIsize = sync::atomic::ATOMIC_ISIZE_INIT; &X };
    "sync::atomic::ATOMIC_USIZE_INIT" => { static X: sync::atomic::AtomicUsize = sync::atomic::ATOMIC_USIZE_INIT; &X };

    "sync::mpsc::channel" => || -> (sync::mpsc::Sender<u8>, sync::mpsc::Receiver<u8>) { sync::mpsc::channel() };
    "sync::mpsc::sync_channel" => || -> (sync::mpsc::SyncSender<u8>, sync::mpsc::Receiver<u8>) { sync::mpsc::sync_channel(1) };
    "sync::mpsc::Sender" => |_: sync::mpsc::Sender<u8>| ();
    "sync::mpsc::Sender::send" => |x: &sync::mpsc::Sender<u8>| -> Result<(), sync::mpsc::SendError<u8>> { x.send(1) };
    "sync::mpsc::SyncSender" => |_: sync::mpsc::SyncSender<u8>| ();
    "sync::mpsc::SyncSender::send" => |x: &sync::mpsc::SyncSender<u8>| -> Result<(), sync::mpsc::SendError<u8>> { x.send(1) };
    "sync::mpsc::SyncSender::try_send" => |x: &sync::mpsc::SyncSender<u8>| -> Result<(), sync::mpsc::TrySendError<u8>> { x.try_send(1) };
    "sync::mpsc::Receiver" => |_: sync::mpsc::Receiver<u8>| ();
    "sync::mpsc::Receiver::recv" => |x: &sync::mpsc::Receiver<u8>| -> Result<u8, sync::mpsc::RecvError> { x.recv() };
    "sync::mpsc::Receiver::try_recv" => |x: &sync::mpsc::Receiver<u8>| -> Result<u8, sync::mpsc::TryRecvError> { x.try_recv() };
    "sync::mpsc::Receiver::recv_timeout" => |x: &sync::mpsc::Receiver<u8>| -> Result<u8, sync::mpsc::RecvTimeoutError> { x.recv_timeout(time::Duration::ZERO) };
    "sync::mpsc::Receiver::iter" => |x: &'static sync::mpsc::Receiver<u8>| -> sync::mpsc::Iter<'static, u8> { x.iter() };
    "sync::mpsc::Receiver::try_iter" => |x: &'static sync::mpsc::Receiver<u8>| -> sync::mpsc::TryIter<'static, u8> { x.try_iter() };
    "sync::mpsc::Iter" => |mut x: sync::mpsc::Iter<'static, u8>| -> Option<u8> { x.next() };
    "sync::mpsc::TryIter" => |mut x: sync::mpsc::TryIter<'static, u8>| -> Option<u8> { x.next() };
    "sync::mpsc::IntoIter" => |x: sync::mpsc::Receiver<u8>| -> sync::mpsc::IntoIter<u8> { x.into_iter() };

    "thread::available_parallelism" => || -> std::io::Result<std::num::NonZero<usize>> { thread::available_parallelism() };
    "thread::current" => || -> thread::Thread { thread::current() };
    "thread::park" => || thread::park();
    "thread::park_timeout" => || thread::park_timeout(time::Duration::ZERO);
    "thread::park_timeout_ms" => || thread::park_timeout_ms(1);
    "thread::scope" => || -> u8 { thread::scope(|_| 1) };
    "thread::sleep" => || thread::sleep(time::Duration::ZERO);
    "thread::sleep_ms" => || thread::sleep_ms(1);
    "thread::spawn" => || -> thread::JoinHandle<u8> { thread::spawn(|| 1) };
    "thread::yield_now" => || thread::yield_now();
    "thread::AccessError" => |x: thread::AccessError| x.to_string();
    "thread::Builder" => |_: thread::Builder| ();
    "thread::Builder::new" => || -> thread::Builder { thread::Builder::new() };
    "thread::Builder::name" => |x: thread::Builder| -> thread::Builder { x.name(String::new()) };
    "thread::Builder::stack_size" => |x: thread::Builder| -> thread::Builder { x.stack_size(1) };
    "thread::Builder::spawn" => |x: thread::Builder| -> std::io::Result<thread::JoinHandle<u8>> { x.spawn(|| 1) };
    "thread::Builder::spawn_scoped" => |x: thread::Builder| thread::scope(|scope| x.spawn_scoped(scope, || 1).unwrap().join().unwrap());
    // SAFETY: nothing of this runs.
    "thread::Builder::spawn_unchecked" => |x: thread::Builder| -> std::io::Result<thread::JoinHandle<u8>> { unsafe { x.spawn_unchecked(|| 1) } };
    "thread::JoinHandle" => |_: thread::JoinHandle<u8>| ();
    "thread::JoinHandle::thread" => |x: &'static thread::JoinHandle<u8>| -> &'static thread::Thread { x.thread() };
    "thread::JoinHandle::join" => |x: thread::JoinHandle<u8>| -> thread::Result<u8> { x.join() };
    "thread::JoinHandle::is_finished" => |x: &thread::JoinHandle<u8>| -> bool { x.is_finished() };
    "thread::LocalKey" => |_: &'static thread::LocalKey<u8>| ();
    "thread::LocalKey::with" => |x: &'static thread::LocalKey<u8>| -> u8 { x.with(|n| *n) };
    "thread::LocalKey::try_with" => |x: &'static thread::LocalKey<u8>| -> Result<u8, thread::AccessError> { x.try_with(|n| *n) };
    "thread::LocalKey::set" => |x: &'static thread::LocalKey<cell::Cell<u8>>, y: &'static thread::LocalKey<cell::RefCell<u8>>| { x.set(1); y.set(1); };
    "thread::LocalKey::get" => |x: &'static thread::LocalKey<cell::Cell<u8>>| -> u8 { x.get() };
    "thread::LocalKey::take" => |x: &'static thread::LocalKey<cell::Cell<u8>>, y: &'static thread::LocalKey<cell::RefCell<u8>>| -> (u8, u8) { (x.take(), y.take()) };
    "thread::LocalKey::replace" => |x: &'static thread::LocalKey<cell::Cell<u8>>, y: &'static thread::LocalKey<cell::RefCell<u8>>| -> (u8, u8) { (x.replace(1), y.replace(1)) };
    "thread::LocalKey::with_borrow" => |x: &'static thread::LocalKey<cell::RefCell<u8>>| -> u8 { x.with_borrow(|n| *n) };
    "thread::LocalKey::with_borrow_mut" => |x: &'static thread::LocalKey<cell::RefCell<u8>>| x.with_borrow_mut(|n| *n += 1);
    "thread::Scope" => |_: &thread::Scope<'_, '_>| ();
    "thread::Scope::spawn" => |n: &u8| thread::scope(|scope| scope.spawn(|| *n).join().unwrap());
    "thread::ScopedJoinHandle" => |_: thread::ScopedJoinHandle<'_, u8>| ();
    "thread::ScopedJoinHandle::thread" => |x: &'static thread::ScopedJoinHandle<'static, u8>| -> &'static thread::Thread { x.thread() };
    "thread::ScopedJoinHandle::join" => |x: thread::ScopedJoinHandle<'_, u8>| -> thread::Result<u8> { x.join() };
    "thread::ScopedJoinHandle::is_finished" => |x: &thread::ScopedJoinHandle<'_, u8>| -> bool { x.is_finished() };
    "thread::Thread" => |_: thread::Thread| ();
    "thread::Thread::unpark" => |x: &thread::Thread| x.unpark();
    "thread::Thread::id" => |x: &thread::Thread| -> thread::ThreadId { x.id() };
    "thread::Thread::name" => |x: &'static thread::Thread| -> Option<&'static str> { x.name() };
    "thread::ThreadId" => |x: thread::ThreadId, y: thread::ThreadId| -> bool { x == y };
    "thread_local" => {
        thread_local! {
            /// One.
            pub static A: String = String::from("one");
            static B: std::cell::Cell<u8> = const { std::cell::Cell::new(1) };
        }
        (&A, &B)
    };

    "time::Instant" => |_: time::Instant| ();
    "time::Instant::now" => || -> time::Instant { time::Instant::now() };
    "time::Instant::duration_since" => |x: &time::Instant, y: time::Instant| -> time::Duration { x.duration_since(y) };
    "time::Instant::checked_duration_since" => |x: &time::Instant, y: time::Instant| -> Option<time::Duration> { x.checked_duration_since(y) };
    "time::Instant::saturating_duration_since" => |x: &time::Instant, y: time::Instant| -> time::Duration { x.saturating_duration_since(y) };
    "time::Instant::elapsed" => |x: &time::Instant| -> time::Duration { x.elapsed() };
    "time::Instant::checked_add" => |x: &time::Instant, y: time::Duration| -> Option<time::Instant> { x.checked_add(y) };
    "time::Instant::checked_sub" => |x: &time::Instant, y: time::Duration| -> Option<time::Instant> { x.checked_sub(y) };
}

macro_rules! stds {
    (types: $($name:literal => $type:ty, $same:ty;)* functions: $($function:literal => $path:expr, $as:ty;)*) => {
        const STDS: &[&str] = &[$($name,)* $($function),*];

        #[allow(dead_code)]
        fn are_stds() {
            $(let _: fn($type) = |_: $same| ();)*
            $(let _: $as = $path;)*
        }
    };
}

stds! {
    types:
    "cell::BorrowError" => caissa::cell::BorrowError, std::cell::BorrowError;
    "cell::BorrowMutError" => caissa::cell::BorrowMutError, std::cell::BorrowMutError;
    "cell::LazyCell" => caissa::cell::LazyCell<u8>, std::cell::LazyCell<u8>;
    "cell::Ref" => caissa::cell::Ref<'_, u8>, std::cell::Ref<'_, u8>;
    "cell::RefMut" => caissa::cell::RefMut<'_, u8>, std::cell::RefMut<'_, u8>;
    "sync::Arc" => caissa::sync::Arc<u8>, std::sync::Arc<u8>;
    "sync::Weak" => caissa::sync::Weak<u8>, std::sync::Weak<u8>;
    "sync::LockResult" => caissa::sync::LockResult<u8>, std::sync::LockResult<u8>;
    "sync::TryLockResult" => caissa::sync::TryLockResult<u8>, std::sync::TryLockResult<u8>;
    "sync::PoisonError" => caissa::sync::PoisonError<u8>, std::sync::PoisonError<u8>;
    "sync::TryLockError" => caissa::sync::TryLockError<u8>, std::sync::TryLockError<u8>;
    "sync::atomic::Ordering" => caissa::sync::atomic::Ordering, std::sync::atomic::Ordering;
    "sync::mpsc::RecvError" => caissa::sync::mpsc::RecvError, std::sync::mpsc::RecvError;
    "sync::mpsc::RecvTimeoutError" => caissa::sync::mpsc::RecvTimeoutError, std::sync::mpsc::RecvTimeoutError;
    "sync::mpsc::SendError" => caissa::sync::mpsc::SendError<u8>, std::sync::mpsc::SendError<u8>;
    "sync::mpsc::TryRecvError" => caissa::sync::mpsc::TryRecvError, std::sync::mpsc::TryRecvError;
    "sync::mpsc::TrySendError" => caissa::sync::mpsc::TrySendError<u8>, std::sync::mpsc::TrySendError<u8>;
    "thread::Result" => caissa::thread::Result<u8>, std::thread::Result<u8>;
    "time::Duration" => caissa::time::Duration, std::time::Duration;
    "time::TryFromFloatSecsError" => caissa::time::TryFromFloatSecsError, std::time::TryFromFloatSecsError;
    functions:
    "hint::assert_unchecked" => caissa::hint::assert_unchecked, unsafe fn(bool);
    "hint::black_box" => caissa::hint::black_box, fn(u8) -> u8;
    "hint::cold_path" => caissa::hint::cold_path, fn();
    "hint::select_unpredictable" => caissa::hint::select_unpredictable, fn(bool, u8, u8) -> u8;
    "hint::unreachable_unchecked" => caissa::hint::unreachable_unchecked, unsafe fn() -> !;
    "sync::atomic::compiler_fence" => caissa::sync::atomic::compiler_fence, fn(std::sync::atomic::Ordering);
    "thread::panicking" => caissa::thread::panicking, fn() -> bool;
}

/// What all atomics have, for one type.
macro_rules! atomic {
    ($atomic:ident, $value:ty, $one:expr) => {
        #[allow(dead_code)]
        mod $atomic {
            use std::sync::atomic::Ordering::{self, SeqCst};
            type Value = $value;

            macro_rules! uses {
                ($module:path) => {
                    fn uses(x: &Atomic, v: Value, o: Ordering) {
                        let _: Atomic = const { Atomic::new($one) };
                        let _: fn(&mut Atomic) -> &mut Value = Atomic::get_mut;
                        let _: fn(Atomic) -> Value = Atomic::into_inner;
                        let _: *mut Value = x.as_ptr();
                        let _: Value = x.load(SeqCst);
                        let _: () = x.store(v, o);
                        let _: Value = x.swap(v, o);
                        let _: Value = x.compare_and_swap(v, v, o);
                        let _: Result<Value, Value> = x.compare_exchange(v, v, o, SeqCst);
                        let _: Result<Value, Value> = x.compare_exchange_weak(v, v, o, SeqCst);
                        let _: Result<Value, Value> = x.fetch_update(o, SeqCst, Some);
                        let _: Result<Value, Value> = x.try_update(o, SeqCst, Some);
                        let _: Value = x.update(o, SeqCst, |v| v);
                    }
                };
            }

            mod with_std {
                use super::*;
                type Atomic = crate::std_mirror::std_exports::stds_atomics::$atomic;
                uses!(std);
            }

            mod with_caissa {
                use super::*;
                type Atomic = crate::std_mirror::std_exports::our_atomics::$atomic;
                uses!(caissa);
            }
        }
    };
}

const COMMON: &[&str] = &[
    "new",
    "get_mut",
    "into_inner",
    "as_ptr",
    "load",
    "store",
    "swap",
    "compare_and_swap",
    "compare_exchange",
    "compare_exchange_weak",
    "fetch_update",
    "try_update",
    "update",
];

mod stds_atomics {
    pub use std::sync::atomic::*;
    pub type AtomicPointer = AtomicPtr<u8>;
}

mod our_atomics {
    pub use caissa::sync::atomic::*;
    pub type AtomicPointer = AtomicPtr<u8>;
}

#[allow(non_snake_case)]
mod common {
    atomic!(AtomicBool, bool, true);
    atomic!(AtomicI8, i8, 1);
    atomic!(AtomicI16, i16, 1);
    atomic!(AtomicI32, i32, 1);
    atomic!(AtomicI64, i64, 1);
    atomic!(AtomicIsize, isize, 1);
    atomic!(AtomicU8, u8, 1);
    atomic!(AtomicU16, u16, 1);
    atomic!(AtomicU32, u32, 1);
    atomic!(AtomicU64, u64, 1);
    atomic!(AtomicUsize, usize, 1);
    atomic!(AtomicPointer, *mut u8, std::ptr::null_mut());
}

/// What some atomics have: methods with one value and an ordering.
macro_rules! fetches {
    ($name:ident: $($atomic:ident $value:ty, $result:ty),*; $($method:ident),*) => {
        const $name: (&[&str], &[&str]) = (&[$(stringify!($atomic)),*], &[$(stringify!($method)),*]);

        #[allow(dead_code, non_snake_case)]
        mod $name {
            fetches!(@each [$($atomic $value, $result),*] [$($method),*]);
        }
    };
    (@each [$($atomic:ident $value:ty, $result:ty),*] $methods:tt) => {
        $(mod $atomic { fetches!(@one $atomic $value, $result; $methods); })*
    };
    (@one $atomic:ident $value:ty, $result:ty; [$($method:ident),*]) => {
        type Uses<A> = fn(&A, $value, std::sync::atomic::Ordering) -> $result;
        fn with_std() {
            $(let _: Uses<crate::std_mirror::std_exports::stds_atomics::$atomic> = crate::std_mirror::std_exports::stds_atomics::$atomic::$method;)*
        }
        fn with_caissa() {
            $(let _: Uses<crate::std_mirror::std_exports::our_atomics::$atomic> = crate::std_mirror::std_exports::our_atomics::$atomic::$method;)*
        }
    };
}

fetches!(INTEGERS:
    AtomicI8 i8, i8, AtomicI16 i16, i16, AtomicI32 i32, i32, AtomicI64 i64, i64, AtomicIsize isize, isize,
    AtomicU8 u8, u8, AtomicU16 u16, u16, AtomicU32 u32, u32, AtomicU64 u64, u64, AtomicUsize usize, usize;
    fetch_add, fetch_sub, fetch_and, fetch_nand, fetch_or, fetch_xor, fetch_max, fetch_min);
fetches!(BOOLS: AtomicBool bool, bool; fetch_and, fetch_nand, fetch_or, fetch_xor);
fetches!(POINTERS:
    AtomicPointer usize, *mut u8;
    fetch_ptr_add, fetch_ptr_sub, fetch_byte_add, fetch_byte_sub, fetch_or, fetch_and, fetch_xor);

#[allow(dead_code)]
fn fetch_not() {
    let _: fn(&std::sync::atomic::AtomicBool, std::sync::atomic::Ordering) -> bool =
        std::sync::atomic::AtomicBool::fetch_not;
    let _: fn(&caissa::sync::atomic::AtomicBool, std::sync::atomic::Ordering) -> bool =
        caissa::sync::atomic::AtomicBool::fetch_not;
}

/// The atomics and their methods.
fn atomics() -> Vec<String> {
    let mut items = vec!["AtomicBool::fetch_not".to_owned()];
    for (types, methods) in [INTEGERS, BOOLS, POINTERS] {
        for name in types {
            let name = name.replace("AtomicPointer", "AtomicPtr");
            items.extend(COMMON.iter().chain(methods).map(|method| format!("{name}::{method}")));
            items.push(name);
        }
    }
    items
}
