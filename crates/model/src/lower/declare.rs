//! Declares all names of a file, and says what procedures need and give.

use std::collections::HashMap;

use super::Checker;
use super::constants::{Constant, order};
use super::names::Entity;
use super::types::{Field, MAX_SCALARS, Record, Size, Ty};
use crate::diagnostic::Diagnostic;
use crate::ir::{Enum, Scalar, Span};
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{Decl, File, Name, Type, TypeKind};

/// What callers of a procedure must know.
pub(super) struct Signature<'s> {
    pub(super) name: Name<'s>,
    /// Names and types of its parameters; `None` is wrong.
    pub(super) params: Vec<(Name<'s>, Option<Scalar>)>,
    pub(super) result: Result,
    pub(super) span: Span,
}

/// What a procedure gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Result {
    None,
    Some(Scalar),
    Poison,
}

impl<'s> Checker<'s, '_> {
    /// Declares all names, and enums as a whole.
    pub(super) fn declare(&mut self, file: &File<'s>) {
        let (mut procs, mut globals, mut buffers, mut lines) = (0, 0, 0, 0);
        let next = |counter: &mut u32| {
            *counter += 1;
            *counter - 1
        };
        for decl in &file.decls {
            match decl {
                Decl::Const { name, .. } => {
                    self.add_name(*name, Entity::Constant(self.constants.len() as u32));
                    self.constants.push(Constant::new(*name));
                }
                Decl::Enum { name, members } => self.declare_enum(*name, members),
                Decl::Record { name, .. } => {
                    self.add_name(*name, Entity::Record(self.types.records.len() as u32));
                    let name = name.text.to_owned();
                    self.types.records.push(Record { name, poison: true, ..Record::default() });
                }
                Decl::Levels { levels, .. } => {
                    for (at, (name, _)) in levels.iter().enumerate() {
                        self.add_name(*name, Entity::Level(at as u32));
                    }
                }
                Decl::Buffer { name, .. } => self.add_name(*name, Entity::Buffer(next(&mut buffers))),
                Decl::Interrupt { name, .. } => self.add_name(*name, Entity::Line(next(&mut lines))),
                Decl::Var { var, .. } => self.add_name(var.name, Entity::Global(next(&mut globals))),
                Decl::Proc(proc) => self.add_name(proc.name, Entity::Proc(next(&mut procs))),
                Decl::Implicit { yields, zields } => {
                    self.implicit.yields |= yields;
                    self.implicit.zields |= zields;
                }
                Decl::Final { .. } => {}
            }
        }
    }

    fn declare_enum(&mut self, name: Name<'s>, members: &[Name<'s>]) {
        let id = self.enums.len() as u32;
        self.add_name(name, Entity::Enum(id));
        for (value, member) in members.iter().enumerate() {
            self.add_name(*member, Entity::Member(id, value as i32));
        }
        if members.is_empty() {
            self.sink.push(
                Diagnostic::new(name.span, format!("the enum `{}` has no members", name.text))
                    .hint("a variable of it could have no value; give it at least one member"),
            );
        }
        let members = members.iter().map(|member| member.text.to_owned()).collect();
        self.enums.push(Enum { name: name.text.to_owned(), members });
    }

    /// Lays out all records.
    pub(super) fn records(&mut self, file: &File<'s>) {
        let records: Vec<(&Name<'s>, &Vec<(Name<'s>, Type<'s>)>)> = file
            .decls
            .iter()
            .filter_map(|decl| match decl {
                Decl::Record { name, fields } => Some((name, fields)),
                _ => None,
            })
            .collect();
        let needs: Vec<Vec<u32>> = records
            .iter()
            .map(|(_, fields)| fields.iter().filter_map(|(_, ty)| self.record_in(ty)).collect())
            .collect();
        let order = order(&needs);
        let mut wrong = vec![false; records.len()];
        for circle in &order.circles {
            let name = records[circle[0] as usize].0;
            self.sink.push(
                Diagnostic::new(name.span, format!("the record `{}` contains itself", name.text)).hint(
                    "records have a fixed size; to point to another one use an index into an array of them",
                ),
            );
            circle.iter().for_each(|&item| wrong[item as usize] = true);
        }
        for &item in &order.order {
            if !wrong[item as usize] {
                let (name, fields) = records[item as usize];
                self.lay_out_record(item, name, fields);
            }
        }
    }

    /// The record that a type consists of.
    fn record_in(&self, ty: &Type<'s>) -> Option<u32> {
        match &ty.kind {
            TypeKind::Name(name) => match self.names.get(name) {
                Some((Entity::Record(id), _)) => Some(id),
                _ => None,
            },
            TypeKind::Array(element, _) => self.record_in(element),
            _ => None,
        }
    }

    fn lay_out_record(&mut self, item: u32, name: &Name<'s>, declared: &[(Name<'s>, Type<'s>)]) {
        let mut by_name: HashMap<String, usize> = HashMap::new();
        let mut fields: Vec<Field> = Vec::new();
        if declared.is_empty() {
            self.sink.push(
                Diagnostic::new(name.span, format!("the record `{}` has no fields", name.text))
                    .hint("give it at least one field"),
            );
        }
        for (field, ty) in declared {
            let ty = self.ty(ty);
            if let Some(&first) = by_name.get(field.text) {
                self.sink.push(
                    Diagnostic::new(field.span, format!("the field `{}` is declared twice", field.text))
                        .related(declared[first].0.span, "the first time")
                        .hint("rename one of the two"),
                );
            }
            by_name.insert(field.text.to_owned(), fields.len());
            fields.push(Field { name: field.text.to_owned(), ty, leaf: 0 });
        }
        let size = self.types.lay_out(&mut fields);
        let poison = !self.size_fits(size, name.span) || fields.iter().any(|field| field.ty == Ty::Poison);
        let record = &mut self.types.records[item as usize];
        (record.fields, record.by_name, record.size, record.poison) = (fields, by_name, size, poison);
    }

    /// Complains about a type that is too large.
    pub(super) fn size_fits(&mut self, size: Size, span: Span) -> bool {
        let diagnostic = if size.scalars > MAX_SCALARS {
            Diagnostic::new(span, format!("this has more than {MAX_SCALARS} values"))
                .hint("models are explored state by state: make arrays smaller")
        } else if size.depth > MAX_DEPTH {
            Diagnostic::new(span, format!("types are nested more than {MAX_DEPTH} levels deep"))
                .hint("make arrays and records flat")
        } else {
            return true;
        };
        self.sink.push(diagnostic);
        false
    }

    /// What all procedures need and give.
    pub(super) fn signatures(&mut self, file: &File<'s>) {
        for decl in &file.decls {
            let Decl::Proc(proc) = decl else { continue };
            let mut params: Vec<(Name<'s>, Option<Scalar>)> = Vec::new();
            for (name, ty) in &proc.params {
                let ty = self.scalar(ty, "a parameter");
                params.push((*name, ty));
            }
            let result = match &proc.result {
                None => Result::None,
                Some(ty) => match self.scalar(ty, "a result") {
                    Some(scalar) => Result::Some(scalar),
                    None => Result::Poison,
                },
            };
            self.signatures.push(Signature { name: proc.name, params, result, span: proc.span });
        }
    }
}

impl Ty {
    /// It has parts.
    pub(super) fn is_aggregate(self) -> bool {
        matches!(self, Ty::Record(_) | Ty::Array(_))
    }
}
