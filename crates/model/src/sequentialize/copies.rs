//! Copies of globals: a variable becomes a map of rows, one for each round, each row as long as the variable was.

use super::build::{
    assign, change_places, constant, element, equal, in_row, named_after, nth, read, stmt, variable,
};
use super::staged::{Harness, Staged};
use crate::ir::{Block, Expr, GlobalId, Place, Span, Stmt, StmtKind, Var, VarRef};

/// Globals that have a copy for each round.
pub(super) struct Copies {
    /// How many.
    pub(super) rows: u32,
    /// Which, and how long each was; `None` for the others.
    sizes: Vec<Option<u32>>,
}

impl Copies {
    /// Gives each of these globals so many rows. The first one has the initial values.
    pub(super) fn make(staged: &mut Staged, which: &[GlobalId], rows: u32) -> Copies {
        let mut sizes = vec![None; staged.program.globals.len()];
        for id in which {
            let var = &mut staged.program.globals[id.index()];
            let size = var.size();
            sizes[id.index()] = Some(size);
            let init = var.init.repeat(rows as usize);
            *var = Var { len: Some(size * rows), init, ..var.clone() };
        }
        Copies { rows, sizes }
    }

    /// A place of the program before becomes that of a row.
    pub(super) fn select(&self, place: &mut Place, row: &Expr) {
        if let VarRef::Global(id) = place.var
            && let Some(&Some(size)) = self.sizes.get(id.index())
        {
            let index = place.index.take().map(|index| *index);
            place.index = Some(Box::new(in_row(row.clone(), size, index)));
        }
    }

    /// What was said of the program before is about this row.
    pub(super) fn select_in(&self, block: &mut Block, row: &Expr) {
        change_places(block, &mut |place| self.select(place, row));
    }

    /// The harness: what is done before is about the first row, what is done afterwards about the last.
    pub(super) fn select_in_harness(&self, harness: &mut Harness, last: u32) {
        self.select_in(&mut harness.before, &constant(0));
        self.select_in(&mut harness.after, &constant(last));
    }

    /// The globals that have rows, and how long these are.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (VarRef, u32)> {
        let sizes = self.sizes.iter().enumerate();
        sizes.filter_map(|(at, size)| Some((VarRef::Global(GlobalId(at as u32)), (*size)?)))
    }

    /// An element of a row.
    pub(super) fn at(var: VarRef, row: Expr, size: u32, index: u32) -> Place {
        element(var, in_row(row, size, Some(constant(index))))
    }
}

/// A local that is as a global, to keep its values.
pub(super) fn twin(staged: &Staged, var: VarRef, prefix: &str) -> Var {
    let VarRef::Global(id) = var else { unreachable!("twins are of globals") };
    let global = &staged.program.globals[id.index()];
    variable(
        &named_after(prefix, &global.name),
        global.ty,
        staged.range(global.ty),
        global.len,
        Span::default(),
    )
}

/// Copies the elements `from..until` of a variable to another.
pub(super) fn copy(
    to: VarRef,
    from: VarRef,
    len: Option<u32>,
    elements: std::ops::Range<u32>,
    out: &mut Block,
) {
    for index in elements {
        out.push(assign(nth(to, len, index), Expr::Read(nth(from, len, index)), Span::default()));
    }
}

/// Any value of the type, for the elements of a local and then of the global that it is a twin of.
pub(super) fn guess(
    guessed: VarRef,
    global: VarRef,
    var: &Var,
    (lo, hi): (i32, i32),
    elements: std::ops::Range<u32>,
    out: &mut Block,
) {
    for index in elements {
        let choose = StmtKind::Choose(nth(guessed, var.len, index), Expr::Const(lo), Expr::Const(hi));
        out.push(stmt(choose, Span::default()));
        out.push(assign(
            nth(global, var.len, index),
            Expr::Read(nth(guessed, var.len, index)),
            Span::default(),
        ));
    }
}

/// What was guessed is what has come about.
pub(super) fn assume_equal(left: Place, right: Place) -> Stmt {
    stmt(StmtKind::Assume(equal(Expr::Read(left), Expr::Read(right))), Span::default())
}

/// A register or counter that is read.
pub(super) fn value(id: GlobalId) -> Expr {
    read(VarRef::Global(id))
}
