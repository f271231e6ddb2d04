//! What a task does to its next point depends only on the globals that it reads: it is worked out once for each of their values.
//!
//! For each task there is a tree: a node names a global, its branches are values of it, a leaf says what the task writes, where it stops and what
//! it is then. Whether a task is blocked is kept in the same way. A miss is worked out by the interpreter, which writes down what was read. Segments with choices, posts and faults are left
//! to the interpreter each time.

use crate::machine::{Stop, Watch};

/// Nodes of all trees together; what comes then is worked out each time.
const MAX_NODES: usize = 1 << 18;
/// Values of a global at one node.
const MAX_VALUES: usize = 32;

/// What a task does.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) writes: Box<[(u32, i32)]>,
    pub(super) stop: Stop,
    /// Its number from then on; of no meaning if it has ended.
    pub(super) task: u32,
}

#[derive(Clone, Debug)]
enum Node<L> {
    Read {
        slot: u32,
        values: Vec<(i32, u32)>,
    },
    Leaf(L),
    /// Left to the interpreter.
    Opaque,
    /// Not worked out yet.
    Open,
}

/// What is known.
pub(super) enum Known<'a, L> {
    Leaf(&'a L),
    /// It has to be worked out, and is to be learned.
    New,
    /// It has to be worked out each time.
    Opaque,
}

/// What is known of all tasks.
pub(super) struct Memo<L> {
    /// The root of each task, one more than it is; 0 if there is none.
    roots: Vec<u32>,
    nodes: Vec<Node<L>>,
}

impl<L> Default for Memo<L> {
    fn default() -> Memo<L> {
        Memo { roots: Vec::new(), nodes: Vec::new() }
    }
}

impl<L> Memo<L> {
    /// What a task does with these globals.
    #[inline]
    pub(super) fn find(&self, task: u32, globals: &[i32]) -> Known<'_, L> {
        let mut at = match self.roots.get(task as usize) {
            Some(&root) if root > 0 => root - 1,
            _ => return Known::New,
        };
        loop {
            match &self.nodes[at as usize] {
                Node::Leaf(leaf) => return Known::Leaf(leaf),
                Node::Opaque => return Known::Opaque,
                Node::Open => return Known::New,
                Node::Read { slot, values } => {
                    let value = globals[*slot as usize];
                    match values.iter().find(|(other, _)| *other == value) {
                        Some(&(_, next)) => at = next,
                        None if values.len() >= MAX_VALUES => return Known::Opaque,
                        None => return Known::New,
                    }
                }
            }
        }
    }

    /// Learns what a task does that has read these values; nothing is left to the interpreter.
    pub(super) fn learn(&mut self, task: u32, reads: &[(u32, i32)], leaf: Option<L>) {
        if self.nodes.len() + reads.len() + 2 > MAX_NODES {
            return;
        }
        if self.roots.len() <= task as usize {
            self.roots.resize(task as usize + 1, 0);
        }
        if self.roots[task as usize] == 0 {
            self.nodes.push(Node::Open);
            self.roots[task as usize] = self.nodes.len() as u32;
        }
        let mut at = self.roots[task as usize] - 1;
        for &(slot, value) in reads {
            let next = self.nodes.len() as u32;
            let node = &mut self.nodes[at as usize];
            if let Node::Open = node {
                *node = Node::Read { slot, values: Vec::new() };
            }
            let Node::Read { slot: known, values } = node else { unreachable!("a task reads the same next") };
            assert_eq!(*known, slot, "a task reads the same next");
            at = match values.iter().find(|(other, _)| *other == value) {
                Some(&(_, node)) => node,
                None => {
                    values.push((value, next));
                    self.nodes.push(Node::Open);
                    next
                }
            };
        }
        self.nodes[at as usize] = leaf.map_or(Node::Opaque, Node::Leaf);
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
