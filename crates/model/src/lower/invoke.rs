//! Checks statements that name procedures and interrupt lines, that return, or that take any value.

use super::Checker;
use super::declare::Result as Gives;
use super::names::Entity;
use super::typed::{Call, Expr, StmtKind};
use super::types::Ty;
use crate::diagnostic::Diagnostic;
use crate::ir::{LineId, ProcId, Scalar, Span};
use crate::syntax::ast::{self, Name};

impl<'s> Checker<'s, '_> {
    /// `f(x);` or `y := f(x);`.
    pub(super) fn call(
        &mut self,
        target: Option<&ast::Expr<'s>>,
        name: Name<'s>,
        args: &[ast::Expr<'s>],
        span: Span,
    ) -> Option<StmtKind> {
        let place = target.map(|target| self.target(target));
        let Some(callee) = self.proc(name) else {
            self.loose(args);
            return None;
        };
        let in_atomic = self.locals.atomic.is_some();
        self.locals.calls.push(Call { callee, span, in_atomic });
        let args = self.arguments(callee, name, args);
        let (gives, declared) = {
            let signature = &self.signatures[callee.index()];
            (signature.result, signature.span)
        };
        let target = match (target, place, gives) {
            (None, ..) => None,
            (Some(target), Some(place), Gives::Some(found)) => {
                let place = place?;
                if class(place.ty) != class(found) {
                    let (wanted, found) =
                        (self.describe(Ty::Scalar(place.ty)), self.describe(Ty::Scalar(found)));
                    self.sink.push(
                        Diagnostic::new(
                            target.span,
                            format!("`{}` gives {found}, and this is {wanted}", name.text),
                        )
                        .related(declared, "declared here")
                        .hint("use a variable of its type"),
                    );
                    return None;
                }
                Some(place)
            }
            (Some(_), _, Gives::None) => {
                self.sink.push(
                    Diagnostic::new(name.span, format!("`{}` has no result", name.text))
                        .related(declared, "declared here")
                        .hint(format!("call it by itself: `{}(...);`, or give it a result", name.text)),
                );
                return None;
            }
            (Some(_), ..) => return None,
        };
        Some(StmtKind::Call { proc: callee.0, args: args?, target })
    }

    /// Arguments that belong to nothing: only their own mistakes are of interest.
    fn loose(&mut self, args: &[ast::Expr<'s>]) {
        for arg in args {
            self.expr(arg);
        }
    }

    fn arguments(&mut self, callee: ProcId, name: Name<'s>, args: &[ast::Expr<'s>]) -> Option<Vec<Expr>> {
        let signature = &self.signatures[callee.index()];
        let params: Vec<Option<Scalar>> = signature.params.iter().map(|&(_, ty)| ty).collect();
        if params.len() != args.len() {
            let span = signature.span;
            let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
            self.sink.push(
                Diagnostic::new(
                    name.span,
                    format!(
                        "`{}` has {}, and {} given",
                        name.text,
                        count(params.len()),
                        match args.len() {
                            1 => "1 is".to_owned(),
                            n => format!("{n} are"),
                        }
                    ),
                )
                .related(span, "declared here"),
            );
            self.loose(args);
            return None;
        }
        let mut checked = Some(Vec::with_capacity(args.len()));
        for (arg, param) in args.iter().zip(params) {
            let value = match param {
                Some(ty) => self.assignable(arg, ty),
                None => {
                    self.expr(arg);
                    None
                }
            };
            checked = match (checked, value) {
                (Some(mut list), Some(value)) => {
                    list.push(value);
                    Some(list)
                }
                _ => None,
            };
        }
        checked
    }

    /// `post f(x) at l;`.
    pub(super) fn post(
        &mut self,
        name: Name<'s>,
        args: &[ast::Expr<'s>],
        level: Option<Name<'s>>,
    ) -> Option<StmtKind> {
        let level = level.map(|level| self.level(level));
        let Some(proc) = self.proc(name) else {
            self.loose(args);
            return None;
        };
        let args = self.arguments(proc, name, args);
        let signature = &self.signatures[proc.index()];
        if matches!(signature.result, Gives::Some(_)) {
            let span = signature.span;
            self.sink.push(
                Diagnostic::new(name.span, format!("`{}` has a result, which nobody would get", name.text))
                    .related(span, "declared here")
                    .hint("post a procedure without a result; it can call this one"),
            );
            return None;
        }
        let level = match level {
            None => None,
            Some(level) => Some(level?),
        };
        Some(StmtKind::Post { proc: proc.0, args: args?, level })
    }

    /// The interrupt line of this name.
    pub(super) fn line(&mut self, name: Name<'s>) -> Option<LineId> {
        match self.names.get(name.text) {
            Some((Entity::Line(id), _)) => Some(LineId(id)),
            Some((entity, _)) => {
                self.other_kind(name, entity, "an interrupt line");
                None
            }
            None => {
                self.unknown(name, "interrupt line", |entity| matches!(entity, Entity::Line(_)));
                None
            }
        }
    }

    /// `return;` or `return e;`.
    pub(super) fn return_stmt(&mut self, value: Option<&ast::Expr<'s>>, span: Span) -> Option<StmtKind> {
        let gives = self.locals.result.unwrap_or(Gives::None);
        match (value, gives) {
            (None, Gives::None) => Some(StmtKind::Return(None)),
            (Some(value), Gives::Some(ty)) => Some(StmtKind::Return(Some(self.assignable(value, ty)?))),
            (Some(value), Gives::None) => {
                self.expr(value);
                self.sink.push(
                    Diagnostic::new(value.span, "this procedure has no result")
                        .hint("write `return;`, or give the procedure a result: `proc f(): int`"),
                );
                None
            }
            (None, Gives::Some(_)) => {
                self.sink.push(
                    Diagnostic::new(span, "this procedure has a result").hint("say which: `return ...;`"),
                );
                None
            }
            (value, Gives::Poison) => {
                value.map(|value| self.expr(value));
                None
            }
        }
    }

    /// `havoc x;`.
    pub(super) fn havoc(&mut self, target: &ast::Expr<'s>) -> Option<StmtKind> {
        let place = self.target(target)?;
        let hint = match place.ty {
            Scalar::Int => {
                let text = self.source.excerpt(target.span);
                format!(
                    "say which values are of interest: `{text} := choose(0, 9);`, or give it a range as its type"
                )
            }
            Scalar::Lock => "use `lock m;` and `unlock m;`".to_owned(),
            ty => {
                let (lo, hi) = ty.range(&self.enums);
                return Some(StmtKind::Havoc(place, lo, hi));
            }
        };
        let found = self.describe(Ty::Scalar(place.ty));
        self.sink.push(Diagnostic::new(target.span, format!("`havoc` of {found}")).hint(hint));
        None
    }
}

/// Values of types of the same class can be exchanged.
fn class(ty: Scalar) -> Scalar {
    match ty {
        Scalar::Range(..) => Scalar::Int,
        ty => ty,
    }
}
