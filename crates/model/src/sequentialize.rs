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
mod faults;
mod instances;
mod limits;
mod polls;
mod priorities;
mod reach;
mod staged;
mod stops;
mod trampolines;
mod waits;
mod yields;

use crate::ir::{Expr, GlobalId, Program, Span, VarRef};
use staged::{Kind, Staged};

/// What of a program is to be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Within which bounds.
    pub bounds: Bounds,
    /// Tasks that have not begun may be put off, so that every order of dispatch is covered as rounds grow.
    pub reorder: bool,
    /// Arithmetic that wraps around is a bug.
    pub overflow: bool,
    /// Loops and recursion can be cut off ([`Mark::Limit`](crate::ir::Mark)); for checkers that unroll.
    pub limits: bool,
    /// The last values of the globals are kept in globals of their own, in the order of the source: for those who want to look at them.
    pub observed: bool,
}

/// Bounds on schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Rounds.
    Rounds {
        /// K1: of buffers.
        buffers: u32,
        /// K2: of the tasks of a level.
        tasks: u32,
    },
}

/// Translates a program into a sequential one.
pub fn sequentialize(program: &Program, covered: Covered) -> Program {
    let (mut staged, polls) = instances::instances(program);
    let Bounds::Rounds { buffers, tasks } = covered.bounds;
    polls::polls(&mut staged, &polls);
    waits::waits(&mut staged, waits::Rounds { buffers, tasks }, &polls);
    faults::faults(&mut staged, covered.overflow);
    stops::halts(&mut staged);
    if covered.observed {
        observe(&mut staged, program.globals.len());
    }
    staged.finals(covered.overflow);
    if covered.limits {
        limits::limits(&mut staged);
    }
    if covered.reorder && tasks > 1 {
        stops::reorder(&mut staged);
    }
    stops::checks(&mut staged);
    buffers::buffers(&mut staged, buffers);
    trampolines::trampolines(&mut staged);
    yields::yields(&mut staged, tasks);
    priorities::priorities(&mut staged);
    staged.program
}

/// Keeps the last values of the globals of the source.
fn observe(staged: &mut Staged, count: usize) {
    for at in 0..count {
        let var = &staged.program.globals[at];
        let last = crate::ir::Var { name: format!("last_{}", var.name), ..var.clone() };
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
