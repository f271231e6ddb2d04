//! What is known of each word of the program's memory: which objects and which data lie there.
//!
//! Words are those of eight bytes. Of a word that was accessed in parts each part that was ever accessed as a whole is a *cell* of its own, as
//! small as it has to be and no smaller: bytes that are next to each other are no concern of each other's.
//!
//! Entries are made in pages of their own, as the program's pages are touched. All are put back before an execution by a list of those that
//! were used.

use std::collections::BTreeMap;

/// A word of the program's memory.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// What data lies there: see [`Data`].
    data: u32,
    /// The first object that lies there, plus 1.
    sync: u32,
}

const PAGE_WORDS: usize = 512;

/// Words that lie next to each other.
struct Page {
    entries: [Entry; PAGE_WORDS],
    /// Some entry is not as it was at first.
    used: bool,
}

/// Pages that were used last, by the lower bits of their numbers.
const RECENT: usize = 256;

/// What lies in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    /// Nothing that was accessed.
    Nothing,
    /// One cell, with these bytes.
    Cell { bytes: u8, cell: u32 },
    /// Several: a number in the list of split words.
    Split(u32),
    /// Memory that was freed: a number in the list of those who did.
    Freed(u32),
}

const FREED: u32 = 1 << 23;
const NUMBER: u32 = FREED - 1;

impl Data {
    #[inline]
    fn of(word: u32) -> Data {
        let (bytes, number) = ((word >> 24) as u8, word & (FREED | NUMBER));
        if bytes != 0 {
            Data::Cell { bytes, cell: number }
        } else if number & FREED != 0 {
            Data::Freed(number & NUMBER)
        } else if number != 0 {
            Data::Split(number - 1)
        } else {
            Data::Nothing
        }
    }

    #[inline]
    fn word(self) -> u32 {
        match self {
            Data::Nothing => 0,
            Data::Cell { bytes, cell } => (bytes as u32) << 24 | cell,
            Data::Split(number) => number + 1,
            Data::Freed(number) => FREED | number,
        }
    }
}

/// The parts of a word.
type Split = Vec<(u8, u32)>;

/// What happens to a cell when a word is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// A new one is accessed.
    New(u32),
    /// One that is known is accessed.
    Old(u32),
    /// One has become two, of which the second begins with what is known of the first.
    Copy { from: u32, to: u32 },
    /// The memory was freed, by the one with this number.
    Freed(u32),
}

/// An execution can have so many cells.
const MOST_CELLS: usize = NUMBER as usize - 64;

pub(crate) struct Shadow {
    pages: BTreeMap<usize, *mut Page>,
    recent: [(usize, *mut Page); RECENT],
    /// Entries that are not as they were at first.
    used: Vec<*mut Entry>,
    /// And pages with such entries.
    used_pages: Vec<*mut Page>,
    splits: Vec<Split>,
    split_count: usize,
    /// Cells of the execution, by their addresses.
    cells: Vec<usize>,
}

/// The entry of a word on a page.
#[inline]
fn entry_of(page: *mut Page, word: usize) -> *mut Entry {
    // SAFETY: pages are never given up, and have so many words.
    unsafe { &raw mut (*page).entries[word % PAGE_WORDS] }
}

impl Shadow {
    pub(crate) fn new() -> Shadow {
        Shadow {
            pages: BTreeMap::new(),
            recent: [(usize::MAX, std::ptr::null_mut()); RECENT],
            used: Vec::new(),
            used_pages: Vec::new(),
            splits: Vec::new(),
            split_count: 0,
            cells: Vec::new(),
        }
    }

    /// A new execution begins.
    pub(crate) fn reset(&mut self) {
        for entry in self.used.drain(..) {
            // SAFETY: pages are never given up.
            unsafe { *entry = Entry::default() };
        }
        for page in self.used_pages.drain(..) {
            // SAFETY: as above.
            unsafe { (*page).used = false };
        }
        self.split_count = 0;
        self.cells.clear();
    }

    #[inline]
    fn page_of(&mut self, address: usize) -> *mut Page {
        let page = address >> 12;
        let recent = self.recent[page % RECENT];
        if recent.0 == page { recent.1 } else { self.page(page) }
    }

    #[inline]
    fn entry(&mut self, address: usize) -> *mut Entry {
        entry_of(self.page_of(address), address >> 3)
    }

    /// The entry of a word that will not be as it was at first.
    fn entry_to_use(&mut self, address: usize) -> *mut Entry {
        let page = self.page_of(address);
        // SAFETY: pages are never given up.
        if !std::mem::replace(unsafe { &mut (*page).used }, true) {
            self.used_pages.push(page);
        }
        let entry = entry_of(page, address >> 3);
        self.used.push(entry);
        entry
    }

    #[cold]
    fn page(&mut self, page: usize) -> *mut Page {
        let entries = *self.pages.entry(page).or_insert_with(|| {
            Box::into_raw(Box::new(Page { entries: [Entry::default(); PAGE_WORDS], used: false }))
        });
        self.recent[page % RECENT] = (page, entries);
        entries
    }

    /// The first object at an address, plus 1.
    #[inline]
    pub(crate) fn sync(&mut self, address: usize) -> &u32 {
        // SAFETY: pages are never given up, and nobody else refers to this one.
        unsafe { &(*self.entry(address)).sync }
    }

    /// The same, to be changed.
    pub(crate) fn sync_for_write(&mut self, address: usize) -> &mut u32 {
        let entry = self.entry_to_use(address);
        // SAFETY: as above.
        unsafe { &mut (*entry).sync }
    }

    /// Whether nothing of a word was accessed.
    #[inline]
    pub(crate) fn is_untouched(&mut self, address: usize) -> bool {
        // SAFETY: pages are never given up.
        unsafe { (*self.entry(address)).data == 0 }
    }

    /// Whether there is room for cells of some more words.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.cells.len() < MOST_CELLS
    }

    /// Where a cell lies.
    pub(crate) fn cell_address(&self, cell: u32) -> Option<usize> {
        self.cells.get(cell as usize).copied()
    }

    fn new_cell(&mut self, address: usize) -> u32 {
        let cell = self.cells.len() as u32;
        self.cells.push(address);
        cell
    }

    /// Bytes of a word are accessed, those whose bits are set. Says which cells that are, by `touch`, which returns false if it does not want
    /// to know of more.
    #[inline]
    pub(crate) fn access(
        &mut self,
        address: usize,
        bytes: u8,
        touch: &mut impl FnMut(Touch) -> bool,
    ) -> bool {
        let entry = self.entry(address);
        // SAFETY: pages are never given up.
        let data = Data::of(unsafe { (*entry).data });
        match data {
            Data::Cell { bytes: all, cell } if all == bytes => touch(Touch::Old(cell)),
            Data::Nothing => {
                let cell = self.new_cell(address & !7 | bytes.trailing_zeros() as usize);
                let entry = self.entry_to_use(address);
                // SAFETY: as above.
                unsafe { (*entry).data = Data::Cell { bytes, cell }.word() };
                touch(Touch::New(cell))
            }
            Data::Freed(number) => touch(Touch::Freed(number)),
            Data::Cell { bytes: all, cell } => {
                let number = self.new_split((all, cell));
                // SAFETY: as above.
                unsafe { (*entry).data = Data::Split(number).word() };
                self.access_split(number as usize, address & !7, bytes, touch)
            }
            Data::Split(number) => self.access_split(number as usize, address & !7, bytes, touch),
        }
    }

    fn new_split(&mut self, part: (u8, u32)) -> u32 {
        let number = self.split_count;
        self.split_count += 1;
        match self.splits.get_mut(number) {
            Some(split) => {
                split.clear();
                split.push(part);
            }
            None => self.splits.push(vec![part]),
        }
        number as u32
    }

    #[inline(never)]
    fn access_split(
        &mut self,
        number: usize,
        word: usize,
        bytes: u8,
        touch: &mut impl FnMut(Touch) -> bool,
    ) -> bool {
        let mut split = std::mem::take(&mut self.splits[number]);
        let (mut left, mut goes_on) = (bytes, true);
        for index in 0..split.len() {
            let (all, cell) = split[index];
            let (inside, outside) = (all & bytes, all & !bytes);
            if inside == 0 {
                continue;
            }
            left &= !inside;
            if outside != 0 {
                let to = self.new_cell(word | outside.trailing_zeros() as usize);
                split[index].0 = inside;
                split.push((outside, to));
                goes_on = goes_on && touch(Touch::Copy { from: cell, to });
            }
            goes_on = goes_on && touch(Touch::Old(cell));
        }
        if left != 0 {
            let cell = self.new_cell(word | left.trailing_zeros() as usize);
            split.push((left, cell));
            goes_on = goes_on && touch(Touch::New(cell));
        }
        self.splits[number] = split;
        goes_on
    }

    /// The words of some memory of which something is known.
    fn known(&self, address: usize, bytes: usize) -> impl Iterator<Item = (usize, *mut Entry)> {
        let (first, last) = (address >> 3, (address + bytes).div_ceil(8));
        let pages = self.pages.range(address >> 12..=(address + bytes) >> 12);
        // SAFETY: pages are never given up.
        let pages = pages.filter(|&(_, &page)| unsafe { (*page).used });
        pages.flat_map(move |(&number, &page)| {
            let words = first.max(number * PAGE_WORDS)..last.min((number + 1) * PAGE_WORDS);
            let entry = move |word: usize| (word << 3, entry_of(page, word));
            // SAFETY: as above.
            words.map(entry).filter(|(_, entry)| unsafe { (**entry).data != 0 || (**entry).sync != 0 })
        })
    }

    /// The words of some memory that were accessed.
    pub(crate) fn touched(&self, address: usize, bytes: usize) -> Vec<usize> {
        self.known(address, bytes).map(|(word, _)| word).collect()
    }

    /// Memory is new: nothing is known of it any more.
    pub(crate) fn forget(&mut self, address: usize, bytes: usize) {
        for (_, entry) in self.known(address, bytes).collect::<Vec<_>>() {
            // SAFETY: pages are never given up.
            unsafe { *entry = Entry::default() };
        }
    }

    /// A word that nobody had accessed was freed, by the one with this number.
    pub(crate) fn free_untouched(&mut self, address: usize, number: u32) {
        let entry = self.entry_to_use(address);
        // SAFETY: as above.
        unsafe { (*entry).data = Data::Freed(number.min(NUMBER)).word() };
    }

    /// Memory was freed, by the one with this number.
    pub(crate) fn free(&mut self, address: usize, bytes: usize, number: u32) {
        for (_, entry) in self.known(address, bytes).collect::<Vec<_>>() {
            // SAFETY: as above.
            unsafe { *entry = Entry { data: Data::Freed(number.min(NUMBER)).word(), sync: 0 } };
        }
    }
}
