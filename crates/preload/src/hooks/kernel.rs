//! Functions that change what the kernel or libc knows, or tell of it: a task that calls one gets on, however its own memory looks ([`crate::spin`]).

use super::passed_on;
use crate::rt::Rt;

fn gets_on(_first: usize) {
    if let Some(rt) = Rt::enter() {
        rt.gets_on();
    }
}

passed_on! {
    open => gets_on, open64 => gets_on, openat => gets_on, openat64 => gets_on, creat => gets_on, creat64 => gets_on,
    lseek => gets_on, lseek64 => gets_on, ftruncate => gets_on, ftruncate64 => gets_on, truncate => gets_on,
    truncate64 => gets_on, flock => gets_on, fcntl => gets_on, fcntl64 => gets_on, ioctl => gets_on,
    dup => gets_on, dup2 => gets_on, dup3 => gets_on,
    pread => gets_on, pread64 => gets_on, preadv => gets_on, preadv64 => gets_on,
    pwrite => gets_on, pwrite64 => gets_on, pwritev => gets_on, pwritev64 => gets_on,
    sendfile => gets_on, sendfile64 => gets_on, splice => gets_on, copy_file_range => gets_on,
    recvmmsg => gets_on, sendmmsg => gets_on,
    stat => gets_on, stat64 => gets_on, lstat => gets_on, lstat64 => gets_on, fstat => gets_on, fstat64 => gets_on,
    fstatat => gets_on, fstatat64 => gets_on, statx => gets_on, statfs => gets_on, statfs64 => gets_on,
    access => gets_on, faccessat => gets_on, readlink => gets_on, readlinkat => gets_on, realpath => gets_on,
    getcwd => gets_on, chdir => gets_on, fchdir => gets_on,
    opendir => gets_on, fdopendir => gets_on, readdir => gets_on, readdir64 => gets_on, readdir_r => gets_on,
    readdir64_r => gets_on, rewinddir => gets_on, seekdir => gets_on, closedir => gets_on,
    link => gets_on, linkat => gets_on, symlink => gets_on, symlinkat => gets_on, rename => gets_on,
    renameat => gets_on, renameat2 => gets_on, unlink => gets_on, unlinkat => gets_on, remove => gets_on,
    mkdir => gets_on, mkdirat => gets_on, rmdir => gets_on, chmod => gets_on, fchmod => gets_on, fchmodat => gets_on,
    socket => gets_on, connect => gets_on, bind => gets_on, listen => gets_on, getsockopt => gets_on,
    setsockopt => gets_on, epoll_ctl => gets_on,
    wait => gets_on, waitpid => gets_on, waitid => gets_on, wait3 => gets_on, wait4 => gets_on,
    getrusage => gets_on, times => gets_on, sysinfo => gets_on, getloadavg => gets_on,
    setenv => gets_on, unsetenv => gets_on, putenv => gets_on, clearenv => gets_on,
    pthread_setspecific => gets_on,
}
