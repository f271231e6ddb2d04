//! Files that can make a thread wait: pipes, sockets and the like.
//!
//! What would block is an operation that is disabled until it would not. What goes through a pipe or a pair of sockets orders who sends
//! before who receives. Regular files and standard output make nobody wait and are left alone.

use std::ffi::{c_int, c_uint, c_ulong, c_void};

use caissa_core::class::Access;
use caissa_core::{Note, ObjectKind, OpKind};

use super::{fails, stubs, stubs_of_six};
use crate::memory::How;
use crate::real::real;
use crate::rt::Rt;
use crate::wait::{Ended, Wait};
use crate::{serve, sys};

type Pointer = *mut c_void;
type Vector = *const libc::iovec;
type Message = *mut libc::msghdr;

stubs! {
    read/3 => read,
    write/3 => write,
    readv/3 => readv,
    writev/3 => writev,
    recv/4 => recv,
    send/4 => send,
    recvmsg/3 => recvmsg,
    sendmsg/3 => sendmsg,
    accept/3 => accept,
    accept4/4 => accept4,
    poll/3 => poll,
    ppoll/4 => ppoll,
    select/5 => select,
    epoll_wait/4 => epoll_wait,
    epoll_pwait/5 => epoll_pwait,
    close/1 => close,
    shutdown/2 => shutdown,
    pipe/1 => pipe,
    pipe2/2 => pipe2,
    socketpair/4 => socketpair,
    eventfd_read/2 => eventfd_read,
    eventfd_write/2 => eventfd_write,
    munmap/2 => unmap,
    flockfile/1 => lock_file,
    funlockfile/1 => unlock_file,
    ftrylockfile/1 => try_lock_file,
}

/// What kind of file a descriptor is, and its number, which no other file has. `None` if it is none.
fn kind_of(fd: c_int) -> Option<(u32, u64)> {
    // SAFETY: the buffer is ours.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        let asked = sys::call(libc::SYS_fstat, fd as usize, (&raw mut status) as usize, 0);
        (asked == 0).then_some((status.st_mode & libc::S_IFMT, status.st_ino))
    }
}

/// Whether a file can make a thread wait. Event counters and the like have no type.
fn can_wait(fd: c_int) -> bool {
    matches!(kind_of(fd), Some((libc::S_IFIFO | libc::S_IFSOCK | 0, _)))
}

/// Whether operations fail that would have to wait.
fn never_waits(fd: c_int) -> bool {
    // SAFETY: it only asks.
    let flags = unsafe { sys::call(libc::SYS_fcntl, fd as usize, libc::F_GETFL as usize, 0) };
    flags >= 0 && flags as c_int & libc::O_NONBLOCK != 0
}

/// Files that are connected with each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    /// The descriptor by which it was first met.
    fd: c_int,
    /// The numbers of both ends.
    numbers: [u64; 2],
}

/// Stands for all sockets that were connected by their addresses; no file has this number.
const BY_ADDRESS: u64 = u64::MAX;
/// Objects of files are known by a number with the descriptor in its lowest bits.
const FD_BITS: u32 = caissa_wire::FD_BITS;

/// Does something to a file that fails where it would have to wait.
fn without_waiting<T>(fd: c_int, run: impl FnOnce() -> T) -> T {
    let set = |flags: usize| {
        // SAFETY: the program's own file, which is as it was when this is over.
        unsafe { sys::call(libc::SYS_fcntl, fd as usize, libc::F_SETFL as usize, flags) };
    };
    // SAFETY: it only asks.
    let flags = unsafe { sys::call(libc::SYS_fcntl, fd as usize, libc::F_GETFL as usize, 0) } as usize;
    set(flags | libc::O_NONBLOCK as usize);
    let result = run();
    set(flags);
    result
}

/// Whether an operation has failed because it would have had to wait.
fn would_wait(result: isize) -> bool {
    // SAFETY: the running thread's own.
    result < 0 && unsafe { *libc::__errno_location() } == libc::EAGAIN
}

impl Rt {
    /// The object that stands for a file and what is connected with it, whatever their descriptors are. Sockets that were connected by their addresses are
    /// one, since we do not know which of them belong together.
    fn channel(&self, fd: c_int) -> usize {
        let number = match kind_of(fd) {
            Some((libc::S_IFIFO, number)) => number,
            Some((libc::S_IFSOCK, number)) if self.is_paired(number) => number,
            Some((libc::S_IFSOCK, _)) => BY_ADDRESS,
            _ => return self.object(ObjectKind::File, fd as usize),
        };
        let channels = &mut self.state().channels;
        let known = channels.iter().position(|channel| channel.numbers.contains(&number));
        let index = known.unwrap_or_else(|| {
            channels.push(Channel { fd, numbers: [number; 2] });
            channels.len() - 1
        });
        // A descriptor is used again for other files.
        let fd = channels[index].fd as usize;
        self.object(ObjectKind::File, (index + 1) << FD_BITS | fd & ((1 << FD_BITS) - 1))
    }

    /// Whether a socket, by its number, is one of a pair.
    fn is_paired(&self, number: u64) -> bool {
        self.state().channels.iter().any(|channel| channel.numbers.contains(&number))
    }

    /// The point before an operation on a file; comes back when it does not have to wait. False if it has waited for so long.
    fn await_files(&self, files: &[libc::pollfd], at_most: Option<u64>, pc: usize) -> bool {
        self.exit_if_cancelled();
        let object = self.channel(files.first().map_or(-1, |file| file.fd));
        let kind = if at_most.is_some() { OpKind::IoUntil } else { OpKind::Io };
        let op = self.op(kind, object);
        // What comes from outside may be there or not: in either case there is one point, when it is.
        while at_most.is_none()
            && !are_ready(files)
            && self.state().execution.is_alone()
            && self.may_come_from_outside(files)
        {
            wait_outside(files);
        }
        if at_most.is_some() || are_ready(files) {
            self.point(op, pc);
        }
        let deadline = at_most.map(|time| self.now().saturating_add(time));
        while !are_ready(files) {
            if self.state().execution.is_alone() && self.may_come_from_outside(files) {
                wait_outside(files);
                continue;
            }
            let me = self.me();
            self.task().files = files.to_vec();
            self.state().io_waits.push(me);
            let ended = match deadline {
                None => {
                    self.block(op, pc);
                    Ended::Enabled
                }
                Some(deadline) => {
                    let expires = self.op(OpKind::IoExpires, object);
                    let ended = self.wait_until(
                        Wait { op, deadline: Some(deadline), expires, wakes: None, on: None },
                        pc,
                    );
                    if ended == Ended::TimedOut {
                        self.advance(deadline);
                    }
                    ended
                }
            };
            self.state().io_waits.retain(|&task| task != me);
            self.exit_if_cancelled();
            if ended == Ended::TimedOut {
                return false;
            }
        }
        true
    }

    /// Whether somebody who is not under control may be at the other end of one of these files.
    fn may_come_from_outside(&self, files: &[libc::pollfd]) -> bool {
        let is_outside = |file: &libc::pollfd| matches!(kind_of(file.fd), Some((libc::S_IFSOCK, number)) if !self.is_paired(number));
        self.state().has_children || files.iter().any(is_outside)
    }

    /// Tasks that wait for files can go on as soon as these are ready, however they have become so. `blocks`: the running task cannot go on; if nobody
    /// can, and somebody outside may still do something, that is waited for.
    pub(crate) fn look_at_files(&self, blocks: bool) {
        if self.state().io_waits.is_empty() {
            return;
        }
        self.refresh_files();
        while blocks && self.state().execution.is_alone() {
            let (state, me) = (self.state(), self.me());
            let others = state.io_waits.iter().filter(|&&task| task != me);
            let files: Vec<libc::pollfd> =
                others.flat_map(|task| state.tasks[task.index()].files.iter().copied()).collect();
            if files.is_empty() || !self.may_come_from_outside(&files) {
                return;
            }
            wait_outside(&files);
            self.refresh_files();
        }
    }

    /// Something was done to a file: others may be able to go on, or not any more.
    fn refresh_files(&self) {
        let state = self.state();
        let others = state.io_waits.iter().filter(|&&task| task != state.running);
        for &task in others {
            let expired = state.execution.pending_op(task).kind == OpKind::IoExpires;
            if expired || are_ready(&state.tasks[task.index()].files) {
                state.execution.enable(task);
            } else {
                state.execution.disable(task);
            }
        }
    }

    /// Writing so many bytes, some at a time: `run` is told how many have been written before. As long as there is no room for more, it waits.
    fn write_file(
        &self,
        fd: c_int,
        bytes: usize,
        flags: c_int,
        pc: usize,
        mut run: impl FnMut(usize) -> isize,
    ) -> isize {
        if !can_wait(fd) || flags & libc::MSG_DONTWAIT != 0 || never_waits(fd) {
            return self.use_file(fd, libc::POLLOUT, flags, pc, || run(0));
        }
        let mut done = 0;
        loop {
            // The kernel would wait for room for all of them, with nobody there to make it.
            let result = self.use_file(fd, libc::POLLOUT, flags, pc, || without_waiting(fd, || run(done)));
            match result {
                ..=0 if done == 0 && !would_wait(result) => return result,
                ..=0 if !would_wait(result) => return done as isize,
                ..=0 => {}
                written => done += written as usize,
            }
            if done >= bytes {
                return done as isize;
            }
        }
    }

    /// An operation on a file, once it does not have to wait.
    fn use_file<T>(&self, fd: c_int, events: i16, flags: c_int, pc: usize, run: impl FnOnce() -> T) -> T {
        if !can_wait(fd) {
            return run();
        }
        if flags & libc::MSG_DONTWAIT != 0 || never_waits(fd) {
            let object = self.channel(fd);
            self.point(self.op(OpKind::Io, object), pc);
        } else {
            self.await_files(&[libc::pollfd { fd, events, revents: 0 }], None, pc);
        }
        let result = run();
        let object = self.channel(fd);
        self.touch(object, Access::Write);
        self.refresh_files();
        result
    }
}

impl Rt {
    /// The buffers of a list are accessed, as far as so many bytes go.
    ///
    /// # Safety
    /// It is a list of the program's.
    unsafe fn access_vector(&self, vector: Vector, count: usize, bytes: isize, how: How, pc: usize) {
        let mut left = bytes.max(0) as usize;
        for index in 0..count {
            // SAFETY: as the caller says.
            let libc::iovec { iov_base, iov_len } = unsafe { *vector.add(index) };
            let length = iov_len.min(left);
            self.access(iov_base as usize, length, how, pc);
            left -= length;
        }
    }
}

/// # Safety
/// A list of so many buffers.
unsafe fn parts(vector: Vector, count: usize) -> Vec<libc::iovec> {
    // SAFETY: as the caller says.
    (0..count).map(|index| unsafe { *vector.add(index) }).collect()
}

fn length(parts: &[libc::iovec]) -> usize {
    parts.iter().map(|part| part.iov_len).sum()
}

/// What is left of some buffers behind so many bytes.
fn behind(parts: &[libc::iovec], mut bytes: usize) -> Vec<libc::iovec> {
    let mut rest = Vec::new();
    for part in parts {
        let left_out = bytes.min(part.iov_len);
        bytes -= left_out;
        if left_out < part.iov_len || part.iov_len == 0 {
            let iov_base = part.iov_base.wrapping_byte_add(left_out);
            rest.push(libc::iovec { iov_base, iov_len: part.iov_len - left_out });
        }
    }
    rest
}

fn are_ready(files: &[libc::pollfd]) -> bool {
    files.iter().any(|file| sys::poll_now(file.fd, file.events) != 0)
}

/// Waits for files a while.
fn wait_outside(files: &[libc::pollfd]) {
    const A_WHILE: usize = 100;
    let mut files = files.to_vec();
    // SAFETY: the list is ours.
    unsafe { sys::call(libc::SYS_poll, files.as_mut_ptr() as usize, files.len(), A_WHILE) };
}

pub(super) extern "C-unwind" fn read(fd: c_int, buffer: Pointer, bytes: usize, pc: usize) -> isize {
    let call = || real!(read(fd => c_int, buffer => Pointer, bytes => usize) -> isize);
    let Some(rt) = Rt::enter() else { return call() };
    let result = rt.use_file(fd, libc::POLLIN, 0, pc, call);
    rt.access(buffer as usize, result.max(0) as usize, How::Write, pc);
    rt.note(|| Note::Saw(format!("{result} bytes")));
    result
}

pub(super) extern "C-unwind" fn write(fd: c_int, buffer: Pointer, bytes: usize, pc: usize) -> isize {
    if serve::owns(fd) {
        return fails(libc::EBADF) as isize;
    }
    let call = |done: usize| real!(write(fd => c_int, buffer.wrapping_byte_add(done) => Pointer, bytes - done => usize) -> isize);
    let Some(rt) = Rt::enter() else { return call(0) };
    rt.access(buffer as usize, bytes, How::Read, pc);
    rt.write_file(fd, bytes, 0, pc, call)
}

pub(super) extern "C-unwind" fn readv(fd: c_int, vector: Vector, count: c_int, pc: usize) -> isize {
    let call = || real!(readv(fd => c_int, vector => Vector, count => c_int) -> isize);
    let Some(rt) = Rt::enter() else { return call() };
    let result = rt.use_file(fd, libc::POLLIN, 0, pc, call);
    // SAFETY: the program's own list.
    unsafe { rt.access_vector(vector, count as usize, result, How::Write, pc) };
    result
}

pub(super) extern "C-unwind" fn writev(fd: c_int, vector: Vector, count: c_int, pc: usize) -> isize {
    let call =
        |vector: Vector, count: c_int| real!(writev(fd => c_int, vector => Vector, count => c_int) -> isize);
    let Some(rt) = Rt::enter() else { return call(vector, count) };
    // SAFETY: the program's own list.
    unsafe { rt.access_vector(vector, count as usize, isize::MAX, How::Read, pc) };
    // SAFETY: as above.
    let all = unsafe { parts(vector, count as usize) };
    rt.write_file(fd, length(&all), 0, pc, |done| {
        let rest = behind(&all, done);
        call(rest.as_ptr(), rest.len() as c_int)
    })
}

extern "C-unwind" fn recv(fd: c_int, buffer: Pointer, bytes: usize, flags: c_int, pc: usize) -> isize {
    let call = |done: usize, flags: c_int| real!(recv(fd => c_int, buffer.wrapping_byte_add(done) => Pointer, bytes - done => usize, flags => c_int) -> isize);
    let Some(rt) = Rt::enter() else { return call(0, flags) };
    let mut result = rt.use_file(fd, libc::POLLIN, flags, pc, || call(0, flags & !libc::MSG_WAITALL));
    if flags & libc::MSG_WAITALL != 0 && flags & libc::MSG_DONTWAIT == 0 && !never_waits(fd) {
        // The kernel would wait for all, with nobody there to send it.
        while result > 0 && (result as usize) < bytes {
            let done = result as usize;
            let more = rt.use_file(fd, libc::POLLIN, flags, pc, || call(done, flags & !libc::MSG_WAITALL));
            if more <= 0 {
                break;
            }
            result += more;
        }
    }
    rt.access(buffer as usize, result.max(0) as usize, How::Write, pc);
    result
}

extern "C-unwind" fn send(fd: c_int, buffer: Pointer, bytes: usize, flags: c_int, pc: usize) -> isize {
    let call = |done: usize| real!(send(fd => c_int, buffer.wrapping_byte_add(done) => Pointer, bytes - done => usize, flags => c_int) -> isize);
    let Some(rt) = Rt::enter() else { return call(0) };
    rt.access(buffer as usize, bytes, How::Read, pc);
    rt.write_file(fd, bytes, flags, pc, call)
}

pub(super) extern "C-unwind" fn recvmsg(fd: c_int, message: Message, flags: c_int, pc: usize) -> isize {
    let call = || real!(recvmsg(fd => c_int, message => Message, flags => c_int) -> isize);
    let Some(rt) = Rt::enter() else { return call() };
    let result = rt.use_file(fd, libc::POLLIN, flags, pc, call);
    // SAFETY: the program's own message.
    unsafe { rt.access_vector((*message).msg_iov, (*message).msg_iovlen, result, How::Write, pc) };
    result
}

pub(super) extern "C-unwind" fn sendmsg(fd: c_int, message: Message, flags: c_int, pc: usize) -> isize {
    let call = |message: Message| real!(sendmsg(fd => c_int, message => Message, flags => c_int) -> isize);
    let Some(rt) = Rt::enter() else { return call(message) };
    // SAFETY: the program's own message.
    let mut part = unsafe { *message };
    // SAFETY: as above.
    unsafe { rt.access_vector(part.msg_iov, part.msg_iovlen, isize::MAX, How::Read, pc) };
    // SAFETY: as above.
    let all = unsafe { parts(part.msg_iov, part.msg_iovlen) };
    rt.write_file(fd, length(&all), flags, pc, |done| {
        let mut rest = behind(&all, done);
        (part.msg_iov, part.msg_iovlen) = (rest.as_mut_ptr(), rest.len());
        if done > 0 {
            // What else belongs to it has been sent with the beginning.
            part.msg_controllen = 0;
        }
        call(&mut part)
    })
}

pub(super) extern "C-unwind" fn accept(fd: c_int, address: Pointer, length: Pointer, pc: usize) -> c_int {
    let call = || real!(accept(fd => c_int, address => Pointer, length => Pointer) -> c_int);
    match Rt::enter() {
        Some(rt) => rt.use_file(fd, libc::POLLIN, 0, pc, call),
        None => call(),
    }
}

pub(super) extern "C-unwind" fn accept4(
    fd: c_int,
    address: Pointer,
    length: Pointer,
    flags: c_int,
    pc: usize,
) -> c_int {
    let call = || real!(accept4(fd => c_int, address => Pointer, length => Pointer, flags => c_int) -> c_int);
    match Rt::enter() {
        Some(rt) => rt.use_file(fd, libc::POLLIN, 0, pc, call),
        None => call(),
    }
}

type Files = *mut libc::pollfd;

/// # Safety
/// A list of so many files.
unsafe fn list_of(files: Files, count: c_ulong) -> Vec<libc::pollfd> {
    // SAFETY: as the caller says; an empty one may lie anywhere.
    if count == 0 {
        Vec::new()
    } else {
        unsafe { std::slice::from_raw_parts(files, count as usize) }.to_vec()
    }
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
        }
        for file in files.iter().filter(|file| file.fd >= 0) {
            let object = self.channel(file.fd);
            self.touch_class(object, Access::Write);
        }
        self.note(|| Note::Saw(format!("{found} ready")));
        found
    }
}

pub(super) extern "C-unwind" fn poll(files: Files, count: c_ulong, milliseconds: c_int, pc: usize) -> c_int {
    let call = |time: c_int| real!(poll(files => Files, count => c_ulong, time => c_int) -> c_int);
    let Some(rt) = Rt::enter() else { return call(milliseconds) };
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
    files.collect::<Vec<usize>>().into_iter().for_each(|object| rt.touch_class(object, Access::Write));
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

pub(super) extern "C-unwind" fn close(fd: c_int, pc: usize) -> c_int {
    if serve::owns(fd) {
        return fails(libc::EBADF);
    }
    let call = || real!(close(fd => c_int) -> c_int);
    let Some(rt) = Rt::enter() else { return call() };
    if !can_wait(fd) {
        return call();
    }
    let object = rt.channel(fd);
    rt.point(rt.op(OpKind::Io, object), pc);
    let result = call();
    rt.touch(object, Access::Write);
    rt.refresh_files();
    result
}

pub(super) extern "C-unwind" fn shutdown(fd: c_int, how: c_int, pc: usize) -> c_int {
    let call = || real!(shutdown(fd => c_int, how => c_int) -> c_int);
    let Some(rt) = Rt::enter() else { return call() };
    let object = rt.channel(fd);
    rt.point(rt.op(OpKind::Io, object), pc);
    let result = call();
    rt.touch(object, Access::Write);
    rt.refresh_files();
    result
}

/// Two files are connected from now on.
fn connect(pair: *const c_int, result: c_int) -> c_int {
    if let Some(rt) = Rt::enter()
        && result == 0
    {
        // SAFETY: libc has just written both.
        let [one, other] = unsafe { [*pair, *pair.add(1)] };
        if let (Some((_, number)), Some((_, others))) = (kind_of(one), kind_of(other)) {
            rt.state().channels.push(Channel { fd: one, numbers: [number, others] });
        }
    }
    result
}

pub(super) extern "C-unwind" fn pipe(out: *mut c_int, _pc: usize) -> c_int {
    connect(out, real!(pipe(out => *mut c_int) -> c_int))
}

pub(super) extern "C-unwind" fn pipe2(out: *mut c_int, flags: c_int, _pc: usize) -> c_int {
    connect(out, real!(pipe2(out => *mut c_int, flags => c_int) -> c_int))
}

pub(super) extern "C-unwind" fn socketpair(
    domain: c_int,
    kind: c_int,
    protocol: c_int,
    out: *mut c_int,
    _pc: usize,
) -> c_int {
    connect(
        out,
        real!(socketpair(domain => c_int, kind => c_int, protocol => c_int, out => *mut c_int) -> c_int),
    )
}

/// A stream of the C library is a recursive lock to those who ask for it by name.
fn stream(file: Pointer) -> Option<(Rt, usize)> {
    let rt = Rt::enter()?;
    let object = rt.object(ObjectKind::Mutex, file as usize);
    rt.state().objects[object].flavour = crate::object::Flavour::Recursive;
    Some((rt, object))
}

extern "C-unwind" fn lock_file(file: Pointer, pc: usize) {
    match stream(file) {
        Some((rt, object)) => {
            rt.take(object, None, pc);
        }
        None => real!(flockfile(file => Pointer) -> ()),
    }
}

extern "C-unwind" fn unlock_file(file: Pointer, pc: usize) {
    match stream(file) {
        Some((rt, object)) => {
            rt.give_back(object, "stream", pc);
        }
        None => real!(funlockfile(file => Pointer) -> ()),
    }
}

extern "C-unwind" fn try_lock_file(file: Pointer, pc: usize) -> c_int {
    match stream(file) {
        Some((rt, object)) => rt.try_take(object, pc),
        None => real!(ftrylockfile(file => Pointer) -> c_int),
    }
}

extern "C-unwind" fn eventfd_read(fd: c_int, value: *mut u64, pc: usize) -> c_int {
    if read(fd, value.cast(), 8, pc) == 8 { 0 } else { -1 }
}

extern "C-unwind" fn eventfd_write(fd: c_int, value: u64, pc: usize) -> c_int {
    if write(fd, (&raw const value).cast_mut().cast(), 8, pc) == 8 { 0 } else { -1 }
}

/// Memory that is mapped there again is another one.
pub(super) extern "C-unwind" fn unmap(address: usize, bytes: usize, _pc: usize) -> c_int {
    if let Some(rt) = Rt::enter() {
        rt.forget_memory(address, bytes);
    }
    real!(munmap(address => usize, bytes => usize) -> c_int)
}

type Address = *mut libc::sockaddr;

#[allow(clippy::too_many_arguments)]
pub(super) extern "C-unwind" fn recvfrom(
    fd: c_int,
    buffer: Pointer,
    bytes: usize,
    flags: c_int,
    from: Address,
    length: Pointer,
    pc: usize,
) -> isize {
    let call = || {
        real!(recvfrom(
            fd => c_int,
            buffer => Pointer,
            bytes => usize,
            flags => c_int,
            from => Address,
            length => Pointer,
        ) -> isize)
    };
    let Some(rt) = Rt::enter() else { return call() };
    let result = rt.use_file(fd, libc::POLLIN, flags, pc, call);
    rt.access(buffer as usize, result.max(0) as usize, How::Write, pc);
    result
}

#[allow(clippy::too_many_arguments)]
pub(super) extern "C-unwind" fn sendto(
    fd: c_int,
    buffer: Pointer,
    bytes: usize,
    flags: c_int,
    to: Address,
    length: c_uint,
    pc: usize,
) -> isize {
    let call = |done: usize| {
        real!(sendto(
            fd => c_int,
            buffer.wrapping_byte_add(done) => Pointer,
            bytes - done => usize,
            flags => c_int,
            to => Address,
            length => c_uint,
        ) -> isize)
    };
    let Some(rt) = Rt::enter() else { return call(0) };
    rt.access(buffer as usize, bytes, How::Read, pc);
    rt.write_file(fd, bytes, flags, pc, call)
}

stubs_of_six! { recvfrom => recvfrom, sendto => sendto, pselect => pselect }
