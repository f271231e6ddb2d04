//! Statements.

use super::{Abandoned, Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::Span;
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{Block, Branch, Expr, ExprKind, Name, Stmt, StmtKind};
use crate::syntax::token::Kind;

impl<'s> Parser<'s, '_> {
    /// A block in braces.
    pub(super) fn block(&mut self) -> Parsed<Block<'s>> {
        let open = self.span();
        if self.kind() != Kind::LeftBrace {
            let message = format!("expected a block, found {}", self.found());
            let hint = self.operator_hint().unwrap_or_else(|| "blocks stand in braces: `{ ... }`".to_owned());
            let diagnostic = Diagnostic::new(open, message).hint(hint);
            return Err(self.complain(diagnostic));
        }
        self.enter()?;
        self.at += 1;
        let mut stmts = Vec::new();
        loop {
            match self.kind() {
                _ if self.too_deep => break stmts.push(Stmt { kind: StmtKind::Bad, span: open }),
                Kind::RightBrace => break self.at += 1,
                Kind::Const | Kind::Enum | Kind::Final | Kind::Plain if !self.is_at_margin() => {
                    stmts.push(self.misplaced_declaration());
                }
                Kind::End | Kind::Const | Kind::Enum | Kind::Final | Kind::Plain | Kind::Proc => {
                    let message = format!("expected a statement or `}}`, found {}", self.found());
                    let hint = match self.kind() {
                        Kind::End => "a `}` is missing",
                        _ => "a `}` is missing before it; declarations stand outside of procedures",
                    };
                    let diagnostic = Diagnostic::new(self.span(), message)
                        .related(open, "this block is not closed")
                        .hint(hint);
                    self.complain(diagnostic);
                    break stmts.push(Stmt { kind: StmtKind::Bad, span: open });
                }
                _ => stmts.push(self.stmt_or_hole()),
            }
        }
        self.leave();
        let end = self.tokens[self.at - 1].span;
        Ok(Block { stmts, end })
    }

    /// A declaration that is put in like a statement: it is in the wrong place, but no brace is missing.
    fn misplaced_declaration(&mut self) -> Stmt<'s> {
        let start = self.span().start;
        let message = format!("expected a statement, found {}", self.found());
        let hint = "declarations stand outside of procedures; a local is `var x: TYPE;`";
        let diagnostic = Diagnostic::new(self.span(), message).hint(hint);
        self.complain(diagnostic);
        self.lost = true;
        self.at += 1;
        self.recover();
        Stmt { kind: StmtKind::Bad, span: self.span_from(start) }
    }

    fn stmt_or_hole(&mut self) -> Stmt<'s> {
        let (at, start, depth) = (self.at, self.span().start, self.depth);
        match self.stmt() {
            Ok(stmt) => stmt,
            Err(_) => {
                self.depth = depth;
                self.recover();
                if self.at == at {
                    self.at += 1;
                }
                Stmt { kind: StmtKind::Bad, span: self.span_from(start) }
            }
        }
    }

    fn stmt(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span().start;
        let kind = match self.kind() {
            Kind::If => return self.branches(),
            Kind::While | Kind::For | Kind::Either | Kind::Atomic => return self.compound(),
            Kind::Var => {
                let var = self.var()?;
                let mut span = self.span_from(start);
                if self.tokens[self.at - 1].kind == Kind::Semicolon {
                    span.end = self.tokens[self.at - 2].span.end;
                }
                return Ok(Stmt { kind: StmtKind::Var(var), span });
            }
            kind if kind.is_name() => self.assignment_or_call()?,
            _ => self.simple()?,
        };
        let span = self.span_from(start);
        self.semicolon()?;
        Ok(Stmt { kind, span })
    }

    /// A statement that begins with a keyword and ends with `;`.
    fn simple(&mut self) -> Parsed<StmtKind<'s>> {
        let kind = self.kind();
        if !kind.begins_statement() {
            return Err(self.no_statement());
        }
        self.at += 1;
        Ok(match kind {
            Kind::Havoc => StmtKind::Havoc(self.postfix()?),
            Kind::Skip => StmtKind::Skip,
            Kind::Assume => StmtKind::Assume(self.condition()?),
            Kind::Assert => {
                let condition = self.condition()?;
                StmtKind::Assert(condition, self.message()?)
            }
            Kind::Await => StmtKind::Await(self.condition()?),
            Kind::Lock => StmtKind::Lock(self.postfix()?),
            Kind::Unlock => StmtKind::Unlock(self.postfix()?),
            Kind::Yield => StmtKind::Yield,
            Kind::Zield => StmtKind::Zield,
            Kind::Pause => StmtKind::Pause,
            Kind::Post => self.post()?,
            Kind::Raise => StmtKind::Raise(self.name("the name of an interrupt line")?),
            Kind::Return if matches!(self.kind(), Kind::Semicolon | Kind::RightBrace) => {
                StmtKind::Return(None)
            }
            Kind::Return => StmtKind::Return(Some(self.expr()?)),
            _ => unreachable!("compound statements and `var` have been parsed"),
        })
    }

    fn no_statement(&mut self) -> Abandoned {
        let message = format!("expected a statement, found {}", self.found());
        let hint = match self.kind() {
            Kind::Else => Some("`else` stands behind the `}` of an `if`"),
            Kind::Or => Some("`or` stands behind the `}` of an `either`"),
            Kind::Semicolon => Some("the statement that does nothing is `skip;`"),
            Kind::LeftBrace => Some("a block by itself is `atomic { ... }`; plain blocks do not exist"),
            Kind::Int | Kind::Bool => Some("variables are declared by `var x: int;`"),
            Kind::Choose | Kind::Star => Some("use it in an expression: `x := choose(0, 3);`"),
            _ => None,
        };
        let diagnostic = Diagnostic::new(self.span(), message).hint_if(hint.map(str::to_owned));
        self.complain(diagnostic)
    }

    fn post(&mut self) -> Parsed<StmtKind<'s>> {
        let name = self.name("the name of a procedure")?;
        let args = self.arguments(name)?;
        let level = if self.take(Kind::At) { Some(self.name("the name of a level")?) } else { None };
        Ok(StmtKind::Post { name, args, level })
    }

    fn arguments(&mut self, name: Name<'s>) -> Parsed<Vec<Expr<'s>>> {
        if self.kind() != Kind::LeftParen {
            let message = format!("expected `(`, found {}", self.found());
            let diagnostic =
                Diagnostic::new(self.span(), message).hint(format!("write `{}(...)`", name.text));
            return Err(self.complain(diagnostic));
        }
        self.at += 1;
        self.list(Kind::RightParen, Self::expr)
    }

    fn assignment_or_call(&mut self) -> Parsed<StmtKind<'s>> {
        if self.kind_ahead(1) == Kind::LeftParen {
            let name = self.name("a procedure")?;
            let args = self.arguments(name)?;
            return Ok(StmtKind::Call { target: None, name, args });
        }
        let target = self.postfix()?;
        match self.kind() {
            Kind::Becomes => {}
            Kind::Equals => {
                let diagnostic = Diagnostic::new(self.span(), "`=` does not assign").label("write `:=`");
                self.complain(diagnostic);
            }
            _ => return Err(self.no_assignment(&target)),
        }
        self.at += 1;
        if self.kind().is_name() && self.kind_ahead(1) == Kind::LeftParen {
            let at = self.at;
            let name = self.name("a procedure")?;
            let args = self.arguments(name)?;
            if matches!(self.kind(), Kind::Semicolon | Kind::RightBrace) || self.is_first_in_line() {
                return Ok(StmtKind::Call { target: Some(target), name, args });
            }
            // Something comes behind the call: it is part of an expression.
            self.at = at;
        }
        Ok(StmtKind::Assign(target, self.expr()?))
    }

    /// Behind a place there is no `:=`.
    fn no_assignment(&mut self, target: &Expr<'s>) -> Abandoned {
        let place = self.text_of(target.span);
        let message = format!("expected `:=`, found {}", self.found());
        let sign = self.kind().describe().trim_matches('`');
        let hint = match (&target.kind, self.kind(), self.kind_ahead(1)) {
            (ExprKind::Name("break" | "continue" | "goto"), ..) => {
                "there are no jumps; use a variable in the condition of the loop, or `return`".to_owned()
            }
            (ExprKind::Name("call"), ..) => "a call has no keyword: `f(x);`".to_owned(),
            (ExprKind::Name("let"), ..) => "variables are declared by `var x: TYPE = VALUE;`".to_owned(),
            (ExprKind::Name("async" | "spawn" | "fork"), ..) => "tasks are made by `post f(x);`".to_owned(),
            (ExprKind::Name("acquire"), ..) => "locks are taken by `lock m;`".to_owned(),
            (ExprKind::Name("release"), ..) => "locks are freed by `unlock m;`".to_owned(),
            (ExprKind::Name(word), kind, _) if kind.is_name() && Kind::keyword(word).is_some() => {
                "declarations stand outside of procedures; is a `}` missing before it?".to_owned()
            }
            (_, Kind::EqualEqual, _) => format!("`==` compares; to assign write `{place} := ...`"),
            (_, Kind::Colon, _) => format!("variables are declared by `var {place}: TYPE;`"),
            (_, Kind::Plus, Kind::Plus) | (_, Kind::Minus, Kind::Minus) => {
                format!("write `{place} := {place} {sign} 1`")
            }
            (_, kind, Kind::Equals) if !kind.is_name() => format!("write `{place} := {place} {sign} ...`"),
            (_, Kind::Semicolon, _) => format!("a statement is `{place} := ...;` or `{place}(...);`"),
            _ => "a statement that begins with a name is an assignment `x := ...;` or a call `f(...);`"
                .to_owned(),
        };
        let diagnostic = Diagnostic::new(self.span(), message).hint(hint);
        self.complain(diagnostic)
    }

    fn branches(&mut self) -> Parsed<Stmt<'s>> {
        let depth = self.depth;
        let mut branches = Vec::new();
        loop {
            let start = self.advance().span.start;
            let condition = self.condition()?;
            let span = self.span_from(start);
            let body = self.block()?;
            branches.push(Branch { condition, body, span });
            if self.kind() != Kind::Else || self.kind_ahead(1) != Kind::If {
                break;
            }
            // Each `else if` lies inside the one before it, and needs room for its condition and its block.
            if self.depth + 2 >= MAX_DEPTH {
                let message = format!("these `else if` are nested more than {MAX_DEPTH} levels deep");
                let diagnostic =
                    Diagnostic::new(self.span(), message).hint("split the chain into procedures");
                return Err(self.complain_about_depth(diagnostic));
            }
            self.depth += 1;
            self.at += 1;
        }
        let last = if self.take(Kind::Else) { Some(self.block()?) } else { None };
        self.depth = depth;
        let span = branches[0].span;
        Ok(Stmt { kind: StmtKind::If(branches, last), span })
    }

    fn compound(&mut self) -> Parsed<Stmt<'s>> {
        let token = self.advance();
        let start = token.span.start;
        let (kind, span): (_, Span) = match token.kind {
            Kind::While => {
                let condition = self.condition()?;
                let span = self.span_from(start);
                (StmtKind::While(condition, self.block()?), span)
            }
            Kind::For => {
                let name = self.name("the name of the variable that counts")?;
                self.expect(Kind::In)?;
                let lo = self.expr()?;
                self.expect(Kind::Dots)?;
                let hi = self.expr()?;
                let span = self.span_from(start);
                (StmtKind::For { name, lo, hi, body: self.block()? }, span)
            }
            Kind::Either => {
                let span = self.span_from(start);
                let mut blocks = vec![self.block()?];
                while self.take(Kind::Or) {
                    blocks.push(self.block()?);
                }
                (StmtKind::Either(blocks), span)
            }
            _ => {
                let span = self.span_from(start);
                (StmtKind::Atomic(self.block()?), span)
            }
        };
        Ok(Stmt { kind, span })
    }
}
