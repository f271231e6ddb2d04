//! Constants: their values, whatever their order in the text, and those that the user sets.

use super::names::{Entity, nearest};
use super::{Checker, Mode};
use crate::diagnostic::Diagnostic;
use crate::ir::{Scalar, Span};
use crate::syntax::ast::{Decl, Expr, ExprKind, File, Name};
use crate::syntax::lexer::{number, shorten};

/// A constant of the source.
pub(super) struct Constant {
    name: String,
    span: Span,
    /// `None` if it is wrong, or not known yet.
    pub(super) ty: Option<Scalar>,
    pub(super) value: i32,
}

impl Constant {
    pub(super) fn new(name: Name<'_>) -> Constant {
        Constant { name: name.text.to_owned(), span: name.span, ty: None, value: 0 }
    }
}

/// An order in which everything comes behind what it needs, and the circles that there are. What needs itself is in no order.
pub(super) struct Order {
    pub(super) order: Vec<u32>,
    pub(super) circles: Vec<Vec<u32>>,
}

/// Orders `0..needs.len()`.
pub(super) fn order(needs: &[Vec<u32>]) -> Order {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; needs.len()];
    let mut found = Order { order: Vec::new(), circles: Vec::new() };
    for root in 0..needs.len() as u32 {
        // What is being looked at, each with how many of its needs have been.
        let mut open: Vec<(u32, usize)> = Vec::new();
        if states[root as usize] == State::New {
            states[root as usize] = State::Open;
            open.push((root, 0));
        }
        while let Some((item, done)) = open.last_mut() {
            let Some(&need) = needs[*item as usize].get(*done) else {
                states[*item as usize] = State::Done;
                found.order.push(*item);
                open.pop();
                continue;
            };
            *done += 1;
            match states[need as usize] {
                State::New => {
                    states[need as usize] = State::Open;
                    open.push((need, 0));
                }
                State::Open => {
                    let start = open.iter().position(|&(item, _)| item == need).expect("it is open");
                    found.circles.push(open[start..].iter().map(|&(item, _)| item).collect());
                }
                State::Done => {}
            }
        }
    }
    found
}

impl<'s> Checker<'s, '_> {
    /// Computes all constants.
    pub(super) fn constants(&mut self, file: &File<'s>, sets: &[(String, String)]) {
        let exprs: Vec<&Expr<'s>> = file
            .decls
            .iter()
            .filter_map(|decl| match decl {
                Decl::Const { value, .. } => Some(value),
                _ => None,
            })
            .collect();
        let needs: Vec<Vec<u32>> = exprs.iter().map(|expr| self.constants_in(expr)).collect();
        let order = order(&needs);
        let mut wrong = vec![false; exprs.len()];
        for circle in &order.circles {
            self.complain_about_circle(circle);
            circle.iter().for_each(|&item| wrong[item as usize] = true);
        }
        let sets = self.known_sets(sets);
        self.mode = Mode::Constant;
        for &item in &order.order {
            if wrong[item as usize] {
                continue;
            }
            let set = sets.iter().rev().find(|(set, _)| *set == item).map(|(_, text)| text.as_str());
            self.compute_constant(item, exprs[item as usize], set);
        }
    }

    fn compute_constant(&mut self, item: u32, expr: &Expr<'s>, set: Option<&str>) {
        // Its own value is not used if it is set.
        self.unneeded = set.is_some();
        let value = self.expr(expr);
        self.unneeded = false;
        let Some(value) = value else { return };
        let mut constant = value.constant().unwrap_or(0);
        if !matches!(value.ty, Scalar::Bool | Scalar::Int) {
            self.sink.push(
                Diagnostic::new(expr.span, "a constant is an `int` or a `bool`")
                    .hint("members of enums are constants already"),
            );
            return;
        }
        if let Some(text) = set {
            match parse_set(text, value.ty) {
                Ok(set) => constant = set,
                Err(hint) => {
                    let name = &self.constants[item as usize].name;
                    let message = format!("`{name}` cannot be set to `{}`", shorten(text));
                    self.sink.push(Diagnostic::nowhere(message).hint(hint));
                }
            }
        }
        let entry = &mut self.constants[item as usize];
        (entry.ty, entry.value) = (Some(value.ty), constant);
    }

    /// The constants that an expression names.
    fn constants_in(&self, expr: &Expr<'s>) -> Vec<u32> {
        let mut found = Vec::new();
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Name(name) => {
                    if let Some((Entity::Constant(id), _)) = self.names.get(name) {
                        found.push(id);
                    }
                }
                ExprKind::Unary(_, inner) | ExprKind::Field(inner, _) => open.push(inner),
                ExprKind::Choose(both) => open.extend(both.iter()),
                ExprKind::Index(left, right) => open.extend([&**left, &**right]),
                ExprKind::If(all) => open.extend(all.iter()),
                ExprKind::Chain(first, links) => {
                    open.push(first);
                    open.extend(links.iter().map(|link| &link.operand));
                }
                ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Any | ExprKind::Error => {}
            }
        }
        found
    }

    fn complain_about_circle(&mut self, circle: &[u32]) {
        let first = &self.constants[circle[0] as usize];
        let shown = circle.iter().take(8).chain([&circle[0]]);
        let path: Vec<&str> = shown.map(|&item| self.constants[item as usize].name.as_str()).collect();
        self.sink.push(
            Diagnostic::new(first.span, format!("the constant `{}` is defined by itself", first.name))
                .hint(format!("{}: give one of them a value of its own", path.join(" needs "))),
        );
    }

    /// The sets of constants that there are.
    fn known_sets(&mut self, sets: &[(String, String)]) -> Vec<(u32, String)> {
        let mut known = Vec::new();
        for (name, text) in sets {
            if let Some((Entity::Constant(id), _)) = self.names.get(name) {
                known.push((id, text.clone()));
                continue;
            }
            if self.lost {
                continue;
            }
            let names = || self.constants.iter().map(|constant| constant.name.as_str());
            let list: Vec<&str> = names().take(50).collect();
            let hint = match (list.is_empty(), nearest(name, names())) {
                (true, _) => "the file has no constants".to_owned(),
                (_, None) => format!("the constants are {}", list.join(", ")),
                (_, Some(other)) => format!("did you mean `{other}`? The constants are {}", list.join(", ")),
            };
            let message = format!("there is no constant `{}` to be set", shorten(name));
            self.sink.push(Diagnostic::nowhere(message).hint(hint));
        }
        known
    }
}

/// The value that the user gave.
fn parse_set(text: &str, ty: Scalar) -> Result<i32, &'static str> {
    let text = text.trim();
    if ty == Scalar::Bool {
        return match text {
            "true" => Ok(1),
            "false" => Ok(0),
            _ => Err("it is a `bool`: set it to true or false"),
        };
    }
    let (digits, sign) = match text.strip_prefix('-') {
        Some(digits) => (digits, -1),
        None => (text, 1),
    };
    let value = number(digits).and_then(|value| i64::try_from(value).ok()).map(|value| sign * value);
    value
        .and_then(|value| i32::try_from(value).ok())
        .ok_or("it is an `int`: set it to a number between -2147483648 and 2147483647")
}
