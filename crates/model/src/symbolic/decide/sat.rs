//! Questions to a solver for clauses in this process, over the traits of `rustsat`.
//!
//! BatSat is the default: it is Rust and needs nothing else. CaDiCaL is faster on hard questions, and is there with the feature `cadical`,
//! which needs a C++ compiler. Both look at [`Limits::stop`] while they search.
//!
//! Memory is that of terms, gates and clauses, at an estimate of what a clause costs. BatSat also tells of clauses that it learns; what
//! CaDiCaL learns is not seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::{Callbacks, ClauseKind};
use rustsat::solvers::{SolveIncremental, SolverResult};
use rustsat::types::{Lit, TernaryVal};

use super::{Answer, Decide, Limits, Size, Trouble, value_unseen};
use crate::symbolic::blast::{Blaster, Interrupted, Sink, Truth};
use crate::symbolic::term::{Term, Terms};

/// What a clause costs besides its literals: its head, two watches, and its place in a list.
const CLAUSE: u64 = 8 + 16 + 4;
const LITERAL: u64 = 4;
/// What a variable costs: values, levels, reasons, heuristics, and the heads of two lists of watches.
const VARIABLE: u64 = 96;

/// A solver for clauses that can be ended while it searches.
pub trait Engine: SolveIncremental {
    /// A solver that ends when the flag is set.
    fn stopped_by(stop: Arc<AtomicBool>) -> Self;

    /// Bytes of clauses that it learnt, if it tells.
    fn learnt(&self) -> u64;

    /// How many bytes it may learn in the next search.
    fn may_learn(&mut self, bytes: u64);
}

/// A solver for clauses, with what it has been told.
pub struct Sat<E> {
    blaster: Blaster,
    told: Told<E>,
    literals: Vec<Lit>,
    /// Something asserted can never hold.
    contradiction: bool,
}

/// The solver and its clauses.
struct Told<E> {
    engine: E,
    limits: Limits,
    clauses: u64,
    literals: u64,
    /// Bytes of terms and gates, when they were last counted.
    elsewhere: u64,
}

/// BatSat, a solver in Rust.
pub type Batsat = rustsat_batsat::Solver<Watch>;

/// Answers with BatSat.
pub fn batsat(limits: Limits) -> Sat<Batsat> {
    Sat::new(limits)
}

/// CaDiCaL, a solver in C++.
#[cfg(feature = "cadical")]
pub type Cadical = rustsat_cadical::CaDiCaL<'static, 'static>;

/// Answers with CaDiCaL.
#[cfg(feature = "cadical")]
pub fn cadical(limits: Limits) -> Sat<Cadical> {
    Sat::new(limits)
}

impl<E: Engine> Sat<E> {
    fn new(limits: Limits) -> Sat<E> {
        let engine = E::stopped_by(limits.stop.clone());
        let told = Told { engine, limits, clauses: 0, literals: 0, elsewhere: 0 };
        Sat { blaster: Blaster::new(), told, literals: Vec::new(), contradiction: false }
    }

    fn truth(&mut self, terms: &Terms, term: Term) -> Result<Truth, Trouble> {
        self.told.elsewhere = terms.bytes() + self.blaster.bytes();
        let truth = self.blaster.truth(terms, term, &mut self.told);
        truth.map_err(|Interrupted| self.told.trouble())
    }
}

impl<E: Engine> Decide for Sat<E> {
    fn assert(&mut self, terms: &Terms, truth: Term) -> Result<(), Trouble> {
        match self.truth(terms, truth)? {
            Truth::Known(true) => (),
            Truth::Known(false) => self.contradiction = true,
            Truth::Literal(lit) => self.told.clause(&[lit]),
        }
        Ok(())
    }

    fn solve(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, Trouble> {
        self.literals.clear();
        for &assumption in assumptions {
            match self.truth(terms, assumption)? {
                Truth::Known(true) => (),
                Truth::Known(false) => return Ok(Answer::Unsatisfiable),
                Truth::Literal(lit) => self.literals.push(lit),
            }
        }
        if self.contradiction {
            return Ok(Answer::Unsatisfiable);
        }
        self.told.elsewhere = terms.bytes() + self.blaster.bytes();
        self.told.elsewhere += u64::from(self.blaster.variables()) * VARIABLE;
        self.told.go_on().map_err(|Interrupted| self.told.trouble())?;
        let used = self.told.used() - self.told.engine.learnt();
        let memory = self.told.limits.memory.unwrap_or(u64::MAX);
        self.told.engine.may_learn(memory.saturating_sub(used));
        let result = self.told.engine.solve_assumps(&self.literals);
        match result.expect("the solver is never in a state in which it may not be asked") {
            SolverResult::Sat => Ok(Answer::Satisfiable),
            SolverResult::Unsat => Ok(Answer::Unsatisfiable),
            SolverResult::Interrupted => Err(self.told.trouble()),
        }
    }

    fn value(&mut self, terms: &Terms, input: Term) -> Result<i32, Trouble> {
        let engine = &self.told.engine;
        let value = self.blaster.value(terms, input, |lit| {
            let value = engine.lit_val(lit).expect("values are asked for after a satisfiable question only");
            value == TernaryVal::True
        });
        Ok(value.unwrap_or_else(|| value_unseen(terms, input)))
    }

    fn size(&self) -> Size {
        let variables = u64::from(self.blaster.variables());
        let bytes = self.blaster.bytes() + self.told.bytes_of_clauses() + variables * VARIABLE;
        Size { variables, clauses: self.told.clauses, bytes }
    }
}

impl<E: Engine> Told<E> {
    fn bytes_of_clauses(&self) -> u64 {
        self.clauses * CLAUSE + self.literals * LITERAL
    }

    fn used(&self) -> u64 {
        self.elsewhere + self.bytes_of_clauses() + self.engine.learnt()
    }

    /// Why it does not go on.
    fn trouble(&self) -> Trouble {
        match self.limits.memory {
            Some(limit) if !self.limits.is_stopped() => Trouble::Memory { limit },
            _ => Trouble::Stopped,
        }
    }
}

impl<E: Engine> Sink for Told<E> {
    fn clause(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        self.literals += clause.len() as u64;
        self.engine.add_clause_ref(clause).expect("a clause can be added at any time");
    }

    fn go_on(&self) -> Result<(), Interrupted> {
        let memory = self.limits.memory.unwrap_or(u64::MAX);
        match self.limits.is_stopped() || self.used() > memory {
            true => Err(Interrupted),
            false => Ok(()),
        }
    }
}

/// What BatSat calls while it searches.
#[derive(Default)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    /// Bytes of clauses that were learnt and, as far as it tells, not thrown away.
    learnt: u64,
    may_learn: u64,
}

fn bytes(clause: &[batsat::Lit]) -> u64 {
    CLAUSE + LITERAL * clause.len() as u64
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, clause: &[batsat::Lit], _: ClauseKind) {
        self.learnt += bytes(clause);
    }

    fn on_delete_clause(&mut self, clause: &[batsat::Lit]) {
        self.learnt = self.learnt.saturating_sub(bytes(clause));
    }

    /// Clauses that hold anyway are thrown away without a call; the size of what is left bounds what was learnt.
    fn on_gc(&mut self, _: usize, left: usize) {
        self.learnt = self.learnt.min(2 * left as u64);
    }

    fn stop(&self) -> bool {
        self.learnt > self.may_learn || self.stop.load(Ordering::Relaxed)
    }
}

impl Engine for Batsat {
    fn stopped_by(stop: Arc<AtomicBool>) -> Batsat {
        let mut solver = Batsat::default();
        // Deep minimisation of what is learnt took four fifths of the time on long chains of assignments, and found little more.
        let options = batsat::SolverOpts { ccmin_mode: 1, ..batsat::SolverOpts::default() };
        *solver.batsat_mut() = batsat::Solver::new(options, Watch { stop, ..Watch::default() });
        solver
    }

    fn learnt(&self) -> u64 {
        self.batsat_ref().cb().learnt
    }

    fn may_learn(&mut self, bytes: u64) {
        self.batsat_mut().cb_mut().may_learn = bytes;
    }
}

#[cfg(feature = "cadical")]
impl Engine for Cadical {
    fn stopped_by(stop: Arc<AtomicBool>) -> Cadical {
        use rustsat::solvers::{ControlSignal, Terminate};

        let mut solver = Cadical::default();
        solver.attach_terminator(move || match stop.load(Ordering::Relaxed) {
            true => ControlSignal::Terminate,
            false => ControlSignal::Continue,
        });
        solver
    }

    fn learnt(&self) -> u64 {
        0
    }

    fn may_learn(&mut self, _: u64) {}
}
