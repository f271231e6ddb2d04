//! The executable and its libraries, where they lie in memory.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;

use caissa_wire::{Calls, CodeRange, Module};

/// All that are mapped now, the executable first.
pub(crate) fn all() -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    // SAFETY: the list outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut modules).cast()) };
    if let Some(main) = modules.first_mut() {
        main.path = executable();
    }
    modules
}

/// The path of the executable.
fn executable() -> String {
    std::fs::read_link("/proc/self/exe").map_or(String::new(), |path| path.to_string_lossy().into_owned())
}

unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _size: usize, modules: *mut c_void) -> c_int {
    // SAFETY: the linker's own entry, and the list that `all` has given.
    unsafe {
        let (info, modules) = (&*info, &mut *modules.cast::<Vec<Module>>());
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
        let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let from = loaded.clone().map(|header| header.p_vaddr).min().unwrap_or(0);
        let to = loaded.map(|header| header.p_vaddr + header.p_memsz).max().unwrap_or(0);
        let path = if info.dlpi_name.is_null() { c"" } else { CStr::from_ptr(info.dlpi_name) };
        modules.push(Module {
            path: path.to_string_lossy().into_owned(),
            base: info.dlpi_addr,
            from: info.dlpi_addr + from,
            to: info.dlpi_addr + to,
        });
    }
    0
}

/// Code of files that are mapped, where it lies in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    /// What is mapped of this code.
    pub(crate) fn of<'a>(modules: &[Module], code: impl Iterator<Item = &'a CodeRange>) -> Ranges {
        let place = |code: &CodeRange| {
            let module = modules.iter().find(|module| module.path == code.path)?;
            Some((module.base + code.from) as usize..(module.base + code.to) as usize)
        };
        Ranges(code.filter_map(place).collect())
    }

    /// Whether the call that returns to this address is part of it.
    pub(crate) fn contain_call(&self, pc: usize) -> bool {
        self.0.iter().any(|range| range.contains(&(pc - 1)))
    }

    /// Where each of its parts begins.
    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|range| range.start)
    }

    /// All addresses that calls in it can return to.
    pub(crate) fn returns(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|range| range.clone().map(|address| address as u64 + 1))
    }
}

/// Much code of files that are mapped, which somebody asks for again and again.
#[derive(Default)]
pub(crate) struct Sorted {
    /// Ascending, and apart.
    ranges: Vec<Range<usize>>,
    /// Answers that were given, by the lowest bits of the address asked for.
    known: Box<[std::cell::Cell<(usize, bool)>]>,
}

/// So many answers are kept.
const KNOWN: usize = 1024;

impl Sorted {
    pub(crate) fn of<'a>(modules: &[Module], code: impl Iterator<Item = &'a CodeRange>) -> Sorted {
        let Ranges(mut ranges) = Ranges::of(modules, code);
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        Sorted { ranges, known: vec![std::cell::Cell::new((0, false)); KNOWN].into() }
    }

    /// Whether the call that returns to this address is part of it.
    #[inline]
    pub(crate) fn contain_call(&self, pc: usize) -> bool {
        let known = &self.known[pc % KNOWN];
        let (asked, answer) = known.get();
        if asked == pc {
            return answer;
        }
        let after = self.ranges.partition_point(|range| range.start < pc);
        let answer = after > 0 && self.ranges[after - 1].contains(&(pc - 1));
        known.set((pc, answer));
        answer
    }
}

/// Calls of files that are mapped, by where they return to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Returns {
    /// The lowest bits of an address say where to begin to look for it. Nothing lies at zero.
    slots: Box<[usize]>,
}

impl Returns {
    pub(crate) fn of(modules: &[Module], calls: &[Calls]) -> Returns {
        let count: usize = calls.iter().map(|calls| calls.returns.len()).sum();
        if count == 0 {
            return Returns::default();
        }
        let mut slots = vec![0; (2 * count).next_power_of_two()].into_boxed_slice();
        for calls in calls {
            let Some(module) = modules.iter().find(|module| module.path == calls.path) else { continue };
            for address in &calls.returns {
                let address = (module.base + address) as usize;
                let at = Returns::places(&slots, address).find(|&at| slots[at] == 0);
                slots[at.expect("half of it is empty")] = address;
            }
        }
        Returns { slots }
    }

    /// Where to look for an address, one place after the other.
    #[inline]
    fn places(slots: &[usize], address: usize) -> impl Iterator<Item = usize> {
        let mask = slots.len() - 1;
        let first = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (first..first + slots.len()).map(move |at| at & mask)
    }

    /// Whether a call that returns to this address is one of them.
    #[inline]
    pub(crate) fn contain(&self, address: usize) -> bool {
        if self.slots.is_empty() {
            return false;
        }
        let found = Returns::places(&self.slots, address).map(|at| self.slots[at]);
        found.take_while(|&found| found != 0).any(|found| found == address)
    }
}

/// Where the runtime itself lies.
pub(crate) fn own() -> Option<Module> {
    let here = all as *const () as u64;
    all().into_iter().find(|module| (module.from..module.to).contains(&here))
}
