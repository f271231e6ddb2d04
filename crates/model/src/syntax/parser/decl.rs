//! Declarations.

use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::ir::Span;
use crate::syntax::ast::{Block, Decl, Expr, File, Init, Name, Proc, Stmt, StmtKind, Type, TypeKind, Var};
use crate::syntax::lexer::unquote;
use crate::syntax::token::Kind;

impl<'s> Parser<'s, '_> {
    /// All declarations.
    pub(super) fn file(&mut self) -> File<'s> {
        let mut file = File::default();
        while self.kind() != Kind::End {
            self.too_deep = false;
            let at = self.at;
            match self.decl() {
                Ok(decl) => file.decls.push(decl),
                Err(_) => {
                    // Declarations are lost, unless it is a brace too many.
                    self.lost |= self.tokens[at].kind != Kind::RightBrace;
                    self.depth = 0;
                    self.recover();
                    // A brace that closes nothing, or a token that nothing can begin with.
                    if self.at == at || self.kind() == Kind::RightBrace {
                        self.advance();
                    }
                }
            }
        }
        file.lost = self.lost;
        file
    }

    fn decl(&mut self) -> Parsed<Decl<'s>> {
        match self.kind() {
            Kind::Const => self.constant(),
            Kind::Implicit => self.implicit(),
            Kind::Enum => self.enumeration(),
            Kind::Record => self.record(),
            Kind::Levels => self.levels(),
            Kind::Buffer => self.buffer(),
            Kind::Interrupt => self.interrupt(),
            Kind::Plain => {
                self.at += 1;
                if self.kind() != Kind::Var {
                    return Err(self.expected("`var`"));
                }
                Ok(Decl::Var { var: self.var()?, plain: true })
            }
            Kind::Var => Ok(Decl::Var { var: self.var()?, plain: false }),
            Kind::Final => self.last(),
            Kind::Proc => Ok(Decl::Proc(self.proc()?)),
            _ => {
                let message = format!("expected a declaration, found {}", self.found());
                let hint = match self.kind() {
                    Kind::RightBrace => "there is a `}` too many",
                    Kind::Else | Kind::Or => "the `}` before it closes the procedure",
                    kind if kind.begins_statement() || kind == Kind::Name => {
                        "statements stand in procedures: `proc main() { ... }`"
                    }
                    _ => {
                        "a declaration begins with const, enum, record, levels, buffer, interrupt, implicit, var, plain, final or proc"
                    }
                };
                let diagnostic = Diagnostic::new(self.span(), message).hint(hint);
                Err(self.complain(diagnostic))
            }
        }
    }

    fn constant(&mut self) -> Parsed<Decl<'s>> {
        self.at += 1;
        let name = self.name("the name of the constant")?;
        // The name is declared even if its value is wrong.
        let value = match self.equals().and_then(|()| self.expr()) {
            Ok(value) => value,
            Err(_) => {
                self.recover();
                return Ok(Decl::Const { name, value: Expr::error(name.span) });
            }
        };
        if self.semicolon().is_err() {
            self.recover();
        }
        Ok(Decl::Const { name, value })
    }

    /// The `=` of a declaration.
    fn equals(&mut self) -> Parsed<()> {
        if self.kind() == Kind::Becomes {
            let diagnostic =
                Diagnostic::new(self.span(), "a declaration has `=`, not `:=`").label("write `=`");
            self.complain(diagnostic);
            self.at += 1;
            return Ok(());
        }
        self.expect(Kind::Equals)
    }

    fn implicit(&mut self) -> Parsed<Decl<'s>> {
        self.at += 1;
        let (mut yields, mut zields) = (false, false);
        loop {
            match self.kind() {
                Kind::Yields => yields = true,
                Kind::Zields => zields = true,
                _ => return Err(self.expected("`yields` or `zields`")),
            }
            self.at += 1;
            if !self.take(Kind::Comma) {
                break;
            }
        }
        self.semicolon()?;
        Ok(Decl::Implicit { yields, zields })
    }

    fn enumeration(&mut self) -> Parsed<Decl<'s>> {
        self.at += 1;
        let name = self.name("the name of the enum")?;
        self.expect(Kind::LeftBrace)?;
        let members = self.list(Kind::RightBrace, |parser| parser.name("the name of a member"))?;
        self.take(Kind::Semicolon);
        Ok(Decl::Enum { name, members })
    }

    fn record(&mut self) -> Parsed<Decl<'s>> {
        self.at += 1;
        let name = self.name("the name of the record")?;
        self.expect(Kind::LeftBrace)?;
        let fields = self.list(Kind::RightBrace, |parser| parser.typed("the name of a field"))?;
        self.take(Kind::Semicolon);
        Ok(Decl::Record { name, fields })
    }

    /// `name: type`.
    fn typed(&mut self, what: &str) -> Parsed<(Name<'s>, Type<'s>)> {
        let name = self.name(what)?;
        if self.kind() != Kind::Colon {
            let hint = format!("write `{}: TYPE`", name.text);
            let message = format!("expected `:` and a type, found {}", self.found());
            let diagnostic = Diagnostic::new(self.span(), message).hint(hint);
            return Err(self.complain(diagnostic));
        }
        self.at += 1;
        Ok((name, self.ty()?))
    }

    fn levels(&mut self) -> Parsed<Decl<'s>> {
        let start = self.advance().span.start;
        let mut levels = Vec::new();
        loop {
            // A level may be called `serial`.
            let serial = self.kind() == Kind::Serial && self.kind_ahead(1).is_name();
            if serial {
                self.at += 1;
            }
            levels.push((self.name("the name of a level")?, serial));
            match self.kind() {
                Kind::Less => self.at += 1,
                Kind::Comma | Kind::Greater => {
                    let diagnostic = Diagnostic::new(self.span(), "levels are put in order by `<`")
                        .label("write `<`")
                        .hint("the lowest level comes first");
                    return Err(self.complain(diagnostic));
                }
                _ => break,
            }
        }
        let span = self.span_from(start);
        self.semicolon()?;
        Ok(Decl::Levels { levels, span })
    }

    fn buffer(&mut self) -> Parsed<Decl<'s>> {
        self.at += 1;
        let name = self.name("the name of the buffer")?;
        self.expect(Kind::Runs)?;
        let main = self.name("the name of the procedure that the buffer runs")?;
        self.no_arguments()?;
        self.semicolon()?;
        Ok(Decl::Buffer { name, main })
    }

    fn interrupt(&mut self) -> Parsed<Decl<'s>> {
        self.at += 1;
        let name = self.name("the name of the interrupt line")?;
        self.expect(Kind::In)?;
        let buffer = self.name("the name of a buffer")?;
        self.expect(Kind::Runs)?;
        let handler = self.name("the name of the procedure that handles it")?;
        self.no_arguments()?;
        self.expect(Kind::At)?;
        let level = self.name("the name of a level")?;
        self.semicolon()?;
        Ok(Decl::Interrupt { name, buffer, handler, level })
    }

    fn no_arguments(&mut self) -> Parsed<()> {
        if self.kind() != Kind::LeftParen {
            return Ok(());
        }
        let diagnostic = Diagnostic::new(self.span(), "there are no parentheses here")
            .hint("only the name of the procedure stands behind `runs`; it has no parameters");
        Err(self.complain(diagnostic))
    }

    /// `var x: T = e;`; the token is `var`.
    pub(super) fn var(&mut self) -> Parsed<Var<'s>> {
        self.at += 1;
        let name = self.name("the name of the variable")?;
        // The name is declared even if its type is wrong.
        let ty = match self.kind() {
            Kind::Colon => {
                self.at += 1;
                self.ty()
            }
            _ => {
                let message = format!("expected `:` and a type, found {}", self.found());
                let hint = format!("write `var {}: TYPE;` or `var {}: TYPE = VALUE;`", name.text, name.text);
                let diagnostic = Diagnostic::new(self.span(), message).hint(hint);
                Err(self.complain(diagnostic))
            }
        };
        let Ok(ty) = ty else {
            self.recover();
            return Ok(Var { name, ty: Type { kind: TypeKind::Error, span: name.span }, init: None });
        };
        let init = match self.kind() {
            Kind::Equals | Kind::Becomes => {
                self.equals()?;
                match self.init() {
                    Ok(init) => Some(init),
                    Err(_) => {
                        self.recover();
                        return Ok(Var {
                            name,
                            ty: Type { kind: TypeKind::Error, span: ty.span },
                            init: None,
                        });
                    }
                }
            }
            _ => None,
        };
        let var = Var { name, ty, init };
        if self.semicolon().is_err() {
            self.recover();
        }
        Ok(var)
    }

    fn init(&mut self) -> Parsed<Init<'s>> {
        if self.kind() != Kind::LeftBracket {
            return Ok(Init::One(self.expr()?));
        }
        let start = self.advance().span.start;
        self.enter()?;
        let list = self.list(Kind::RightBracket, Self::init);
        self.leave();
        Ok(Init::List(list?, self.span_from(start)))
    }

    fn last(&mut self) -> Parsed<Decl<'s>> {
        let start = self.advance().span.start;
        let condition = self.condition()?;
        let message = self.message()?;
        let span = self.span_from(start);
        self.semicolon()?;
        Ok(Decl::Final { condition, message, span })
    }

    /// `, "text"`, if it is there.
    pub(super) fn message(&mut self) -> Parsed<Option<String>> {
        if !self.take(Kind::Comma) {
            return Ok(None);
        }
        let token = self.token();
        self.expect(Kind::Text)?;
        Ok(Some(unquote(self.text_of(token.span))))
    }

    fn proc(&mut self) -> Parsed<Proc<'s>> {
        let start = self.advance().span.start;
        let name = self.name("the name of the procedure")?;
        self.expect(Kind::LeftParen)?;
        let params = self.list(Kind::RightParen, |parser| parser.typed("the name of a parameter"))?;
        let result = if self.take(Kind::Colon) { Some(self.ty()?) } else { None };
        let span: Span = self.span_from(start);
        // The procedure is there even if its body is not.
        let body = self.block().unwrap_or_else(|_| {
            self.recover();
            let hole = Stmt { kind: StmtKind::Bad, span };
            Block { stmts: vec![hole], end: span }
        });
        Ok(Proc { name, params, result, body, span })
    }
}
