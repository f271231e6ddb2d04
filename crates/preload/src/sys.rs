//! System calls, made here and nowhere else: in one place of the code, by which a filter of system calls knows them.

use std::arch::{asm, naked_asm};

/// Makes a system call.
///
/// # Safety
/// As the system call.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn raw(
    number: i64,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> isize {
    naked_asm!(
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, [rsp + 8]",
        "syscall",
        "ret",
    )
}

/// How far behind the beginning of [`raw`] its instruction ends, at most.
pub(crate) const RAW_LENGTH: usize = 64;

/// Makes a system call of up to three arguments.
///
/// # Safety
/// As the system call.
pub(crate) unsafe fn call(number: i64, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: as the caller says.
    unsafe { raw(number, a, b, c, 0, 0, 0) }
}

/// Ends the process, with all its threads.
pub(crate) fn exit(code: i32) -> ! {
    loop {
        // SAFETY: it does not come back.
        unsafe { call(libc::SYS_exit_group, code as usize, 0, 0) };
    }
}

/// New memory, all zero. `shared`: also with processes that are forked.
pub(crate) fn map(bytes: usize, shared: bool) -> *mut u8 {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let kind = if shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let flags = (kind | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: a new mapping disturbs nobody.
    let address = unsafe { raw(libc::SYS_mmap, 0, bytes, protection, flags, usize::MAX, 0) };
    if (-4095..0).contains(&address) { std::ptr::null_mut() } else { address as *mut u8 }
}

/// Waits until a word is not this value any more, or for no reason.
pub(crate) fn futex_wait(word: *const u32, value: u32) {
    let wait = (libc::FUTEX_WAIT) as usize;
    // SAFETY: the kernel looks at the word only.
    unsafe { call(libc::SYS_futex, word as usize, wait, value as usize) };
}

/// Wakes who waits at a word.
pub(crate) fn futex_wake(word: *const u32) {
    let wake = (libc::FUTEX_WAKE) as usize;
    // SAFETY: the kernel looks at nothing.
    unsafe { call(libc::SYS_futex, word as usize, wake, i32::MAX as usize) };
}

/// What is ready to be done with a file now, of what is asked.
pub(crate) fn poll_now(fd: i32, events: i16) -> i16 {
    let mut entry = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one entry, which lives long enough.
    unsafe { call(libc::SYS_poll, (&raw mut entry) as usize, 1, 0) };
    entry.revents
}

/// Reads so many bytes. False if there are no more.
pub(crate) fn read_all(fd: i32, bytes: &mut [u8]) -> bool {
    let mut done = 0;
    while done < bytes.len() {
        let rest = &mut bytes[done..];
        // SAFETY: the slice is ours.
        let read = unsafe { call(libc::SYS_read, fd as usize, rest.as_mut_ptr() as usize, rest.len()) };
        match read {
            1.. => done += read as usize,
            interrupted if interrupted == -libc::EINTR as isize => {}
            _ => return false,
        }
    }
    true
}

/// Writes all bytes. False if nobody is there to read them.
pub(crate) fn write_all(fd: i32, bytes: &[u8]) -> bool {
    let mut done = 0;
    while done < bytes.len() {
        let rest = &bytes[done..];
        // SAFETY: the slice is ours. No signal is sent if the other side is gone.
        let sent = unsafe {
            let flags = libc::MSG_NOSIGNAL as usize;
            raw(libc::SYS_sendto, fd as usize, rest.as_ptr() as usize, rest.len(), flags, 0, 0)
        };
        match sent {
            1.. => done += sent as usize,
            interrupted if interrupted == -libc::EINTR as isize => {}
            _ => return false,
        }
    }
    true
}

/// Says something on standard error, whatever has become of it in the program.
pub(crate) fn say(text: &str) {
    // SAFETY: the bytes are there.
    unsafe { call(libc::SYS_write, 2, text.as_ptr() as usize, text.len()) };
}

/// Blocks just these signals, if any are given; those that were blocked before.
pub(crate) fn block_signals(signals: Option<u64>) -> u64 {
    let mut before = 0u64;
    let new = signals.as_ref().map_or(0, |signals| std::ptr::from_ref(signals) as usize);
    // SAFETY: sets as the kernel has them, which live long enough.
    unsafe {
        raw(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK as usize, new, (&raw mut before) as usize, 8, 0, 0)
    };
    before
}

/// From now on a signal does nothing.
pub(crate) fn ignore_signal(signal: i32) {
    // As the kernel has it: who handles it, flags, where handlers return to, what is blocked meanwhile.
    let action: [usize; 4] = [libc::SIG_IGN, 0, 0, 0];
    // SAFETY: the action lives long enough.
    unsafe { raw(libc::SYS_rt_sigaction, signal as usize, action.as_ptr() as usize, 0, 8, 0, 0) };
}

/// Where thread-local storage of the running thread lies.
pub(crate) fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the word at offset 0 is the pointer itself, by the ABI.
    unsafe { asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags)) };
    pointer
}
