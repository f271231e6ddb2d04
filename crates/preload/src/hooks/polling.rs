//! Waiting for several files at once.

use std::ffi::{c_int, c_ulong, c_void};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, OpKind};

use super::{stubs, stubs_of_six};
use crate::real::real;
use crate::rt::{Rt, number};

type Pointer = *mut c_void;

stubs! {
    poll/3 => poll,
    ppoll/4 => ppoll,
    select/5 => select,
    epoll_wait/4 => epoll_wait,
    epoll_pwait/5 => epoll_pwait,
}
stubs_of_six! { pselect => pselect }

type Files = *mut libc::pollfd;

/// # Safety
/// A list of so many files.
unsafe fn list_of(files: Files, count: c_ulong) -> Vec<libc::pollfd> {
    // An empty one may lie anywhere.
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: as the caller says.
    unsafe { std::slice::from_raw_parts(files, count as usize) }.to_vec()
}

impl Rt {
    /// Waits for one of some files to be ready; then `now` looks which are, without waiting.
    fn poll_files(
        &self,
        files: &[libc::pollfd],
        milliseconds: i64,
        pc: usize,
        now: impl FnOnce() -> c_int,
    ) -> c_int {
        if files.is_empty() {
            match milliseconds {
                ..0 => self.misuse("waits for no file at all, and so for a signal".to_owned()),
                milliseconds => self.sleep(milliseconds as u64 * 1_000_000, false, pc),
            }
            return 0;
        }
        if milliseconds == 0 {
            self.point(self.own_op(OpKind::Yield), pc);
            self.touch_nothing();
        } else {
            let at_most = (milliseconds > 0).then_some(milliseconds as u64 * 1_000_000);
            self.await_files(files, at_most, pc);
        }
        let found = now();
        if found == 0 {
            self.yields();
            if milliseconds == 0 {
                self.look_at_timers();
            }
        }
        for file in files.iter().filter(|file| file.fd >= 0) {
            let object = self.channel(file.fd);
            self.touch_class(object, Access::Write);
            if found > 0 {
                // Who has made it ready comes before.
                self.state().execution.acquire(number(object).0 as usize, Access::Write);
            }
        }
        self.note(|| Note::Saw(format!("{found} ready")));
        found
    }
}

pub(super) extern "C-unwind" fn poll(files: Files, count: c_ulong, milliseconds: c_int, pc: usize) -> c_int {
    let call = |time: c_int| real!(poll(files => Files, count => c_ulong, time => c_int) -> c_int);
    let Some(rt) = Rt::enter() else { return call(milliseconds) };
    if milliseconds == 0 && !rt.state().code.is_programs(pc) {
        // Before `main` Rust's library looks whether its first three files are open.
        return call(0);
    }
    // SAFETY: the program's own list.
    let list = unsafe { list_of(files, count) };
    rt.poll_files(&list, milliseconds as i64, pc, || call(0))
}

pub(super) extern "C-unwind" fn ppoll(
    files: Files,
    count: c_ulong,
    time: *const libc::timespec,
    mask: Pointer,
    pc: usize,
) -> c_int {
    let Some(rt) = Rt::enter() else {
        return real!(ppoll(files => Files, count => c_ulong, time => *const libc::timespec, mask => Pointer) -> c_int);
    };
    let milliseconds = match time.is_null() {
        true => -1,
        // SAFETY: the program's own.
        false => unsafe { (*time).tv_sec * 1_000 + (*time).tv_nsec / 1_000_000 },
    };
    // SAFETY: the program's own list.
    let list = unsafe { list_of(files, count) };
    rt.poll_files(
        &list,
        milliseconds,
        pc,
        || real!(poll(files => Files, count => c_ulong, 0 => c_int) -> c_int),
    )
}

type Set = *mut libc::fd_set;

pub(super) extern "C-unwind" fn select(
    count: c_int,
    readable: Set,
    writable: Set,
    special: Set,
    time: *mut libc::timeval,
    pc: usize,
) -> c_int {
    let call = |time: *mut libc::timeval| real!(select(count => c_int, readable => Set, writable => Set, special => Set, time => *mut libc::timeval) -> c_int);
    let Some(rt) = Rt::enter() else { return call(time) };
    let milliseconds = match time.is_null() {
        true => -1,
        // SAFETY: the program's own.
        false => unsafe { (*time).tv_sec * 1_000 + (*time).tv_usec / 1_000 },
    };
    // SAFETY: the program's own sets.
    let has = |set: Set, fd: c_int| !set.is_null() && unsafe { libc::FD_ISSET(fd, set) };
    let file = |fd: c_int| {
        let events = if has(readable, fd) { libc::POLLIN } else { 0 }
            | if has(writable, fd) { libc::POLLOUT } else { 0 };
        (events != 0).then_some(libc::pollfd { fd, events, revents: 0 })
    };
    let list: Vec<libc::pollfd> = (0..count).filter_map(file).collect();
    let mut now = libc::timeval { tv_sec: 0, tv_usec: 0 };
    rt.poll_files(&list, milliseconds, pc, || call(&mut now))
}

type Events = *mut libc::epoll_event;

pub(super) extern "C-unwind" fn epoll_wait(
    fd: c_int,
    events: Events,
    most: c_int,
    milliseconds: c_int,
    pc: usize,
) -> c_int {
    let call =
        |time: c_int| real!(epoll_wait(fd => c_int, events => Events, most => c_int, time => c_int) -> c_int);
    let Some(rt) = Rt::enter() else { return call(milliseconds) };
    let file = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let found = rt.poll_files(&[file], milliseconds as i64, pc, || call(0));
    // Which files it has looked at only the kernel knows.
    let objects = &rt.state().objects[..rt.state().object_count];
    let files = (0..objects.len()).filter(|&object| objects[object].kind == ObjectKind::File);
    if found > 0 {
        // Some of it may not be told again.
        rt.gets_on();
    }
    for object in files.collect::<Vec<usize>>() {
        rt.touch_class(object, Access::Write);
        if found > 0 {
            rt.state().execution.acquire(number(object).0 as usize, Access::Write);
        }
    }
    found
}

/// Signals that are let through while it waits are the program's own affair.
extern "C-unwind" fn epoll_pwait(
    fd: c_int,
    events: Events,
    most: c_int,
    milliseconds: c_int,
    mask: Pointer,
    pc: usize,
) -> c_int {
    if !crate::rt::in_control() {
        return real!(epoll_pwait(fd => c_int, events => Events, most => c_int, milliseconds => c_int, mask => Pointer) -> c_int);
    }
    epoll_wait(fd, events, most, milliseconds, pc)
}

#[allow(clippy::too_many_arguments)]
extern "C-unwind" fn pselect(
    count: c_int,
    readable: Set,
    writable: Set,
    special: Set,
    time: *const libc::timespec,
    mask: Pointer,
    pc: usize,
) -> c_int {
    if !crate::rt::in_control() {
        return real!(pselect(count => c_int, readable => Set, writable => Set, special => Set, time => *const libc::timespec, mask => Pointer) -> c_int);
    }
    // SAFETY: the program's own, if it is there.
    let mut time = unsafe { time.as_ref() }
        .map(|time| libc::timeval { tv_sec: time.tv_sec, tv_usec: time.tv_nsec / 1_000 });
    let time = time.as_mut().map_or(std::ptr::null_mut(), |time| time as *mut libc::timeval);
    select(count, readable, writable, special, time, pc)
}
