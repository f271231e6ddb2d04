//! Asks whether a sequential program goes wrong, with loops and recursion followed as far as needed, or as far as allowed.
//!
//! It begins with few rounds of loops and little recursion. If nothing goes wrong within these, and an execution meets one of these limits, they grow; the solver
//! keeps what it has learnt. If none does, that was all of the program.

use rustc_hash::FxHashMap;

use super::decide::{Answer, Decide, Limits, Size, Trouble};
use super::term::{Evaluation, Term, Terms};
use super::unroll::{Event, Inputs, Site, Unrolled, Unwinding, execute, unroll};
use crate::ir::Program;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It goes wrong; in an execution in which this happens.
    Wrong(Vec<Event>),
    /// It does not, whatever is chosen.
    Right,
    /// It does not as far as loops and recursion were followed; executions go further here.
    RightSoFar(Vec<Site>),
}

/// What was asked, and what it took.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The answer.
    pub told: Told,
    /// How far loops and recursion were followed in the end.
    pub unwinding: Unwinding,
    /// The largest question.
    pub size: Size,
    /// Terms of it.
    pub terms: u64,
}

/// Asks. `most`: how far loops and recursion may be followed.
pub fn ask(
    program: &Program,
    solver: &mut dyn Decide,
    most: Unwinding,
    limits: &Limits,
) -> Result<Asked, Trouble> {
    let (mut terms, mut inputs) = (Terms::new(), Inputs::default());
    let mut unwinding = Unwinding { loops: most.loops.min(1), recursion: most.recursion.min(1) };
    let (mut before, mut too_much) = (None, false);
    loop {
        let unrolled = unroll(&mut terms, &mut inputs, program, unwinding, limits)?;
        let steps = unrolled.steps;
        let question = Question { terms: &mut terms, inputs: &mut inputs, solver, unrolled };
        let (answer, met) = question.put(program, unwinding)?;
        let asked = |told| Asked { told, unwinding, size: solver.size(), terms: terms.len() as u64 };
        if let Some(told) = answer {
            return Ok(asked(told));
        }
        if before.is_none_or(|(recursion, _)| recursion < unwinding.recursion) {
            let now = (unwinding.recursion, steps);
            too_much = before.is_some_and(|before| is_too_much(now, before));
            before = Some(now);
        }
        let further = further(unwinding, most, &met, too_much);
        if further == unwinding {
            return Ok(asked(Told::RightSoFar(met)));
        }
        unwinding = further;
    }
}

/// The question whether a program goes wrong, with loops and recursion followed as far as said, as SMT-LIB 2: satisfiable if it does.
pub fn question(program: &Program, unwinding: Unwinding, limits: &Limits) -> Result<String, Trouble> {
    let (mut terms, mut inputs) = (Terms::new(), Inputs::default());
    let unrolled = unroll(&mut terms, &mut inputs, program, unwinding, limits)?;
    let wrong = terms.any(&unrolled.wrong);
    let mut asserted = unrolled.constraints;
    asserted.push(wrong);
    Ok(super::smtlib::print(&terms, &asserted, &|_| None))
}

/// Recursion is not followed twice as far if the program is expected to become so many times as large.
const TOO_MUCH: f64 = 8.0;

/// Whether recursion twice as deep is too much, by what it came to when it was last followed further (how deep, and how many steps): where a procedure calls
/// itself in several places, each level is as much as all before.
fn is_too_much(now: (u32, u64), before: (u32, u64)) -> bool {
    let growth = now.1 as f64 / before.1 as f64;
    growth.powf(f64::from(now.0) / f64::from(now.0 - before.0)) > TOO_MUCH
}

/// How far to follow what was met: loops twice as far, and recursion too, or only by one if twice would be too much.
fn further(now: Unwinding, most: Unwinding, met: &[Site], too_much: bool) -> Unwinding {
    let loops = met.iter().any(|site| matches!(site, Site::Loop(..)));
    let recursion = met.iter().any(|site| matches!(site, Site::Recursion(_)));
    Unwinding {
        loops: if loops { now.loops.saturating_mul(2).min(most.loops) } else { now.loops },
        recursion: match (recursion, too_much) {
            (false, _) => now.recursion,
            (true, true) => (now.recursion + 1).min(most.recursion),
            (true, false) => now.recursion.saturating_mul(2).min(most.recursion),
        },
    }
}

struct Question<'a> {
    terms: &'a mut Terms,
    inputs: &'a mut Inputs,
    solver: &'a mut dyn Decide,
    unrolled: Unrolled,
}

impl Question<'_> {
    /// The answer, if there is one within these limits; else which of them are met.
    fn put(mut self, program: &Program, unwinding: Unwinding) -> Result<(Option<Told>, Vec<Site>), Trouble> {
        let counts = self.terms.all(&self.unrolled.constraints);
        let wrong = self.terms.any(&self.unrolled.wrong);
        if self.solve(counts, wrong)? == Answer::Satisfiable {
            let mut values = FxHashMap::default();
            for (place, input) in self.inputs.all() {
                let value = match self.terms.as_constant(input) {
                    Some(value) => value,
                    None => self.solver.value(self.terms, input)?,
                };
                values.insert(place, value);
            }
            let events = execute(self.inputs, program, unwinding, &values).events;
            return Ok((Some(Told::Wrong(events)), Vec::new()));
        }
        let limited = self.terms.any(&self.unrolled.limited);
        let cut = self.terms.any(&self.unrolled.cut);
        let further = self.terms.or(limited, cut);
        if self.solve(counts, further)? == Answer::Unsatisfiable {
            return Ok((Some(Told::Right), Vec::new()));
        }
        let mut values = vec![0; self.terms.inputs().len()];
        for (number, &input) in self.terms.inputs().iter().enumerate() {
            values[number] = self.solver.value(self.terms, input)?;
        }
        let mut evaluation = Evaluation::new();
        let mut met = Vec::new();
        for &(site, comes) in &self.unrolled.sites {
            if evaluation.value(self.terms, comes, &|number| values[number as usize]) != 0 {
                met.push(site);
            }
        }
        met.sort_unstable();
        met.dedup();
        assert!(!met.is_empty(), "an execution that meets a limit meets it somewhere");
        Ok((None, met))
    }

    fn solve(&mut self, counts: Term, asked: Term) -> Result<Answer, Trouble> {
        if counts == Term::FALSE || asked == Term::FALSE {
            return Ok(Answer::Unsatisfiable);
        }
        self.solver.solve(self.terms, &[counts, asked])
    }
}
