//! Intervals of terms: from those of the operands to that of the result.
//!
//! The exact range is computed in 64 bits and then wrapped: if it wraps as a whole it stays an interval, otherwise the result can be
//! anything.

use super::{Node, Terms};

type Interval = (i32, i32);

const TRUTH: Interval = (0, 1);
const ANYTHING: Interval = (i32::MIN, i32::MAX);

/// The interval of a node that is no input.
pub(super) fn of(terms: &Terms, node: Node) -> Interval {
    let interval = |term| terms.interval(term);
    match node {
        Node::Constant(value) => (value, value),
        Node::Input(_) => unreachable!("an input is made with its interval"),
        Node::Not(_) | Node::And(..) | Node::Equal(..) | Node::Less(..) => TRUTH,
        Node::AddOverflows(..) | Node::SubOverflows(..) | Node::MulOverflows(..) => TRUTH,
        Node::Ite(_, a, b) => {
            let (a, b) = (interval(a), interval(b));
            (a.0.min(b.0), a.1.max(b.1))
        }
        Node::Add(a, b) => wrapped(sum(interval(a), interval(b))),
        Node::Sub(a, b) => wrapped(difference(interval(a), interval(b))),
        Node::Mul(a, b) => wrapped(product(interval(a), interval(b))),
        Node::Div(a, b) => wrapped(quotient(interval(a), interval(b))),
        Node::Rem(a, b) => remainder(interval(a), interval(b)),
        Node::BitAnd(a, b) => bit_and(interval(a), interval(b)),
        Node::BitOr(a, b) => complement(bit_and(complement(interval(a)), complement(interval(b)))),
        Node::BitXor(a, b) => bit_xor(interval(a), interval(b)),
        Node::ShiftLeft(a, b) => {
            let (lo, hi) = interval(b);
            wrapped(product_of_ends(interval(a), (1 << lo, 1 << hi)))
        }
        Node::ShiftRight(a, b) => {
            let ((lo, hi), (least, most)) = (interval(a), interval(b));
            ((lo >> least).min(lo >> most), (hi >> least).max(hi >> most))
        }
    }
}

/// The exact range of sums.
pub(super) fn sum(a: Interval, b: Interval) -> (i64, i64) {
    (i64::from(a.0) + i64::from(b.0), i64::from(a.1) + i64::from(b.1))
}

/// The exact range of differences.
pub(super) fn difference(a: Interval, b: Interval) -> (i64, i64) {
    (i64::from(a.0) - i64::from(b.1), i64::from(a.1) - i64::from(b.0))
}

/// The exact range of products.
pub(super) fn product(a: Interval, b: Interval) -> (i64, i64) {
    product_of_ends(a, (i64::from(b.0), i64::from(b.1)))
}

/// Whether all of an exact range are 32-bit integers (`Some(true)`), none (`Some(false)`), or some.
pub(super) fn fits((lo, hi): (i64, i64)) -> Option<bool> {
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    match (least <= lo && hi <= most, hi < least || most < lo) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn product_of_ends(a: Interval, b: (i64, i64)) -> (i64, i64) {
    let (lo, hi) = (i64::from(a.0), i64::from(a.1));
    let ends = [lo * b.0, lo * b.1, hi * b.0, hi * b.1];
    ends.into_iter().fold((i64::MAX, i64::MIN), |(least, most), end| (least.min(end), most.max(end)))
}

fn wrapped((lo, hi): (i64, i64)) -> Interval {
    match (lo as i32, hi as i32) {
        (least, most) if least <= most && hi - lo < 1 << 32 => (least, most),
        _ => ANYTHING,
    }
}

/// For divisors of one sign the quotient is monotone in each operand, so the ends decide.
fn quotient(a: Interval, b: Interval) -> (i64, i64) {
    let zero = b.0 <= 0 && 0 <= b.1;
    let mut range = if zero { (0, 0) } else { (i64::MAX, i64::MIN) };
    for (lo, hi) in [(b.0, b.1.min(-1)), (b.0.max(1), b.1)] {
        if lo > hi {
            continue;
        }
        for divisor in [lo, hi] {
            for dividend in [a.0, a.1] {
                let exact = i64::from(dividend) / i64::from(divisor);
                range = (range.0.min(exact), range.1.max(exact));
            }
        }
    }
    range
}

fn remainder(a: Interval, b: Interval) -> Interval {
    let most = (i64::from(b.0).abs().max(i64::from(b.1).abs()) - 1).max(0);
    ((-most).max(i64::from(a.0).min(0)) as i32, most.min(i64::from(a.1).max(0)) as i32)
}

fn complement((lo, hi): Interval) -> Interval {
    (!hi, !lo)
}

fn bit_and(a: Interval, b: Interval) -> Interval {
    match (a.0 >= 0, b.0 >= 0) {
        (true, true) => (0, a.1.min(b.1)),
        (true, false) => (0, a.1),
        (false, true) => (0, b.1),
        // Of negative numbers that have their ones from bit n on, the result has so too.
        (false, false) => {
            let least = -1_i64 << bits(a.0.min(b.0));
            let negative = a.1 < 0 && b.1 < 0;
            (least as i32, if negative { a.1.min(b.1) } else { a.1.max(b.1) })
        }
    }
}

fn bit_xor(a: Interval, b: Interval) -> Interval {
    let all = [a.0, a.1, b.0, b.1].into_iter().map(bits).max().unwrap_or(0);
    let (least, most) = ((-1_i64 << all) as i32, ((1_i64 << all) - 1) as i32);
    let sign = |(lo, hi): Interval| if lo >= 0 { Some(false) } else { (hi < 0).then_some(true) };
    match (sign(a), sign(b)) {
        (Some(a), Some(b)) if a == b => (0, most),
        (Some(_), Some(_)) => (least, -1),
        _ => (least, most),
    }
}

/// How many bits a value has below those that are all like its sign.
pub(crate) fn bits(value: i32) -> u32 {
    32 - (value ^ (value >> 31)).leading_zeros()
}
