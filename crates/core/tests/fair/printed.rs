//! Algorithm 1 of the paper, line by line, with the sets that it prints. Tasks that do not exist yet are tasks that are not
//! enabled, so that Tid is fixed.
//!
//! The parameter k (end of section 3 of the paper): all but every k-th yield of a task pass for ordinary steps.

use super::program::{Set, TASKS, members, only};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Printed {
    /// Row t: all u with (t, u) in P.
    p: [Set; TASKS],
    e: [Set; TASKS],
    d: [Set; TASKS],
    s: [Set; TASKS],
    /// Yields of each task since its last one that counted.
    yields: [u32; TASKS],
}

impl Printed {
    /// Lines 1 to 4.
    pub fn new(tid: Set) -> Printed {
        Printed { p: [0; TASKS], e: [0; TASKS], d: [tid; TASKS], s: [tid; TASKS], yields: [0; TASKS] }
    }

    /// Line 7.
    pub fn schedulable(&self, es: Set) -> Set {
        let pre: Set = members(es).filter(|&x| self.p[x] & es != 0).map(only).sum();
        es & !pre
    }

    /// P.
    pub fn edges(&self) -> Vec<(usize, usize)> {
        (0..TASKS).flat_map(|t| members(self.p[t]).map(move |u| (t, u))).collect()
    }

    /// Lines 13 to 29. `curr` and `next`: ES of the two states.
    pub fn step(&mut self, k: u32, t: usize, yields: bool, curr: Set, next: Set) {
        for row in &mut self.p {
            *row &= !only(t);
        }
        for u in 0..TASKS {
            self.e[u] &= next;
            if u == t {
                self.d[u] |= curr & !next;
            }
            self.s[u] |= only(t);
        }
        if yields {
            self.yields[t] += 1;
            if self.yields[t] == k {
                self.yields[t] = 0;
                let h = (self.e[t] | self.d[t]) & !self.s[t];
                self.p[t] |= h;
                self.e[t] = next;
                self.d[t] = 0;
                self.s[t] = 0;
            }
        }
    }
}
