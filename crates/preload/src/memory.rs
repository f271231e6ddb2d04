//! Accesses of the program's memory: data races, and what is used after it was freed.
//!
//! An access is no scheduling point, unless its place was promoted or all are asked for. What a task does while it is alone, before it starts others or when it has joined them,
//! is ordered with everything that others do, and is not looked at but for what was freed; nor is what the harness of a test does before it runs handlers of the program's at exit.

use caissa_core::class::Access;
use caissa_core::{Code, Note, ObjectId, Op, OpKind, Race, Source, TaskId};

use crate::heap::{self, Block, Wrong};
use crate::rt::Rt;
use crate::shadow::Touch;
use crate::start;

/// The number of a cell in the core: an odd one.
#[inline]
fn number(cell: u32) -> usize {
    2 * cell as usize + 1
}

/// The cell with this number.
pub(crate) fn cell(object: ObjectId) -> u32 {
    object.0 / 2
}

/// Between two points so many accesses of data are traced.
const TRACED: u64 = 2_000;

/// Whether a value of this size is shown in traces.
fn is_word(size: usize) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl How {
    #[inline]
    fn writes(self) -> bool {
        matches!(self, How::Write | How::AtomicWrite)
    }

    #[inline]
    fn is_atomic(self) -> bool {
        matches!(self, How::AtomicRead | How::AtomicWrite)
    }
}

/// The bytes of the word at `word` that lie in a range.
#[inline]
fn bytes(word: usize, from: usize, to: usize) -> u8 {
    let first = from.saturating_sub(word);
    let last = (to - word).min(8);
    ((0xffu16 << first) as u8) & (0xffu16 >> (8 - last)) as u8
}

/// A hook is called before an access of data.
#[inline]
pub(crate) fn on_access(address: usize, size: usize, writes: bool, pc: usize) {
    if let Some(rt) = Rt::enter() {
        rt.access(address, size, if writes { How::Write } else { How::Read }, pc);
    }
}

impl Rt {
    /// The running task accesses data.
    #[inline]
    pub(crate) fn access(&self, address: usize, size: usize, how: How, pc: usize) {
        let state = self.state();
        if state.patience == 0 {
            self.runs_on(pc);
        }
        state.patience -= 1;
        if how.writes() {
            self.remember_written(address, size);
        }
        if !state.has_accessed && !how.is_atomic() && state.code.of_rust {
            state.has_accessed = state.code.is_programs(pc);
        }
        if size > 0 {
            let others = self.others_may_race(pc);
            let is_checked = others && state.execution.has_clocks();
            if state.has_freed && !is_checked {
                self.access_unchecked(address, how, pc);
            }
            if state.execution.task_count() > state.setup.tasks_at_first() {
                self.access_shared(address, size, how, others, pc);
            }
        }
    }

    /// Whether what the running task accesses now may be accessed by another one, or was before, which nothing orders. A harness has data of its own, until it runs what the program
    /// has left to be done at exit.
    #[inline]
    fn others_may_race(&self, pc: usize) -> bool {
        let state = self.state();
        let is_programs = || start::exits() && state.code.is_programs(pc);
        state.execution.task_count() > state.alone && (!state.execution.is_in_reserve() || is_programs())
    }

    /// The running task has joined another. If it is the first one, and all others were joined, by it or by each other, it is alone until it starts a new one, which comes after
    /// it. A harness, which may have joined the first one, is nobody to be ordered with.
    pub(crate) fn may_be_alone(&self) {
        let state = self.state();
        let (first, count) = (state.setup.tasks_at_first(), state.execution.task_count());
        if self.me() == TaskId(first - 1)
            && (first..count).rev().all(|task| state.tasks[task as usize].joined)
        {
            state.alone = count;
        }
    }

    /// Nobody else is there to race with, or no clocks are kept; but the memory may have been freed.
    fn access_unchecked(&self, address: usize, how: How, pc: usize) {
        if let Some(number) = freed_before(address) {
            let block = heap::with(|heap| heap.numbered(number).copied());
            self.used_after_free(block, address, how.writes(), pc);
        }
    }

    /// `others`: they may race with it.
    fn access_shared(&self, address: usize, size: usize, how: How, others: bool, pc: usize) {
        let state = self.state();
        let plain = Source::Code(Code { address: pc as u64, stack: 0 });
        let is_point = !how.is_atomic() && state.execution.has_data_point(plain);
        let traced = state.execution.is_told() && state.setup.patience - state.patience < TRACED;
        if !state.execution.has_clocks() && !is_point {
            return;
        }
        let source = if traced { self.source(pc) } else { plain };
        let op = |cell: u32| {
            let kind = if how.writes() { OpKind::CellWrite } else { OpKind::CellRead };
            Op::new(kind, ObjectId(number(cell) as u32))
        };
        if is_point {
            let cell = self.first_cell(address, size);
            self.point(op(cell), pc);
            self.note_value(address, size, how);
        } else if traced && !how.is_atomic() {
            let cell = self.first_cell(address, size);
            self.state().execution.aside(op(cell), source);
            self.note_value(address, size, how);
        }
        if how == How::Write && self.state().execution.is_traced() && !(traced && is_word(size)) {
            self.state().execution.changes_hidden();
        }
        if others && self.state().execution.has_clocks() || is_point {
            self.check(address, size, how, source, is_point, pc);
        }
    }

    /// What is read, or what lies where something will be written, for traces.
    fn note_value(&self, address: usize, size: usize, how: How) {
        if !self.state().execution.is_traced() || how.is_atomic() || !is_word(size) {
            return;
        }
        let value = match size {
            // SAFETY: the program is about to access it.
            1 => unsafe { (address as *const u8).read() as u64 },
            // SAFETY: as above.
            2 => unsafe { (address as *const u16).read_unaligned() as u64 },
            // SAFETY: as above.
            4 => unsafe { (address as *const u32).read_unaligned() as u64 },
            // SAFETY: as above.
            _ => unsafe { (address as *const u64).read_unaligned() },
        };
        self.note(|| match how {
            How::Read => Note::Saw(shown(value)),
            _ => Note::Replaced(shown(value)),
        });
    }

    /// The first cell of some memory; it is made if there is none.
    fn first_cell(&self, address: usize, size: usize) -> u32 {
        let mut first = None;
        self.cells(address, size, |_, touch| {
            if let Touch::New(cell) | Touch::Old(cell) = touch {
                first.get_or_insert(cell);
            }
            true
        });
        first.unwrap_or(0)
    }

    /// The cells of some memory, one after the other, until `each` does not want to know of more.
    #[inline]
    fn cells(&self, address: usize, size: usize, mut each: impl FnMut(&Rt, Touch) -> bool) {
        let (mut word, end) = (address & !7, address + size);
        while word < end {
            if !self.state().shadow.has_room() {
                let what =
                    "accesses more memory in one execution than can be checked for data races (--no-races)";
                self.misuse(what.to_owned());
            }
            let bytes = bytes(word, address, end);
            if self.state().shadow.is_untouched(word)
                && let Some(number) = freed_before(word.max(address))
            {
                self.state().shadow.free_untouched(word, number);
            }
            let goes_on = self.state().shadow.access(word, bytes, &mut |touch| {
                let execution = &mut self.state().execution;
                match touch {
                    Touch::New(cell) => execution.add_object(number(cell)),
                    Touch::Copy { from, to } => {
                        execution.add_object(number(to));
                        execution.copy_data(number(from), number(to));
                    }
                    Touch::Old(_) | Touch::Freed(_) => {}
                }
                each(self, touch)
            });
            if !goes_on {
                return;
            }
            word += 8;
        }
    }

    fn check(&self, address: usize, size: usize, how: How, source: Source, is_point: bool, pc: usize) {
        let mut wrong: Option<Race> = None;
        let mut freed = None;
        self.cells(address, size, |rt, touch| {
            let cell = match touch {
                Touch::New(cell) | Touch::Old(cell) => cell,
                Touch::Freed(block) => {
                    freed = Some(block);
                    return false;
                }
                Touch::Copy { .. } => return true,
            };
            let execution = &mut rt.state().execution;
            if is_point {
                let access = if how.writes() { Access::Write } else { Access::Read };
                execution.touch_class(number(cell), access);
            }
            let result = match how {
                How::Read | How::Write => execution.access(number(cell), how.writes(), source),
                How::AtomicRead | How::AtomicWrite => {
                    execution.atomic_access(number(cell), how.writes(), source)
                }
            };
            wrong = result.err();
            wrong.is_none()
        });
        if let Some(race) = wrong {
            self.state().execution.end_by_race(race);
            self.leave();
        }
        if let Some(number) = freed {
            let block = heap::with(|heap| heap.numbered(number).copied());
            self.used_after_free(block, address, how.writes(), pc);
        }
    }

    /// A block is freed: whoever uses it at the same time races with that.
    pub(crate) fn free_data(&self, address: usize, size: usize, block: u32, pc: usize) {
        let state = self.state();
        if self.others_may_race(pc) && state.execution.has_clocks() {
            for word in state.shadow.touched(address, size) {
                let (from, to) = (word.max(address), (word + 8).min(address + size));
                self.access_shared(from, to - from, How::Write, true, pc);
            }
        }
        self.state().shadow.free(address, size, block);
    }

    /// Memory is something new: a stack that nobody uses any more, say.
    pub(crate) fn forget_memory(&self, address: usize, size: usize) {
        let state = self.state();
        state.shadow.forget(address, size);
        for task in &mut state.tasks {
            task.rounds.forget(address..address + size);
        }
    }

    fn used_after_free(&self, block: Option<Block>, address: usize, writes: bool, pc: usize) -> ! {
        let does = if writes { "writes to" } else { "reads" };
        let message = match block {
            Some(block) => {
                self.relate_block(&block);
                format!(
                    "{does} memory that was freed: byte {} of a block of {}",
                    address.wrapping_sub(block.address),
                    counted(block.size)
                )
            }
            None => format!("{does} memory that was freed"),
        };
        self.fail("use-after-free", message, pc)
    }

    /// What a report says of a block.
    fn relate_block(&self, block: &Block) {
        let related = &mut self.state().related;
        let by = |by: heap::By| caissa_wire::Access { task: by.task, source: by.source };
        related.extend(block.freed.map(|freed| ("It was freed".to_owned(), by(freed))));
        related.extend(block.allocated.map(|made| ("It was allocated".to_owned(), by(made))));
    }

    /// Something that cannot be freed is freed.
    pub(crate) fn wrong_free(&self, wrong: Wrong, address: usize, pc: usize) -> ! {
        match wrong {
            Wrong::Twice(block) => {
                self.relate_block(&block);
                self.fail("double-free", format!("frees a block of {} twice", counted(block.size)), pc)
            }
            Wrong::NoBlock => {
                let message = match heap::with(|heap| heap.block(address).copied()) {
                    Some(block) => {
                        self.relate_block(&block);
                        let byte = address - block.address;
                        format!("frees a pointer to byte {byte} of a block of {}", counted(block.size))
                    }
                    None => format!("frees {address:#x}, which is no block that was allocated"),
                };
                self.fail("bad-free", message, pc)
            }
            Wrong::Overwritten(block) => {
                self.relate_block(&block);
                let size = counted(block.size);
                self.fail("bad-free", format!("what lies in front of a block of {size} was overwritten"), pc)
            }
        }
    }

    /// There is no memory left.
    pub(crate) fn out_of_memory(&self, size: usize, pc: usize) -> ! {
        let limit = self.state().setup.memory >> 20;
        let message =
            format!("allocates {} more than the limit of {limit} MiB allows (--heap)", counted(size));
        self.fail("memory", message, pc)
    }

    /// The running task does not come to a point any more.
    fn runs_on(&self, pc: usize) -> ! {
        let accesses = self.state().setup.patience;
        let message =
            format!("runs on without a scheduling point, for more than {accesses} accesses of memory");
        if self.state().setup.harness {
            // A test may have much to do by itself.
            self.misuse(message);
        }
        self.fail("good-samaritan", message, pc)
    }
}

/// The number of the block of memory that was freed before it was accessed for the first time.
fn freed_before(address: usize) -> Option<u32> {
    heap::with(|heap| heap.freed(address))
}

/// A number of bytes in words.
fn counted(bytes: usize) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// A value for a trace: small numbers as such, others as addresses are.
pub(crate) fn shown(value: u64) -> String {
    if value < 1 << 31 { value.to_string() } else { format!("{value:#x}") }
}
