//! Places: from `slots[i].owner` to a variable without structure and an index into it.

use super::names::Entity;
use super::typed::{Expr, Place};
use super::types::Ty;
use super::{Checker, Mode};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, GlobalId, LocalId, Scalar, Span};
use crate::syntax::ast::{self, ExprKind, Name};

/// A variable of the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) ty: Ty,
    /// Its first leaf: a global or a local of the program.
    pub(super) first: u32,
    pub(super) plain: bool,
    /// It counts a `for`.
    pub(super) constant: bool,
    pub(super) span: Span,
}

/// A part of a variable.
pub(super) struct Path {
    variable: Variable,
    is_local: bool,
    pub(super) ty: Ty,
    leaf: u32,
    index: Option<Expr>,
}

impl Path {
    /// The scalar, if it is one.
    pub(super) fn place(self) -> Option<Place> {
        let Ty::Scalar(ty) = self.ty else { return None };
        let id = self.variable.first + self.leaf;
        let place = match self.is_local {
            true => Place::local(LocalId(id), ty),
            false => Place::global(GlobalId(id), ty, self.variable.plain),
        };
        Some(place.at(self.index))
    }
}

impl<'s> Checker<'s, '_> {
    /// A place that is assigned to.
    pub(super) fn target(&mut self, expr: &ast::Expr<'s>) -> Option<Place> {
        let root = root(expr);
        if let ExprKind::Name(text) = root.kind
            && !self.locals.by_name.contains_key(text)
            && let Some((entity @ (Entity::Constant(_) | Entity::Member(..)), _)) = self.names.get(text)
        {
            self.other_kind(Name { text, span: root.span }, entity, "a variable");
            return None;
        }
        if !matches!(root.kind, ExprKind::Name(_)) {
            if !matches!(root.kind, ExprKind::Error) {
                self.sink.push(Diagnostic::new(expr.span, "this is no variable").hint(
                    "a variable, an element `a[i]` of an array or a field `r.f` of a record can stand here",
                ));
            }
            return None;
        }
        let path = self.path(expr)?;
        if path.variable.constant {
            self.sink.push(
                Diagnostic::new(expr.span, "the variable of a `for` cannot be changed")
                    .related(path.variable.span, "it counts this loop")
                    .hint("use a `while` loop with a variable of your own"),
            );
            return None;
        }
        if path.ty.is_aggregate() {
            self.aggregate(path.ty, expr.span, "be changed as a whole");
            return None;
        }
        path.place()
    }

    pub(super) fn aggregate(&mut self, ty: Ty, span: Span, what: &str) {
        let (found, hint) = match ty {
            Ty::Record(_) => (self.describe(ty), "name a field of it: `r.f`"),
            _ => ("an array".to_owned(), "name an element of it: `a[i]`"),
        };
        self.sink.push(Diagnostic::new(span, format!("{found} cannot {what}")).hint(hint));
    }

    /// What a name with indices and fields stands for.
    pub(super) fn path(&mut self, expr: &ast::Expr<'s>) -> Option<Path> {
        match &expr.kind {
            ExprKind::Name(text) => self.variable(Name { text, span: expr.span }),
            ExprKind::Index(inner, index) => {
                let path = self.path(inner);
                let index = self.int(index);
                let (path, index) = (path?, index?);
                self.element(path, index, inner.span)
            }
            ExprKind::Field(inner, field) => {
                let path = self.path(inner)?;
                self.field(path, *field, inner.span)
            }
            ExprKind::Error => None,
            _ => {
                self.sink.push(
                    Diagnostic::new(expr.span, "this is no variable")
                        .hint("only variables have elements and fields"),
                );
                None
            }
        }
    }

    fn variable(&mut self, name: Name<'s>) -> Option<Path> {
        let (variable, is_local) = match self.locals.by_name.get(name.text) {
            Some(&variable) => (variable, true),
            None => match self.names.get(name.text) {
                Some((Entity::Global(id), _)) => match self.globals.get(id as usize) {
                    Some(&variable) => (variable, false),
                    // Constants come before globals.
                    None => return self.not_constant(name.span),
                },
                Some((entity, _)) => {
                    self.other_kind(name, entity, "a variable");
                    return None;
                }
                None => {
                    let is_constant = self.mode == Mode::Constant;
                    let fits = |entity| match entity {
                        Entity::Constant(_) | Entity::Member(..) => true,
                        Entity::Global(_) => !is_constant,
                        _ => false,
                    };
                    self.unknown(name, if is_constant { "constant" } else { "variable" }, fits);
                    return None;
                }
            },
        };
        if variable.ty == Ty::Poison {
            return None;
        }
        if self.mode == Mode::Constant {
            return self.not_constant(name.span);
        }
        Some(Path { variable, is_local, ty: variable.ty, leaf: 0, index: None })
    }

    fn not_constant<T>(&mut self, span: Span) -> Option<T> {
        self.sink.push(
            Diagnostic::new(span, "this must be a constant, and is a variable")
                .hint("numbers, constants and operators can stand here"),
        );
        None
    }

    fn element(&mut self, path: Path, index: Expr, span: Span) -> Option<Path> {
        let Ty::Array(id) = path.ty else {
            let found = self.describe(path.ty);
            self.sink.push(
                Diagnostic::new(span, format!("this is {found}, which has no elements"))
                    .hint("only arrays have elements: `var a: [int; 4];`"),
            );
            return None;
        };
        let array = &self.types.arrays[id as usize];
        let (len, element) = (array.len, array.element);
        let index = index.bound(len);
        let index = match path.index {
            None => index,
            Some(outer) => {
                let whole = |op, a, b| Expr::binary(op, a, b, false).expect("only strict folding fails");
                whole(Binary::Add, whole(Binary::Multiply, outer, Expr::int(len as i32)), index)
            }
        };
        Some(Path { ty: element, index: Some(index), ..path })
    }

    fn field(&mut self, path: Path, field: Name<'s>, span: Span) -> Option<Path> {
        let Ty::Record(id) = path.ty else {
            let found = self.describe(path.ty);
            self.sink.push(
                Diagnostic::new(span, format!("this is {found}, which has no fields"))
                    .hint("only records have fields"),
            );
            return None;
        };
        let record = &self.types.records[id as usize];
        if let Some(&at) = record.by_name.get(field.text) {
            let found = &record.fields[at];
            let leaf = path.leaf + found.leaf;
            return match found.ty {
                Ty::Poison => None,
                ty => Some(Path { ty, leaf, ..path }),
            };
        }
        let names: Vec<&str> = record.fields.iter().map(|field| field.name.as_str()).collect();
        let list = names.iter().take(50).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let message = format!("the record `{}` has no field `{}`", record.name, field.text);
        let hint = match super::names::nearest(field.text, names.into_iter()) {
            Some(other) => format!("did you mean `{other}`?"),
            None => format!("its fields are {list}"),
        };
        self.sink.push(Diagnostic::new(field.span, message).hint(hint));
        None
    }

    /// The lock of a statement.
    pub(super) fn lock(&mut self, expr: &ast::Expr<'s>) -> Option<Place> {
        let place = self.target(expr)?;
        if place.ty == Scalar::Lock {
            return Some(place);
        }
        let found = self.describe(Ty::Scalar(place.ty));
        self.sink.push(
            Diagnostic::new(expr.span, format!("expected a lock, found {found}"))
                .hint("locks are globals: `var m: lock;`"),
        );
        None
    }
}

/// The expression that indices and fields are taken of.
fn root<'e, 's>(mut expr: &'e ast::Expr<'s>) -> &'e ast::Expr<'s> {
    while let ExprKind::Index(inner, _) | ExprKind::Field(inner, _) = &expr.kind {
        expr = inner;
    }
    expr
}
