//! Pieces of programs: what the translations put together, and how they walk over what is there.

use crate::ir::{
    Binary, Block, Enum, Expr, GlobalId, LocalId, Place, Scalar, Span, Stmt, StmtKind, Unary, Var, VarRef,
};

pub(super) const TRUE: Expr = Expr::Const(1);
pub(super) const FALSE: Expr = Expr::Const(0);

pub(super) fn constant(value: u32) -> Expr {
    Expr::Const(i32::try_from(value).expect("a count that fits"))
}

pub(super) fn place(var: VarRef) -> Place {
    Place { var, index: None }
}

pub(super) fn element(var: VarRef, index: Expr) -> Place {
    Place { var, index: Some(Box::new(index)) }
}

pub(super) fn read(var: VarRef) -> Expr {
    Expr::Read(place(var))
}

/// The element of a variable: of a scalar, itself.
pub(super) fn nth(var: VarRef, len: Option<u32>, index: u32) -> Place {
    match len {
        None => place(var),
        Some(_) => element(var, constant(index)),
    }
}

pub(super) fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

pub(super) fn not(operand: Expr) -> Expr {
    match operand {
        Expr::Const(value) => Expr::Const((value == 0) as i32),
        Expr::Unary(Unary::Not, inner) => *inner,
        Expr::Binary(Binary::Equal, left, right) => Expr::Binary(Binary::Differ, left, right),
        Expr::Binary(Binary::Differ, left, right) => Expr::Binary(Binary::Equal, left, right),
        other => Expr::Unary(Unary::Not, Box::new(other)),
    }
}

pub(super) fn and(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (TRUE, other) | (other, TRUE) => other,
        (FALSE, _) => FALSE,
        (left, right) => binary(Binary::And, left, right),
    }
}

pub(super) fn or(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (FALSE, other) | (other, FALSE) => other,
        (TRUE, _) => TRUE,
        (left, right) => binary(Binary::Or, left, right),
    }
}

pub(super) fn equal(left: Expr, right: Expr) -> Expr {
    binary(Binary::Equal, left, right)
}

/// The place in a map of rows that are `size` long: row `row`, element `index`.
pub(super) fn in_row(row: Expr, size: u32, index: Option<Expr>) -> Expr {
    let start = match (row, size) {
        (row, 1) => row,
        (Expr::Const(row), size) => Expr::Const(row * size as i32),
        (row, size) => binary(Binary::Multiply, row, constant(size)),
    };
    match (start, index) {
        (start, None | Some(FALSE)) => start,
        (FALSE, Some(index)) => index,
        (Expr::Const(start), Some(Expr::Const(index))) => Expr::Const(start + index),
        (start, Some(index)) => binary(Binary::Add, start, index),
    }
}

pub(super) fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

pub(super) fn assign(place: Place, value: Expr, span: Span) -> Stmt {
    stmt(StmtKind::Assign(place, value), span)
}

/// A variable of a type, at its smallest value that is next to 0.
pub(super) fn variable(name: &str, ty: Scalar, range: (i32, i32), len: Option<u32>, span: Span) -> Var {
    let init = vec![0.clamp(range.0, range.1); len.unwrap_or(1) as usize];
    Var { name: name.to_owned(), ty, len, init, plain: false, span }
}

/// A local for values of a type; there is one of a kind in a procedure.
pub(super) fn of_type(kind: &str, ty: Scalar, enums: &[Enum], span: Span) -> Var {
    let range = ty.range(enums);
    let name = match ty {
        Scalar::Bool | Scalar::Lock => format!("{kind}_bool"),
        Scalar::Int => format!("{kind}_int"),
        Scalar::Range(lo, hi) => format!("{kind}_{lo}_to_{hi}").replace('-', "minus_"),
        Scalar::Enum(id) => format!("{kind}_{}", enums[id.index()].name),
    };
    variable(&name, ty, range, None, span)
}

/// What sets names apart that translations give: no name of a source has it, so nothing of a source is taken for what they add.
const ADDED: char = '\'';

/// A name for something that belongs to a variable.
pub(super) fn named_after(prefix: &str, name: &str) -> String {
    format!("{prefix}{ADDED}{name}")
}

/// Adds a variable, under a name that no other has.
pub(super) fn add_global(globals: &mut Vec<Var>, mut var: Var) -> GlobalId {
    while globals.iter().any(|global| global.name == var.name) {
        var.name.push(ADDED);
    }
    globals.push(var);
    GlobalId(globals.len() as u32 - 1)
}

/// The local that a translation has added by this name, if it has.
pub(super) fn find_added(locals: &[Var], name: &str) -> Option<VarRef> {
    let at = locals.iter().position(|local| local.name.strip_suffix(ADDED) == Some(name))?;
    Some(VarRef::Local(LocalId(at as u32)))
}

/// Adds a local of a translation; there is one of a name and a size.
pub(super) fn add_local(locals: &mut Vec<Var>, mut var: Var) -> VarRef {
    var.name.push(ADDED);
    if let Some(at) = locals.iter().position(|local| local.name == var.name && local.len == var.len) {
        return VarRef::Local(LocalId(at as u32));
    }
    locals.push(var);
    VarRef::Local(LocalId(locals.len() as u32 - 1))
}

/// Rewrites a block: each statement, innermost first, becomes those that `each` puts out.
pub(super) fn rewrite(block: Block, each: &mut impl FnMut(Stmt, &mut Block)) -> Block {
    let mut out = Block::new();
    for Stmt { kind, span } in block {
        let kind = match kind {
            StmtKind::If(condition, then, other) => {
                StmtKind::If(condition, rewrite(then, each), rewrite(other, each))
            }
            StmtKind::While(condition, body) => StmtKind::While(condition, rewrite(body, each)),
            kind => kind,
        };
        each(Stmt { kind, span }, &mut out);
    }
    out
}

/// Looks at every statement of a block, also inside of others.
pub(super) fn visit(block: &Block, each: &mut impl FnMut(&Stmt)) {
    for stmt in block {
        each(stmt);
        match &stmt.kind {
            StmtKind::If(_, then, other) => {
                visit(then, each);
                visit(other, each);
            }
            StmtKind::While(_, body) => visit(body, each),
            _ => {}
        }
    }
}

/// Changes every place that a block reads or writes; places inside of an index first.
pub(super) fn change_places(block: &mut Block, each: &mut impl FnMut(&mut Place)) {
    for stmt in block {
        change_places_of(&mut stmt.kind, each);
        match &mut stmt.kind {
            StmtKind::If(_, then, other) => {
                change_places(then, each);
                change_places(other, each);
            }
            StmtKind::While(_, body) => change_places(body, each),
            _ => {}
        }
    }
}

/// The same for what a statement does by itself.
fn change_places_of(kind: &mut StmtKind, each: &mut impl FnMut(&mut Place)) {
    match kind {
        StmtKind::Assign(to, value) => {
            change_place(to, each);
            change_places_in(value, each);
        }
        StmtKind::Choose(to, lo, hi) => {
            change_place(to, each);
            change_places_in(lo, each);
            change_places_in(hi, each);
        }
        StmtKind::Assume(condition)
        | StmtKind::Assert(condition, _)
        | StmtKind::Await(condition)
        | StmtKind::If(condition, ..)
        | StmtKind::While(condition, _) => change_places_in(condition, each),
        StmtKind::Lock(place) | StmtKind::Unlock(place) => change_place(place, each),
        StmtKind::Call { args, result, .. } => {
            args.iter_mut().for_each(|arg| change_places_in(arg, each));
            result.iter_mut().for_each(|place| change_place(place, each));
        }
        StmtKind::Return(value) => value.iter_mut().for_each(|value| change_places_in(value, each)),
        StmtKind::Post { args: values, .. } | StmtKind::Mark(_, values) => {
            values.iter_mut().for_each(|value| change_places_in(value, each));
        }
        StmtKind::Yield | StmtKind::Zield | StmtKind::Pause | StmtKind::Raise(_) | StmtKind::Poll => {}
    }
}

fn change_place(place: &mut Place, each: &mut impl FnMut(&mut Place)) {
    if let Some(index) = &mut place.index {
        change_places_in(index, each);
    }
    each(place);
}

/// Changes every place that an expression reads.
pub(super) fn change_places_in(expr: &mut Expr, each: &mut impl FnMut(&mut Place)) {
    match expr {
        Expr::Const(_) => {}
        Expr::Read(place) => change_place(place, each),
        Expr::Unary(_, operand) | Expr::Bound(operand, _) => change_places_in(operand, each),
        Expr::Binary(_, left, right) => {
            change_places_in(left, each);
            change_places_in(right, each);
        }
        Expr::If(parts) => parts.iter_mut().for_each(|part| change_places_in(part, each)),
    }
}
