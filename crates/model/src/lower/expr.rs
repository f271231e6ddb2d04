//! Checks expressions.

use super::fold::Undefined;
use super::names::Entity;
use super::typed::Expr;
use super::types::Ty;
use super::{Checker, Mode};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, EnumId, Scalar, Span, Unary};
use crate::syntax::ast::{self, ExprKind, Link, symbol};
use crate::syntax::parser::is_long;

/// What the operands of an operator must be.
#[derive(Clone, Copy, PartialEq)]
enum Operands {
    Bools,
    Ints,
    /// Both of the same type.
    Same,
}

fn operands(op: Binary) -> Operands {
    match op {
        Binary::Or | Binary::And => Operands::Bools,
        Binary::Equal | Binary::Differ => Operands::Same,
        _ => Operands::Ints,
    }
}

impl<'s> Checker<'s, '_> {
    fn strict(&self) -> bool {
        self.mode == Mode::Constant && !self.unneeded
    }

    /// An expression of any type. `None` if it is wrong, which has been said then.
    pub(super) fn expr(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Expr::int(*value)),
            ExprKind::Bool(value) => Some(Expr::value(i32::from(*value), Scalar::Bool)),
            ExprKind::Name(name) => match self.constant_name(name) {
                Some(found) => found,
                None => self.read(expr),
            },
            ExprKind::Index(..) | ExprKind::Field(..) => self.read(expr),
            ExprKind::Any => {
                self.choice_allowed("`*`", expr.span)?;
                Some(Expr::choose(Expr::int(0), Expr::int(1), Scalar::Bool))
            }
            ExprKind::Choose(bounds) => {
                let allowed = self.choice_allowed("`choose`", expr.span);
                let (lo, hi) = (self.int(&bounds[0]), self.int(&bounds[1]));
                allowed?;
                Some(Expr::choose(lo?, hi?, Scalar::Int))
            }
            ExprKind::Unary(op, operand) => {
                let operand = match op {
                    Unary::Not => self.bool(operand),
                    Unary::Negate | Unary::Complement => self.int(operand),
                };
                let made = Expr::unary(*op, operand?, self.strict());
                self.defined(made, expr.span)
            }
            ExprKind::Chain(first, links) if is_long(links) => self.long_chain(first, links),
            ExprKind::Chain(first, links) => self.chain(first, links),
            ExprKind::If(parts) => self.conditional(parts),
            ExprKind::Error => None,
        }
    }

    /// The value of a name that is a constant; `None` if it is none.
    fn constant_name(&mut self, name: &str) -> Option<Option<Expr>> {
        if self.locals.by_name.contains_key(name) {
            return None;
        }
        match self.names.get(name)?.0 {
            Entity::Constant(id) => {
                let constant = &self.constants[id as usize];
                Some(constant.ty.map(|ty| Expr::value(constant.value, ty)))
            }
            Entity::Twice => Some(None),
            Entity::Member(id, value) => Some(Some(Expr::value(value, Scalar::Enum(EnumId(id))))),
            _ => None,
        }
    }

    fn read(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        let path = self.path(expr)?;
        if path.ty.is_aggregate() {
            self.aggregate(path.ty, expr.span, "be used as a whole");
            return None;
        }
        if path.ty == Ty::Scalar(Scalar::Lock) {
            self.sink.push(
                Diagnostic::new(expr.span, "a lock has no value").hint(
                    "use `lock m;` and `unlock m;`, and a `bool` beside it if you must know who holds it",
                ),
            );
            return None;
        }
        path.place().map(Expr::read)
    }

    fn choice_allowed(&mut self, what: &str, span: Span) -> Option<()> {
        let place = match self.mode {
            Mode::Body => return Some(()),
            Mode::Constant => "a constant",
            Mode::Final => "`final`",
        };
        self.sink.push(
            Diagnostic::new(span, format!("{what} cannot stand in {place}"))
                .hint("choices are made by tasks: use it in a procedure"),
        );
        None
    }

    fn defined(&mut self, made: Result<Expr, Undefined>, span: Span) -> Option<Expr> {
        match made {
            Ok(expr) => Some(expr),
            Err(undefined) => {
                let (message, hint) = match undefined {
                    Undefined::Overflow => {
                        ("this constant overflows", "an `int` is between -2147483648 and 2147483647")
                    }
                    Undefined::DivisionByZero => ("this constant divides by zero", "use another divisor"),
                };
                self.sink.push(Diagnostic::new(span, message).hint(hint));
                None
            }
        }
    }

    fn chain(&mut self, first: &ast::Expr<'s>, links: &[Link<'s>]) -> Option<Expr> {
        let mut span = first.span;
        let mut left = self.operand(first, links[0].op, None);
        for (at, link) in links.iter().enumerate() {
            let decided = match (link.op, left.as_ref().and_then(Expr::constant)) {
                (Binary::And, Some(0)) => true,
                (Binary::Or, Some(value)) => value != 0,
                _ => false,
            };
            let before = self.unneeded;
            self.unneeded |= decided;
            // One complaint about an operator is enough.
            let right = match &left {
                Some(left) => self.operand(&link.operand, link.op, Some((left.ty, span))),
                None => self.expr(&link.operand),
            };
            self.unneeded = before;
            span.end = link.operand.span.end;
            let strict = self.strict();
            left = match (left, right) {
                (Some(left), Some(right)) => self.defined(Expr::binary(link.op, left, right, strict), span),
                _ => None,
            };
            // What the next operator needs on its left is checked here: it is the result of this one.
            if let Some(next) = links.get(at + 1)
                && let Some(result) = &left
                && !self.fits_chain(result.ty, next, span, link)
            {
                left = None;
            }
        }
        left
    }

    /// The result of a part of a chain can be the left operand of the next operator.
    fn fits_chain(&mut self, ty: Scalar, next: &Link<'s>, span: Span, link: &Link<'s>) -> bool {
        if operands(next.op) != Operands::Ints || ty == Scalar::Int {
            return true;
        }
        let (a, b) = (symbol(link.op), symbol(next.op));
        self.sink.push(
            Diagnostic::new(
                next.op_span,
                format!("`{b}` compares numbers, and on its left there is a `bool`"),
            )
            .related(span, "a `bool`")
            .hint(format!("`a {a} b {b} c` is written `a {a} b && b {b} c`")),
        );
        false
    }

    fn long_chain(&mut self, first: &ast::Expr<'s>, links: &[Link<'s>]) -> Option<Expr> {
        let op = links[0].op;
        let all = [first].into_iter().chain(links.iter().map(|link| &link.operand));
        let mut operands = Vec::with_capacity(links.len() + 1);
        let mut good = true;
        for operand in all {
            match self.operand(operand, op, None) {
                Some(operand) => operands.push(operand),
                None => good = false,
            }
        }
        if !good {
            return None;
        }
        let span = Span { start: first.span.start, end: links[links.len() - 1].operand.span.end };
        let strict = self.strict();
        self.defined(Expr::balanced(op, operands, strict), span)
    }

    /// An operand of `op`; with the type of the other one, if that is known.
    fn operand(&mut self, expr: &ast::Expr<'s>, op: Binary, left: Option<(Scalar, Span)>) -> Option<Expr> {
        let value = self.expr(expr)?;
        let found = self.describe(Ty::Scalar(value.ty));
        let sign = symbol(op);
        let diagnostic = match (operands(op), value.ty) {
            (Operands::Bools, Scalar::Bool) | (Operands::Ints, Scalar::Int) => return Some(value),
            (Operands::Same, ty) => match left {
                Some((other, span)) if other != ty => {
                    let other = self.describe(Ty::Scalar(other));
                    Diagnostic::new(expr.span, format!("`{sign}` compares {other} with {found}"))
                        .label(format!("this is {found}"))
                        .related(span, format!("this is {other}"))
                        .hint("both sides must have the same type")
                }
                _ => return Some(value),
            },
            (Operands::Bools, _) => {
                let diagnostic =
                    Diagnostic::new(expr.span, format!("`{sign}` needs a `bool`, found {found}"));
                let hint = match (op, value.ty) {
                    (_, Scalar::Int) => "compare it with a number: `x != 0`",
                    _ => "compare it: `x == ...`",
                };
                diagnostic.hint(hint)
            }
            (Operands::Ints, ty) => {
                let diagnostic =
                    Diagnostic::new(expr.span, format!("`{sign}` needs an `int`, found {found}"));
                match (op, ty) {
                    (Binary::BitAnd, Scalar::Bool) => diagnostic.hint("of `bool`s it is `&&`"),
                    (Binary::BitOr, Scalar::Bool) => diagnostic.hint("of `bool`s it is `||`"),
                    (Binary::BitXor, Scalar::Bool) => diagnostic.hint("of `bool`s it is `!=`"),
                    (_, Scalar::Bool) => diagnostic.hint("make it a number: `b ? 1 : 0`"),
                    _ => diagnostic.hint("enums have no order; `==` and `!=` compare them"),
                }
            }
        };
        self.sink.push(diagnostic);
        None
    }

    fn conditional(&mut self, parts: &[ast::Expr<'s>; 3]) -> Option<Expr> {
        let condition = self.bool(&parts[0]);
        let decided = condition.as_ref().and_then(Expr::constant);
        let before = self.unneeded;
        self.unneeded = before || decided == Some(0);
        let yes = self.expr(&parts[1]);
        self.unneeded = before || decided == Some(1);
        let no = self.expr(&parts[2]);
        self.unneeded = before;
        let (condition, yes, no) = (condition?, yes?, no?);
        if yes.ty != no.ty {
            let (a, b) = (self.describe(Ty::Scalar(yes.ty)), self.describe(Ty::Scalar(no.ty)));
            self.sink.push(
                Diagnostic::new(parts[2].span, format!("`? :` gives {a} or {b}"))
                    .label(format!("this is {b}"))
                    .related(parts[1].span, format!("this is {a}"))
                    .hint("both must have the same type"),
            );
            return None;
        }
        Some(Expr::conditional(condition, yes, no))
    }

    /// An expression that must be an integer.
    pub(super) fn int(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        self.assignable(expr, Scalar::Int)
    }

    /// An expression that must be a bool.
    pub(super) fn bool(&mut self, expr: &ast::Expr<'s>) -> Option<Expr> {
        self.assignable(expr, Scalar::Bool)
    }

    /// An expression whose value goes to a place of this type.
    pub(super) fn assignable(&mut self, expr: &ast::Expr<'s>, ty: Scalar) -> Option<Expr> {
        let value = self.expr(expr)?;
        let class = match ty {
            Scalar::Range(..) => Scalar::Int,
            ty => ty,
        };
        if value.ty == class {
            return Some(value);
        }
        let (wanted, found) = (self.describe(Ty::Scalar(ty)), self.describe(Ty::Scalar(value.ty)));
        let diagnostic = Diagnostic::new(expr.span, format!("expected {wanted}, found {found}"));
        let text = self.source.excerpt(expr.span);
        let text = if text.len() > 20 { "x".to_owned() } else { text };
        let hint = match (class, value.ty) {
            (Scalar::Bool, Scalar::Int) => Some(format!("compare it with a number: `{text} != 0`")),
            (Scalar::Int, Scalar::Bool) => Some(format!("make it a number: `{text} ? 1 : 0`")),
            (Scalar::Enum(id), _) => {
                let members = self.enums[id.index()].members.iter().take(20);
                let list = members.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                Some(format!("its values are {list}"))
            }
            (Scalar::Bool, Scalar::Enum(_)) => Some(format!("compare it with a member: `{text} == ...`")),
            (Scalar::Int, Scalar::Enum(_)) => Some("members of enums are no numbers".to_owned()),
            _ => None,
        };
        self.sink.push(diagnostic.hint_if(hint));
        None
    }
}
