//! Implicit yields and zields, written out as statements. `fig4` inserts them while it runs; this is a second way to the same thing.
//!
//! Procedures that are called inside `atomic` are copied there, for in the copy there are none. Interrupt handlers, mains and posted
//! tasks are never inside `atomic`.

use super::ast::{Block, Program, Stmt};

/// The same program with all yields explicit. None if a result of a call goes to a global: the yield before that has no place.
pub fn written_out(program: &Program) -> Option<Program> {
    let stores = |stmt: &Stmt| program.somewhere(stmt, &Stmt::stores_result);
    if program.procs.iter().flat_map(|proc| &proc.body).any(stores) {
        return None;
    }
    let count = program.procs.len();
    let mut written = program.clone();
    // The copy of procedure p without insertions is p + count.
    written.procs.extend(program.procs.iter().cloned());
    let writer = Writer { program };
    for (i, proc) in written.procs.iter_mut().enumerate() {
        proc.body = writer.block(&proc.body, i >= count);
    }
    written.implicit_yields = false;
    written.implicit_zields = false;
    Some(written)
}

struct Writer<'p> {
    program: &'p Program,
}

impl Writer<'_> {
    fn block(&self, block: &Block, atomic: bool) -> Block {
        block.iter().flat_map(|stmt| self.statement(stmt, atomic)).collect()
    }

    fn insertions(&self) -> Block {
        let mut all = vec![];
        if self.program.implicit_yields {
            all.push(Stmt::Yield);
        }
        if self.program.implicit_zields {
            all.push(Stmt::Zield);
        }
        all
    }

    fn statement(&self, stmt: &Stmt, atomic: bool) -> Block {
        let mut written = vec![];
        let inserted = !atomic && self.program.is_yielded_before(stmt);
        if inserted {
            written.extend(self.insertions());
        }
        written.push(match stmt {
            Stmt::If(e, yes, no) => Stmt::If(e.clone(), self.block(yes, atomic), self.block(no, atomic)),
            Stmt::While(e, body) => {
                let mut body = self.block(body, atomic);
                if inserted {
                    // The condition is evaluated again after the body.
                    body.extend(self.insertions());
                }
                Stmt::While(e.clone(), body)
            }
            Stmt::For { local, lo, hi, body } => {
                Stmt::For { local: *local, lo: *lo, hi: *hi, body: self.block(body, atomic) }
            }
            Stmt::Either(branches) => {
                Stmt::Either(branches.iter().map(|branch| self.block(branch, atomic)).collect())
            }
            Stmt::Atomic(body) => Stmt::Atomic(self.block(body, true)),
            Stmt::Call { proc, args, into } if atomic => {
                Stmt::Call { proc: proc + self.program.procs.len(), args: args.clone(), into: into.clone() }
            }
            other => other.clone(),
        });
        written
    }
}
