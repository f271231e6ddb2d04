//! Happens-before classes, as hashes.
//!
//! Two executions belong to one class (Mazurkiewicz trace) when one turns into the other by swapping neighbouring steps
//! of different tasks that touch no common object or only read it. Each task carries a hash of its causal past and each
//! object the hashes of its last write and of the reads since; a step mixes them and leaves the result in both. The
//! identity of an object never enters: the program is deterministic, so a step's causal past fixes which object it
//! touches. The class of an execution is the sum over its tasks, so that the numbering of tasks does not matter either.
//!
//! Every step changes the hash of its task, also one that touches nothing ([`TaskPast::absorb`]): so the sum over the tasks
//! also names the state that a prefix leads to, for the cache.
//!
//! Not seen: hash collisions. A class is 128 bits; with a billion of them the odds that any two collide are below one in
//! 10^20, if the mixing is as good as it looks. Only the lower half is kept for counting: with a million classes one in 40
//! million.

/// A strong 64-bit mixer (the finaliser of splitmix64).
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Mixes two numbers, order-sensitively.
#[inline]
pub fn mix2(a: u64, b: u64) -> u64 {
    mix(a.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ b)
}

/// A hash of 128 bits, in two halves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mark(pub u64, pub u64);

impl Mark {
    /// Adds: the order in which marks are added does not matter.
    #[inline]
    pub fn plus(self, other: Mark) -> Mark {
        Mark(self.0.wrapping_add(other.0), self.1.wrapping_add(other.1))
    }

    /// Takes away what was added.
    #[inline]
    pub fn minus(self, other: Mark) -> Mark {
        Mark(self.0.wrapping_sub(other.0), self.1.wrapping_sub(other.1))
    }

    /// What comes of `self` after it has met `other`. Two multiplications, which do not wait for each other.
    #[inline]
    fn after(self, other: Mark) -> Mark {
        let x = self.0 ^ other.0.rotate_left(23);
        let y = self.1 ^ other.1.rotate_left(41);
        Mark(
            fold(x ^ 0x243f_6a88_85a3_08d3, y ^ 0x1319_8a2e_0370_7344),
            fold(x ^ 0xa409_3822_299f_31d0, y ^ 0x082e_fa98_ec4e_6c89),
        )
    }
}

/// Both halves of a product, laid over each other.
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

/// The causal past of an object: what the next operation on it will depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Hash of the last operation that was not a read.
    pub write: Mark,
    /// Sum of the hashes of the reads since.
    pub reads: Mark,
}

/// How an operation touches an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Commutes with other reads.
    Read,
    /// Commutes with nothing on the same object.
    Write,
}

/// The causal past of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskPast {
    hash: Mark,
    /// Names the task independently of the schedule: its parent's key and its number among the parent's children.
    key: u64,
    children: u32,
}

impl TaskPast {
    /// The main task at its start.
    pub fn main() -> TaskPast {
        TaskPast {
            key: 0x6361_6973_7361,
            children: 0,
            hash: Mark(0x4528_21e6_38d0_1377, 0xbe54_66cf_34e9_0c6c),
        }
    }

    /// The next child of this task; both pasts know of the spawn.
    pub fn spawn(&mut self) -> TaskPast {
        self.children += 1;
        let key = mix2(self.key, self.children as u64);
        let child = self.hash.after(Mark(key, !key));
        self.absorb(0x0053_5041_574e);
        TaskPast { key, children: 0, hash: child }
    }

    /// One step on one object.
    #[inline]
    pub fn touch(&mut self, object: &mut Past, access: Access) {
        match access {
            Access::Read => {
                self.hash = self.hash.after(object.write);
                object.reads = object.reads.plus(self.hash);
            }
            Access::Write => {
                self.hash = self.hash.after(object.write.plus(object.reads));
                *object = Past { write: self.hash, reads: Mark::default() };
            }
        }
    }

    /// A step that touches nothing but must be told apart: a data choice with its value.
    #[inline]
    pub fn absorb(&mut self, value: u64) {
        self.hash = self.hash.after(Mark(value, 0x9216_d5d9_8979_fb1b));
    }

    /// This task goes on because of a step that left this mark.
    #[inline]
    pub fn follow(&mut self, mark: Mark) {
        self.hash = self.hash.after(mark);
    }

    /// This task waited for the end of `other`.
    #[inline]
    pub fn join(&mut self, other: &TaskPast) {
        self.hash = self.hash.after(other.hash);
    }

    /// Names the task whatever the schedule.
    #[inline]
    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    /// This task's share of the class: of the execution's, or of the prefix so far. Shares are added.
    #[inline]
    pub fn share(&self) -> Mark {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(order: &[(usize, usize, Access)]) -> Mark {
        let mut main = TaskPast::main();
        let mut tasks = [main.spawn(), main.spawn()];
        let mut objects = [Past::default(); 2];
        for &(task, object, access) in order {
            tasks[task].touch(&mut objects[object], access);
        }
        tasks[0].share().plus(tasks[1].share())
    }

    #[test]
    fn independent_steps_commute_and_dependent_ones_do_not() {
        use Access::{Read, Write};
        assert_eq!(class(&[(0, 0, Write), (1, 1, Write)]), class(&[(1, 1, Write), (0, 0, Write)]));
        assert_eq!(class(&[(0, 0, Read), (1, 0, Read)]), class(&[(1, 0, Read), (0, 0, Read)]));
        assert_ne!(class(&[(0, 0, Write), (1, 0, Read)]), class(&[(1, 0, Read), (0, 0, Write)]));
        assert_ne!(class(&[(0, 0, Write), (1, 0, Write)]), class(&[(1, 0, Write), (0, 0, Write)]));
    }
}
