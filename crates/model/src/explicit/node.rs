//! Nodes of the graph: configurations at points, and their bytes.
//!
//! Two configurations that differ only in which of several equal tasks is which are one node: pending tasks are a multiset of
//! numbers. Globals take as many bits as their types need.

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
    /// For each global its smallest value and its bits.
    fields: Vec<(i32, u32)>,
    /// Where its bits begin.
    offsets: Vec<u32>,
    global_bytes: usize,
    buffers: usize,
    keeps: Keeps,
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
        let fields: Vec<(i32, u32)> = code.ranges.iter().map(|&(lo, hi)| (lo, bits(lo, hi))).collect();
        let (mut total, mut offsets) = (0u32, Vec::new());
        for &(_, bits) in &fields {
            offsets.push(total);
            total += bits;
        }
        Codec {
            fields,
            offsets,
            global_bytes: total.div_ceil(8) as usize,
            buffers: code.program.buffers.len(),
            keeps,
        }
    }

    /// Writes a node. Its pending tasks are sorted on the way.
    pub(crate) fn encode(
        &self,
        globals: &[i32],
        config: &mut Config,
        (at, current): (At, Option<u32>),
        bytes: &mut Vec<u8>,
    ) {
        bytes.clear();
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
        for (&value, &(lo, bits)) in globals.iter().zip(&self.fields) {
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

    /// Writes the node that comes of one without active tasks, whose bytes are `from`, when these globals are written and of its pending tasks, which are
    /// sorted, one becomes another one or ends.
    pub(super) fn encode_change(
        &self,
        from: &[u8],
        writes: &[(u32, i32)],
        (pending, old, new): (&[u32], u32, Option<u32>),
        bytes: &mut Vec<u8>,
    ) {
        bytes.clear();
        bytes.extend_from_slice(&from[..self.global_bytes]);
        for &(slot, value) in writes {
            self.patch(bytes, slot, value);
        }
        bytes.push(255);
        write_number(bytes, 0);
        write_number(bytes, (pending.len() - new.is_none() as usize) as u32);
        let (mut is_gone, mut is_new) = (false, new.is_none());
        for &task in pending {
            if !is_gone && task == old {
                is_gone = true;
                continue;
            }
            if let Some(new) = new.filter(|&new| !is_new && new <= task) {
                write_number(bytes, new);
                is_new = true;
            }
            write_number(bytes, task);
        }
        if let Some(new) = new.filter(|_| !is_new) {
            write_number(bytes, new);
        }
    }

    /// Changes a global in the bytes of a node.
    fn patch(&self, bytes: &mut [u8], slot: u32, value: i32) {
        let (lo, bits) = self.fields[slot as usize];
        let at = self.offsets[slot as usize];
        let (first, shift) = ((at / 8) as usize, at % 8);
        let mask = ((1u64 << bits) - 1) << shift;
        let value = (value.wrapping_sub(lo) as u32 as u64) << shift;
        let count = (shift + bits).div_ceil(8) as usize;
        for (index, byte) in bytes[first..first + count].iter_mut().enumerate() {
            let part = 8 * index as u32;
            *byte = *byte & !((mask >> part) as u8) | (value >> part) as u8;
        }
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
        let fields = self.fields.iter().zip(&self.offsets);
        globals.extend(fields.map(|(&(lo, bits), &at)| {
            let word = padded[(at / 8) as usize..].first_chunk::<8>().expect("there is room behind");
            let value = (u64::from_le_bytes(*word) >> (at % 8)) & ((1u64 << bits) - 1);
            (value as u32 as i32).wrapping_add(lo)
        }));
    }
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
