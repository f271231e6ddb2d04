//! Files that can make a task wait: pipes, sockets and the like.
//!
//! What would block is an operation that is disabled until it would not. What goes through a pipe or a pair of sockets orders who sends
//! before who receives. Regular files and standard output make nobody wait and are left alone.

use std::ffi::c_int;
use std::sync::OnceLock;

use caissa_core::class::Access;
use caissa_core::{ObjectKind, Op, OpKind};

use crate::rt::Rt;
use crate::sys;
use crate::wait::{Ended, Wait};

/// What kind of file a descriptor is, and its number, which no other file has. `None` if it is none.
pub(crate) fn kind_of(fd: c_int) -> Option<(u32, u64)> {
    // SAFETY: the buffer is ours.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        let asked = sys::call(libc::SYS_fstat, fd as usize, (&raw mut status) as usize, 0);
        (asked == 0).then_some((status.st_mode & libc::S_IFMT, status.st_ino))
    }
}

/// Whether a file can make a thread wait. Event counters and the like have no type. What the program was started with is the user's, who may look
/// at it through a pipe at one time and not at another.
pub(crate) fn can_wait(fd: c_int) -> bool {
    match kind_of(fd) {
        Some(kind @ (libc::S_IFIFO | libc::S_IFSOCK, _)) => !is_among_standard(kind),
        Some((kind, _)) => kind == 0,
        None => false,
    }
}

fn is_among_standard(kind: (u32, u64)) -> bool {
    STANDARD.get().is_some_and(|standard| standard.contains(&Some(kind)))
}

/// Whether a file is standard input, output or errors. What is written there nobody reads again.
fn is_standard(fd: c_int) -> bool {
    kind_of(fd).is_some_and(is_among_standard)
}

/// Standard input, output and errors, as they were at the beginning.
static STANDARD: OnceLock<[Option<(u32, u64)>; 3]> = OnceLock::new();

/// The program begins.
pub(crate) fn begin() {
    let _ = STANDARD.set([0, 1, 2].map(kind_of));
}

/// Whether operations fail that would have to wait.
pub(crate) fn never_waits(fd: c_int) -> bool {
    // SAFETY: it only asks.
    let flags = unsafe { sys::call(libc::SYS_fcntl, fd as usize, libc::F_GETFL as usize, 0) };
    flags >= 0 && flags as c_int & libc::O_NONBLOCK != 0
}

/// Files that are connected with each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    /// The descriptor by which it was first met.
    pub(crate) fd: c_int,
    /// The numbers of both ends.
    pub(crate) numbers: [u64; 2],
}

/// What a task waits for at files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// Which, and what for.
    files: Vec<libc::pollfd>,
    /// Until when at the latest.
    deadline: Option<u64>,
    /// When it looks again: then, or when a timer goes off that is among them.
    due: Option<u64>,
}

/// Stands for all sockets that were connected by their addresses; no file has this number.
const BY_ADDRESS: u64 = u64::MAX;
/// Stands for all event counters and the like.
const ANONYMOUS: u64 = u64::MAX - 1;
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
    pub(crate) fn channel(&self, fd: c_int) -> usize {
        let number = match kind_of(fd) {
            Some((libc::S_IFIFO, number)) => number,
            Some((libc::S_IFSOCK, number)) if self.is_paired(number) => number,
            Some((libc::S_IFSOCK, _)) => BY_ADDRESS,
            // The kernel does not tell them apart.
            Some((0, _)) => ANONYMOUS,
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
    pub(crate) fn await_files(&self, files: &[libc::pollfd], at_most: Option<u64>, pc: usize) -> bool {
        self.exit_if_cancelled();
        let object = self.channel(files.first().map_or(-1, |file| file.fd));
        let kind = if at_most.is_some() { OpKind::IoUntil } else { OpKind::Io };
        let op = self.op(kind, object);
        // What comes from outside may be there or not: in either case there is one point, when it is.
        while at_most.is_none() && !are_ready(files) && self.is_left_to_others(files) {
            self.wait_for_others(files);
        }
        if at_most.is_some() || are_ready(files) {
            self.point(op, pc);
        }
        let deadline = at_most.map(|time| self.now().saturating_add(time));
        while !are_ready(files) {
            if self.is_left_to_others(files) {
                self.wait_for_others(files);
                continue;
            }
            let me = self.me();
            let due = self.due(files, deadline);
            self.task().waits = Waiting { files: files.to_vec(), deadline, due };
            self.state().io_waits.push(me);
            let expires = self.op(OpKind::IoExpires, object);
            let ended = self.wait_until(Wait { op, deadline: due, expires, wakes: None, on: None }, pc);
            self.state().io_waits.retain(|&task| task != me);
            if ended == Ended::TimedOut {
                // Timers may have been set anew since it was due: then it is not.
                if let Some(due) = self.due(files, deadline)
                    && Some(due) <= self.task().waits.due
                {
                    self.advance(due);
                }
            }
            self.exit_if_cancelled();
            if deadline.is_some_and(|deadline| deadline <= self.state().execution.now()) {
                return are_ready(files);
            }
        }
        true
    }

    /// Whether nobody but somebody who is not under control can do something to these files. A timer will go off by itself.
    fn is_left_to_others(&self, files: &[libc::pollfd]) -> bool {
        self.state().execution.is_alone()
            && self.may_come_from_outside(files)
            && self.due(files, None).is_none()
    }

    /// Whether somebody who is not under control may be at the other end of one of these files.
    fn may_come_from_outside(&self, files: &[libc::pollfd]) -> bool {
        let is_outside = |file: &libc::pollfd| matches!(kind_of(file.fd), Some((libc::S_IFSOCK, number)) if !self.is_paired(number));
        self.state().has_children || files.iter().any(is_outside)
    }

    /// Lets others do something to these files, or to those that tasks wait for.
    fn wait_for_others(&self, files: &[libc::pollfd]) {
        let state = self.state();
        let waiting = state.io_waits.iter().flat_map(|task| state.tasks[task.index()].waits.files.iter());
        let all: Vec<libc::pollfd> = files.iter().chain(waiting).copied().collect();
        wait_outside(&all);
        self.refresh_files();
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
                others.flat_map(|task| state.tasks[task.index()].waits.files.iter().copied()).collect();
            if files.is_empty() || !self.is_left_to_others(&files) {
                break;
            }
            self.state().waits_outside = state.io_waits.iter().copied().find(|&task| task != me);
            wait_outside(&files);
            self.refresh_files();
        }
        self.state().waits_outside = None;
    }

    /// Something was done to a file: others may be able to go on, or not any more.
    pub(crate) fn refresh_files(&self) {
        let state = self.state();
        let others = state.io_waits.iter().filter(|&&task| task != state.running);
        for &task in others {
            let expires = Op { kind: OpKind::IoExpires, ..state.execution.pending_op(task) };
            let expired = state.execution.pending_op(task).kind == expires.kind;
            let waits = &mut state.tasks[task.index()].waits;
            if expired || are_ready(&waits.files) {
                state.execution.enable(task);
                continue;
            }
            state.execution.disable(task);
            if !state.timers.is_empty() {
                waits.due = self.due(&waits.files, waits.deadline);
                state.execution.set_timer(task, waits.due, expires);
            }
        }
    }

    /// Writing so many bytes, some at a time: `run` is told how many have been written before. As long as there is no room for more, it waits.
    pub(crate) fn write_file(
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
                // There is room, but not for this: others have to make it.
                ..=0 => self.yields(),
                written => done += written as usize,
            }
            if done >= bytes {
                return done as isize;
            }
        }
    }

    /// An operation on a file, once it does not have to wait. One that comes to something, as `run` says, is not the same again.
    pub(crate) fn use_file(
        &self,
        fd: c_int,
        events: i16,
        flags: c_int,
        pc: usize,
        run: impl FnOnce() -> isize,
    ) -> isize {
        if !can_wait(fd) {
            let result = run();
            if result > 0 && !(events == libc::POLLOUT && is_standard(fd)) {
                self.gets_on();
            }
            return result;
        }
        if flags & libc::MSG_DONTWAIT != 0 || never_waits(fd) {
            let object = self.channel(fd);
            self.point(self.op(OpKind::Io, object), pc);
            if self.timer(fd).is_some() {
                self.look_at_timers();
            }
        } else {
            self.await_files(&[libc::pollfd { fd, events, revents: 0 }], None, pc);
        }
        let result = run();
        if result > 0 {
            self.gets_on();
        }
        let object = self.channel(fd);
        self.touch(object, Access::Write);
        self.refresh_files();
        result
    }
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
