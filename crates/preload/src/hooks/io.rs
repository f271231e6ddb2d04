//! Reading and writing files, where that can make a thread wait.

use std::ffi::{c_int, c_uint, c_void};

use caissa_core::class::Access;
use caissa_core::{Note, OpKind};

use super::{fails, stubs, stubs_of_six};
use crate::files::{Channel, can_wait, kind_of, never_waits};
use crate::memory::How;
use crate::real::real;
use crate::rt::Rt;
use crate::serve;

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
    close/1 => close,
    shutdown/2 => shutdown,
    pipe/1 => pipe,
    pipe2/2 => pipe2,
    socketpair/4 => socketpair,
    eventfd_read/2 => eventfd_read,
    eventfd_write/2 => eventfd_write,
    munmap/2 => unmap,
}
stubs_of_six! { recvfrom => recvfrom, sendto => sendto }

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
    if fd == libc::STDERR_FILENO && rt.state().code.of_rust {
        // SAFETY: the program's own.
        rt.hear(unsafe { std::slice::from_raw_parts(buffer.cast(), bytes) });
    }
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
    let at_once = flags & (libc::MSG_DONTWAIT | libc::MSG_PEEK) != 0;
    if flags & libc::MSG_WAITALL != 0 && !at_once && !never_waits(fd) && is_stream(fd) {
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

/// Whether what is sent through a socket comes as one stream.
fn is_stream(fd: c_int) -> bool {
    let (mut kind, mut length): (c_int, u32) = (0, size_of::<c_int>() as u32);
    // SAFETY: both are ours.
    let asked = unsafe {
        libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_TYPE, (&raw mut kind).cast(), &raw mut length)
    };
    asked == 0 && kind == libc::SOCK_STREAM
}

pub(super) extern "C-unwind" fn accept(fd: c_int, address: Pointer, length: Pointer, pc: usize) -> c_int {
    let call = || real!(accept(fd => c_int, address => Pointer, length => Pointer) -> c_int);
    match Rt::enter() {
        Some(rt) => rt.use_file(fd, libc::POLLIN, 0, pc, || call() as isize) as c_int,
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
        Some(rt) => rt.use_file(fd, libc::POLLIN, 0, pc, || call() as isize) as c_int,
        None => call(),
    }
}

pub(super) extern "C-unwind" fn close(fd: c_int, pc: usize) -> c_int {
    if serve::owns(fd) {
        return fails(libc::EBADF);
    }
    let call = || real!(close(fd => c_int) -> c_int);
    let Some(rt) = Rt::enter() else { return call() };
    rt.gets_on();
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
    rt.gets_on();
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
        rt.gets_on();
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
    if flags & libc::MSG_WAITALL != 0 && from.is_null() {
        return recv(fd, buffer, bytes, flags, pc);
    }
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
