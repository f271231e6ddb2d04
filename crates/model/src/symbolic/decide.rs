//! Questions about terms, and who answers them.
//!
//! A question is whether the inputs can have values such that everything asserted, and everything assumed for this question, holds. It is
//! asked of a solver for clauses in this process ([`batsat()`]) or of any SMT-LIB 2 solver ([`super::pipe`]). All keep what they have
//! been told, so that a longer unrolling adds to a shorter one.

mod sat;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::term::{Term, Terms};

pub use sat::{Batsat, Sat, batsat};
#[cfg(feature = "cadical")]
pub use sat::{Cadical, cadical};

/// What a question has for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There are values; [`Decide::value`] tells them.
    Satisfiable,
    /// There are none.
    Unsatisfiable,
}

/// Somebody who answers questions. All terms must be of the same [`Terms`], which may grow in between.
pub trait Decide {
    /// From now on, a truth value holds.
    fn assert(&mut self, terms: &Terms, truth: Term) -> Result<(), Trouble>;

    /// Whether everything asserted can hold, together with some truth values that are assumed for this question only.
    fn solve(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Answer, Trouble>;

    /// The value of an input, after [`Answer::Satisfiable`] and before anything else is asserted or asked. If the question does not
    /// depend on it, that is the value nearest to 0.
    fn value(&mut self, terms: &Terms, input: Term) -> Result<i32, Trouble>;

    /// How large the question has become.
    fn size(&self) -> Size;
}

/// The size of all that a solver has been told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Variables of the solver.
    pub variables: u64,
    /// Clauses, or commands for a solver at the other end of a pipe.
    pub clauses: u64,
    /// Memory for gates and clauses at an estimate, or text that was sent, in bytes.
    pub bytes: u64,
}

/// When to give up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Anybody may set it: then a question ends soon, with [`Trouble::Stopped`].
    pub stop: Arc<AtomicBool>,
    /// The most memory for terms, gates and clauses, in bytes, as far as it can be counted.
    pub memory: Option<u64>,
}

impl Limits {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Somebody asked to stop.
    Stopped,
    /// The question needs more memory than it may have.
    Memory {
        /// What it may have, in bytes.
        limit: u64,
    },
    /// The solver cannot be started.
    Missing {
        /// How it was to be called.
        command: String,
        /// What the system says.
        why: String,
    },
    /// The solver ended, or closed its output, before it had answered.
    Died {
        /// How it was called.
        command: String,
        /// How it ended.
        status: String,
        /// The last that it wrote on its standard error.
        stderr: String,
    },
    /// The solver did not answer in time.
    Hung {
        /// How it was called.
        command: String,
        /// The time that it had.
        deadline: Duration,
    },
    /// The solver said that it does not know.
    Unknown {
        /// How it was called.
        command: String,
    },
    /// The solver said something else than an answer.
    Nonsense {
        /// How it was called.
        command: String,
        /// What it said.
        said: String,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Stopped => f.write_str("stopped before there was an answer"),
            Trouble::Memory { limit } => {
                let mib = limit >> 20;
                write!(
                    f,
                    "the question needs more than {mib} MiB; raise the limit or ask for a smaller bound"
                )
            }
            Trouble::Missing { command, why } => {
                write!(f, "cannot start the solver `{command}`: {why}")
            }
            Trouble::Died { command, status, stderr } => {
                write!(f, "the solver `{command}` ended without an answer ({status})")?;
                match stderr.trim() {
                    "" => f.write_str("; try it by hand with a small SMT-LIB file"),
                    stderr => write!(f, "; it says: {stderr}"),
                }
            }
            Trouble::Hung { command, deadline } => {
                let seconds = deadline.as_secs_f64();
                write!(f, "the solver `{command}` did not answer within {seconds} s; allow it more time ")?;
                f.write_str("(--solver-time), or ask for a smaller bound")
            }
            Trouble::Unknown { command } => {
                write!(
                    f,
                    "the solver `{command}` answered `unknown`; allow it more time or try another solver"
                )
            }
            Trouble::Nonsense { command, said } => {
                write!(f, "the solver `{command}` answered `{said}`, which is no answer in SMT-LIB 2; ")?;
                f.write_str("it must read SMT-LIB 2 from its standard input, like `z3 -in`")
            }
        }
    }
}

impl std::error::Error for Trouble {}

/// The value of an input that the question does not depend on: the one nearest to 0.
pub(super) fn value_unseen(terms: &Terms, input: Term) -> i32 {
    let (lo, hi) = terms.interval(input);
    0.clamp(lo, hi)
}
