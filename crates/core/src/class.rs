//! Happens-before classes, as hashes.
//!
//! Two executions belong to one class (Mazurkiewicz trace) when one turns into the other by swapping neighbouring steps
//! of different tasks that touch no common object or only read it. Each task carries a hash of its causal past and each
//! object the hashes of its last write and of the reads since; a step mixes them and leaves the result in both. The
//! identity of an object never enters: the program is deterministic, so a step's causal past fixes which object it
//! touches. The class of an execution is the sum over its tasks, so that the numbering of tasks does not matter either.
//!
//! Not seen: hash collisions. With 64 bits, a million classes collide with odds of about one in 40 million.

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

/// The causal past of an object: what the next operation on it will depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Hash of the last operation that was not a read.
    pub write: u64,
    /// Sum of the hashes of the reads since.
    pub reads: u64,
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
    /// Names the task independently of the schedule: its parent's key and its number among the parent's children.
    key: u64,
    children: u32,
    hash: u64,
}

impl TaskPast {
    /// The main task at its start.
    pub fn main() -> TaskPast {
        TaskPast { key: 0x6361_6973_7361, children: 0, hash: 1 }
    }

    /// The next child of this task; both pasts know of the spawn.
    pub fn spawn(&mut self) -> TaskPast {
        self.children += 1;
        self.hash = mix2(self.hash, 0x0053_5041_574e);
        let key = mix2(self.key, self.children as u64);
        TaskPast { key, children: 0, hash: mix2(self.hash, key) }
    }

    /// One step on one object.
    #[inline]
    pub fn touch(&mut self, object: &mut Past, access: Access) {
        let seen = mix2(self.hash ^ self.key, object.write);
        match access {
            Access::Read => {
                self.hash = seen;
                object.reads = object.reads.wrapping_add(mix(seen));
            }
            Access::Write => {
                let step = mix2(seen, object.reads);
                self.hash = step;
                *object = Past { write: step, reads: 0 };
            }
        }
    }

    /// A step that touches nothing but must be told apart: a data choice with its value.
    #[inline]
    pub fn absorb(&mut self, value: u64) {
        self.hash = mix2(self.hash, value);
    }

    /// This task waited for the end of `other`.
    pub fn join(&mut self, other: &TaskPast) {
        self.hash = mix2(self.hash, other.hash ^ other.key);
    }

    /// This task's share of the execution's class.
    #[inline]
    pub fn share(&self) -> u64 {
        mix2(self.key, self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(order: &[(usize, usize, Access)]) -> u64 {
        let mut main = TaskPast::main();
        let mut tasks = [main.spawn(), main.spawn()];
        let mut objects = [Past::default(); 2];
        for &(task, object, access) in order {
            tasks[task].touch(&mut objects[object], access);
        }
        tasks[0].share().wrapping_add(tasks[1].share())
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
