//! Our side: the explicit engine, with exact storage and without a bound.

use super::subject::{Exhausted, Subject};

/// States of ours that the others do not have: the one in which `main` has not yet posted the tasks.
pub const BEFORE_MAIN: u64 = 1;

/// Exhausts a model with so many workers.
pub fn explicit(subject: &Subject, sets: &[(&str, i32)], workers: u32) -> Result<Exhausted, String> {
    let _ = (subject.cai, sets, workers);
    Err("Caissa's explicit engine does not exist yet".to_owned())
}
