//! Locals: what their names stand for, and what they are set to where they are declared.

use std::collections::HashMap;

use super::Checker;
use super::declare::Result as Gives;
use super::globals::default_value;
use super::names::Entity;
use super::place::Variable;
use super::typed::{Call, Expr, Init, Place, StmtKind};
use super::types::{MAX_SCALARS, Ty};
use crate::diagnostic::Diagnostic;
use crate::ir::{LocalId, Span, Var};
use crate::syntax::ast::{self, Name};

/// The locals of the procedure that is being checked.
#[derive(Default)]
pub(super) struct Locals<'s> {
    /// Those that can be seen.
    pub(super) by_name: HashMap<&'s str, Variable>,
    /// Those of the blocks that are open, and what the names stood for before.
    pub(super) open: Vec<(&'s str, Option<Variable>)>,
    /// How many there have been of each name.
    pub(super) counts: HashMap<&'s str, u32>,
    pub(super) vars: Vec<Var>,
    pub(super) scalars: u64,
    pub(super) result: Option<Gives>,
    pub(super) calls: Vec<Call>,
    pub(super) yields: Option<(Span, &'static str)>,
    /// The `atomic` that encloses the statement.
    pub(super) atomic: Option<Span>,
}

impl<'s> Locals<'s> {
    pub(super) fn by_name_in_order(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.open.iter().map(|&(name, _)| name)
    }
}

impl<'s> Checker<'s, '_> {
    pub(super) fn close_to(&mut self, open: usize) {
        while self.locals.open.len() > open {
            let (name, before) = self.locals.open.pop().expect("there is one");
            match before {
                Some(variable) => self.locals.by_name.insert(name, variable),
                None => self.locals.by_name.remove(name),
            };
        }
    }

    /// Declares a local from here to the end of the block.
    pub(super) fn add_local(&mut self, name: Name<'s>, ty: Ty, constant: bool) -> Variable {
        let outer = self.locals.by_name.get(name.text).map(|variable| variable.span);
        let outer = outer.or_else(|| self.names.get(name.text).map(|(_, span)| span));
        if let Some(span) = outer {
            let what = match self.names.get(name.text) {
                Some((Entity::Twice, _)) => format!("there is a declaration of `{}` already", name.text),
                Some((entity, _)) => format!("`{}` is {} already", name.text, entity.describe()),
                None => format!("there is a variable `{}` already", name.text),
            };
            self.sink.push(
                Diagnostic::new(name.span, what)
                    .related(span, "declared here")
                    .hint("a local cannot hide another name; choose a new one"),
            );
        }
        let count = self.locals.counts.entry(name.text).or_insert(0);
        *count += 1;
        let unique = match *count {
            1 => name.text.to_owned(),
            count => format!("{}#{count}", name.text),
        };
        let ty = self.local_type(name, ty);
        let first = self.locals.vars.len() as u32;
        for leaf in self.types.leaves(ty) {
            let value = default_value(leaf.ty, &self.enums);
            self.locals.vars.push(Var {
                name: format!("{unique}{}", leaf.suffix),
                ty: leaf.ty,
                len: leaf.len,
                init: vec![value; leaf.len.unwrap_or(1) as usize],
                plain: false,
                span: name.span,
            });
        }
        let variable = Variable { ty, first, plain: false, constant, span: name.span };
        let before = self.locals.by_name.insert(name.text, variable);
        self.locals.open.push((name.text, before));
        variable
    }

    /// The type, or none if there is no room for it.
    fn local_type(&mut self, name: Name<'s>, ty: Ty) -> Ty {
        let size = self.types.size(ty);
        if !self.size_fits(size, name.span) {
            return Ty::Poison;
        }
        self.locals.scalars = self.locals.scalars.saturating_add(size.scalars);
        if self.locals.scalars <= MAX_SCALARS {
            return ty;
        }
        self.locals.scalars = 0;
        self.sink.push(
            Diagnostic::new(name.span, format!("this procedure has more than {MAX_SCALARS} local values"))
                .hint("models are explored state by state: make arrays smaller"),
        );
        Ty::Poison
    }

    /// The declaration of a local.
    pub(super) fn local(&mut self, var: &ast::Var<'s>) -> Option<StmtKind> {
        let ty = self.ty(&var.ty);
        let size = self.types.size(ty);
        if size.has_lock {
            self.sink.push(
                Diagnostic::new(var.ty.span, "a lock cannot be local")
                    .hint("declare it outside of the procedures, so that other tasks can see it"),
            );
        }
        // The initial value cannot see the variable itself.
        let mut runs = Vec::new();
        let good = match &var.init {
            Some(init) if !size.has_lock && size.scalars <= MAX_SCALARS => self.runs(init, ty, &mut runs),
            _ => Some(()),
        };
        let variable = self.add_local(var.name, ty, false);
        good?;
        if variable.ty == Ty::Poison {
            return None;
        }
        Some(StmtKind::Init(match &var.init {
            Some(_) => self.given_values(variable, runs),
            None => self.default_values(variable),
        }))
    }

    /// The values of an initialiser, in their order: each with how many scalars have it.
    fn runs(&mut self, init: &ast::Init<'s>, ty: Ty, runs: &mut Vec<(u32, Expr)>) -> Option<()> {
        match init {
            ast::Init::One(expr) => {
                let Some(scalar) = self.element_of(ty, expr.span) else {
                    self.expr(expr);
                    return None;
                };
                let value = self.assignable(expr, scalar)?;
                runs.push((self.types.size(ty).scalars as u32, value));
                Some(())
            }
            ast::Init::List(items, span) => {
                let element = self.list_elements(ty, items.len(), *span);
                let mut good = element.map(|_| ());
                for item in items {
                    good = self.runs(item, element.unwrap_or(Ty::Poison), runs).and(good);
                }
                good
            }
        }
    }

    fn given_values(&self, variable: Variable, runs: Vec<(u32, Expr)>) -> Vec<Init> {
        let id = LocalId(variable.first);
        let ty = self.locals.vars[id.index()].ty;
        let is_map = self.locals.vars[id.index()].len.is_some();
        let mut inits = Vec::with_capacity(runs.len());
        let mut at = 0;
        for (count, value) in runs {
            inits.push(match (is_map, count) {
                (false, _) => Init::One(Place::local(id, ty), value),
                (true, 1) => Init::One(Place::local(id, ty).at(Some(Expr::int(at as i32))), value),
                (true, _) => Init::Fill(id, at..at + count, value),
            });
            at += count;
        }
        inits
    }

    fn default_values(&self, variable: Variable) -> Vec<Init> {
        let leaves = &self.locals.vars[variable.first as usize..];
        let init = |(at, leaf): (usize, &Var)| {
            let (id, value) = (LocalId(variable.first + at as u32), leaf.init[0]);
            let class = Expr::read(Place::local(id, leaf.ty)).ty;
            match leaf.len {
                None => Init::One(Place::local(id, leaf.ty), Expr::value(value, class)),
                Some(len) => Init::Fill(id, 0..len, Expr::value(value, class)),
            }
        };
        leaves.iter().enumerate().map(init).collect()
    }
}
