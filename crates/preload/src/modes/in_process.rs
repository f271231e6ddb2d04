//! Executions in the process itself, whose memory is put back after each.
//!
//! Everything that can be written and is not the runtime's own is copied at the beginning: data of the executable and of its libraries, thread-local storage, the
//! main thread's stack from where executions begin. The heap puts itself back ([`crate::heap`]); stacks are cleared as far as they were used. What the kernel
//! knows cannot be put back: a program that changes it is noticed ([`super::seccomp`]) and run in copies instead.

use std::ops::Range;

use crate::rt::Rt;
use crate::zygotes::Zygote;
use crate::{arena, heap, modules};

struct Region {
    address: usize,
    copy: Box<[u8]>,
    /// It is used by the task with this number only, if it is used.
    task: Option<usize>,
}

/// Memory as it is before an execution.
pub(super) struct Snapshot {
    regions: Vec<Region>,
}

/// Frames of functions that we do not see lie below those that we do, for about so much.
const BELOW: usize = 4096;
/// More than this is not put back again and again.
const MOST: usize = 64 << 20;

impl Snapshot {
    /// Copies what has to be put back. `main`: where the main task's stack begins.
    pub(super) fn take(main: usize, zygotes: &[Zygote]) -> Result<Snapshot, String> {
        let maps = maps()?;
        let own = modules::own().ok_or("the runtime does not know where it lies")?;
        let own = own.from as usize & !4095..(own.to as usize).next_multiple_of(4096);
        let (all_heap, used_heap) = heap::with(|heap| (heap.range(), heap.base()));
        let mut regions = vec![(used_heap, None)];
        for line in maps.lines() {
            let Some(range) = writable(line) else { continue };
            if all_heap.contains(&range.start) || arena::contains(range.start) {
                continue;
            }
            let zygote = zygotes.iter().position(|zygote| range.contains(&zygote.stack.start));
            let range = match zygote {
                Some(number) => zygotes[number].stack.end..range.end,
                None if range.contains(&main) => main..range.end,
                None => range,
            };
            regions.extend(without(range, &own).map(|range| (range, zygote.map(|number| number + 1))));
        }
        let bytes: usize = regions.iter().map(|(range, _)| range.len()).sum();
        if bytes > MOST {
            return Err(format!("its data takes {} MiB", bytes >> 20));
        }
        let copy = |(range, task): (Range<usize>, Option<usize>)| {
            // SAFETY: the memory is mapped and can be read.
            let bytes = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) };
            Region { address: range.start, copy: bytes.into(), task }
        };
        regions.retain(|(range, _)| !range.is_empty());
        Ok(Snapshot { regions: regions.into_iter().map(copy).collect() })
    }

    /// Puts memory back. `main`: as before.
    pub(super) fn restore(&self, rt: &Rt, main: usize) {
        let state = rt.state();
        let used = |task: usize| state.tasks.get(task).is_some_and(|task| task.lowest < task.stack.end);
        for region in self.regions.iter().filter(|region| region.task.is_none_or(used)) {
            // SAFETY: nothing of an execution is there any more; the memory is mapped as it was.
            unsafe {
                let (from, to) = (region.copy.as_ptr(), region.address as *mut u8);
                std::ptr::copy_nonoverlapping(from, to, region.copy.len());
            }
        }
        for task in &mut state.tasks {
            let used = task.lowest.saturating_sub(BELOW).max(task.stack.start);
            let top = task.stack.end.min(if task.stack.contains(&main) { main } else { usize::MAX });
            if used < top {
                // SAFETY: the task has ended, or begins anew.
                unsafe { std::ptr::write_bytes(used as *mut u8, 0, top - used) };
            }
            task.lowest = top;
        }
    }
}

fn maps() -> Result<String, String> {
    std::fs::read_to_string("/proc/self/maps").map_err(|error| format!("/proc/self/maps: {error}"))
}

/// Clears a stack below where it is used: what was left there when the process started is not there in later executions.
pub(super) fn clear_below(pointer: usize) -> Result<(), String> {
    let maps = maps()?;
    let stack = maps.lines().filter_map(writable).find(|range| range.contains(&pointer));
    if let Some(stack) = stack {
        // SAFETY: the memory is mapped, and nobody runs there.
        unsafe { std::ptr::write_bytes(stack.start as *mut u8, 0, pointer - stack.start) };
    }
    Ok(())
}

/// The range of a line of `/proc/self/maps`, if the process can write there and nobody else sees it.
fn writable(line: &str) -> Option<Range<usize>> {
    let mut words = line.split_whitespace();
    let (range, permissions) = (words.next()?, words.next()?);
    if !permissions.starts_with("rw") || !permissions.ends_with('p') {
        return None;
    }
    let (from, to) = range.split_once('-')?;
    Some(usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?)
}

/// A range without another one.
fn without(range: Range<usize>, hole: &Range<usize>) -> [Range<usize>; 2] {
    [
        range.start..range.end.min(hole.start).max(range.start),
        range.start.max(hole.end).min(range.end)..range.end,
    ]
}
