//! Instructions by which a thread says that it waits in a loop: `pause`, as `_mm_pause` and assembly have it.
//!
//! No compiler calls a hook for them. The host knows where they are; here they are replaced by traps, and who is trapped yields. The kernel keeps all
//! registers on the thread's own stack meanwhile, so that others may run before it goes on.

use std::ffi::{c_int, c_void};

use caissa_core::OpKind;
use caissa_wire::Setup;

use crate::modules::{self, Ranges};
use crate::rt::Rt;
use crate::{signals, sys};

/// What a pause is, and what is put in its place: a trap and an instruction that does nothing.
const PAUSE: [u8; 2] = [0xf3, 0x90];
const TRAP: [u8; 2] = [0xcc, 0x90];

const PAGE: usize = 4096;

/// Replaces all that there are. Those that are not what the host says are left alone.
pub(crate) fn install(setup: &Setup) {
    let places = Ranges::of(&modules::all(), setup.pauses.iter());
    for place in places.starts() {
        let code = place as *mut [u8; 2];
        // SAFETY: code of this process, which is mapped and can be read.
        if unsafe { code.read() } == PAUSE && protect(place, libc::PROT_READ | libc::PROT_WRITE) {
            // SAFETY: it can be written to now; nothing runs there yet.
            unsafe { code.write(TRAP) };
            protect(place, libc::PROT_READ | libc::PROT_EXEC);
        }
    }
    if !setup.pauses.is_empty() {
        // SAFETY: the handler fits the flags. It runs on the thread's own stack.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = trapped as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
            libc::sigaction(libc::SIGTRAP, &action, std::ptr::null_mut());
        }
    }
}

/// Says what may be done with the memory of an instruction. False if it cannot be said.
fn protect(address: usize, protection: c_int) -> bool {
    let start = address & !(PAGE - 1);
    let length = (address + PAUSE.len() - start).next_multiple_of(PAGE);
    // SAFETY: code of this process; whoever makes it writable does not run there.
    unsafe { sys::call(libc::SYS_mprotect, start, length, protection as usize) == 0 }
}

extern "C-unwind" fn trapped(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // Right behind the trap.
    let pc = signals::interrupted_at(context);
    if !crate::rt::is_installed() {
        return signals::handle(signal, info, context);
    }
    if !crate::rt::in_control() {
        // In the runtime, or in a process that was let go, it is a pause.
        return if is_pause(pc) { std::hint::spin_loop() } else { signals::handle(signal, info, context) };
    }
    if !is_pause(pc) {
        return signals::handle(signal, info, context);
    }
    if let Some(rt) = Rt::enter() {
        rt.pause(pc);
    }
}

fn is_pause(pc: usize) -> bool {
    Rt::of_server().state().code.pauses.contain_call(pc)
}

impl Rt {
    /// The running task pauses. Pauses between which it does nothing are one.
    fn pause(&self, pc: usize) {
        let state = self.state();
        if state.last_pause == (state.digest(), state.patience) || state.is_spin(pc) {
            return;
        }
        self.point(self.own_op(OpKind::Spin), pc);
        self.touch_nothing();
        self.yields();
        let state = self.state();
        state.last_pause = (state.digest(), state.patience);
    }
}
