//! Thread-specific data, and what is destroyed when a thread ends. Values are where libc keeps them.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use caissa_core::class::Access;
use caissa_core::{ObjectKind, OpKind};

use super::stubs;
use crate::real::real;
use crate::rt::Rt;

type Destructor = extern "C-unwind" fn(*mut c_void);

stubs! {
    pthread_key_create/2 => create,
    pthread_key_delete/1 => delete,
}

/// So many keys there can be, as in libc.
const KEYS: usize = 1024;
/// So often values are destroyed that destructors have made anew.
const ROUNDS: usize = 4;

#[derive(Clone, Copy)]
struct Key {
    used: bool,
    destructor: Option<Destructor>,
}

struct Keys(UnsafeCell<[Key; KEYS]>);

// SAFETY: one task runs at a time, and nobody else under control.
unsafe impl Sync for Keys {}

const NONE: Key = Key { used: false, destructor: None };
/// Keys of the present execution, and those that were there before the first.
static NOW: Keys = Keys(UnsafeCell::new([NONE; KEYS]));
static BEFORE: Keys = Keys(UnsafeCell::new([NONE; KEYS]));

fn set(key: u32, entry: Key) {
    let keys = if crate::start::has_begun() { &NOW } else { &BEFORE };
    if let Some(slot) = usize::try_from(key).ok().filter(|&key| key < KEYS) {
        // SAFETY: see above.
        unsafe { (*keys.0.get())[slot] = entry };
        HIGHEST.fetch_max(slot + 1, Ordering::Relaxed);
    }
}

/// All keys that were ever used are below this.
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

fn highest() -> usize {
    HIGHEST.load(Ordering::Relaxed)
}

/// A new execution begins.
pub(crate) fn reset() {
    // SAFETY: see above.
    unsafe {
        let used = highest();
        (&mut (*NOW.0.get()))[..used].copy_from_slice(&(&(*BEFORE.0.get()))[..used]);
    }
}

pub(super) extern "C-unwind" fn create(key: *mut u32, destructor: Option<Destructor>, _pc: usize) -> c_int {
    let result = real!(pthread_key_create(key => *mut u32, destructor => Option<Destructor>) -> c_int);
    if result == 0 {
        // SAFETY: libc has just written it.
        set(unsafe { *key }, Key { used: true, destructor });
    }
    result
}

pub(super) extern "C-unwind" fn delete(key: u32, pc: usize) -> c_int {
    if let Some(rt) = Rt::enter() {
        let object = keys(&rt);
        rt.point(rt.op(OpKind::DeleteKey, object), pc);
        rt.touch_class(object, Access::Write);
    }
    set(key, NONE);
    real!(pthread_key_delete(key => u32) -> c_int)
}

/// What a thread leaves behind is destroyed: first thread-local variables, then values of keys.
pub(crate) fn destroy_locals(rt: &Rt) {
    static DESTROY: crate::real::Real = crate::real::Real::of_version(c"__call_tls_dtors", c"GLIBC_PRIVATE");
    let destroy = DESTROY.address();
    if destroy != 0 {
        // SAFETY: a function without arguments that libc calls at the end of a thread.
        let destroy: extern "C-unwind" fn() = unsafe { std::mem::transmute(destroy) };
        rt.outside(|| destroy());
    }
    if !has_values() {
        return;
    }
    let (object, pc) = (keys(rt), rt.task().entry + 1);
    if !rt.state().code.of_rust {
        rt.point(rt.op(OpKind::DestroyValues, object), pc);
        rt.touch_class(object, Access::Read);
    }
    for _ in 0..ROUNDS {
        let mut again = false;
        for key in 0..highest() {
            // SAFETY: see above.
            let entry = unsafe { (*NOW.0.get())[key] };
            let Key { used: true, destructor: Some(destructor) } = entry else { continue };
            // SAFETY: the running thread's own value of a key that is there.
            unsafe {
                let value = libc::pthread_getspecific(key as u32);
                if !value.is_null() {
                    libc::pthread_setspecific(key as u32, std::ptr::null());
                    rt.outside(|| destructor(value));
                    again = true;
                }
            }
        }
        if !again {
            break;
        }
    }
}

/// The object that stands for all keys.
fn keys(rt: &Rt) -> usize {
    rt.object(ObjectKind::Keys, NOW.0.get() as usize)
}

/// Whether the running thread has a value that is to be destroyed.
fn has_values() -> bool {
    (0..highest()).any(|key| {
        // SAFETY: see above; the running thread's own values.
        unsafe {
            let Key { used, destructor } = (*NOW.0.get())[key];
            used && destructor.is_some() && !libc::pthread_getspecific(key as u32).is_null()
        }
    })
}
