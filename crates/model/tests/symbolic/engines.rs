//! What the two engines that know of rounds say of a program.

use std::sync::Arc;

use caissa_core::{Choice, GuideSpec, Job};
use caissa_model::explicit::{self, Found, Rounds, Watched, Wrong, explore_rounds};
use caissa_model::ir::{Block, Program, StmtKind};
use caissa_model::sequentialize::{Bounds, Covered, sequentialize};
use caissa_model::symbolic::ask::{Told, ask};
use caissa_model::symbolic::decide::{Limits, Trouble, batsat};
use caissa_model::symbolic::play::play;
use caissa_model::symbolic::timeline::{Within, timeline};
use caissa_model::symbolic::unroll::Unwinding;
use caissa_model::{Code, Exec, ExecSettings};
use caissa_search::Subject;

/// More states than this are not explored.
const MOST_STATES: u64 = 5_000;

/// No question takes more memory than this, in bytes.
const MOST_MEMORY: u64 = 3 << 20;

/// The kind of bug that is found within rounds. Of some programs nothing is said.
pub type Said = Result<Option<&'static str>, Unsaid>;

/// Why nothing is said of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsaid {
    /// Loops or recursion go on for too long.
    Unwinding,
    States,
    /// Clauses, given or learnt, take too much memory; that also bounds the time of a search.
    Memory,
}

/// By SAT. What is found is replayed.
pub fn by_sat(code: &Arc<Code>, rounds: Rounds) -> Said {
    let bounds = Bounds::Rounds { buffers: rounds.buffers, tasks: rounds.tasks };
    let covered = Covered { bounds, reorder: rounds.reorder, limits: true, observed: false };
    let sequential = sequentialize(code.program(), covered).expect("it has rounds");
    let limits = Limits { memory: Some(MOST_MEMORY), ..Limits::default() };
    let mut solver = batsat(limits.clone());
    let most = Unwinding { loops: 4, recursion: 3 };
    let asked = match ask(&sequential, &mut solver, most, &limits) {
        Err(Trouble::Memory { .. }) => return Err(Unsaid::Memory),
        asked => asked.expect("nobody stops it"),
    };
    match asked.told {
        Told::Wrong(events) => {
            let order = timeline(&events, Within::Tasks);
            let found = play(code, &order);
            let found =
                found.unwrap_or_else(|why| panic!("it cannot be played: {why}\n{order:?}\n{events:?}"));
            Ok(Some(replayed(code, found)))
        }
        Told::Right => Ok(None),
        Told::RightSoFar(_) => Err(Unsaid::Unwinding),
    }
}

/// By states. What is found is replayed.
pub fn by_states(code: &Arc<Code>, rounds: Rounds) -> Said {
    let settings = explicit::Settings { max_states: MOST_STATES, ..explicit::Settings::default() };
    let explored = explore_rounds(code, rounds, &settings, &Watched::default());
    match explored.found {
        Some(found) => Ok(Some(replayed(code, found))),
        None if explored.ended.is_some() || explored.long => Err(Unsaid::States),
        None => Ok(None),
    }
}

/// The first slot of a global.
pub fn slot(program: &Program, name: &str) -> Option<usize> {
    let at = program.globals.iter().position(|var| var.name == name)?;
    Some(program.globals[..at].iter().map(|var| var.size() as usize).sum())
}

/// How many statements of a kind a program has.
pub fn count(program: &Program, is_one: &dyn Fn(&StmtKind) -> bool) -> usize {
    fn within(block: &Block, is_one: &dyn Fn(&StmtKind) -> bool) -> usize {
        let inside = |kind: &StmtKind| match kind {
            StmtKind::If(_, yes, no) => within(yes, is_one) + within(no, is_one),
            StmtKind::While(_, body) => within(body, is_one),
            kind => usize::from(is_one(kind)),
        };
        block.iter().map(|stmt| inside(&stmt.kind)).sum()
    }
    program.procs.iter().map(|proc| within(&proc.body, is_one)).sum()
}

/// The kind of a finding, once it has been replayed.
fn replayed(code: &Arc<Code>, found: Found) -> &'static str {
    let Wrong::Fault(fault) = found.wrong else { panic!("{:?} within rounds", found.wrong) };
    assert_eq!(replay(code, found.choices), fault.kind(), "a finding does not replay");
    fault.kind()
}

fn replay(code: &Arc<Code>, prefix: Vec<Choice>) -> &'static str {
    let job = Job::single(prefix, GuideSpec::NonPreemptive, 10_000);
    let settings = ExecSettings { fair_k: 0, ..ExecSettings::default() };
    let replay = Exec::new(Arc::clone(code), settings).replay(&job);
    replay.bug.map_or("nothing", |bug| bug.kind())
}

/// The same said by both; fails if they differ. Programs of which one of them says nothing are passed over.
pub fn agreed(code: &Arc<Code>, rounds: Rounds, text: &str) -> Said {
    let _shown = Shown { rounds, text };
    let states = by_states(code, rounds)?;
    let sat = by_sat(code, rounds)?;
    assert_eq!(sat.is_some(), states.is_some(), "SAT says {sat:?}, states say {states:?}");
    Ok(sat)
}

/// Whatever fails, the program is shown.
struct Shown<'a> {
    rounds: Rounds,
    text: &'a str,
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("within {:?}:\n{}", self.rounds, self.text);
        }
    }
}
