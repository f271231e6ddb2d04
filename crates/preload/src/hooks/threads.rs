//! Threads.

use std::ffi::{CStr, c_char, c_int, c_void};

use caissa_core::TaskId;

use super::stubs;
use super::time::deadline_of;
use crate::real::real;
use crate::rt::Rt;

type Attributes = *const libc::pthread_attr_t;
type Entry = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

stubs! {
    pthread_create/4 => create,
    pthread_join/2 => join,
    pthread_tryjoin_np/2 => try_join,
    pthread_timedjoin_np/3 => timed_join,
    pthread_clockjoin_np/4 => clock_join,
    pthread_detach/1 => detach,
    pthread_exit/1 => exit,
    pthread_setname_np/2 => set_name,
    pthread_getattr_np/2 => attributes,
}

extern "C-unwind" fn create(
    out: *mut usize,
    attributes: Attributes,
    entry: Entry,
    argument: *mut c_void,
    pc: usize,
) -> c_int {
    crate::start::thread_begins();
    let Some(rt) = Rt::enter() else {
        return real!(pthread_create(
            out => *mut usize,
            attributes => Attributes,
            entry => Entry,
            argument => *mut c_void,
        ) -> c_int);
    };
    let mut detached = 0;
    if !attributes.is_null() {
        // SAFETY: the program's own attributes.
        unsafe { pthread_attr_getdetachstate(attributes, &mut detached) };
        let mut stack = 0;
        // SAFETY: the same.
        unsafe { libc::pthread_attr_getstacksize(attributes, &mut stack) };
        if stack > ADDRESSES {
            // All stacks are of one size here, but there are programs that want to see this fail.
            return libc::EAGAIN;
        }
    }
    rt.spawn(entry as *const () as usize, argument as usize, detached != 0, out, pc)
}

/// So much can be mapped at the most.
const ADDRESSES: usize = 1 << 47;

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: Attributes, state: *mut c_int) -> c_int;
}

impl Rt {
    /// The task that is to be joined, or why it cannot be.
    fn to_join(&self, thread: usize) -> Result<caissa_core::TaskId, c_int> {
        let task = self.find_task(thread).ok_or(libc::ESRCH)?;
        let entry = &self.state().tasks[task.index()];
        if entry.detached || entry.joined {
            return Err(libc::EINVAL);
        }
        if task == self.me() { Err(libc::EDEADLK) } else { Ok(task) }
    }

    fn join_thread(&self, thread: usize, result: *mut usize, pc: usize) -> c_int {
        match self.to_join(thread) {
            Err(error) => error,
            Ok(task) => {
                let value = self.join(task, pc);
                if !result.is_null() {
                    // SAFETY: the program's own.
                    unsafe { *result = value };
                }
                0
            }
        }
    }

    fn join_thread_until(
        &self,
        thread: usize,
        result: *mut usize,
        deadline: Option<u64>,
        pc: usize,
    ) -> c_int {
        match (self.to_join(thread), deadline) {
            (Err(error), _) => error,
            (_, None) => libc::EINVAL,
            (Ok(task), Some(deadline)) => {
                if !self.has_ended(task, pc) && !self.await_end(task, deadline, pc) {
                    return libc::ETIMEDOUT;
                }
                self.join_thread(thread, result, pc)
            }
        }
    }

    fn try_join_thread(&self, thread: usize, result: *mut usize, error: c_int, pc: usize) -> c_int {
        match self.to_join(thread) {
            Err(error) => error,
            Ok(task) if self.has_ended(task, pc) => self.join_thread(thread, result, pc),
            Ok(_) => {
                self.yields();
                error
            }
        }
    }
}

pub(super) extern "C-unwind" fn join(thread: usize, result: *mut usize, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) => rt.join_thread(thread, result, pc),
        None => real!(pthread_join(thread => usize, result => *mut usize) -> c_int),
    }
}

extern "C-unwind" fn try_join(thread: usize, result: *mut usize, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) => rt.try_join_thread(thread, result, libc::EBUSY, pc),
        None => real!(pthread_tryjoin_np(thread => usize, result => *mut usize) -> c_int),
    }
}

type Time = *const libc::timespec;

extern "C-unwind" fn timed_join(thread: usize, result: *mut usize, time: Time, pc: usize) -> c_int {
    match Rt::enter() {
        Some(rt) => rt.join_thread_until(thread, result, deadline_of(time, libc::CLOCK_REALTIME), pc),
        None => real!(pthread_timedjoin_np(thread => usize, result => *mut usize, time => Time) -> c_int),
    }
}

extern "C-unwind" fn clock_join(
    thread: usize,
    result: *mut usize,
    clock: c_int,
    time: Time,
    pc: usize,
) -> c_int {
    match Rt::enter() {
        Some(rt) => rt.join_thread_until(thread, result, deadline_of(time, clock), pc),
        None => {
            real!(pthread_clockjoin_np(thread => usize, result => *mut usize, clock => c_int, time => Time) -> c_int)
        }
    }
}

pub(super) extern "C-unwind" fn detach(thread: usize, _pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else { return real!(pthread_detach(thread => usize) -> c_int) };
    match rt.find_task(thread) {
        None => libc::ESRCH,
        Some(task) => {
            let task = &mut rt.state().tasks[task.index()];
            if std::mem::replace(&mut task.detached, true) { libc::EINVAL } else { 0 }
        }
    }
}

pub(super) extern "C-unwind" fn exit(result: usize, _pc: usize) {
    match Rt::enter() {
        Some(rt) => rt.exit_task(result),
        None => real!(pthread_exit(result => usize) -> ()),
    }
}

/// Before `main` Rust's library asks where the stack of the main thread lies. libc would read a file to say so.
extern "C-unwind" fn attributes(thread: usize, out: *mut libc::pthread_attr_t, pc: usize) -> c_int {
    if let Some(rt) = Rt::enter()
        && !rt.state().code.is_programs(pc)
        && rt.find_task(thread) == Some(TaskId::MAIN)
    {
        let stack = rt.state().tasks[0].stack.clone();
        if !stack.is_empty() {
            // SAFETY: the library's own; there is nothing in it that would have to be given back.
            unsafe {
                libc::pthread_attr_init(out);
                libc::pthread_attr_setguardsize(out, 0);
                return libc::pthread_attr_setstack(out, stack.start as *mut c_void, stack.len());
            }
        }
    }
    real!(pthread_getattr_np(thread => usize, out => *mut libc::pthread_attr_t) -> c_int)
}

extern "C-unwind" fn set_name(thread: usize, name: *const c_char, _pc: usize) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(pthread_setname_np(thread => usize, name => *const c_char) -> c_int);
    };
    // SAFETY: the program's own.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    if let Some(task) = rt.find_task(thread) {
        rt.state().tasks[task.index()].name = Some(name);
    }
    0
}
