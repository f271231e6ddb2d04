//! Random terms for tests, with the values that they must have.

use super::{Term, Terms};

/// A generator of numbers, the same for the same seed (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A number in a range; its ends are likely.
    pub(crate) fn within(&mut self, (lo, hi): (i32, i32)) -> i32 {
        match self.below(6) {
            0 => lo,
            1 => hi,
            _ => (i64::from(lo) + (self.next() % (i64::from(hi) - i64::from(lo) + 1) as u64) as i64) as i32,
        }
    }
}

pub(crate) const NARROW: &[(i32, i32)] =
    &[(0, 1), (0, 3), (0, 5), (-3, 4), (4, 5), (-7, -4), (-1, 1), (0, 6)];
pub(crate) const WIDE: &[(i32, i32)] = &[
    (0, 1),
    (0, 5),
    (-3, 4),
    (0, 255),
    (-128, 127),
    (100, 227),
    (-1000, -900),
    (0, i32::MAX),
    (i32::MIN, i32::MAX),
    (i32::MIN, -1),
    (i32::MAX - 3, i32::MAX),
];
const CONSTANTS: &[i32] = &[
    0,
    0,
    1,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    31,
    32,
    33,
    100,
    -1,
    -1,
    -2,
    -3,
    -4,
    255,
    i32::MIN,
    i32::MAX,
    i32::MIN + 1,
];

/// Random terms over some inputs, each with its value for each of some assignments.
pub(crate) struct Forest {
    pub(crate) terms: Terms,
    /// What [`Terms::input`] gave.
    pub(crate) inputs: Vec<Term>,
    /// By assignment and input.
    pub(crate) assignments: Vec<Vec<i32>>,
    /// With the values by assignment, computed with operations on integers and not on terms.
    pub(crate) grown: Vec<(Term, Vec<i32>)>,
}

impl Forest {
    pub(crate) fn grow(seed: u64, ranges: &[(i32, i32)], assignments: usize, count: usize) -> Forest {
        let mut random = Random(seed);
        let ranges: Vec<_> = (0..4).map(|_| random.of(ranges)).collect();
        let mut terms = Terms::new();
        let inputs: Vec<Term> = ranges.iter().map(|&(lo, hi)| terms.input(lo, hi)).collect();
        let assignments: Vec<Vec<i32>> =
            (0..assignments).map(|_| ranges.iter().map(|&range| random.within(range)).collect()).collect();
        let mut grown: Vec<(Term, Vec<i32>)> = Vec::new();
        for (at, &input) in inputs.iter().enumerate() {
            grown.push((input, assignments.iter().map(|values| values[at]).collect()));
        }
        for _ in 0..count {
            grown.push(step(&mut random, &mut terms, &grown, assignments.len()));
        }
        Forest { terms, inputs, assignments, grown }
    }

    pub(crate) fn truths(&self) -> Vec<Term> {
        self.grown.iter().map(|grown| grown.0).filter(|&term| self.terms.is_truth(term)).collect()
    }
}

fn step(
    random: &mut Random,
    terms: &mut Terms,
    grown: &[(Term, Vec<i32>)],
    width: usize,
) -> (Term, Vec<i32>) {
    let pick = |random: &mut Random| match random.below(3) {
        0 => grown[grown.len() - 1 - random.below(grown.len().min(5))].clone(),
        _ => grown[random.below(grown.len())].clone(),
    };
    let (a, x) = pick(random);
    let (b, y) = if random.below(3) == 0 {
        let value = random.of(CONSTANTS);
        (terms.constant(value), vec![value; width])
    } else {
        pick(random)
    };
    let ((a, x), (b, y)) = if random.below(4) == 0 { ((b, y), (a, x)) } else { ((a, x), (b, y)) };
    let mut truth = || {
        let truths: Vec<_> = grown.iter().filter(|(term, _)| terms.is_truth(*term)).collect();
        match truths.is_empty() {
            true => (Term::TRUE, vec![1; width]),
            false => random.of(&truths).clone(),
        }
    };
    let ((c, p), (d, q)) = (truth(), truth());
    let both = |f: &dyn Fn(i32, i32) -> i32| x.iter().zip(&y).map(|(&x, &y)| f(x, y)).collect::<Vec<_>>();
    let truths = |f: &dyn Fn(i32, i32) -> bool| {
        p.iter().zip(&q).map(|(&p, &q)| i32::from(f(p, q))).collect::<Vec<_>>()
    };
    match random.below(26) {
        0 => (terms.not(c), truths(&|p, _| p == 0)),
        1 => (terms.and(c, d), truths(&|p, q| p + q == 2)),
        2 => (terms.or(c, d), truths(&|p, q| p + q > 0)),
        3..=5 => (terms.ite(c, a, b), (0..width).map(|at| [y[at], x[at]][p[at] as usize]).collect()),
        6 | 7 => (terms.equal(a, b), both(&|x, y| i32::from(x == y))),
        8 => (terms.less(a, b), both(&|x, y| i32::from(x < y))),
        9 => (terms.less_or_equal(a, b), both(&|x, y| i32::from(x <= y))),
        10 => (terms.add(a, b), both(&i32::wrapping_add)),
        11 => (terms.sub(a, b), both(&i32::wrapping_sub)),
        12 => (terms.mul(a, b), both(&i32::wrapping_mul)),
        13 => (terms.div(a, b), both(&|x, y| if y == 0 { 0 } else { x.wrapping_div(y) })),
        14 => (terms.rem(a, b), both(&|x, y| if y == 0 { 0 } else { x.wrapping_rem(y) })),
        15 => (terms.negate(a), both(&|x, _| x.wrapping_neg())),
        16 => (terms.complement(a), both(&|x, _| !x)),
        17 => (terms.bit_and(a, b), both(&|x, y| x & y)),
        18 => (terms.bit_or(a, b), both(&|x, y| x | y)),
        19 => (terms.bit_xor(a, b), both(&|x, y| x ^ y)),
        20 => (terms.shift_left(a, b), both(&|x, y| x.wrapping_shl(y as u32))),
        21 => (terms.shift_right(a, b), both(&|x, y| x.wrapping_shr(y as u32))),
        22 => (terms.overflows_add(a, b), both(&|x, y| i32::from(x.checked_add(y).is_none()))),
        23 => (terms.overflows_sub(a, b), both(&|x, y| i32::from(x.checked_sub(y).is_none()))),
        24 => (terms.overflows_mul(a, b), both(&|x, y| i32::from(x.checked_mul(y).is_none()))),
        _ => (terms.overflows_negate(a), both(&|x, _| i32::from(x == i32::MIN))),
    }
}
