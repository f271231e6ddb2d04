//! Tasks that go round in place.
//!
//! A thread that waits in a loop should say so, by a yield or a pause; programs in Rust often do not, since the system lets others run anyway. Such a loop is
//! known by what it does: the task comes to the same instruction again with the same registers and the same stack, all of it, memory that it has written to meanwhile
//! is as it was, and it has asked the kernel for nothing that counts. Whatever it does next it has done before, until somebody else changes something: it has yielded. Where the loop has a yield of its own that is
//! the only one: one at another place, a lock put back before it say, would be another loop, which may come to an end.
//!
//! A task that has done very much in one turn while others could go on has yielded too: the system would not have let it.

mod rounds;

use std::cell::UnsafeCell;

use caissa_core::class::mix2;

use rounds::hash;

use crate::aside::DEEPEST;
use crate::rt::Rt;
use crate::task::Task;

pub(crate) use rounds::Rounds;

/// The registers of the program that a call preserves, where it has called a hook: rbx, rbp, r12 to r15, and the stack pointer.
#[repr(C)]
pub(crate) struct Registers(UnsafeCell<[usize; 7]>);

// SAFETY: one task of the program runs at a time.
unsafe impl Sync for Registers {}

/// Written by the stubs of hooks that look for loops ([`crate::hooks::watched_stubs`]).
pub(crate) static REGISTERS: Registers = Registers(UnsafeCell::new([0; 7]));

/// What [`REGISTERS`] hold.
type Held = [usize; 7];

/// Where a task has called a hook that a loop can wait at. To be made before any point, at which other tasks come to hooks of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pc: usize,
    registers: Held,
}

impl Stop {
    /// The hook that was just called from there. Who has come to it by another stub has noted nothing, and is nowhere.
    pub(crate) fn at(pc: usize) -> Stop {
        let registers = REGISTERS.get();
        REGISTERS.set(Held::default());
        Stop { pc, registers }
    }
}

impl Registers {
    fn get(&self) -> Held {
        // SAFETY: see above.
        unsafe { *self.0.get() }
    }

    /// They are these, whoever has found out.
    pub(crate) fn set(&self, registers: Held) {
        // SAFETY: see above.
        unsafe { *self.0.get() = registers };
    }
}

/// A turn of so many accesses is a long one.
const LONG_TURN: u32 = 2_000;

impl Rt {
    /// The running task has come to an instruction that a loop can wait at. Whether it has been there before, and nothing has changed.
    pub(crate) fn goes_round(&self, stop: Stop) -> bool {
        if !self.state().code.of_rust {
            return false;
        }
        let state = self.state();
        state.turn += 1;
        let long = state.turn >= LONG_TURN;
        if long {
            state.turn = 0;
        }
        self.is_back(stop) || long && !self.state().execution.is_alone()
    }

    fn is_back(&self, Stop { pc, registers }: Stop) -> bool {
        let Task { rounds, stack, .. } = self.task();
        if !stack.contains(&registers[6]) || stack.end - registers[6] > DEEPEST {
            return false;
        }
        let key = registers.iter().fold(pc as u64, |key, &register| mix2(key, register as u64));
        let words = registers[6].next_multiple_of(8)..stack.end & !7;
        // SAFETY: the task's own stack, which is mapped above its pointer.
        rounds.is_back(key, || unsafe { hash(words) })
    }

    /// The running task does something that its memory may not show.
    pub(crate) fn gets_on(&self) {
        self.task().rounds.gets_on();
    }

    /// The running task is about to write to memory.
    #[inline]
    pub(crate) fn remember_written(&self, address: usize, size: usize) {
        let rounds = &self.task().rounds;
        if rounds.watch.is_some() && !rounds.too_much {
            let Task { rounds, stack, .. } = self.task();
            // What lies on its stack is compared anyway, or gone when it is back.
            if !stack.contains(&address) {
                rounds.remember(address, size);
            }
        }
    }
}
