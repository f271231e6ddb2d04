//! Takes choices out of expressions: each becomes a statement before the one it stood in, into a local of its own.
//!
//! What is evaluated, and in which order, stays the same: where a choice lies behind `&&`, `||` or `?:` those become control flow, and
//! what stands left of a choice and could be a bug is evaluated before it. Nothing else runs in between, so globals that are read left of
//! a choice need no copies.

use super::emit::Emitter;
use super::typed::{Expr, ExprKind, Facts, Place};
use crate::ir::{self, Binary, LocalId, Scalar, Span, StmtKind, Unary, VarRef};

fn read(local: LocalId) -> ir::Expr {
    ir::Expr::Read(variable(local))
}

pub(super) fn variable(local: LocalId) -> ir::Place {
    ir::Place { var: VarRef::Local(local), index: None }
}

impl Emitter<'_> {
    /// An expression without choices; they come before it.
    pub(super) fn expr(&mut self, expr: &Expr, span: Span, out: &mut ir::Block) -> ir::Expr {
        match &expr.kind {
            ExprKind::Const(value) => ir::Expr::Const(*value),
            ExprKind::Read(place) => ir::Expr::Read(self.place(place, span, out)),
            ExprKind::Unary(op, operand) => ir::Expr::Unary(*op, Box::new(self.expr(operand, span, out))),
            ExprKind::Binary(op @ (Binary::And | Binary::Or), left, right)
                if right.facts.has(Facts::CHOICE) =>
            {
                self.short_circuit(*op, left, right, span, out)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.before(left, right.facts, span, out);
                ir::Expr::Binary(*op, Box::new(left), Box::new(self.expr(right, span, out)))
            }
            ExprKind::If(parts) => self.conditional(parts, expr.ty, span, out),
            ExprKind::Bound(index, len) => ir::Expr::Bound(Box::new(self.expr(index, span, out)), *len),
            ExprKind::Choose(_) => {
                let local = self.fresh(expr.ty, span);
                self.store(local, expr, span, out);
                read(local)
            }
        }
    }

    /// Sets a local of the same type.
    fn store(&mut self, local: LocalId, expr: &Expr, span: Span, out: &mut ir::Block) {
        let kind = match &expr.kind {
            ExprKind::Choose(bounds) => {
                let lo = self.before(&bounds[0], bounds[1].facts, span, out);
                let hi = self.expr(&bounds[1], span, out);
                StmtKind::Choose(variable(local), lo, hi)
            }
            _ => StmtKind::Assign(variable(local), self.expr(expr, span, out)),
        };
        out.push(ir::Stmt { kind, span });
    }

    /// A place whose index has no choices; they come before it.
    pub(super) fn place(&mut self, place: &Place, span: Span, out: &mut ir::Block) -> ir::Place {
        let index = place.index.as_ref().map(|index| Box::new(self.expr(index, span, out)));
        ir::Place { var: place.var, index }
    }

    /// A place that something with these facts is evaluated behind.
    pub(super) fn place_before(
        &mut self,
        place: &Place,
        later: Facts,
        span: Span,
        out: &mut ir::Block,
    ) -> ir::Place {
        let index = place.index.as_ref().map(|index| Box::new(self.before(index, later, span, out)));
        ir::Place { var: place.var, index }
    }

    /// Expressions that are evaluated one after the other.
    pub(super) fn exprs(&mut self, exprs: &[Expr], span: Span, out: &mut ir::Block) -> Vec<ir::Expr> {
        let last_choice = exprs.iter().rposition(|expr| expr.facts.has(Facts::CHOICE)).unwrap_or(0);
        let facts = |at: usize| if at < last_choice { Facts::CHOICE } else { Facts::NONE };
        exprs.iter().enumerate().map(|(at, expr)| self.before(expr, facts(at), span, out)).collect()
    }

    /// An expression that something with the facts `later` is evaluated behind: a bug of the first must not come after a choice of the second.
    fn before(&mut self, expr: &Expr, later: Facts, span: Span, out: &mut ir::Block) -> ir::Expr {
        let value = self.expr(expr, span, out);
        if !later.has(Facts::CHOICE) || !expr.facts.has(Facts::FAILS) || self.is_fresh(&value).is_some() {
            return value;
        }
        let local = self.fresh(expr.ty, span);
        out.push(ir::Stmt { kind: StmtKind::Assign(variable(local), value), span });
        read(local)
    }

    /// The local that holds a choice or an intermediate value, if the expression is just that: it is used once only.
    fn is_fresh(&self, expr: &ir::Expr) -> Option<LocalId> {
        match expr {
            ir::Expr::Read(ir::Place { var: VarRef::Local(local), index: None })
                if local.index() >= self.declared =>
            {
                Some(*local)
            }
            _ => None,
        }
    }

    /// A local that holds the value.
    pub(super) fn held(&mut self, value: ir::Expr, ty: Scalar, span: Span, out: &mut ir::Block) -> LocalId {
        if let Some(local) = self.is_fresh(&value) {
            return local;
        }
        let local = self.fresh(ty, span);
        out.push(ir::Stmt { kind: StmtKind::Assign(variable(local), value), span });
        local
    }

    fn short_circuit(
        &mut self,
        op: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
        out: &mut ir::Block,
    ) -> ir::Expr {
        let left = self.expr(left, span, out);
        let local = self.held(left, Scalar::Bool, span, out);
        let mut rest = Vec::new();
        self.store(local, right, span, &mut rest);
        let needed = match op {
            Binary::And => read(local),
            _ => ir::Expr::Unary(Unary::Not, Box::new(read(local))),
        };
        out.push(ir::Stmt { kind: StmtKind::If(needed, rest, Vec::new()), span });
        read(local)
    }

    fn conditional(&mut self, parts: &[Expr; 3], ty: Scalar, span: Span, out: &mut ir::Block) -> ir::Expr {
        let [condition, yes, no] = parts;
        let condition = self.expr(condition, span, out);
        if !(yes.facts | no.facts).has(Facts::CHOICE) {
            let (yes, no) = (self.expr(yes, span, out), self.expr(no, span, out));
            return ir::Expr::If(Box::new([condition, yes, no]));
        }
        let local = self.fresh(ty, span);
        let mut branch = |value: &Expr| {
            let mut block = Vec::new();
            self.store(local, value, span, &mut block);
            block
        };
        let (yes, no) = (branch(yes), branch(no));
        out.push(ir::Stmt { kind: StmtKind::If(condition, yes, no), span });
        read(local)
    }
}
