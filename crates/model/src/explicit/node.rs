//! Nodes of the graph: configurations at points, and their bytes.
//!
//! Two configurations that differ only in which of several equal tasks is which are one node: pending tasks are a multiset of
//! numbers. Globals take as many bits as their types need.

use std::collections::BTreeMap;

use super::memo::{Change, Patch};
use super::reached::Reached;
use super::records::MAX_SHORT;
use super::states::StateRef;
use super::tasks::TaskCache;
use crate::code::Code;
use crate::machine::{Config, Scope, Tasks};

/// A configuration at a point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) globals: Vec<i32>,
    pub(crate) config: Config,
    pub(crate) at: At,
    /// The task that came to the point and could go on, or the number of a scheduler; kept only if that matters for costs.
    pub(crate) current: Option<u32>,
}

/// What kind of point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum At {
    /// A choice among tasks of all buffers.
    #[default]
    All,
    /// A choice among tasks of one buffer.
    Buffer(u32),
    /// No choice of tasks: the active task of a buffer goes on.
    Running(u32),
}

impl At {
    /// Where a program begins: in its first buffer; but if the task there would wait at once, in any other.
    pub(crate) fn first(config: &Config, tasks: &impl Tasks) -> At {
        match config.scope_at_end(tasks, 0) {
            Scope::Buffer(n) => At::Buffer(n),
            Scope::All => At::All,
        }
    }

    /// The choice of tasks, if it is one.
    pub(crate) fn scope(self) -> Scope {
        match self {
            At::All => Scope::All,
            At::Buffer(n) | At::Running(n) => Scope::Buffer(n),
        }
    }
}

/// How nodes of a program are written.
pub(crate) struct Codec {
    /// For each global its smallest value, how many bits it has and where these begin.
    fields: Vec<(i32, u32, u32)>,
    global_bytes: usize,
    buffers: usize,
    keeps: Keeps,
}

/// The bytes of a node. Some more may be read behind them, of no meaning.
#[derive(Clone, Copy)]
pub(super) struct Encoded<'a> {
    padded: &'a [u8],
    len: usize,
}

impl<'a> Encoded<'a> {
    /// As many bytes lie behind those of the node.
    pub(super) const BEHIND: usize = 16;

    pub(super) fn new(padded: &'a [u8], len: usize) -> Encoded<'a> {
        assert!(len + Encoded::BEHIND <= padded.len());
        Encoded { padded, len }
    }

    /// Those of the node.
    pub(super) fn bytes(self) -> &'a [u8] {
        &self.padded[..self.len]
    }

    /// From one of them on, as a number.
    #[inline]
    fn eight(self, at: usize) -> u64 {
        u64::from_le_bytes(*self.padded[at..].first_chunk().expect("some lie behind"))
    }

    #[inline]
    fn sixteen(self, at: usize) -> u128 {
        u128::from_le_bytes(*self.padded[at..].first_chunk().expect("some lie behind"))
    }
}

/// The pending tasks of a simple node.
#[derive(Default)]
pub(super) struct Pending {
    count: usize,
    /// Where they begin in the bytes of the node.
    start: usize,
    /// Their numbers, sorted, a byte each, if they are at most 15 and each has one.
    packed: Option<u128>,
    /// Or else so.
    many: Vec<u32>,
}

impl Pending {
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub(super) fn task(&self, index: usize) -> u32 {
        match self.packed {
            Some(list) => (list >> (8 * index)) as u8 as u32,
            None => self.many[index],
        }
    }
}

/// What else is part of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// Nothing.
    Nothing,
    /// Which task came to the point and could go on.
    Current,
    /// The order of the pending tasks, and a number: a delaying scheduler's object.
    Order,
}

impl Codec {
    pub(crate) fn new(code: &Code, keeps: Keeps) -> Codec {
        let bits = |lo: i32, hi: i32| 64 - ((hi as i64 - lo as i64) as u64).leading_zeros();
        let mut total = 0;
        let field = |&(lo, hi): &(i32, i32)| {
            let at = total;
            total += bits(lo, hi);
            (lo, bits(lo, hi), at)
        };
        let fields = code.ranges.iter().map(field).collect();
        Codec { fields, global_bytes: total.div_ceil(8) as usize, buffers: code.program.buffers.len(), keeps }
    }

    /// Writes a node behind `bytes`. Its pending tasks are sorted on the way.
    pub(crate) fn encode(
        &self,
        globals: &[i32],
        config: &mut Config,
        (at, current): (At, Option<u32>),
        bytes: &mut Vec<u8>,
    ) {
        self.encode_globals(globals, bytes);
        if self.buffers > 1 || matches!(at, At::Running(_)) {
            bytes.push(match at {
                At::All => 255,
                At::Running(n) => 128 | n as u8,
                At::Buffer(n) => n as u8,
            });
        } else {
            bytes.push(255);
        }
        if self.keeps != Keeps::Nothing {
            write_number(bytes, current.map_or(0, |current| current + 1));
        }
        for buffer in &mut config.buffers {
            write_number(bytes, buffer.active.len() as u32);
            for &task in &buffer.active {
                write_number(bytes, task);
            }
            write_number(bytes, buffer.pending.len() as u32);
            if self.keeps != Keeps::Order {
                buffer.pending.sort_unstable();
            }
            for &task in &buffer.pending {
                write_number(bytes, task);
            }
        }
    }

    fn encode_globals(&self, globals: &[i32], bytes: &mut Vec<u8>) {
        let (mut word, mut used) = (0u64, 0);
        for (&value, &(lo, bits, _)) in globals.iter().zip(&self.fields) {
            let value = (value.wrapping_sub(lo) as u32) as u64;
            word |= value << used;
            used += bits;
            if used >= 64 {
                bytes.extend_from_slice(&word.to_le_bytes());
                used -= 64;
                word = if used > 0 { value >> (bits - used) } else { 0 };
            }
        }
        let rest = used.div_ceil(8) as usize;
        bytes.extend_from_slice(&word.to_le_bytes()[..rest]);
    }

    /// Whether all that nodes hold is globals and pending tasks, as long as no task is active: so that they can be written from another one.
    pub(super) fn is_simple(&self) -> bool {
        self.buffers == 1 && self.keeps == Keeps::Nothing
    }

    /// How much a global is above its smallest value in a node.
    #[inline]
    pub(super) fn above(&self, node: Encoded<'_>, slot: u32) -> u32 {
        let (_, bits, at) = self.fields[slot as usize];
        // Up to 32 bits from an odd bit on lie within eight bytes.
        (node.eight((at / 8) as usize) >> (at % 8)) as u32 & ((1u64 << bits) - 1) as u32
    }

    /// Reads the pending tasks of a simple node. False if a task is active or goes on.
    #[inline]
    pub(super) fn decode_pending(&self, node: Encoded<'_>, pending: &mut Pending) -> bool {
        let &[255, 0, ref rest @ ..] = &node.bytes()[self.global_bytes..] else { return false };
        let mut rest = rest;
        pending.count = read_number(&mut rest) as usize;
        pending.start = node.len - rest.len();
        pending.packed = None;
        if rest.len() == pending.count && pending.count <= 15 {
            pending.packed = Some(node.sixteen(pending.start) & long::below(pending.count));
        } else {
            pending.many.clear();
            pending.many.extend((0..pending.count).map(|_| read_number(&mut rest)));
        }
        true
    }

    /// Adds the node that comes of a simple one, `from`, by a change of the pending task at `index`, to those that were reached.
    #[inline]
    pub(super) fn encode_change(
        &self,
        (name, from): (StateRef, Encoded<'_>),
        (pending, index): (&Pending, usize),
        change: &Change,
        reached: &mut Reached,
    ) {
        let (start, new) = (pending.start, change.task);
        let count = pending.count - new.is_none() as usize;
        let list = match pending.packed {
            Some(list) if new.is_none_or(|new| new < 128) && start + count < MAX_SHORT => list,
            _ => return reached.push(&self.changed(from, (pending, index), change), name),
        };
        let list = if pending.count <= 8 {
            let rest = short::remove(list as u64, index);
            new.map_or(rest, |new| short::insert(rest, count - 1, new)) as u128
        } else {
            let rest = long::remove(list, index);
            new.map_or(rest, |new| long::insert(rest, count - 1, new))
        };
        // Copies of fixed length are much quicker; what is too much is overwritten.
        let room = reached.room(start + 24);
        if start > 16 {
            room[16..start].copy_from_slice(&from.padded[16..start]);
            for patch in &change.patches {
                let at = patch.at as usize;
                let word = from.eight(at) & !patch.mask | patch.value;
                *room[at..].first_chunk_mut().expect("there is room") = word.to_le_bytes();
            }
        }
        let first = from.sixteen(0) & !change.mask | change.value;
        *room.first_chunk_mut().expect("there is room") = first.to_le_bytes();
        room[start - 1] = count as u8;
        *room[start..].first_chunk_mut().expect("there is room") = list.to_le_bytes();
        *room[start + 16..].first_chunk_mut().expect("there is room") = [0; 8];
        reached.push_written(start + count, name);
    }

    /// The bytes of the node that comes of a simple one.
    fn changed(&self, from: Encoded<'_>, (pending, index): (&Pending, usize), change: &Change) -> Vec<u8> {
        let new = change.task;
        let mut bytes = Vec::with_capacity(from.len + 16);
        bytes.extend_from_slice(&from.bytes()[..self.global_bytes + 2]);
        let first = (from.sixteen(0) & !change.mask | change.value).to_le_bytes();
        let globals = &mut bytes[..self.global_bytes];
        let len = globals.len().min(16);
        globals[..len].copy_from_slice(&first[..len]);
        for patch in &change.patches {
            let word = (from.eight(patch.at as usize) & !patch.mask | patch.value).to_le_bytes();
            let rest = &mut globals[patch.at as usize..];
            let len = rest.len().min(8);
            rest[..len].copy_from_slice(&word[..len]);
        }
        write_number(&mut bytes, (pending.count - new.is_none() as usize) as u32);
        let tasks = (0..pending.count).filter(|&other| other != index).map(|index| pending.task(index));
        let mut left = tasks.peekable();
        while let Some(task) = left.next_if(|&task| new.is_none_or(|new| task < new)) {
            write_number(&mut bytes, task);
        }
        new.into_iter().chain(left).for_each(|task| write_number(&mut bytes, task));
        bytes
    }

    /// What becomes of a simple node if globals are written and a task becomes another one, or ends.
    pub(super) fn change(&self, writes: &[(u32, i32)], task: Option<u32>) -> Change {
        let (mut all_mask, mut all_value) = (0, 0);
        let mut patches: BTreeMap<u32, Patch> = BTreeMap::new();
        for &(slot, value) in writes {
            let (lo, bits, at) = self.fields[slot as usize];
            let mask = ((1u128 << bits) - 1) << (at % 64);
            let value = (value.wrapping_sub(lo) as u32 as u128) << (at % 64);
            for (at, mask, value) in [(at / 64, mask, value), (at / 64 + 1, mask >> 64, value >> 64)] {
                if at < 2 {
                    all_mask |= (mask as u64 as u128) << (64 * at);
                    all_value |= (value as u64 as u128) << (64 * at);
                } else if mask as u64 != 0 {
                    let patch = patches.entry(at).or_insert(Patch { at: 8 * at, mask: 0, value: 0 });
                    patch.mask |= mask as u64;
                    patch.value |= value as u64;
                }
            }
        }
        Change { mask: all_mask, value: all_value, patches: patches.into_values().collect(), task }
    }

    /// Reads a node.
    pub(crate) fn decode(&self, mut bytes: &[u8], tasks: &mut TaskCache<'_>, node: &mut Node) {
        self.decode_globals(&bytes[..self.global_bytes], &mut node.globals);
        bytes = &bytes[self.global_bytes..];
        let at = bytes[0];
        bytes = &bytes[1..];
        node.at = match at {
            255 => At::All,
            at if at >= 128 => At::Running(at as u32 & 127),
            at => At::Buffer(at as u32),
        };
        node.current =
            if self.keeps != Keeps::Nothing { read_number(&mut bytes).checked_sub(1) } else { None };
        node.config.buffers.resize_with(self.buffers, Default::default);
        for buffer in &mut node.config.buffers {
            for list in [&mut buffer.active, &mut buffer.pending] {
                list.clear();
                for _ in 0..read_number(&mut bytes) {
                    let task = read_number(&mut bytes);
                    tasks.meet(task);
                    list.push(task);
                }
            }
        }
    }

    fn decode_globals(&self, bytes: &[u8], globals: &mut Vec<i32>) {
        const ROOM: usize = 128;
        globals.clear();
        // Up to 32 bits from an odd bit on lie within eight bytes, which are there behind the last one too.
        let (mut room, mut much) = ([0; ROOM + 8], Vec::new());
        let padded: &[u8] = if bytes.len() <= ROOM {
            room[..bytes.len()].copy_from_slice(bytes);
            &room
        } else {
            much.extend_from_slice(bytes);
            much.extend_from_slice(&[0; 8]);
            &much
        };
        globals.extend(self.fields.iter().map(|&(lo, bits, at)| {
            let word = padded[(at / 8) as usize..].first_chunk::<8>().expect("there is room behind");
            let value = (u64::from_le_bytes(*word) >> (at % 8)) & ((1u64 << bits) - 1);
            (value as u32 as i32).wrapping_add(lo)
        }));
    }
}

/// Sorted lists of bytes below 128, which are those of a number.
macro_rules! lists {
    ($name:ident, $number:ty) => {
        mod $name {
            /// The lowest bytes.
            #[inline]
            pub(super) fn below(count: usize) -> $number {
                (1 << (8 * count)) - 1
            }

            /// Takes an element out of a list.
            #[inline]
            pub(super) fn remove(list: $number, index: usize) -> $number {
                list & below(index) | list >> 8 & !below(index)
            }

            /// Puts an element into a list that has so many.
            #[inline]
            pub(super) fn insert(list: $number, len: usize, new: u32) -> $number {
                const ONES: $number = <$number>::MAX / 255;
                const TOPS: $number = ONES << 7;
                // The top bit of a byte stays if it is not less than the new one; they are sorted, so those are the last.
                let not_less = ((list | TOPS) - ONES * new as $number) & TOPS & below(len);
                let place = (not_less.trailing_zeros() as usize / 8).min(len);
                list & below(place) | (new as $number) << (8 * place) | (list & !below(place)) << 8
            }
        }
    };
}
lists!(short, u64);
lists!(long, u128);

#[inline]
fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn read_number(bytes: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= (byte as u32 & 127) << shift;
        if byte < 128 {
            return number;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::super::records;
    use super::*;
    use crate::load;

    struct Rng(u64);

    impl Rng {
        fn below(&mut self, limit: u32) -> u32 {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            ((self.0 >> 33) as u32) % limit
        }
    }

    #[test]
    fn what_changes_is_written_as_the_whole_would_be() {
        // Globals of 3, 15, 24 and 120 bytes, about.
        for globals in
            ["", "var f: [-5..200; 12];", "var f: [-5..200; 11]; var g: [int; 3];", "var f: [int; 29];"]
        {
            changes_are_written(&format!(
                "var a: 0..6; var b: bool; var c: [bool; 7]; var d: lock; {globals}"
            ));
        }
    }

    fn changes_are_written(text: &str) {
        let text = format!("{text} proc main() {{ }}");
        let code =
            Code::new(load("a.cai", &text, &[]).unwrap_or_else(|errors| panic!("{}", errors.render(false))));
        let codec = Codec::new(&code, Keeps::Nothing);
        assert!(codec.is_simple());
        let mut rng = Rng(7);
        let mut reached = Reached::default();
        for round in 0..5_000 {
            // Few tasks with small numbers, many, and large numbers.
            let (count, most) = [(16, 127), (40, 128), (12, 200), (5, 100_000)][round % 4];
            let value = |rng: &mut Rng, slot: usize| {
                let (lo, hi) = code.ranges[slot];
                if lo == i32::MIN { rng.0 as i32 } else { lo + rng.below((hi - lo + 1) as u32) as i32 }
            };
            let mut globals: Vec<i32> = (0..code.ranges.len()).map(|slot| value(&mut rng, slot)).collect();
            let mut config = Config::new(1);
            config.buffers[0].pending = (0..rng.below(count) + 1).map(|_| rng.below(most)).collect();
            let mut bytes = Vec::new();
            codec.encode(&globals, &mut config, (At::All, None), &mut bytes);

            let len = bytes.len();
            let mut padded = bytes;
            padded.extend_from_slice(&[0xa5; Encoded::BEHIND]);
            let node = Encoded::new(&padded, len);
            let mut pending = Pending::default();
            assert!(codec.decode_pending(node, &mut pending));
            let tasks: Vec<u32> = (0..pending.count()).map(|index| pending.task(index)).collect();
            assert_eq!(tasks, config.buffers[0].pending);
            for (slot, &value) in globals.iter().enumerate() {
                let above = value.wrapping_sub(code.ranges[slot].0) as u32;
                assert_eq!(codec.above(node, slot as u32), above);
            }

            let index = rng.below(tasks.len() as u32) as usize;
            let slots: std::collections::BTreeSet<u32> =
                (0..rng.below(4)).map(|_| rng.below(globals.len() as u32)).collect();
            let writes: Vec<_> =
                slots.into_iter().map(|slot| (slot, value(&mut rng, slot as usize))).collect();
            let task = (rng.below(5) > 0).then(|| rng.below(most));
            codec.encode_change(
                (StateRef::NONE, node),
                (&pending, index),
                &codec.change(&writes, task),
                &mut reached,
            );

            writes.iter().for_each(|&(slot, value)| globals[slot as usize] = value);
            config.buffers[0].pending.remove(index);
            config.buffers[0].pending.extend(task);
            let mut whole = Vec::new();
            codec.encode(&globals, &mut config, (At::All, None), &mut whole);
            let record = records::of(&whole);
            let (changed, _, _) = reached.iter().last().expect("it was added");
            assert_eq!(changed, record, "round {round}");
            if reached.len() == 64 {
                reached.clear();
            }
        }
    }
}
