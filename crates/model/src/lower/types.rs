//! Types of the source, and how variables of them are laid out: one scalar or map for each field.

use std::collections::HashMap;

use super::names::Entity;
use super::{Checker, Mode};
use crate::diagnostic::Diagnostic;
use crate::ir::{EnumId, Scalar, Span};
use crate::syntax::ast::{Expr, Name, Type, TypeKind};

/// How many scalars all variables of a program, or of a procedure, may hold together.
pub(super) const MAX_SCALARS: u64 = 1 << 20;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Scalar(Scalar),
    /// By its place in [`Types::records`].
    Record(u32),
    /// By its place in [`Types::arrays`].
    Array(u32),
    /// It is wrong, which has been said.
    Poison,
}

#[derive(Default)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    /// Their places, by name.
    pub(super) by_name: HashMap<String, usize>,
    pub(super) size: Size,
    /// It is wrong, or not known yet.
    pub(super) poison: bool,
}

pub(super) struct Field {
    pub(super) name: String,
    pub(super) ty: Ty,
    /// How many leaves the fields before it have.
    pub(super) leaf: u32,
}

pub(super) struct Array {
    pub(super) element: Ty,
    pub(super) len: u32,
    pub(super) size: Size,
}

/// How large a type is. What is larger than [`MAX_SCALARS`] is refused where it is used.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    /// Variables without structure: one for each field of each record in it.
    pub(super) leaves: u64,
    pub(super) scalars: u64,
    /// How many types lie within each other.
    pub(super) depth: u32,
    pub(super) has_lock: bool,
}

/// The types of a program that have parts.
#[derive(Default)]
pub(super) struct Types {
    pub(super) records: Vec<Record>,
    pub(super) arrays: Vec<Array>,
}

/// A variable without structure, a part of one of the source.
pub(super) struct Leaf {
    /// What is put behind the name.
    pub(super) suffix: String,
    pub(super) ty: Scalar,
    pub(super) len: Option<u32>,
}

impl Types {
    pub(super) fn size(&self, ty: Ty) -> Size {
        match ty {
            Ty::Scalar(scalar) => Size { leaves: 1, scalars: 1, depth: 1, has_lock: scalar == Scalar::Lock },
            Ty::Record(id) => self.records[id as usize].size,
            Ty::Array(id) => self.arrays[id as usize].size,
            Ty::Poison => Size::default(),
        }
    }

    pub(super) fn array(&mut self, element: Ty, len: u32) -> Ty {
        let inner = self.size(element);
        let scalars = inner.scalars.saturating_mul(u64::from(len));
        let size = Size { scalars, depth: inner.depth + 1, ..inner };
        self.arrays.push(Array { element, len, size });
        Ty::Array(self.arrays.len() as u32 - 1)
    }

    /// The size of a record with these fields; sets their leaves.
    pub(super) fn lay_out(&self, fields: &mut [Field]) -> Size {
        let mut total = Size::default();
        for field in fields {
            let size = self.size(field.ty);
            field.leaf = total.leaves.min(u64::from(u32::MAX)) as u32;
            total.leaves = total.leaves.saturating_add(size.leaves);
            total.scalars = total.scalars.saturating_add(size.scalars);
            total.depth = total.depth.max(size.depth + 1);
            total.has_lock |= size.has_lock;
        }
        total
    }

    /// The leaves of a type that is not too large.
    pub(super) fn leaves(&self, ty: Ty) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.add_leaves(ty, String::new(), None, &mut leaves);
        leaves
    }

    fn add_leaves(&self, ty: Ty, suffix: String, len: Option<u32>, leaves: &mut Vec<Leaf>) {
        match ty {
            Ty::Scalar(ty) => leaves.push(Leaf { suffix, ty, len }),
            Ty::Record(id) => {
                for field in &self.records[id as usize].fields {
                    self.add_leaves(field.ty, format!("{suffix}.{}", field.name), len, leaves);
                }
            }
            Ty::Array(id) => {
                let array = &self.arrays[id as usize];
                self.add_leaves(array.element, suffix, Some(len.unwrap_or(1) * array.len), leaves);
            }
            Ty::Poison => {}
        }
    }
}

impl<'s> Checker<'s, '_> {
    /// A type in messages.
    pub(super) fn describe(&self, ty: Ty) -> String {
        match ty {
            Ty::Scalar(Scalar::Bool) => "`bool`".to_owned(),
            Ty::Scalar(Scalar::Int) => "`int`".to_owned(),
            Ty::Scalar(Scalar::Range(lo, hi)) => format!("`{lo}..{hi}`"),
            Ty::Scalar(Scalar::Enum(id)) => format!("`{}`", self.enums[id.index()].name),
            Ty::Scalar(Scalar::Lock) => "`lock`".to_owned(),
            Ty::Record(id) => format!("the record `{}`", self.types.records[id as usize].name),
            Ty::Array(_) => "an array".to_owned(),
            Ty::Poison => "unknown".to_owned(),
        }
    }

    /// The type that is written there.
    pub(super) fn ty(&mut self, ty: &Type<'s>) -> Ty {
        match &ty.kind {
            TypeKind::Bool => Ty::Scalar(Scalar::Bool),
            TypeKind::Int => Ty::Scalar(Scalar::Int),
            TypeKind::Lock => Ty::Scalar(Scalar::Lock),
            TypeKind::Error => Ty::Poison,
            TypeKind::Range(bounds) => self.range(&bounds.0, &bounds.1, ty.span),
            TypeKind::Name(text) => self.named_type(Name { text, span: ty.span }),
            TypeKind::Array(element, len) => {
                let element = self.ty(element);
                let Some(len) = self.length(len) else { return Ty::Poison };
                match element {
                    Ty::Poison => Ty::Poison,
                    _ => self.types.array(element, len),
                }
            }
        }
    }

    /// The scalar type that is written there; `what` is what has it.
    pub(super) fn scalar(&mut self, ty: &Type<'s>, what: &str) -> Option<Scalar> {
        match self.ty(ty) {
            Ty::Poison => None,
            Ty::Scalar(scalar) if scalar != Scalar::Lock => Some(scalar),
            other => {
                let found = self.describe(other);
                self.sink
                    .push(Diagnostic::new(ty.span, format!("{what} cannot be {found}")).hint(
                        "it must be a `bool`, an `int`, a range or an enum; use a global for the rest",
                    ));
                None
            }
        }
    }

    fn range(&mut self, lo: &Expr<'s>, hi: &Expr<'s>, span: Span) -> Ty {
        let (lo, hi) = (self.constant_int(lo), self.constant_int(hi));
        let (Some(lo), Some(hi)) = (lo, hi) else { return Ty::Poison };
        if lo > hi {
            self.sink.push(
                Diagnostic::new(span, format!("the range {lo}..{hi} is empty"))
                    .hint("both ends belong to a range, and the smaller one comes first"),
            );
            return Ty::Poison;
        }
        Ty::Scalar(Scalar::Range(lo, hi))
    }

    fn length(&mut self, len: &Expr<'s>) -> Option<u32> {
        let value = self.constant_int(len)?;
        if value >= 1 && value as u64 <= MAX_SCALARS {
            return Some(value as u32);
        }
        self.sink.push(
            Diagnostic::new(len.span, format!("an array cannot have {value} elements"))
                .hint(format!("it has at least 1 and at most {MAX_SCALARS}")),
        );
        None
    }

    fn named_type(&mut self, name: Name<'s>) -> Ty {
        match self.names.get(name.text) {
            Some((Entity::Enum(id), _)) => Ty::Scalar(Scalar::Enum(EnumId(id))),
            Some((Entity::Record(id), _)) if self.types.records[id as usize].poison => Ty::Poison,
            Some((Entity::Record(id), _)) => Ty::Record(id),
            Some((entity, _)) => {
                self.other_kind(name, entity, "a type");
                Ty::Poison
            }
            None => {
                let fits = |entity| matches!(entity, Entity::Enum(_) | Entity::Record(_));
                self.unknown(name, "type", fits);
                Ty::Poison
            }
        }
    }

    /// The value of an expression that must be a constant integer.
    pub(super) fn constant_int(&mut self, expr: &Expr<'s>) -> Option<i32> {
        let before = std::mem::replace(&mut self.mode, Mode::Constant);
        let value = self.int(expr).and_then(|value| value.constant());
        self.mode = before;
        value
    }
}
