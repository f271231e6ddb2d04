//! Our side: from the text of a model to a verdict, in this process.
//!
//! The time is CPU time of the thread: reading the model, the translation, unrolling, and the solver. A finding is played on the machine
//! afterwards, which is not measured: what cannot be played is no execution of the model.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use caissa_model::ir::Program;
use caissa_model::sequentialize::{Bounds, Covered, sequentialize};
use caissa_model::symbolic::ask::{Told, ask};
use caissa_model::symbolic::decide::{Answer, Decide, Limits, Trouble, batsat};
use caissa_model::symbolic::play::play;
use caissa_model::symbolic::term::Terms;
use caissa_model::symbolic::timeline::{Within, timeline};
use caissa_model::symbolic::unroll::{Inputs, Unwinding, execute, unroll};
use caissa_model::{Code, load};

use crate::cpu;

/// The unroller is recursive where a model is nested.
const STACK: usize = 1 << 30;

/// The most memory for a question, in bytes.
const MEMORY: u64 = 4 << 30;

/// A model and what of it is looked at.
#[derive(Clone, Debug)]
pub struct Question {
    /// The file name of the model.
    pub name: String,
    pub text: String,
    /// Constants with other values than those in the text.
    pub sets: Vec<(String, String)>,
    pub bounds: Bounds,
    /// How far loops and recursion may be followed.
    pub most: Unwinding,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Wrong,
    Right,
    /// As far as loops and recursion were followed, and there is more.
    RightSoFar,
    /// There was no answer in time, or memory was short.
    Undecided,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Wrong => "wrong",
            Verdict::Right => "right",
            Verdict::RightSoFar => "right so far",
            Verdict::Undecided => "undecided",
        }
    }
}

/// An answer, and what it took.
#[derive(Clone, Debug)]
pub struct Decided {
    pub verdict: Verdict,
    /// CPU seconds.
    pub seconds: f64,
    pub variables: u64,
    pub clauses: u64,
    /// Of a finding: the machine plays it.
    pub played: bool,
}

/// How loops and recursion are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Further and further, as `ask` does it.
    Growing,
    /// As far as allowed at once, as for somebody who knows how far is enough.
    AtOnce,
}

impl Question {
    /// The model as a program.
    pub fn program(&self) -> Result<Program, String> {
        load(&self.name, &self.text, &self.sets).map_err(|wrong| wrong.to_string())
    }

    /// The sequential program. `limits`: for us, who want to know whether a limit is met.
    pub fn sequential(&self, limits: bool) -> Result<Program, String> {
        let covered = Covered { bounds: self.bounds, reorder: true, limits, observed: false };
        sequentialize(&self.program()?, covered).map_err(|unfit| unfit.to_string())
    }

    /// Asks again and again until so much time is full, and says what it takes on the average.
    pub fn measure(&self, depth: Depth, limit: Duration, fill: Duration) -> Result<Decided, String> {
        let question = self.clone();
        deep(move || {
            let (mut seconds, mut times) = (0.0, 0_u32);
            let begin = Instant::now();
            loop {
                let mut decided = question.decide(depth, limit)?;
                (seconds, times) = (seconds + decided.seconds, times + 1);
                if begin.elapsed() >= fill || decided.verdict == Verdict::Undecided {
                    decided.seconds = seconds / f64::from(times);
                    return Ok(decided);
                }
            }
        })
    }

    fn decide(&self, depth: Depth, limit: Duration) -> Result<Decided, String> {
        let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
        let begin = cpu::of_thread();
        let told = stopped_after(limit, &limits.stop, || match depth {
            Depth::Growing => self.grow(&limits),
            Depth::AtOnce => self.at_once(&limits),
        });
        let seconds = cpu::of_thread() - begin;
        match told {
            Ok(decided) => Ok(Decided { seconds, played: self.played(&decided.1)?, ..decided.0 }),
            Err(Failed::Solver(Trouble::Stopped | Trouble::Memory { .. })) => {
                Ok(Decided { verdict: Verdict::Undecided, seconds, variables: 0, clauses: 0, played: false })
            }
            Err(Failed::Solver(trouble)) => Err(trouble.to_string()),
            Err(Failed::Model(wrong)) => Err(wrong),
        }
    }

    fn grow(&self, limits: &Limits) -> Result<(Decided, Option<Told>), Failed> {
        let program = self.sequential(true).map_err(Failed::Model)?;
        let mut solver = batsat(limits.clone());
        let asked = ask(&program, &mut solver, self.most, limits).map_err(Failed::Solver)?;
        let verdict = match asked.told {
            Told::Wrong(_) => Verdict::Wrong,
            Told::Right => Verdict::Right,
            Told::RightSoFar(_) => Verdict::RightSoFar,
        };
        let (variables, clauses) = (asked.size.variables, asked.size.clauses);
        Ok((Decided { verdict, seconds: 0.0, variables, clauses, played: false }, Some(asked.told)))
    }

    fn at_once(&self, limits: &Limits) -> Result<(Decided, Option<Told>), Failed> {
        let program = self.sequential(true).map_err(Failed::Model)?;
        let mut solver = batsat(limits.clone());
        let (mut terms, mut inputs) = (Terms::new(), Inputs::default());
        let unrolled =
            unroll(&mut terms, &mut inputs, &program, self.most, limits).map_err(Failed::Solver)?;
        let counts = terms.all(&unrolled.constraints);
        let wrong = terms.any(&unrolled.wrong);
        let answer = solver.solve(&terms, &[counts, wrong]).map_err(Failed::Solver)?;
        let size = solver.size();
        let (variables, clauses) = (size.variables, size.clauses);
        let decided = |verdict| Decided { verdict, seconds: 0.0, variables, clauses, played: false };
        if answer == Answer::Unsatisfiable {
            return Ok((decided(Verdict::RightSoFar), None));
        }
        let mut values = Vec::new();
        for (place, input) in inputs.all() {
            let value = match terms.as_constant(input) {
                Some(value) => value,
                None => solver.value(&terms, input).map_err(Failed::Solver)?,
            };
            values.push((place, value));
        }
        let values = values.into_iter().collect();
        let events = execute(&mut inputs, &program, self.most, &values).events;
        Ok((decided(Verdict::Wrong), Some(Told::Wrong(events))))
    }

    /// Whether the machine plays what was found.
    fn played(&self, told: &Option<Told>) -> Result<bool, String> {
        let Some(Told::Wrong(events)) = told else { return Ok(false) };
        let within = match self.bounds {
            Bounds::Rounds { .. } | Bounds::Threads(_) => Within::Tasks,
            Bounds::Delays(_) | Bounds::Shared(_) => Within::Parts,
        };
        Ok(play(&Code::new(self.program()?), &timeline(events, within)).is_ok())
    }
}

enum Failed {
    Model(String),
    Solver(Trouble),
}

/// Runs it on a stack that is deep enough.
fn deep<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run);
    let thread = thread.expect("there is room for a stack");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Runs it, and sets `stop` if it takes longer than that.
fn stopped_after<T>(limit: Duration, stop: &Arc<AtomicBool>, run: impl FnOnce() -> T) -> T {
    let (done, waits) = mpsc::channel::<()>();
    let stop = Arc::clone(stop);
    std::thread::spawn(move || {
        if waits.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let result = run();
    drop(done);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, loops: u32) -> Question {
        Question {
            name: "model.cai".to_owned(),
            text: text.to_owned(),
            sets: Vec::new(),
            bounds: Bounds::Rounds { buffers: 1, tasks: 1 },
            most: Unwinding { loops, recursion: 1 },
        }
    }

    fn verdict(text: &str, loops: u32, depth: Depth) -> Verdict {
        let decided = question(text, loops).measure(depth, Duration::from_secs(60), Duration::ZERO);
        let decided = decided.expect("the model can be read");
        assert!(decided.seconds > 0.0);
        assert_eq!(decided.played, decided.verdict == Verdict::Wrong);
        decided.verdict
    }

    #[test]
    fn verdicts_are_those_of_the_engine() {
        let counts = "var x: 0..3; proc main() { while x < 3 && * { x := x + 1; } assert x != 2; }";
        assert_eq!(verdict(counts, 2, Depth::Growing), Verdict::Wrong);
        assert_eq!(verdict(counts, 2, Depth::AtOnce), Verdict::Wrong);
        assert_eq!(verdict(counts, 1, Depth::Growing), Verdict::RightSoFar);
        assert_eq!(verdict(counts, 1, Depth::AtOnce), Verdict::RightSoFar);
        assert_eq!(verdict("proc main() { assert true; }", 1, Depth::Growing), Verdict::Right);
        assert!(question("proc main(", 1).program().is_err());
    }
}
