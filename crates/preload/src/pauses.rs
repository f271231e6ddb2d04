//! Instructions by which a thread says that it waits in a loop: `pause`, as `_mm_pause` and assembly have it.
//!
//! No compiler calls a hook for them. The host knows where they are; here they are replaced by traps, and who is trapped yields. The kernel keeps all
//! registers on the thread's own stack meanwhile, so that others may run before it goes on. A trap must not be blocked, nor handled by anybody else
//! (`hooks::handlers`).

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use caissa_core::OpKind;
use caissa_wire::{Halt, Mode};

use crate::modules::{self, Ranges};
use crate::real::real;
use crate::rt::{Rt, State};
use crate::spin::{REGISTERS, Stop};
use crate::{signals, sys};

/// What a pause is, and what is put in its place: a trap and an instruction that does nothing.
const PAUSE: [u8; 2] = [0xf3, 0x90];
const TRAP: [u8; 2] = [0xcc, 0x90];

const PAGE: usize = 4096;
/// Of pauses with nothing between them that we see, each so manieth is a point nevertheless: it may wait for what we do not see.
const SOME: u32 = 1_024;
/// Who pauses so often lets time pass, and is not trapped again there before it has done something else.
const MANY: u32 = 4 * SOME;

static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Whether traps are in the place of pauses somewhere.
pub(crate) fn are_installed() -> bool {
    INSTALLED.load(Ordering::Relaxed)
}

/// Replaces all that there are.
pub(crate) fn install(state: &State) {
    let mut any = false;
    for place in state.code.pauses.starts() {
        any |= exchange(place, PAUSE, TRAP);
    }
    if any && !INSTALLED.swap(true, Ordering::Relaxed) {
        // SAFETY: all zero is an action; what it does is set here.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // It runs on the thread's own stack.
        action.sa_sigaction = trapped as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        let (new, old) = (&raw const action, std::ptr::null_mut());
        real!(sigaction(
            libc::SIGTRAP => c_int,
            new => *const libc::sigaction,
            old => *mut libc::sigaction,
        ) -> c_int);
    }
}

/// Puts code in the place of what the host says is there. False if it is not.
fn exchange(place: usize, old: [u8; 2], new: [u8; 2]) -> bool {
    let code = place as *mut [u8; 2];
    // SAFETY: code of this process, which is mapped and can be read.
    if unsafe { code.read_unaligned() } != old || !protect(place, libc::PROT_READ | libc::PROT_WRITE) {
        return false;
    }
    // SAFETY: it can be written to now; nothing runs there.
    unsafe { code.write_unaligned(new) };
    protect(place, libc::PROT_READ | libc::PROT_EXEC)
}

/// Says what may be done with the memory of an instruction. False if it cannot be said.
fn protect(address: usize, protection: c_int) -> bool {
    let start = address & !(PAGE - 1);
    let length = (address + PAUSE.len() - start).next_multiple_of(PAGE);
    // SAFETY: code of this process; whoever makes it writable does not run there.
    unsafe { sys::call(libc::SYS_mprotect, start, length, protection as usize) == 0 }
}

/// A new execution begins: those that were put back are traps again. In copies of the process they always were.
pub(crate) fn reset(state: &mut State) {
    state.last_pause = (0, 0);
    if state.setup.mode == Mode::InProcess {
        trap_again(state);
    }
    state.pauses_put_back.clear();
}

/// Pauses that were put back are traps again.
#[cold]
pub(crate) fn trap_again(state: &mut State) {
    for place in state.pauses_put_back.drain(..) {
        exchange(place, PAUSE, TRAP);
    }
}

extern "C-unwind" fn trapped(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // Right behind the trap.
    let pc = signals::interrupted_at(context);
    if !crate::rt::is_installed() || !Rt::of_server().state().code.pauses.contain_call(pc) {
        return crate::hooks::handlers::pass_on(signal, info, context);
    }
    // In the runtime, or in a process that was let go, it is a pause and nothing more.
    if let Some(rt) = Rt::enter() {
        let registers = signals::registers_at(context);
        crate::aside::called_at(registers[6]);
        REGISTERS.set(registers);
        rt.pause(pc);
    }
}

impl Rt {
    /// The running task pauses. Pauses between which it does nothing are one, up to a point.
    fn pause(&self, pc: usize) {
        let state = self.state();
        if state.last_pause == (state.digest(), state.patience) {
            state.merged_pauses += 1;
            if state.merged_pauses > MANY && exchange(pc - 1, TRAP, PAUSE) {
                state.pauses_put_back.push(pc - 1);
            }
            if !state.merged_pauses.is_multiple_of(SOME) {
                return;
            }
        } else {
            state.merged_pauses = 0;
        }
        if state.is_spin(pc) {
            return;
        }
        let stop = Stop::at(pc);
        self.point(self.own_op(OpKind::Spin), pc);
        self.goes_round(stop);
        self.touch_nothing();
        self.yields();
        let state = self.state();
        state.last_pause = (state.digest(), state.patience);
    }

    /// A file that was compiled with hooks announces itself. If it was not there at the beginning, its pauses are not known yet.
    pub(crate) fn file_announces_itself(&self, pc: usize) {
        let state = self.state();
        if state.code.files.iter().any(|file| file.contains(&pc)) {
            return;
        }
        let modules = modules::all();
        let is_known = |path: &String| state.setup.looked_at.contains(path);
        if !modules.iter().all(|module| is_known(&module.path)) {
            self.halt(Halt::Files(modules));
        }
        state.code.pauses = Ranges::of(&modules, state.setup.pauses.iter());
        install(state);
    }
}
