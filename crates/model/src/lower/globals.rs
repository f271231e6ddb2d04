//! Globals with their initial values; levels, buffers and interrupt lines; conditions of terminated states.

use super::declare::Result as Gives;
use super::names::{Entity, nearest};
use super::place::Variable;
use super::typed::Final;
use super::types::{MAX_SCALARS, Ty};
use super::{Checker, Mode};
use crate::diagnostic::Diagnostic;
use crate::ir::{self, BufferId, Enum, Level, LevelId, ProcId, Scalar, Span};
use crate::syntax::ast::{Decl, File, Init, Name, Var};
use crate::syntax::format::one_line;

/// The value of a variable that is given none.
pub(super) fn default_value(ty: Scalar, enums: &[Enum]) -> i32 {
    let (lo, hi) = ty.range(enums);
    if lo <= 0 && 0 <= hi { 0 } else { lo }
}

impl<'s> Checker<'s, '_> {
    /// Lays out the globals and computes their initial values.
    pub(super) fn globals(&mut self, file: &File<'s>) {
        self.mode = Mode::Constant;
        let mut total = 0_u64;
        for decl in &file.decls {
            let Decl::Var { var, plain } = decl else { continue };
            let mut ty = self.ty(&var.ty);
            let size = self.types.size(ty);
            total = total.saturating_add(size.scalars);
            if !self.size_fits(size, var.name.span) {
                (ty, total) = (Ty::Poison, 0);
            } else if total > MAX_SCALARS {
                self.sink.push(
                    Diagnostic::new(
                        var.name.span,
                        format!("the globals have more than {MAX_SCALARS} values"),
                    )
                    .hint("models are explored state by state: make arrays smaller"),
                );
                (ty, total) = (Ty::Poison, 0);
            }
            if *plain && size.has_lock {
                self.sink.push(
                    Diagnostic::new(var.name.span, "a lock cannot be `plain`")
                        .hint("locks are there to synchronise; leave `plain` out"),
                );
            }
            let first = self.vars.len() as u32;
            self.globals.push(Variable { ty, first, plain: *plain, constant: false, span: var.name.span });
            self.add_global_leaves(var, ty, *plain);
            self.initial_values(var, ty, first);
        }
    }

    fn add_global_leaves(&mut self, var: &Var<'s>, ty: Ty, plain: bool) {
        for leaf in self.types.leaves(ty) {
            let value = default_value(leaf.ty, &self.enums);
            self.vars.push(ir::Var {
                name: format!("{}{}", var.name.text, leaf.suffix),
                ty: leaf.ty,
                len: leaf.len,
                init: vec![value; leaf.len.unwrap_or(1) as usize],
                plain,
                span: var.name.span,
            });
        }
    }

    fn initial_values(&mut self, var: &Var<'s>, ty: Ty, first: u32) {
        let Some(init) = &var.init else { return };
        let mut values = Vec::new();
        if self.init_values(init, ty, &mut values).is_some() && !values.is_empty() {
            self.vars[first as usize].init = values;
        }
    }

    /// The values of an initialiser, in their order; `None` if something is wrong.
    fn init_values(&mut self, init: &Init<'s>, ty: Ty, values: &mut Vec<i32>) -> Option<()> {
        match (init, ty) {
            (Init::One(expr), _) => {
                let scalar = self.element_of(ty, expr.span);
                let Some(scalar) = scalar else {
                    self.expr(expr);
                    return None;
                };
                let value = self.assignable(expr, scalar)?.constant()?;
                let (lo, hi) = scalar.range(&self.enums);
                if value < lo || hi < value {
                    self.sink.push(
                        Diagnostic::new(expr.span, format!("{value} is not in the range {lo}..{hi}"))
                            .hint("give it a value of its type"),
                    );
                    return None;
                }
                let count = self.types.size(ty).scalars as usize;
                values.resize(values.len() + count, value);
                Some(())
            }
            (Init::List(items, span), _) => {
                let element = self.list_elements(ty, items.len(), *span);
                let mut good = element.map(|_| ());
                for item in items {
                    good = self.init_values(item, element.unwrap_or(Ty::Poison), values).and(good);
                }
                good
            }
        }
    }

    /// The scalar that all of a variable consists of; complains about records and locks.
    pub(super) fn element_of(&mut self, ty: Ty, span: Span) -> Option<Scalar> {
        let mut inner = ty;
        while let Ty::Array(id) = inner {
            inner = self.types.arrays[id as usize].element;
        }
        let hint = match inner {
            Ty::Scalar(Scalar::Lock) => "locks are free at first",
            Ty::Scalar(scalar) => return Some(scalar),
            Ty::Record(_) => {
                "records begin with the default values of their fields; assign other values to the fields"
            }
            Ty::Array(_) | Ty::Poison => return None,
        };
        let found = self.describe(inner);
        self.sink.push(Diagnostic::new(span, format!("{found} has no initial value")).hint(hint));
        None
    }

    /// The type of the elements that a list of `count` gives.
    pub(super) fn list_elements(&mut self, ty: Ty, count: usize, span: Span) -> Option<Ty> {
        match ty {
            Ty::Array(id) => {
                let (element, len) = {
                    let array = &self.types.arrays[id as usize];
                    (array.element, array.len)
                };
                if count == len as usize {
                    return Some(element);
                }
                self.sink.push(
                    Diagnostic::new(span, format!("the array has {len} elements, and this list {count}"))
                        .hint("give a value for each, or one value without brackets for all"),
                );
            }
            Ty::Poison => {}
            _ => {
                let found = self.describe(ty);
                self.sink.push(
                    Diagnostic::new(span, format!("a list cannot be the value of {found}"))
                        .hint("lists give the elements of arrays"),
                );
            }
        }
        None
    }

    /// Levels, buffers and interrupt lines.
    pub(super) fn surroundings(&mut self, file: &File<'s>) {
        let mut levels: Option<Span> = None;
        for decl in &file.decls {
            let Decl::Levels { levels: names, span } = decl else { continue };
            if let Some(first) = levels {
                self.sink.push(
                    Diagnostic::new(*span, "levels are declared twice")
                        .related(first, "the first time")
                        .hint("say the order of all levels in one declaration"),
                );
                continue;
            }
            levels = Some(*span);
            let level =
                |(name, serial): &(Name<'s>, bool)| Level { name: name.text.to_owned(), serial: *serial };
            self.levels = names.iter().map(level).collect();
        }
        if levels.is_none() {
            self.levels.push(Level { name: "base".to_owned(), serial: false });
        }
        for decl in &file.decls {
            let Decl::Buffer { name, main } = decl else { continue };
            let main = self.first_proc(*main, "the procedure that a buffer runs").unwrap_or(ProcId(0));
            self.buffers.push(ir::Buffer { name: name.text.to_owned(), main });
        }
        if self.buffers.is_empty() {
            self.default_buffer();
        }
        for decl in &file.decls {
            let Decl::Interrupt { name, buffer, handler, level } = decl else { continue };
            let buffer = self.buffer(*buffer);
            let handler = self.first_proc(*handler, "the handler of an interrupt");
            let level = self.level(*level);
            if let (Some(buffer), Some(handler), Some(level)) = (buffer, handler, level) {
                self.lines.push(ir::Line { name: name.text.to_owned(), buffer, handler, level });
            }
        }
    }

    fn default_buffer(&mut self) {
        let main = match self.names.get("main") {
            Some((Entity::Proc(id), span)) => {
                let name = Name { text: "main", span };
                self.without_parameters(ProcId(id), name, "the procedure that a buffer runs");
                ProcId(id)
            }
            Some((Entity::Twice, _)) => ProcId(0),
            _ if self.lost => ProcId(0),
            _ => {
                self.sink.push(Diagnostic::nowhere("there is no procedure `main`").hint(
                    "declare `proc main() { ... }`, or say what is to run: `buffer NAME runs PROCEDURE;`",
                ));
                ProcId(0)
            }
        };
        self.buffers.push(ir::Buffer { name: "main".to_owned(), main });
    }

    /// A procedure that tasks begin with, without parameters or result.
    fn first_proc(&mut self, name: Name<'s>, what: &str) -> Option<ProcId> {
        let proc = self.proc(name)?;
        self.without_parameters(proc, name, what);
        Some(proc)
    }

    fn without_parameters(&mut self, proc: ProcId, name: Name<'_>, what: &str) {
        let signature = &self.signatures[proc.index()];
        let wrong = match (signature.params.is_empty(), signature.result) {
            (false, _) => "parameters",
            (_, Gives::Some(_)) => "result",
            _ => return,
        };
        let span = signature.span;
        let mut diagnostic = Diagnostic::new(name.span, format!("{what} can have no {wrong}"));
        if name.span != signature.name.span {
            diagnostic = diagnostic.related(span, "it is declared here");
        }
        self.sink.push(diagnostic.hint("use another procedure, which calls this one"));
    }

    /// The procedure of this name.
    pub(super) fn proc(&mut self, name: Name<'_>) -> Option<ProcId> {
        match self.names.get(name.text) {
            Some((Entity::Proc(id), _)) => Some(ProcId(id)),
            Some((entity, _)) => {
                self.other_kind(name, entity, "a procedure");
                None
            }
            None => {
                self.unknown(name, "procedure", |entity| matches!(entity, Entity::Proc(_)));
                None
            }
        }
    }

    fn buffer(&mut self, name: Name<'s>) -> Option<BufferId> {
        let found = match self.names.get(name.text) {
            Some((Entity::Buffer(id), _)) => Some(id as usize),
            Some((Entity::Twice, _)) => return None,
            _ => self.buffers.iter().take(1).position(|buffer| buffer.name == name.text),
        };
        if found.is_none() && !self.lost {
            let names: Vec<&str> = self.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
            let hint = listed("buffers", name.text, &names);
            self.sink
                .push(Diagnostic::new(name.span, format!("there is no buffer `{}`", name.text)).hint(hint));
        }
        found.map(|at| BufferId(at as u32))
    }

    /// The level of this name.
    pub(super) fn level(&mut self, name: Name<'_>) -> Option<LevelId> {
        let found = match self.names.get(name.text) {
            Some((Entity::Level(id), _)) if (id as usize) < self.levels.len() => Some(id as usize),
            Some((Entity::Twice, _)) => return None,
            _ => self.levels.iter().take(1).position(|level| level.name == name.text),
        };
        if found.is_none() && !self.lost {
            let names: Vec<&str> = self.levels.iter().map(|level| level.name.as_str()).collect();
            let hint = listed("levels", name.text, &names);
            self.sink
                .push(Diagnostic::new(name.span, format!("there is no level `{}`", name.text)).hint(hint));
        }
        found.map(|at| LevelId(at as u32))
    }

    /// A part of the source in a message, on one line and not too long; how it is laid out in the source makes no difference.
    pub(super) fn quote(&self, span: Span) -> String {
        one_line(&self.source.text[span.start as usize..span.end as usize], 200)
    }

    /// What must hold in every terminated state.
    pub(super) fn finals(&mut self, file: &File<'s>) -> Vec<Final> {
        self.mode = Mode::Final;
        let mut finals = Vec::new();
        for decl in &file.decls {
            let Decl::Final { condition, message, span } = decl else { continue };
            let Some(checked) = self.bool(condition) else { continue };
            let message = message
                .clone()
                .unwrap_or_else(|| format!("final condition does not hold: {}", self.quote(condition.span)));
            finals.push(Final { condition: checked, message, span: *span });
        }
        finals
    }
}

/// Names all that there are.
fn listed(what: &str, name: &str, names: &[&str]) -> String {
    let list = names.iter().take(50).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match nearest(name, names.iter().copied()) {
        Some(other) => format!("did you mean `{other}`? The {what} are {list}"),
        None => format!("the {what} are {list}"),
    }
}
