//! Small programs from a seed.

use super::{Program, Stmt, VALUES};

/// Splitmix64.
pub struct Rng(u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn within(&mut self, lo: usize, hi: usize) -> usize {
        lo + self.below(hi - lo + 1)
    }

    fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn weighted(&mut self, from: &[(usize, usize)]) -> usize {
        let mut at = self.below(from.iter().map(|(weight, _)| weight).sum());
        for &(weight, value) in from {
            if at < weight {
                return value;
            }
            at -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}

struct Maker {
    rng: Rng,
    program: Program,
    current: usize,
    /// Loops without end are made.
    cyclic: bool,
    asserts: bool,
    /// `await` and locks are used.
    waits: bool,
}

/// What programs look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// One buffer and one level; else up to three of both.
    pub one: bool,
    pub cyclic: bool,
    pub asserts: bool,
    pub waits: bool,
    pub data: usize,
}

/// A program of a shape.
pub fn program(seed: u64, Shape { one, cyclic, asserts, waits, data }: Shape) -> Program {
    let mut rng = Rng(seed);
    let buffers = if one { 1 } else { rng.weighted(&[(3, 1), (4, 2), (1, 3)]) };
    let levels = if one { 1 } else { rng.weighted(&[(4, 1), (3, 2), (1, 3)]) };
    let levels = (0..levels).map(|_| !one && rng.once_in(4)).collect();
    let procs = buffers + rng.below(3);
    let program = Program {
        globals: rng.within(1, 2),
        locks: rng.below(2),
        data,
        levels,
        buffers,
        procs: vec![vec![]; procs],
        backwards: false,
    };
    let mut maker = Maker { rng, program, current: 0, cyclic, asserts, waits };
    for proc in (0..procs).rev() {
        maker.current = proc;
        let mut body = maker.block(3, 2);
        if cyclic && maker.rng.once_in(2) {
            let inner = maker.block(3, 1);
            let condition = if maker.rng.once_in(2) { None } else { Some(maker.test()) };
            body.push(Stmt::While(condition, inner));
        }
        maker.program.procs[proc] = body;
    }
    maker.program
}

impl Maker {
    fn test(&mut self) -> (usize, u8) {
        (self.rng.below(self.program.globals), self.rng.below(VALUES as usize) as u8)
    }

    fn block(&mut self, length: usize, depth: usize) -> Vec<Stmt> {
        let mut body = vec![];
        for _ in 0..self.rng.within(1, length) {
            self.statement(depth, &mut body);
        }
        body
    }

    fn statement(&mut self, depth: usize, body: &mut Vec<Stmt>) {
        let deep = usize::from(depth > 0);
        let (locks, data) = (self.program.locks, self.program.data);
        let (cyclic, waits) = (usize::from(self.cyclic), usize::from(self.waits));
        let buffers = self.program.buffers.min(2);
        let what = self.rng.weighted(&[
            (6, 0),
            (3, 1),
            (1, 2),
            (3 * deep, 3),
            (2 * deep * cyclic, 4),
            (3 * waits, 5),
            (2 * locks * deep * waits, 6),
            (4, 7),
            (buffers * 2, 8),
            (1 + 3 * cyclic, 9),
            (6, 10),
            (4 * data, 11),
            (4 * data, 12),
            (usize::from(self.asserts), 13),
        ]);
        let (g, value) = self.test();
        let made = match what {
            0 => Stmt::Set(g, value),
            1 => Stmt::Inc(g),
            2 => Stmt::Havoc(g),
            3 => Stmt::If(g, value, self.block(2, depth - 1)),
            4 => Stmt::While(Some((g, value)), self.block(2, depth - 1)),
            5 => Stmt::Await(g, value),
            6 => {
                body.push(Stmt::Lock(0));
                body.extend(self.block(2, depth - 1));
                Stmt::Unlock(0)
            }
            7 => Stmt::Yield,
            8 => Stmt::Zield,
            9 => Stmt::Pause,
            10 => {
                let first = self.program.buffers.max(if self.cyclic { 0 } else { self.current + 1 });
                let procs = self.program.procs.len();
                if first >= procs {
                    Stmt::Inc(g)
                } else {
                    let proc = self.rng.within(first, procs - 1);
                    let levels = self.program.levels.len();
                    let level = if self.rng.once_in(2) { None } else { Some(self.rng.below(levels)) };
                    Stmt::Post(proc, level)
                }
            }
            11 => Stmt::Read(self.rng.below(data)),
            13 => Stmt::Assert(g, value),
            _ => Stmt::Write(self.rng.below(data)),
        };
        body.push(made);
    }
}
