//! Nodes of the graph: configurations at points, and their bytes.
//!
//! Two configurations that differ only in which of several equal tasks is which are one node: pending tasks are a multiset of
//! numbers. Globals take as many bits as their types need.

use std::collections::BTreeMap;

use super::memo::{Change, Patch};
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

/// The pending tasks of a simple node.
#[derive(Default)]
pub(super) struct Pending {
    /// Sorted.
    pub(super) tasks: Vec<u32>,
    /// Where they begin in the bytes of the node.
    start: usize,
    /// Their numbers, a byte each, if they are at most 16 and each has one.
    packed: Option<u128>,
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
    pub(super) fn above(&self, node: &[u8], slot: u32) -> u32 {
        let (_, bits, at) = self.fields[slot as usize];
        // Up to 32 bits from an odd bit on lie within eight bytes.
        let word = read_word(&node[(at / 8) as usize..]);
        (word >> (at % 8)) as u32 & ((1u64 << bits) - 1) as u32
    }

    /// Reads the pending tasks of a simple node. False if a task is active or goes on.
    #[inline]
    pub(super) fn decode_pending(&self, node: &[u8], pending: &mut Pending) -> bool {
        let &[255, 0, ref rest @ ..] = &node[self.global_bytes..] else { return false };
        let mut rest = rest;
        let count = read_number(&mut rest) as usize;
        pending.tasks.clear();
        pending.start = node.len() - rest.len();
        pending.packed = None;
        if rest.len() == count {
            pending.tasks.extend(rest.iter().map(|&byte| byte as u32));
            if count <= 16 {
                let mut list = [0; 16];
                list[..count].copy_from_slice(rest);
                pending.packed = Some(u128::from_le_bytes(list));
            }
        } else {
            pending.tasks.extend((0..count).map(|_| read_number(&mut rest)));
        }
        true
    }

    /// Writes behind `bytes` the node that comes of a simple one, whose bytes are `from`, by a change of the pending task at `index`.
    #[inline]
    pub(super) fn encode_change(
        &self,
        from: &[u8],
        (pending, index): (&Pending, usize),
        change: &Change,
        bytes: &mut Vec<u8>,
    ) {
        let first = bytes.len();
        let tasks = &pending.tasks;
        let new = change.task;
        match pending.packed {
            Some(list) if new.is_none_or(|new| new < 128) => {
                match from.first_chunk::<16>() {
                    // A copy of fixed length is much quicker; what is too much is overwritten.
                    Some(chunk) if pending.start <= 16 => {
                        bytes.extend_from_slice(chunk);
                        bytes.truncate(first + pending.start);
                    }
                    _ => bytes.extend_from_slice(&from[..pending.start]),
                }
                let len = tasks.len() - new.is_none() as usize;
                let rest = remove(list, index);
                let list = new.map_or(rest, |new| insert(rest, len - 1, new));
                bytes.extend_from_slice(&list.to_le_bytes());
                bytes[first + pending.start - 1] = len as u8;
                bytes.truncate(first + pending.start + len);
            }
            _ => {
                bytes.extend_from_slice(&from[..self.global_bytes + 2]);
                write_number(bytes, (tasks.len() - new.is_none() as usize) as u32);
                let mut left = tasks[..index].iter().chain(&tasks[index + 1..]).copied().peekable();
                while let Some(task) = left.next_if(|&task| new.is_none_or(|new| task < new)) {
                    write_number(bytes, task);
                }
                new.into_iter().chain(left).for_each(|task| write_number(bytes, task));
            }
        }
        // What they change is taken from the old bytes: to read what was just written would take longer.
        let globals = &mut bytes[first..first + self.global_bytes];
        for patch in &change.patches {
            let at = patch.at as usize;
            let word = (read_word(&from[at..]) & !patch.mask | patch.value).to_le_bytes();
            match globals[at..].first_chunk_mut() {
                Some(eight) => *eight = word,
                None => {
                    let rest = &mut globals[at..];
                    rest.copy_from_slice(&word[..rest.len()]);
                }
            }
        }
    }

    /// How globals that are written change the bytes of a node. Patches do not overlap.
    pub(super) fn patches(&self, writes: &[(u32, i32)]) -> Box<[Patch]> {
        let mut patches: BTreeMap<u32, Patch> = BTreeMap::new();
        for &(slot, value) in writes {
            let (lo, bits, at) = self.fields[slot as usize];
            let mask = ((1u128 << bits) - 1) << (at % 64);
            let value = (value.wrapping_sub(lo) as u32 as u128) << (at % 64);
            for (at, mask, value) in [(0, mask, value), (8, mask >> 64, value >> 64)] {
                if mask as u64 != 0 {
                    let at = self.fields[slot as usize].2 / 64 * 8 + at;
                    let patch = patches.entry(at).or_insert(Patch { at, mask: 0, value: 0 });
                    patch.mask |= mask as u64;
                    patch.value |= value as u64;
                }
            }
        }
        patches.into_values().collect()
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

/// The lowest bytes of a list that is a number.
#[inline]
fn below(count: usize) -> u128 {
    (1 << (8 * count)) - 1
}

/// Takes an element out of a list of bytes, which are those of a number.
#[inline]
fn remove(list: u128, index: usize) -> u128 {
    list & below(index) | list >> 8 & !below(index)
}

/// Puts an element into a sorted list of at most 15 bytes below 128.
#[inline]
fn insert(list: u128, len: usize, new: u32) -> u128 {
    const ONES: u128 = u128::from_le_bytes([1; 16]);
    const TOPS: u128 = ONES << 7;
    // The top bit of a byte stays if it is not less than the new one; they are sorted, so those are the last.
    let not_less = ((list | TOPS) - ONES * new as u128) & TOPS & below(len);
    let place = (not_less.trailing_zeros() as usize / 8).min(len);
    list & below(place) | (new as u128) << (8 * place) | (list & !below(place)) << 8
}

/// Eight bytes as a number, or as many as there are.
#[inline]
fn read_word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.first_chunk::<8>().copied().unwrap_or_else(|| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        word
    }))
}

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
        let text = "var a: 0..6; var b: bool; var c: int; var d: [-5..200; 11]; var e: lock; var f: int;
            var g: [bool; 7]; proc main() { }";
        let code =
            Code::new(load("a.cai", text, &[]).unwrap_or_else(|errors| panic!("{}", errors.render(false))));
        let codec = Codec::new(&code, Keeps::Nothing);
        assert!(codec.is_simple());
        let mut rng = Rng(7);
        for round in 0..20_000 {
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

            let mut pending = Pending::default();
            assert!(codec.decode_pending(&bytes, &mut pending));
            assert_eq!(pending.tasks, config.buffers[0].pending);
            for (slot, &value) in globals.iter().enumerate() {
                let above = value.wrapping_sub(code.ranges[slot].0) as u32;
                assert_eq!(codec.above(&bytes, slot as u32), above);
            }

            let index = rng.below(pending.tasks.len() as u32) as usize;
            let slots: std::collections::BTreeSet<u32> =
                (0..rng.below(4)).map(|_| rng.below(globals.len() as u32)).collect();
            let writes: Vec<_> =
                slots.into_iter().map(|slot| (slot, value(&mut rng, slot as usize))).collect();
            let task = (rng.below(5) > 0).then(|| rng.below(most));
            let change = Change { patches: codec.patches(&writes), task };
            let mut changed = b"before".to_vec();
            codec.encode_change(&bytes, (&pending, index), &change, &mut changed);

            writes.iter().for_each(|&(slot, value)| globals[slot as usize] = value);
            config.buffers[0].pending.remove(index);
            config.buffers[0].pending.extend(task);
            let mut whole = b"before".to_vec();
            codec.encode(&globals, &mut config, (At::All, None), &mut whole);
            assert_eq!(changed, whole, "round {round}");
        }
    }
}
