//! What a task does to its next point depends only on the globals that it reads: it is worked out once for each of their values.
//!
//! For each task there is a tree: a node names a global, its branches are values of it, a leaf says what was worked out. A miss is worked out
//! by the interpreter, which writes down what was read. Segments with choices, posts and faults are left to the interpreter each time.

use crate::machine::{Stop, Watch};

/// Cells of all trees together; what comes then is worked out each time.
const MAX_CELLS: usize = 1 << 20;
/// A global with no more values than these has a cell for each of them; of others so many values are told apart.
const MAX_VALUES: usize = 32;

/// What a task does.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) writes: Box<[(u32, i32)]>,
    pub(super) stop: Stop,
    /// Its number from then on; of no meaning if it has ended.
    pub(super) task: u32,
    /// What it does to the bytes of a node, if it does no more than to change globals and itself, and where it is.
    pub(super) change: Option<Change>,
}

/// What a step does to the bytes of a simple node.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Which bits of the first 16 bytes change, and to what.
    pub(super) mask: u128,
    pub(super) value: u128,
    /// What changes behind them.
    pub(super) patches: Box<[Patch]>,
    /// What becomes of the task, if it has not ended.
    pub(super) task: Option<u32>,
}

/// Eight bytes change, as far as they are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub(super) at: u32,
    pub(super) mask: u64,
    pub(super) value: u64,
}

/// What is known.
pub(super) enum Known<'a, L> {
    Leaf(&'a L),
    /// It has to be worked out, and is to be learned.
    New,
    /// It has to be worked out each time.
    Opaque,
}

/// What a cell holds: one of three kinds, told by one of the lowest three bits, and above them a place in the list of that kind; or none of them.
type Cell = u32;
/// In the cells: the global that is read, then a cell for each of its values, the smallest first.
const FEW: Cell = 1;
const LEAF: Cell = 2;
const MANY: Cell = 4;
const KIND_BITS: u32 = 3;
/// It is not known yet.
const NEW: Cell = 0;
/// It is worked out each time.
const OPAQUE: Cell = 1 << KIND_BITS;

/// A global of many values: those that were met, each with its cell.
struct Many {
    slot: u32,
    cells: Vec<(u32, u32)>,
}

/// What is known of all tasks. A value of a global is how much it is above its smallest one.
pub(super) struct Memo<L> {
    /// What the cell of each task holds.
    roots: Vec<Cell>,
    cells: Vec<Cell>,
    many: Vec<Many>,
    leaves: Vec<L>,
}

impl<L> Default for Memo<L> {
    fn default() -> Memo<L> {
        Memo { roots: Vec::new(), cells: Vec::new(), many: Vec::new(), leaves: Vec::new() }
    }
}

impl<L> Memo<L> {
    /// What is known of a task where globals have these values.
    #[inline]
    pub(super) fn find(&self, task: u32, value: impl Fn(u32) -> u32) -> Known<'_, L> {
        let mut cell = self.roots.get(task as usize).copied().unwrap_or(NEW);
        loop {
            let at = (cell >> KIND_BITS) as usize;
            // Bit by bit, as most are: a table of jumps would be slower.
            if cell & FEW != 0 {
                cell = self.cells[at + 1 + value(self.cells[at]) as usize];
            } else if cell & LEAF != 0 {
                return Known::Leaf(&self.leaves[at]);
            } else if cell & MANY != 0 {
                let many = &self.many[at];
                let value = value(many.slot);
                cell = match many.cells.iter().find(|(other, _)| *other == value) {
                    Some(&(_, next)) => self.cells[next as usize],
                    None if many.cells.len() >= MAX_VALUES => return Known::Opaque,
                    None => return Known::New,
                }
            } else if cell == NEW {
                return Known::New;
            } else {
                return Known::Opaque;
            }
        }
    }

    /// Learns about a task that has read these values of globals, whose types have these ranges; nothing is left to the interpreter.
    pub(super) fn learn(&mut self, task: u32, reads: &[(u32, i32)], ranges: &[(i32, i32)], leaf: Option<L>) {
        if self.cells.len() + (reads.len() + 1) * (MAX_VALUES + 1) > MAX_CELLS {
            return;
        }
        if self.roots.len() <= task as usize {
            self.roots.resize(task as usize + 1, NEW);
        }
        let mut place = None;
        for &(slot, value) in reads {
            let (lo, hi) = ranges[slot as usize];
            let value = value.wrapping_sub(lo) as u32;
            if *self.cell(task, place) == NEW {
                *self.cell(task, place) = self.new_node(slot, hi.wrapping_sub(lo) as u32 as usize);
            }
            let node = *self.cell(task, place);
            place = Some(self.branch(node, slot, value));
        }
        *self.cell(task, place) = match leaf {
            None => OPAQUE,
            Some(leaf) => {
                self.leaves.push(leaf);
                (self.leaves.len() as u32 - 1) << KIND_BITS | LEAF
            }
        };
    }

    /// The cell of a task, or one of the others.
    fn cell(&mut self, task: u32, place: Option<u32>) -> &mut Cell {
        match place {
            None => &mut self.roots[task as usize],
            Some(place) => &mut self.cells[place as usize],
        }
    }

    fn new_cell(&mut self) -> u32 {
        self.cells.push(NEW);
        self.cells.len() as u32 - 1
    }

    /// A node that reads a global, which has one more value than this.
    fn new_node(&mut self, slot: u32, largest: usize) -> Cell {
        if largest < MAX_VALUES {
            let at = self.cells.len();
            self.cells.push(slot);
            self.cells.resize(at + 2 + largest, NEW);
            (at as u32) << KIND_BITS | FEW
        } else {
            self.many.push(Many { slot, cells: Vec::new() });
            (self.many.len() as u32 - 1) << KIND_BITS | MANY
        }
    }

    /// The cell of a value at a node.
    fn branch(&mut self, node: Cell, slot: u32, value: u32) -> u32 {
        let at = node >> KIND_BITS;
        if node & FEW != 0 {
            assert_eq!(self.cells[at as usize], slot, "a task reads the same next");
            return at + 1 + value;
        }
        assert_eq!(node & MANY, MANY, "a task reads the same next");
        let known = self.many[at as usize].cells.iter().find(|(other, _)| *other == value);
        if let Some(&(_, cell)) = known {
            return cell;
        }
        let cell = self.new_cell();
        self.many[at as usize].cells.push((value, cell));
        cell
    }
}

/// Writes down what a task reads before it has written it, and what it writes.
#[derive(Default)]
pub(super) struct Recorder {
    pub(super) reads: Vec<(u32, i32)>,
    pub(super) writes: Vec<(u32, i32)>,
}

impl Recorder {
    pub(super) fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }
}

impl Watch for Recorder {
    fn read(&mut self, slot: u32, value: i32) {
        let known = |list: &[(u32, i32)]| list.iter().any(|&(other, _)| other == slot);
        if !known(&self.reads) && !known(&self.writes) {
            self.reads.push((slot, value));
        }
    }

    /// What a task does depends on that too.
    fn read_in_vain(&mut self, slot: u32, value: i32) {
        self.read(slot, value);
    }

    fn write(&mut self, slot: u32, _: i32, to: i32) {
        match self.writes.iter_mut().find(|(other, _)| *other == slot) {
            Some((_, value)) => *value = to,
            None => self.writes.push((slot, to)),
        }
    }
}
