//! Expressions and types.

use super::{Abandoned, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::{Binary, Span, Unary};
use crate::syntax::ast::{Expr, ExprKind, LONG_CHAIN, Link, Type, TypeKind, is_associative};
use crate::syntax::lexer::number;
use crate::syntax::token::Kind;
use crate::syntax::{MAX_DEPTH, TYPES};

/// The operator and how tightly it binds.
fn operator(kind: Kind) -> Option<(Binary, u8)> {
    Some(match kind {
        Kind::OrOr => (Binary::Or, 1),
        Kind::AndAnd => (Binary::And, 2),
        Kind::EqualEqual => (Binary::Equal, 3),
        Kind::BangEqual => (Binary::Differ, 3),
        Kind::Less => (Binary::Less, 4),
        Kind::LessEqual => (Binary::LessOrEqual, 4),
        Kind::Greater => (Binary::Greater, 4),
        Kind::GreaterEqual => (Binary::GreaterOrEqual, 4),
        Kind::Pipe => (Binary::BitOr, 5),
        Kind::Caret => (Binary::BitXor, 6),
        Kind::Ampersand => (Binary::BitAnd, 7),
        Kind::LessLess => (Binary::ShiftLeft, 8),
        Kind::GreaterGreater => (Binary::ShiftRight, 8),
        Kind::Plus => (Binary::Add, 9),
        Kind::Minus => (Binary::Subtract, 9),
        Kind::Star => (Binary::Multiply, 10),
        Kind::Slash => (Binary::Divide, 10),
        Kind::Percent => (Binary::Remainder, 10),
        _ => return None,
    })
}

/// How deep the tree of a chain is.
fn depth_of(first: &Expr<'_>, links: &[Link<'_>]) -> u32 {
    if is_long(links) {
        let deepest = links.iter().map(|link| link.operand.depth).fold(first.depth, u32::max);
        return deepest + usize::BITS - links.len().leading_zeros() + 1;
    }
    links.iter().fold(first.depth, |depth, link| depth.max(link.operand.depth).saturating_add(1))
}

/// It becomes a tree that is not deep.
pub(crate) fn is_long(links: &[Link<'_>]) -> bool {
    let op = links[0].op;
    links.len() > LONG_CHAIN && is_associative(op) && links.iter().all(|link| link.op == op)
}

impl<'s> Parser<'s, '_> {
    /// An expression.
    pub(super) fn expr(&mut self) -> Parsed<Expr<'s>> {
        self.enter()?;
        let expr = self.conditional();
        self.leave();
        expr
    }

    /// An expression behind `if`, `while`, `assert` and their like, where `=` can only be meant to compare.
    pub(super) fn condition(&mut self) -> Parsed<Expr<'s>> {
        let condition = self.expr()?;
        if !matches!(self.kind(), Kind::Equals | Kind::Becomes) {
            return Ok(condition);
        }
        let message = format!("{} does not compare", self.kind().describe());
        let diagnostic = Diagnostic::new(self.span(), message).label("write `==`");
        self.complain(diagnostic);
        self.at += 1;
        let other = self.expr()?;
        Ok(Expr::error(Span { start: condition.span.start, end: other.span.end }))
    }

    fn conditional(&mut self) -> Parsed<Expr<'s>> {
        let condition = self.binary(1)?;
        if !self.take(Kind::Question) {
            return Ok(condition);
        }
        let yes = self.expr()?;
        self.expect(Kind::Colon)?;
        let no = self.expr()?;
        let span = Span { start: condition.span.start, end: no.span.end };
        let depth = condition.depth.max(yes.depth).max(no.depth) + 1;
        self.node(ExprKind::If(Box::new([condition, yes, no])), span, depth)
    }

    fn node(&mut self, kind: ExprKind<'s>, span: Span, depth: u32) -> Parsed<Expr<'s>> {
        if depth > MAX_DEPTH {
            let message = format!(
                "this expression is too long: its operators are nested more than {MAX_DEPTH} levels deep"
            );
            let start = Span { start: span.start, end: span.start };
            let hint = "split it: use variables for parts of it";
            return Err(self.complain_about_depth(Diagnostic::new(start, message).hint(hint)));
        }
        Ok(Expr { kind, span, depth })
    }

    /// Operators that bind at least as tightly as `min`.
    fn binary(&mut self, min: u8) -> Parsed<Expr<'s>> {
        let mut left = self.unary()?;
        while let Some((_, precedence)) = operator(self.kind())
            && precedence >= min
        {
            // What binds more tightly is in the operands; so all of this precedence make one chain.
            let mut links = Vec::new();
            while let Some((op, same)) = operator(self.kind())
                && same == precedence
            {
                let op_span = self.advance().span;
                self.enter()?;
                let operand = self.binary(precedence + 1);
                self.leave();
                links.push(Link { op, op_span, operand: operand? });
            }
            let span = self.span_from(left.span.start);
            let depth = depth_of(&left, &links);
            left = self.node(ExprKind::Chain(Box::new(left), links), span, depth)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr<'s>> {
        let op = match self.kind() {
            Kind::Bang => Unary::Not,
            Kind::Minus => Unary::Negate,
            Kind::Tilde => Unary::Complement,
            _ => return self.postfix(),
        };
        let start = self.advance().span.start;
        if op == Unary::Negate
            && self.kind() == Kind::Number
            && number(self.text_of(self.span())) == Some(1 << 31)
            && !self.text_of(self.span()).starts_with("0x")
        {
            self.at += 1;
            return Ok(Expr { kind: ExprKind::Int(i32::MIN), span: self.span_from(start), depth: 1 });
        }
        self.enter()?;
        let operand = self.unary();
        self.leave();
        let operand = operand?;
        let (span, depth) = (self.span_from(start), operand.depth + 1);
        self.node(ExprKind::Unary(op, Box::new(operand)), span, depth)
    }

    /// An operand with indices and fields.
    pub(super) fn postfix(&mut self) -> Parsed<Expr<'s>> {
        let mut expr = self.operand()?;
        loop {
            let start = expr.span.start;
            if self.take(Kind::LeftBracket) {
                let index = self.expr()?;
                self.expect(Kind::RightBracket)?;
                let (span, depth) = (self.span_from(start), expr.depth.max(index.depth) + 1);
                expr = self.node(ExprKind::Index(Box::new(expr), Box::new(index)), span, depth)?;
            } else if self.take(Kind::Dot) {
                let field = self.name("the name of a field")?;
                let (span, depth) = (self.span_from(start), expr.depth + 1);
                expr = self.node(ExprKind::Field(Box::new(expr), field), span, depth)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn operand(&mut self) -> Parsed<Expr<'s>> {
        let token = self.token();
        let kind = match token.kind {
            Kind::Number => ExprKind::Int(self.literal()),
            Kind::True => ExprKind::Bool(true),
            Kind::False => ExprKind::Bool(false),
            Kind::Star => ExprKind::Any,
            Kind::LeftParen => {
                self.at += 1;
                let mut inner = self.expr()?;
                self.expect(Kind::RightParen)?;
                inner.span = self.span_from(token.span.start);
                return Ok(inner);
            }
            Kind::Choose => {
                self.at += 1;
                self.expect(Kind::LeftParen)?;
                let lo = self.expr()?;
                self.expect(Kind::Comma)?;
                let hi = self.expr()?;
                self.expect(Kind::RightParen)?;
                let (span, depth) = (self.span_from(token.span.start), lo.depth.max(hi.depth) + 1);
                return self.node(ExprKind::Choose(Box::new([lo, hi])), span, depth);
            }
            kind if kind.is_name() && self.kind_ahead(1) == Kind::LeftParen => return self.misplaced_call(),
            kind if kind.is_name() => ExprKind::Name(self.text_of(token.span)),
            _ => return Err(self.no_operand()),
        };
        self.at += 1;
        Ok(Expr { kind, span: token.span, depth: 1 })
    }

    fn no_operand(&mut self) -> Abandoned {
        let token = self.token();
        let message = format!("expected an expression, found {}", self.found());
        let hint = match token.kind {
            Kind::Text => "texts stand only behind the comma of `assert` and `final`".to_owned(),
            Kind::Plus => "there is no `+` with one operand".to_owned(),
            Kind::Equals => "`==` compares, and `:=` assigns".to_owned(),
            Kind::LeftBracket => "lists stand only behind the `=` of a `var`".to_owned(),
            Kind::If => "an expression with a condition is `c ? a : b`".to_owned(),
            kind if Kind::keyword(self.text_of(token.span)).is_some() => {
                format!("{} is a keyword; it cannot be the name of a variable", kind.describe())
            }
            _ => {
                let diagnostic = Diagnostic::new(token.span, message);
                return self.complain(diagnostic);
            }
        };
        let diagnostic = Diagnostic::new(token.span, message).hint(hint);
        self.complain(diagnostic)
    }

    fn literal(&mut self) -> i32 {
        let text = self.text_of(self.span());
        let Some(value) = number(text) else { return 0 };
        let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        match (i32::try_from(value), u32::try_from(value)) {
            (Ok(value), _) => value,
            (_, Ok(bits)) if is_hexadecimal => bits as i32,
            _ => {
                let diagnostic = Diagnostic::new(self.span(), "this number is too large for 32 bits")
                    .hint("an `int` is between -2147483648 and 2147483647");
                self.complain(diagnostic);
                0
            }
        }
    }

    /// `f(x)` inside an expression.
    fn misplaced_call(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let name = self.text_of(start);
        let (message, hint) = match name {
            "not" => ("`not` is no operator".to_owned(), "write `!(...)`".to_owned()),
            _ => (
                format!("`{name}` is called inside an expression"),
                format!("call it first: `var y: ...;` `y := {name}(...);`, and then use `y`"),
            ),
        };
        let diagnostic = Diagnostic::new(start, message).hint(hint);
        self.complain(diagnostic);
        self.at += 2;
        self.list(Kind::RightParen, Self::expr)?;
        Ok(Expr::error(self.span_from(start.start)))
    }

    /// A type.
    pub(super) fn ty(&mut self) -> Parsed<Type<'s>> {
        self.enter()?;
        let ty = self.type_inside();
        self.leave();
        ty
    }

    fn type_inside(&mut self) -> Parsed<Type<'s>> {
        let token = self.token();
        let kind = match token.kind {
            Kind::Bool => TypeKind::Bool,
            Kind::Int => TypeKind::Int,
            Kind::Lock => TypeKind::Lock,
            Kind::LeftBracket => {
                self.at += 1;
                let element = self.ty()?;
                if !self.take(Kind::Semicolon) {
                    let message = format!("expected `;`, found {}", self.found());
                    let diagnostic = Diagnostic::new(self.span(), message).hint("arrays are like `[int; 4]`");
                    return Err(self.complain(diagnostic));
                }
                let length = self.expr()?;
                self.expect(Kind::RightBracket)?;
                let kind = TypeKind::Array(Box::new(element), Box::new(length));
                return Ok(Type { kind, span: self.span_from(token.span.start) });
            }
            kind if kind.is_name()
                && self.kind_ahead(1) != Kind::Dots
                && operator(self.kind_ahead(1)).is_none() =>
            {
                TypeKind::Name(self.text_of(token.span))
            }
            kind if kind.is_name()
                || matches!(kind, Kind::Number | Kind::LeftParen | Kind::Minus | Kind::Tilde) =>
            {
                let lo = self.binary(1)?;
                self.expect(Kind::Dots)?;
                let hi = self.binary(1)?;
                let kind = TypeKind::Range(Box::new((lo, hi)));
                return Ok(Type { kind, span: self.span_from(token.span.start) });
            }
            _ => {
                let message = format!("expected a type, found {}", self.found());
                let diagnostic = Diagnostic::new(token.span, message).hint(TYPES);
                return Err(self.complain(diagnostic));
            }
        };
        self.at += 1;
        Ok(Type { kind, span: token.span })
    }
}
