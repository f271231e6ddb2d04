//! A filter of system calls: in a process whose memory is put back, whatever changes what the kernel knows of it is noticed.
//!
//! Calls that only ask, and output, are let through, and so are those of the runtime itself, which come from one instruction. All others raise a signal
//! ([`crate::signals`]).

use crate::sys;

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Where things lie in what a filter looks at.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const POINTER: u32 = 8;
const FIRST_ARGUMENT: u32 = 16;
const SECOND_ARGUMENT: u32 = 24;
const THIRD_ARGUMENT: u32 = 32;

/// Numbers mean what they do here only in calls of this kind.
const X86_64: u32 = 0xc000_003e;

/// What only asks.
const HARMLESS: [i64; 33] = [
    libc::SYS_rt_sigreturn,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_time,
    libc::SYS_getcpu,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_statx,
    libc::SYS_access,
    libc::SYS_faccessat,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_membarrier,
    libc::SYS_exit_group,
    libc::SYS_getrandom,
];

fn statement(code: u16, value: u32) -> libc::sock_filter {
    libc::sock_filter { code, jt: 0, jf: 0, k: value }
}

/// If the value is this one, the next statements are done, else so many of them are left out.
fn unless(value: u32, left_out: u8) -> libc::sock_filter {
    libc::sock_filter { code: EQUAL, jt: 0, jf: left_out, k: value }
}

/// The address behind the instruction by which the runtime makes its system calls.
fn own_pointer() -> Option<u64> {
    let start = sys::raw as *const () as usize;
    (start..start + sys::RAW_LENGTH).find_map(|address| {
        // SAFETY: code can be read; the function is longer than what is looked for.
        let bytes = unsafe { (address as *const [u8; 2]).read_unaligned() };
        (bytes == [0x0f, 0x05]).then_some(address as u64 + 2)
    })
}

/// Installs the filter. It stays as long as the process.
pub(super) fn install() -> Result<(), String> {
    let own = own_pointer().ok_or("the runtime does not find its own system calls")?;
    let allow = statement(RETURN, libc::SECCOMP_RET_ALLOW);
    let mut filter = vec![
        statement(LOAD, POINTER),
        unless(own as u32, 3),
        statement(LOAD, POINTER + 4),
        unless((own >> 32) as u32, 1),
        allow,
        statement(LOAD, ARCHITECTURE),
        libc::sock_filter { code: EQUAL, jt: 1, jf: 0, k: X86_64 },
        statement(RETURN, libc::SECCOMP_RET_TRAP),
        statement(LOAD, NUMBER),
    ];
    for harmless in HARMLESS {
        filter.extend([unless(harmless as u32, 1), allow]);
    }
    for output in [libc::SYS_write, libc::SYS_writev, libc::SYS_ioctl, libc::SYS_lseek] {
        filter.extend([
            unless(output as u32, 5),
            statement(LOAD, FIRST_ARGUMENT),
            unless(1, 1),
            allow,
            unless(2, 1),
            allow,
        ]);
        filter.push(statement(LOAD, NUMBER));
    }
    // A look at files that waits for nothing.
    filter.extend([
        unless(libc::SYS_poll as u32, 3),
        statement(LOAD, THIRD_ARGUMENT),
        unless(0, 1),
        allow,
        statement(LOAD, NUMBER),
    ]);
    // Who handles a signal: nobody else is to.
    filter.extend([
        unless(libc::SYS_rt_sigaction as u32, 5),
        statement(LOAD, SECOND_ARGUMENT),
        unless(0, 3),
        statement(LOAD, SECOND_ARGUMENT + 4),
        unless(0, 1),
        allow,
        statement(LOAD, NUMBER),
    ]);
    // Waking nobody: no other thread runs.
    filter.extend([
        unless(libc::SYS_futex as u32, 5),
        statement(LOAD, SECOND_ARGUMENT),
        unless(libc::FUTEX_WAKE as u32, 1),
        allow,
        unless((libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG) as u32, 1),
        allow,
    ]);
    filter.push(statement(RETURN, libc::SECCOMP_RET_TRAP));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the filter lives until it is installed.
    let installed = unsafe {
        sys::raw(libc::SYS_prctl, libc::PR_SET_NO_NEW_PRIVS as usize, 1, 0, 0, 0, 0);
        let mode = libc::SECCOMP_MODE_FILTER as usize;
        sys::raw(libc::SYS_prctl, libc::PR_SET_SECCOMP as usize, mode, (&raw const program) as usize, 0, 0, 0)
    };
    if installed == 0 {
        Ok(())
    } else {
        Err("the system does not let it filter its system calls (seccomp)".to_owned())
    }
}
