//! CPU time, user and system: what a measurement costs, whoever else runs on the machine.

fn seconds(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours and lives through the call.
    let result = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(result, 0, "the system has clocks of CPU time");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// CPU seconds of this process so far, all threads together.
pub fn of_process() -> f64 {
    seconds(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU seconds of the calling OS thread so far.
pub fn of_thread() -> f64 {
    seconds(libc::CLOCK_THREAD_CPUTIME_ID)
}
