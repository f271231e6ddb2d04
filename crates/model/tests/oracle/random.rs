//! Acyclic programs from a seed. The same seed gives the same program on every machine.
//!
//! A procedure posts, calls and raises the lines of later procedures only, and loops are bounded, so every execution ends.

use super::ast::{Global, Line, Program, Type};
use super::explore::{Executions, Limit, executions};
use super::sketch::{Budget, Sketch};

/// Splitmix64.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number from `lo` to `hi`, inclusive.
    pub fn within(&mut self, lo: usize, hi: usize) -> usize {
        lo + self.below(hi - lo + 1)
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// One of them, by their weights.
    pub fn weighted<T: Copy>(&mut self, from: &[(usize, T)]) -> T {
        let total = from.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total);
        for &(weight, value) in from {
            if at < weight {
                return value;
            }
            at -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}

/// What a program looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 1 to 3 buffers and levels, maybe interrupt lines.
    Buffers,
    /// The same with implicit yields, zields or both.
    Implicit,
    /// One buffer and one level that is not serial.
    Simple,
    /// Simple, with tasks that are posted by main and yield before each access.
    Threads,
}

pub const SHAPES: [Shape; 4] = [Shape::Buffers, Shape::Implicit, Shape::Simple, Shape::Threads];

/// The steps that all executions together may take.
pub const LIMIT: Limit = Limit { steps: 60_000 };

/// A program of any shape, and all its executions. Programs with too many of them are passed over.
pub fn any(seed: u64) -> (Program, Executions) {
    let shape = Rng::new(seed).weighted(&[
        (5, Shape::Buffers),
        (1, Shape::Implicit),
        (2, Shape::Simple),
        (2, Shape::Threads),
    ]);
    sized(shape, seed)
}

/// The same for one shape.
pub fn sized(shape: Shape, seed: u64) -> (Program, Executions) {
    let mut rng = Rng::new(seed ^ (shape as u64) << 56);
    loop {
        let program = program(shape, rng.next());
        if let Some(executions) = executions(&program, LIMIT) {
            return (program, executions);
        }
    }
}

/// A program of a shape, of whatever size.
pub fn program(shape: Shape, seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut program = declarations(shape, &mut rng);
    if shape == Shape::Implicit {
        program.implicit_yields = !rng.once_in(4);
        program.implicit_zields = !program.implicit_yields || rng.once_in(2);
    }
    let mut sketch = Sketch::new(rng, program, shape);
    match shape {
        Shape::Threads => threads(&mut sketch),
        _ => buffers(&mut sketch),
    }
    sketch.finish()
}

fn declarations(shape: Shape, rng: &mut Rng) -> Program {
    let mut program = Program::default();
    for _ in 0..rng.within(2, 4) {
        let ty = rng.pick(&[Type::Bool, Type::Int, Type::Range(0, 2), Type::Range(0, 3), Type::Range(0, 3)]);
        let init = if rng.once_in(3) { 1 } else { 0 };
        let len = if rng.once_in(8) { Some(2) } else { None };
        program.globals.push(Global { ty, init, len });
    }
    program.locks = rng.weighted(&[(3, 0), (3, 1), (1, 2)]);
    let one = matches!(shape, Shape::Simple | Shape::Threads);
    let levels = if one { 1 } else { rng.weighted(&[(2, 1), (4, 2), (2, 3)]) };
    program.levels = (0..levels).map(|_| !one && rng.once_in(4)).collect();
    let buffers = if one { 1 } else { rng.weighted(&[(3, 1), (4, 2), (1, 3)]) };
    program.buffers = (0..buffers).collect();
    let others = rng.weighted(&[(2, 1), (3, 2), (1, 3)]);
    program.procs = vec![Default::default(); buffers + others];
    let lines = if one { 0 } else { rng.weighted(&[(5, 0), (3, 1), (2, 2)]) };
    for _ in 0..lines {
        program.lines.push(Line {
            buffer: rng.below(buffers),
            handler: rng.within(buffers, buffers + others - 1),
            level: if rng.once_in(4) { rng.below(levels) } else { levels - 1 },
        });
    }
    program
}

/// Procedures from the last to the first, each of which knows what the later ones cost.
fn buffers(sketch: &mut Sketch) {
    let buffers = sketch.program.buffers.len();
    let procs = sketch.program.procs.len();
    for proc in (buffers..procs).rev() {
        sketch.budget = Budget { tasks: 2, points: if sketch.is_implicit() { 4 } else { 3 } };
        sketch.procedure(proc, 4, 0);
    }
    // What all mains together may do.
    let mut left = if buffers == 1 { Budget { tasks: 5, points: 9 } } else { Budget { tasks: 4, points: 9 } };
    for main in 0..buffers {
        let share = (buffers - main) as u32;
        let own = Budget { tasks: left.tasks.div_ceil(share), points: left.points.div_ceil(share) };
        sketch.budget = own;
        let posts = sketch.rng.below(if buffers == 1 { 4 } else { 2 });
        sketch.procedure(main, 5, posts);
        left.tasks -= own.tasks - sketch.budget.tasks;
        left.points -= own.points - sketch.budget.points;
    }
}

/// Main posts two to four tasks and ends; they yield before each access.
fn threads(sketch: &mut Sketch) {
    let procs = sketch.program.procs.len();
    let accesses = sketch.rng.within(4, 9);
    let tasks = sketch.rng.within(2, 4);
    for proc in (1..procs).rev() {
        let access = sketch.rng.within(1, (accesses / tasks).max(1));
        sketch.budget = Budget { tasks: 0, points: 0 };
        sketch.thread(proc, access);
    }
    sketch.budget = Budget { tasks: 0, points: 0 };
    sketch.posts(0, tasks);
}
