//! The program's heap: `malloc` and its kin.
//!
//! Memory that was freed is not given out again in the same execution as long as there is other memory, so that whoever still uses it is found.
//! What was allocated before the program came under control is there at the beginning of each execution.
//!
//! Each block has an entry in a table, sorted by address, and a header in front of it that names the entry, by which blocks that never were
//! and headers that were overwritten are noticed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use caissa_core::{Source, TaskId};

use crate::rt::Rt;
use crate::sys;

/// So much address space is reserved.
const RESERVED: usize = 1 << 36;
/// Between two blocks lies this much at least, for the header and for whoever writes a little too far.
const GAP: usize = 16;
/// What an execution allocates lies apart from what was there before, at a multiple of this.
const APART: usize = 16 << 20;
const ALIGN: usize = 16;
/// What a header holds beside the number of its block.
const MAGIC: u32 = 0xca15_5a00;

/// Who has allocated or freed a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct By {
    pub(crate) task: TaskId,
    pub(crate) source: Source,
}

/// An allocated block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) address: usize,
    pub(crate) size: usize,
    /// There is room for so much.
    room: usize,
    pub(crate) allocated: Option<By>,
    pub(crate) freed: Option<By>,
    is_free: bool,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Header {
    magic: u32,
    number: u32,
}

/// What is wrong with a pointer that is freed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong {
    /// The block was freed before.
    Twice(Block),
    /// It points to no block, or into the middle of one.
    NoBlock,
    /// What lies in front of the block was overwritten.
    Overwritten(Block),
}

/// The heap.
pub(crate) struct Heap {
    start: usize,
    next: usize,
    /// Nothing above has been used by any execution in this process.
    high: usize,
    blocks: Vec<Block>,
    /// The one that somebody asked for last.
    recent: usize,
    /// Blocks that are free, in the order in which they were freed.
    free: Vec<u32>,
    allocated: u64,
    pub(crate) limit: u64,
    /// The heap as it is at the beginning of an execution: its blocks, and where it ends.
    base: Option<(Vec<Block>, usize)>,
    /// Where the memory ends that is used then.
    base_end: usize,
    /// Memory that was used before is put back to zero.
    clears: bool,
}

impl Heap {
    const fn new() -> Heap {
        Heap {
            start: 0,
            next: 0,
            high: 0,
            blocks: Vec::new(),
            recent: 0,
            free: Vec::new(),
            allocated: 0,
            limit: u64::MAX,
            base: None,
            base_end: 0,
            clears: false,
        }
    }

    fn reserve(&mut self) {
        if self.start == 0 {
            self.start = sys::map(RESERVED, false) as usize;
            self.next = self.start;
            self.high = self.start;
        }
    }

    /// Where it lies.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + RESERVED
    }

    /// What is used of it at the beginning of an execution.
    pub(crate) fn base(&self) -> std::ops::Range<usize> {
        self.start..self.base_end
    }

    /// What is used of it now.
    pub(crate) fn used(&self) -> std::ops::Range<usize> {
        self.start..self.next
    }

    /// Whatever is allocated now will be there at the beginning of each execution. `clears`: in this process, one after the other.
    pub(crate) fn set_base(&mut self, clears: bool, limit: u64) {
        self.reserve();
        self.base_end = self.next;
        // What parked threads take differs with their number, which another process of the same search may have: what the program allocates is to lie where it did before.
        self.next = self.next.next_multiple_of(APART);
        self.base = Some((self.blocks.clone(), self.next));
        self.clears = clears;
        self.limit = limit;
        self.allocated = 0;
    }

    /// A new execution begins.
    pub(crate) fn reset(&mut self) {
        let Some((blocks, next)) = &self.base else { return };
        self.blocks.clone_from(blocks);
        let next = *next;
        if self.clears && self.high > next {
            // SAFETY: nothing of this execution is there yet.
            unsafe { clear(next, self.high) };
        }
        self.high = next;
        self.next = next;
        self.free.clear();
        self.allocated = 0;
    }

    /// A block. Its memory is zero, unless it was reused; `None` if there is no memory left.
    fn allocate(&mut self, size: usize, align: usize, by: Option<By>) -> Option<(usize, bool)> {
        self.reserve();
        if self.allocated + size as u64 > self.limit {
            return self.reuse(size, align, by).map(|address| (address, false));
        }
        let address = (self.next + GAP).next_multiple_of(align.max(ALIGN));
        let room = size.max(1).next_multiple_of(ALIGN);
        if address + room > self.start + RESERVED {
            return self.reuse(size, align, by).map(|address| (address, false));
        }
        self.next = address + room;
        self.high = self.high.max(self.next);
        self.allocated += room as u64;
        let number = self.blocks.len() as u32;
        self.blocks.push(Block { address, size, room, allocated: by, freed: None, is_free: false });
        // SAFETY: the gap in front of the block is ours.
        unsafe { header(address).write(Header { magic: MAGIC ^ number, number }) };
        Some((address, true))
    }

    fn reuse(&mut self, size: usize, align: usize, by: Option<By>) -> Option<usize> {
        let fits = |&number: &u32| {
            let block = &self.blocks[number as usize];
            block.room >= size && block.address.is_multiple_of(align.max(ALIGN))
        };
        let at = self.free.iter().position(fits)?;
        let number = self.free.remove(at);
        let block = &mut self.blocks[number as usize];
        *block = Block { size, allocated: by, freed: None, is_free: false, ..*block };
        Some(block.address)
    }

    /// The block that an address lies in.
    pub(crate) fn block(&self, address: usize) -> Option<&Block> {
        let after = self.blocks.partition_point(|block| block.address <= address);
        let block = self.blocks[..after].last()?;
        (address < block.address + block.room).then_some(block)
    }

    /// The number of the block that an address lies in, if that was freed.
    pub(crate) fn freed(&mut self, address: usize) -> Option<u32> {
        if !self.used().contains(&address) {
            return None;
        }
        // Whoever asks goes from word to word.
        let is_in = |block: &Block| (block.address..block.address + block.room).contains(&address);
        let number = match self.blocks.get(self.recent).filter(|&block| is_in(block)) {
            Some(_) => self.recent,
            None => {
                let after = self.blocks.partition_point(|block| block.address <= address);
                after.checked_sub(1).filter(|&number| is_in(&self.blocks[number]))?
            }
        };
        self.recent = number;
        self.blocks[number].is_free.then_some(number as u32)
    }

    /// A block by its number.
    pub(crate) fn numbered(&self, number: u32) -> Option<&Block> {
        self.blocks.get(number as usize)
    }

    /// The number of the block that begins at an address.
    fn find(&self, address: usize) -> Result<u32, Wrong> {
        let lies_there = |number| self.numbered(number).is_some_and(|block| block.address == address);
        let named = if self.used().contains(&address) && address.is_multiple_of(ALIGN) {
            // SAFETY: memory of the heap, in front of which there is a gap.
            let Header { magic, number } = unsafe { header(address).read() };
            (magic == MAGIC ^ number && lies_there(number)).then_some(number)
        } else {
            None
        };
        let block = match named {
            Some(number) => &self.blocks[number as usize],
            None => self.block(address).filter(|block| block.address == address).ok_or(Wrong::NoBlock)?,
        };
        if block.is_free { Err(Wrong::Twice(*block)) } else { named.ok_or(Wrong::Overwritten(*block)) }
    }

    fn release(&mut self, number: u32, by: Option<By>) {
        let block = &mut self.blocks[number as usize];
        block.is_free = true;
        block.freed = by;
        self.free.push(number);
    }
}

fn header(address: usize) -> *mut Header {
    (address - size_of::<Header>()) as *mut Header
}

/// Makes memory zero again.
///
/// # Safety
/// Nobody needs what is there.
unsafe fn clear(from: usize, to: usize) {
    const MUCH: usize = 1 << 20;
    let kept = to.min(from + MUCH);
    // SAFETY: as the caller says.
    unsafe {
        std::ptr::write_bytes(from as *mut u8, 0, kept - from);
        let whole = kept.next_multiple_of(4096);
        if to > whole {
            std::ptr::write_bytes(kept as *mut u8, 0, whole - kept);
            sys::call(libc::SYS_madvise, whole, to - whole, libc::MADV_DONTNEED as usize);
        }
    }
}

struct Locked {
    lock: AtomicBool,
    heap: std::cell::UnsafeCell<Heap>,
}

// SAFETY: the lock is held by whoever uses the heap.
unsafe impl Sync for Locked {}

static HEAP: Locked = Locked { lock: AtomicBool::new(false), heap: std::cell::UnsafeCell::new(Heap::new()) };

/// Where the heap is kept: with the rest of the runtime, shared with copies of the process.
static SHARED: std::sync::atomic::AtomicPtr<Heap> = std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());

/// Uses the heap. Only threads outside our control can be there at the same time.
pub(crate) fn with<T>(run: impl FnOnce(&mut Heap) -> T) -> T {
    while HEAP.lock.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    let shared = SHARED.load(Ordering::Relaxed);
    let heap = if shared.is_null() { HEAP.heap.get() } else { shared };
    // SAFETY: we hold the lock.
    let result = run(unsafe { &mut *heap });
    HEAP.lock.store(false, Ordering::Release);
    result
}

/// From here on what copies of the process do to the heap's tables is seen by the server.
pub(crate) fn share() {
    let heap = with(|heap| std::mem::replace(heap, Heap::new()));
    SHARED.store(Box::into_raw(Box::new(heap)), Ordering::Relaxed);
}

/// The blocks of the heap at some moment, for a process that is about to be let go: tables are the server's, which it must not touch.
pub(crate) struct KnownBlocks {
    /// Addresses and sizes, ascending, in memory of the process's own.
    list: *mut (usize, usize),
    count: usize,
}

static KNOWN: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

impl KnownBlocks {
    /// Those that there are now.
    pub(crate) fn of_now() -> KnownBlocks {
        with(|heap| {
            let count = heap.blocks.len();
            let list = sys::map((count + 1) * size_of::<(usize, usize)>(), false).cast::<(usize, usize)>();
            for (index, block) in heap.blocks.iter().enumerate() {
                // SAFETY: there is room for so many.
                unsafe { list.add(index).write((block.address, block.size)) };
            }
            KnownBlocks { list, count }
        })
    }

    /// The process is let go, and will ask for them.
    pub(crate) fn keep(self) {
        KNOWN.0.store(self.list as usize, Ordering::Relaxed);
        KNOWN.1.store(self.count, Ordering::Relaxed);
    }

    /// Nobody will ask.
    pub(crate) fn forget(self) {
        let bytes = (self.count + 1) * size_of::<(usize, usize)>();
        // SAFETY: the memory was mapped for this.
        unsafe { sys::call(libc::SYS_munmap, self.list as usize, bytes, 0) };
    }
}

/// In a process that was let go: how much a block of the heap that it had before was allocated for. `None` for all other memory.
pub(crate) fn size_before(address: usize) -> Option<usize> {
    let (list, count) = (KNOWN.0.load(Ordering::Relaxed), KNOWN.1.load(Ordering::Relaxed));
    if list == 0 {
        return None;
    }
    // SAFETY: the list was made for this process, and stays.
    let list = unsafe { std::slice::from_raw_parts(list as *const (usize, usize), count) };
    let at = list.binary_search_by_key(&address, |block| block.0).ok()?;
    Some(list[at].1)
}

/// Allocates for the program. Nothing if no limit would allow it: whoever asks for so much is ready to be refused, as by any other heap.
pub(crate) fn allocate(size: usize, align: usize, pc: usize) -> *mut u8 {
    if size.max(align) > RESERVED {
        return std::ptr::null_mut();
    }
    let rt = Rt::enter();
    let by = rt.as_ref().map(|rt| By { task: rt.me(), source: rt.source(pc) });
    match with(|heap| heap.allocate(size, align, by)) {
        Some((address, fresh)) => {
            if let Some(rt) = &rt
                && !fresh
            {
                rt.state().shadow.forget(address, size.next_multiple_of(8));
            }
            address as *mut u8
        }
        None => {
            if let Some(rt) = rt {
                rt.out_of_memory(size, pc);
            }
            std::ptr::null_mut()
        }
    }
}

/// Frees for the program.
pub(crate) fn free(address: usize, pc: usize) {
    if address == 0 {
        return;
    }
    let rt = Rt::enter();
    let found = with(|heap| heap.find(address).map(|number| (number, heap.blocks[number as usize].size)));
    match (found, rt) {
        (Ok((number, size)), Some(rt)) => {
            rt.free_data(address, size, number, pc);
            rt.state().has_freed = true;
            let by = By { task: rt.me(), source: rt.source(pc) };
            with(|heap| heap.release(number, Some(by)));
        }
        (Ok((number, _)), None) => with(|heap| heap.release(number, None)),
        (Err(wrong), Some(rt)) => rt.wrong_free(wrong, address, pc),
        (Err(_), None) => {}
    }
}

/// How much the block at an address was allocated for.
pub(crate) fn size(address: usize) -> Option<usize> {
    with(|heap| heap.find(address).ok().map(|number| heap.blocks[number as usize].size))
}
