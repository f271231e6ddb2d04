//! What names stand for, and what could be meant by those that stand for nothing.

use std::collections::HashMap;

use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::ir::Span;
use crate::syntax::TYPES;
use crate::syntax::ast::Name;

/// What a name stands for: the number is its place in the list of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Constant(u32),
    Enum(u32),
    /// A member: its enum and its value.
    Member(u32, i32),
    Record(u32),
    Level(u32),
    Buffer(u32),
    Line(u32),
    Global(u32),
    Proc(u32),
    /// It is declared twice, which has been said: nothing more is known.
    Twice,
}

impl Entity {
    /// With its article, in messages.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Entity::Constant(_) => "a constant",
            Entity::Enum(_) => "an enum",
            Entity::Member(..) => "a member of an enum",
            Entity::Record(_) => "a record",
            Entity::Level(_) => "a level",
            Entity::Buffer(_) => "a buffer",
            Entity::Line(_) => "an interrupt line",
            Entity::Global(_) => "a variable",
            Entity::Proc(_) => "a procedure",
            Entity::Twice => "declared twice",
        }
    }
}

/// The names of a file.
#[derive(Default)]
pub(super) struct Names<'s> {
    by_name: HashMap<&'s str, (Entity, Span)>,
    /// In the order of the text, for suggestions.
    order: Vec<(&'s str, Entity)>,
}

/// So many names are compared with an unknown one at most; more are not worth the time.
const COMPARED: usize = 10_000;

impl<'s> Names<'s> {
    pub(super) fn get(&self, name: &str) -> Option<(Entity, Span)> {
        self.by_name.get(name).copied()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'s str, Entity)> + '_ {
        self.order.iter().copied()
    }

    /// Declares a name; if it is taken: the place where.
    pub(super) fn add(&mut self, name: Name<'s>, entity: Entity) -> Result<(), Span> {
        if let Some((entity, span)) = self.by_name.get_mut(name.text) {
            *entity = Entity::Twice;
            return Err(*span);
        }
        self.by_name.insert(name.text, (entity, name.span));
        self.order.push((name.text, entity));
        Ok(())
    }
}

/// The name among those given that `name` is most likely a misspelling of.
pub(super) fn nearest<'n>(name: &str, among: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Of short names every letter counts.
    let limit = name.len().div_ceil(3).saturating_sub(usize::from(name.len() < 3));
    let mut best: Option<(usize, &str)> = None;
    for candidate in among.take(COMPARED) {
        if candidate.len().abs_diff(name.len()) > limit || candidate == name {
            continue;
        }
        let distance = if candidate.eq_ignore_ascii_case(name) { 0 } else { edits(name, candidate) };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// How many letters must be put in, left out, exchanged, or swapped with their neighbours.
fn edits(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > 60 || b.len() > 60 {
        return usize::MAX;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

impl<'s> Checker<'s, '_> {
    /// Declares a name that must be new.
    pub(super) fn add_name(&mut self, name: Name<'s>, entity: Entity) {
        if let Err(first) = self.names.add(name, entity) {
            self.sink.push(
                Diagnostic::new(name.span, format!("`{}` is declared twice", name.text))
                    .label("the second time")
                    .related(first, "the first time")
                    .hint("all declarations of a file share one name space; rename one of the two"),
            );
        }
    }

    /// Complains about a name that stands for nothing. `what` is what is looked for, and `fits` says which names could be it.
    pub(super) fn unknown(&mut self, name: Name<'_>, what: &str, fits: impl Fn(Entity) -> bool) {
        if self.lost {
            return;
        }
        let mut diagnostic = Diagnostic::new(name.span, format!("there is no {what} `{}`", name.text));
        if !self.sink.is_crowded() {
            let hint = self.what_else(name.text, what, fits);
            diagnostic = diagnostic.hint_if(hint);
        }
        self.sink.push(diagnostic);
    }

    /// What to do about a name that stands for nothing.
    fn what_else(&self, name: &str, what: &str, fits: impl Fn(Entity) -> bool) -> Option<String> {
        if what == "variable" && self.locals.counts.contains_key(name) {
            return Some(format!(
                "the block that `{name}` was declared in has ended; declare it before that block"
            ));
        }
        let fitting = self.names.iter().filter(|&(_, entity)| fits(entity)).map(|(name, _)| name);
        let suggestion = match what {
            "variable" => nearest(name, self.locals.by_name_in_order().chain(fitting)),
            _ => nearest(name, fitting),
        };
        match (suggestion, what) {
            (Some(other), _) => Some(format!("did you mean `{other}`?")),
            (None, "type") => Some(TYPES.to_owned()),
            (None, "variable") => Some(format!("declare it: `var {name}: ...;`")),
            (None, "constant") => Some(format!("declare it: `const {name} = ...;`")),
            (None, "procedure") => Some(format!("declare it: `proc {name}() {{ ... }}`")),
            (None, "interrupt line") => {
                Some(format!("declare it: `interrupt {name} in BUFFER runs PROCEDURE at LEVEL;`"))
            }
            _ => None,
        }
    }

    /// Complains about a name that stands for something else.
    pub(super) fn other_kind(&mut self, name: Name<'_>, entity: Entity, what: &str) {
        if entity == Entity::Twice {
            return;
        }
        let (found, declared) = (entity.describe(), self.names.get(name.text).map(|(_, span)| span));
        let mut diagnostic = Diagnostic::new(name.span, format!("`{}` is {found}, not {what}", name.text));
        if let Some(span) = declared {
            diagnostic = diagnostic.related(span, "declared here");
        }
        self.sink.push(diagnostic);
    }
}
