//! Sequentialization: from concurrent programs to sequential ones, program to program, one translation per file.
//!
//! The sequential program covers the executions of the concurrent one within bounds: K1 rounds of buffers and K2 rounds of tasks (2012 paper, sections
//! 4 and 5), or K delays of the depth-first scheduler (POPL 2011, section 5). It goes wrong if and only if one of them does.
//!
//! The order of translations: `instances` (copies of procedures for each buffer and level), `polls`, `waits`, `faults`, `stops::halts`, `limits`, `stops::reorder`,
//! `stops::checks`, then `buffers` (Fig. 5), `trampolines`, `yields` (Fig. 6), `priorities` (Fig. 7). By section 4.1's own definition
//! that is how they compose, and so does the validity predicate (`staged::Harness`).

mod buffers;
mod build;
mod copies;
mod delays;
mod faults;
mod idle;
mod instances;
mod lal_reps;
mod limits;
mod overflow;
mod polls;
mod priorities;
mod reach;
mod staged;
mod stops;
mod synce;
mod trampolines;
mod types;
mod waits;
mod yields;

pub use overflow::assert_no_overflow;

use crate::ir::{Expr, GlobalId, Program, Span, StmtKind, VarRef};
use staged::{Kind, Staged};

/// What of a program is to be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Within which bounds.
    pub bounds: Bounds,
    /// Tasks that have not begun may be put off, so that every order of dispatch is covered as rounds grow.
    pub reorder: bool,
    /// Loops and recursion can be cut off ([`Mark::Limit`](crate::ir::Mark)); for checkers that unroll.
    pub limits: bool,
    /// The last values of the globals are kept in globals of their own, in the order of the source: for those who want to look at them.
    pub observed: bool,
}

/// Bounds on schedules, and how they are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Rounds (2012 paper).
    Rounds {
        /// K1: of buffers.
        buffers: u32,
        /// K2: of the tasks of a level.
        tasks: u32,
    },
    /// Delays of the depth-first scheduler (POPL 2011): one buffer, one level.
    Delays(u32),
    /// Rounds of threads (Lal and Reps): the buffers are threads, and post nothing.
    Threads(u32),
    /// Rounds of tasks, with buffers and levels encoded by shared variables (2012 paper, appendix C). It may find more than there is.
    Shared(u32),
}

/// Why a program cannot be translated so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Delays are for one buffer.
    Buffers(usize),
    /// Delays are for one level.
    Levels(usize),
    /// At a serial level tasks do not make way for each other.
    Serial(String),
    /// Threads post nothing; this procedure does.
    Posts(String),
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unfit::Buffers(count) => {
                write!(f, "delays are defined for models with one buffer, and this one has {count}")
            }
            Unfit::Levels(count) => {
                write!(f, "delays are defined for models with one level, and this one has {count}")
            }
            Unfit::Serial(level) => write!(f, "delays mean nothing at level {level}, which is serial"),
            Unfit::Posts(proc) => {
                write!(f, "this translation is for a fixed set of threads, but {proc} posts tasks")
            }
        }
    }
}

impl std::error::Error for Unfit {}

/// Whether a program can be translated with such bounds.
fn fits(program: &Program, bounds: Bounds) -> Result<(), Unfit> {
    match bounds {
        Bounds::Delays(_) if program.buffers.len() > 1 => Err(Unfit::Buffers(program.buffers.len())),
        Bounds::Delays(_) if program.levels.len() > 1 => Err(Unfit::Levels(program.levels.len())),
        Bounds::Delays(_) if program.levels[0].serial => Err(Unfit::Serial(program.levels[0].name.clone())),
        Bounds::Threads(_) => {
            let posts = |proc: &&crate::ir::Proc| {
                let mut posts = false;
                build::visit(&proc.body, &mut |stmt| {
                    posts |= matches!(stmt.kind, StmtKind::Post { .. } | StmtKind::Poll);
                });
                posts
            };
            match program.procs.iter().find(posts) {
                Some(proc) => Err(Unfit::Posts(proc.name.clone())),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Translates a program into a sequential one.
pub fn sequentialize(program: &Program, covered: Covered) -> Result<Program, Unfit> {
    fits(program, covered.bounds)?;
    let (mut staged, polls) = instances::instances(program);
    polls::polls(&mut staged, &polls);
    let rounds = match covered.bounds {
        Bounds::Rounds { buffers, tasks } => waits::Rounds { buffers, tasks, zields: true },
        Bounds::Delays(_) => waits::Rounds { buffers: 1, tasks: 2, zields: true },
        Bounds::Threads(rounds) => waits::Rounds { buffers: rounds, tasks: 1, zields: true },
        Bounds::Shared(rounds) => waits::Rounds { buffers: 1, tasks: rounds, zields: false },
    };
    waits::waits(&mut staged, rounds, &polls);
    staged.forget_unreached();
    faults::faults(&mut staged);
    if !matches!(covered.bounds, Bounds::Shared(_)) {
        idle::flags(&mut staged, rounds.buffers);
        stops::halts(&mut staged);
    }
    if covered.observed {
        observe(&mut staged, program.globals.len());
    }
    staged.finals();
    if covered.limits {
        limits::limits(&mut staged);
    }
    match covered.bounds {
        Bounds::Rounds { tasks, .. } if covered.reorder && tasks > 1 => stops::reorder(&mut staged),
        Bounds::Shared(_) => synce::synce(&mut staged),
        _ => {}
    }
    stops::checks(&mut staged);
    match covered.bounds {
        Bounds::Rounds { buffers, tasks } => by_rounds(&mut staged, buffers, tasks),
        Bounds::Shared(rounds) => by_rounds(&mut staged, 1, rounds),
        Bounds::Delays(most) => delays::delays(&mut staged, most),
        Bounds::Threads(rounds) => lal_reps::lal_reps(&mut staged, rounds),
    }
    Ok(staged.program)
}

/// Buffers, then yields, then priorities.
fn by_rounds(staged: &mut Staged, buffers: u32, tasks: u32) {
    buffers::buffers(staged, buffers);
    trampolines::trampolines(staged);
    yields::yields(staged, tasks);
    priorities::priorities(staged);
}

/// Whether a program has more executions with more rounds of buffers, and with more rounds of tasks.
pub fn has_rounds(program: &Program, reorder: bool) -> (bool, bool) {
    let (mut staged, polls) = instances::instances(program);
    waits::waits(&mut staged, waits::Rounds { buffers: 2, tasks: 2, zields: true }, &polls);
    if reorder {
        stops::reorder(&mut staged);
    }
    let (mut zields, mut yields) = (program.buffers.len() > 2, false);
    for proc in &staged.program.procs {
        build::visit(&proc.body, &mut |stmt| match stmt.kind {
            StmtKind::Zield => zields = true,
            StmtKind::Yield => yields = true,
            _ => {}
        });
    }
    (zields, yields)
}

/// Keeps the last values of the globals of the source.
fn observe(staged: &mut Staged, count: usize) {
    for at in 0..count {
        let var = &staged.program.globals[at];
        let last = crate::ir::Var { name: build::named_after("last", &var.name), ..var.clone() };
        let len = last.len;
        let size = last.size();
        let last = VarRef::Global(staged.add_global(last, Kind::Timeless));
        let source = VarRef::Global(GlobalId(at as u32));
        for index in 0..size {
            let value = Expr::Read(build::nth(source, len, index));
            staged.harness.after.push(build::assign(build::nth(last, len, index), value, Span::default()));
        }
    }
}
