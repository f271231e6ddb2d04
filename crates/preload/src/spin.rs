//! Tasks that go round in place.
//!
//! A thread that waits in a loop should say so, by a yield or a pause; programs in Rust often do not, since the system lets others run anyway. Such a loop is
//! known by what it does: the task comes to the same instruction again with the same registers and the same stack, and memory that it has written to meanwhile
//! is as it was. Whatever it does next it has done before, until somebody else changes something: it has yielded.
//!
//! A task that has done very much in one turn while others could go on has yielded too: the system would not have let it.

use std::cell::UnsafeCell;

use caissa_core::class::mix2;

use crate::rt::Rt;
use crate::task::Task;

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

/// So many instructions are remembered that a task has come to.
const REMEMBERED: usize = 8;
/// So many words that it writes to before it has been round.
const MOST_WRITES: usize = 64;
/// A round is no longer than this.
const LONGEST_ROUND: u32 = 256;
/// After it was not in place it is not looked at for so long.
const COOLING: u32 = 64;
/// So much of its stack is compared, from where it is.
const FRAMES: usize = 2_048;
/// So far below the program's frames hooks that look for loops have theirs. What these leave behind is not the same in each execution of a schedule, and the program's
/// frames have holes that it never writes to. Keeps calls aligned.
pub(crate) const GAP: usize = FRAMES + 8;
/// A turn of so many accesses is a long one.
const LONG_TURN: u32 = 2_000;

/// What is known of the way that a task goes.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    recent: [u64; REMEMBERED],
    next: usize,
    watch: Option<Watch>,
    cooling: u32,
    /// Words that were written to in this round, and what they held before.
    written: Vec<(usize, u64)>,
    /// It has written to too many.
    too_much: bool,
    /// When it was looked at last it was in place.
    in_place: bool,
}

/// Where a round begins and ends.
#[derive(Clone, Copy, Debug)]
struct Watch {
    key: u64,
    /// The stack pointer there.
    pointer: usize,
    stack: u64,
    age: u32,
}

impl Watch {
    /// Whether an address on the stack lies where it is compared.
    fn compares(&self, address: usize) -> bool {
        (self.pointer..self.pointer + FRAMES).contains(&address)
    }
}

impl Rounds {
    /// Nothing is known, as at the beginning.
    pub(crate) fn reset(&mut self) {
        self.written.clear();
        let written = std::mem::take(&mut self.written);
        *self = Rounds { written, ..Rounds::default() };
    }

    /// Whether the task goes round and changes nothing, as far as is known.
    pub(crate) fn is_in_place(&self) -> bool {
        self.in_place
    }

    fn begin(&mut self, key: u64, pointer: usize, stack: u64) {
        self.written.clear();
        self.too_much = false;
        self.watch = Some(Watch { key, pointer, stack, age: 0 });
    }

    /// Whether what was written to in this round is as it was.
    fn is_restored(&self) -> bool {
        // SAFETY: words that the program has written to since; nothing else runs, and what was unmapped since would have been noticed.
        !self.too_much && self.written.iter().all(|&(word, before)| unsafe { read(word) } == before)
    }
}

/// # Safety
/// The word is mapped.
unsafe fn read(word: usize) -> u64 {
    // SAFETY: as the caller says.
    unsafe { (word as *const u64).read_volatile() }
}

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
        if !stack.contains(&registers[6]) {
            return false;
        }
        if rounds.cooling > 0 {
            rounds.cooling -= 1;
            return false;
        }
        let key = registers.iter().fold(pc as u64, |key, &register| mix2(key, register as u64));
        let Some(watch) = &mut rounds.watch else {
            if rounds.recent.contains(&key) {
                let stack = self.frames(registers[6]);
                rounds.begin(key, registers[6], stack);
            } else {
                rounds.recent[rounds.next] = key;
                rounds.next = (rounds.next + 1) % REMEMBERED;
            }
            return false;
        };
        if watch.key != key {
            watch.age += 1;
            if watch.age > LONGEST_ROUND {
                rounds.watch = None;
                rounds.in_place = false;
                rounds.cooling = COOLING;
            }
            return false;
        }
        let stack = self.frames(registers[6]);
        rounds.in_place = stack == watch.stack && rounds.is_restored();
        if rounds.in_place {
            rounds.begin(key, registers[6], stack);
        } else {
            rounds.watch = None;
            rounds.cooling = COOLING;
        }
        rounds.in_place
    }

    /// A number for what lies on the running task's stack, from this address on.
    fn frames(&self, from: usize) -> u64 {
        let stack = &self.task().stack;
        let from = from.next_multiple_of(8);
        let to = stack.end.min(from + FRAMES);
        // SAFETY: the task's own stack, which is mapped above its pointer.
        (from..to & !7).step_by(8).fold(0, |hash, word| mix2(hash, unsafe { read(word) }))
    }

    /// The running task is about to write to memory.
    #[inline]
    pub(crate) fn remember_written(&self, address: usize, size: usize) {
        if self.task().rounds.watch.is_some() {
            self.remember(address, size);
        }
    }

    #[cold]
    fn remember(&self, address: usize, size: usize) {
        let Task { rounds, stack, .. } = self.task();
        if stack.contains(&address) && rounds.watch.is_some_and(|watch| watch.compares(address)) {
            // It is compared anyway.
            return;
        }
        let words = (address & !7..address + size).step_by(8);
        for word in words {
            if rounds.written.len() >= MOST_WRITES {
                rounds.too_much = true;
                return;
            }
            if !rounds.written.iter().any(|&(known, _)| known == word) {
                // SAFETY: the program is about to write there.
                rounds.written.push((word, unsafe { read(word) }));
            }
        }
    }
}
