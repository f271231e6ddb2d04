//! Our side: the explicit engine, with exact storage and without a bound.
//!
//! Breadth first, which is its default and the order that several workers share. Executions without end are not looked for, as
//! the others do not look for them: `liveness` off here is what `-DSAFETY` is for Spin.

use std::time::Instant;

use caissa_model::explicit::{Order, Settings, Watched, explore};
use caissa_model::{Code, load};

use super::subject::{Exhausted, Subject};

/// States of ours that the others do not have: the one in which `main` has not yet posted the tasks.
pub const BEFORE_MAIN: u64 = 1;

/// Exhausts a model with so many workers. The seconds are those of the search; reading the text is not among them.
pub fn explicit(subject: &Subject, sets: &[(&str, i32)], workers: u32) -> Result<Exhausted, String> {
    let sets: Vec<(String, String)> =
        sets.iter().map(|&(name, value)| (name.to_owned(), value.to_string())).collect();
    let name = format!("{}.cai", subject.name);
    let code = Code::new(load(&name, subject.cai, &sets).map_err(|wrong| wrong.to_string())?);
    let settings = Settings { order: Order::BreadthFirst, workers, liveness: false, ..Settings::default() };
    let begin = Instant::now();
    let explored = explore(&code, &settings, &Watched::default());
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(found) = &explored.found {
        return Err(format!("{name} has a bug, which it should not have: {:?}", found.wrong));
    }
    if !explored.complete {
        return Err(format!("{name} was not exhausted: {:?}", explored.ended));
    }
    let (states, transitions, bytes) = (explored.states, explored.transitions, explored.bytes);
    Ok(Exhausted { states, transitions, seconds, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::subject::SUBJECTS;

    #[test]
    fn small_models_have_as_many_states_as_the_others_count() {
        for subject in &SUBJECTS {
            let size = subject.size(true);
            for workers in [1, 2] {
                let exhausted = explicit(subject, size.sets, workers).expect("it has no bug");
                assert_eq!(exhausted.states, size.states + BEFORE_MAIN, "{}", subject.name);
            }
        }
    }
}
