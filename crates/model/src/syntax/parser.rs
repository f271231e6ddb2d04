//! From tokens to the syntax tree: by recursive descent, expressions by precedence climbing.
//!
//! After a mistake the parser goes on at the next statement or declaration. At one token it complains once only.

mod decl;
mod expr;

pub(crate) use expr::is_long;
mod stmt;

use super::MAX_DEPTH;
use super::ast::{File, Name};
use super::lexer::shorten;
use super::token::{Kind, Token};
use crate::diagnostic::{Diagnostic, Sink};
use crate::ir::Span;

/// The mistake has been reported; whoever can, goes on behind it.
struct Abandoned;

type Parsed<T> = Result<T, Abandoned>;

struct Parser<'s, 'd> {
    text: &'s str,
    tokens: &'d [Token],
    at: usize,
    depth: u32,
    complained_at: Option<usize>,
    /// Something was nested too deeply: the brackets behind it say nothing, so parsing goes on at the next declaration.
    too_deep: bool,
    /// [`File::lost`]
    lost: bool,
    sink: &'d mut Sink,
}

/// Parses all of a file.
pub(crate) fn parse<'s>(text: &'s str, tokens: &[Token], sink: &mut Sink) -> File<'s> {
    let mut parser =
        Parser { text, tokens, at: 0, depth: 0, complained_at: None, too_deep: false, lost: false, sink };
    parser.file()
}

impl<'s> Parser<'s, '_> {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn kind_ahead(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn text_of(&self, span: Span) -> &'s str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The end of the token before this one.
    fn end(&self) -> u32 {
        match self.at {
            0 => 0,
            at => self.tokens[at - 1].span.end,
        }
    }

    fn span_from(&self, start: u32) -> Span {
        Span { start, end: self.end().max(start) }
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn take(&mut self, kind: Kind) -> bool {
        let there = self.kind() == kind;
        if there {
            self.at += 1;
        }
        there
    }

    /// This token is the first one in its line.
    fn is_first_in_line(&self) -> bool {
        let start = self.span().start as usize;
        self.text[self.end() as usize..start].contains('\n') || self.at == 0
    }

    /// This token stands at the very beginning of a line.
    fn is_at_margin(&self) -> bool {
        let start = self.span().start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    fn is_last_in_line(&self) -> bool {
        let next = self.tokens.get(self.at + 1).map_or(self.text.len(), |token| token.span.start as usize);
        self.text[self.span().end as usize..next].contains('\n')
    }

    /// Reports a mistake at this token, unless there has been one already.
    fn complain(&mut self, diagnostic: Diagnostic) -> Abandoned {
        // What the lexer could not read it has reported.
        if self.complained_at != Some(self.at) && self.kind() != Kind::Bad {
            self.sink.push(diagnostic);
        }
        self.complained_at = Some(self.at);
        Abandoned
    }

    fn found(&self) -> String {
        match self.kind() {
            Kind::Name => format!("`{}`", shorten(self.text_of(self.span()))),
            Kind::Number => format!("`{}`", shorten(self.text_of(self.span()))),
            Kind::Text => "a text".to_owned(),
            kind => kind.describe().to_owned(),
        }
    }

    fn expected(&mut self, what: &str) -> Abandoned {
        let message = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::new(self.span(), message);
        self.complain(diagnostic)
    }

    fn expect(&mut self, kind: Kind) -> Parsed<()> {
        if self.take(kind) { Ok(()) } else { Err(self.expected(kind.describe())) }
    }

    /// A `;`; if it is missing at the end of a line that is said, and parsing goes on as if it were there.
    fn semicolon(&mut self) -> Parsed<()> {
        if self.take(Kind::Semicolon) {
            return Ok(());
        }
        if self.is_first_in_line() || matches!(self.kind(), Kind::RightBrace | Kind::End) {
            let behind = Span { start: self.end(), end: self.end() };
            let diagnostic = Diagnostic::new(behind, "a `;` is missing here").label("add `;`");
            self.complain(diagnostic);
            return Ok(());
        }
        let hint = self.operator_hint();
        let message = format!("expected `;`, found {}", self.found());
        let diagnostic = Diagnostic::new(self.span(), message).hint_if(hint);
        Err(self.complain(diagnostic))
    }

    /// What to write instead of this token, where an operator could stand.
    fn operator_hint(&self) -> Option<String> {
        let hint = match (self.kind(), self.text_of(self.span())) {
            (Kind::Or, _) => "the operator is `||`",
            (Kind::Name, "and") => "the operator is `&&`",
            (Kind::Name, "xor") => "the operator is `^`",
            (Kind::Name, "mod") => "the operator is `%`",
            (Kind::Equals, _) => "`==` compares, and `:=` assigns in a statement of its own",
            (Kind::Becomes, _) => "an assignment is a statement of its own; `==` compares",
            (Kind::Dots, _) => "ranges stand in types and in `for` only",
            (Kind::LeftBracket, _) => "the type of an array is `[int; 4]`",
            (Kind::LeftParen, _) => "only procedures are called, as `f(x);` or `y := f(x);`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    fn name(&mut self, what: &str) -> Parsed<Name<'s>> {
        let token = self.token();
        if token.kind.is_name() {
            self.at += 1;
            return Ok(Name { text: self.text_of(token.span), span: token.span });
        }
        let message = format!("expected {what}, found {}", self.found());
        let mut diagnostic = Diagnostic::new(token.span, message);
        if Kind::keyword(self.text_of(token.span)).is_some() {
            diagnostic =
                diagnostic.hint(format!("{} is a keyword; choose another name", token.kind.describe()));
        }
        Err(self.complain(diagnostic))
    }

    /// Goes one level deeper, if there is one.
    fn enter(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            let hint =
                "split it: use variables for parts of an expression, and procedures for parts of a block";
            return Err(self.complain_about_depth(Diagnostic::new(self.span(), message).hint(hint)));
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn complain_about_depth(&mut self, diagnostic: Diagnostic) -> Abandoned {
        self.too_deep = true;
        self.complain(diagnostic)
    }

    /// Items between commas, up to a closing token, which is taken. A comma behind the last one is allowed.
    fn list<T>(&mut self, close: Kind, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        loop {
            if self.take(close) {
                return Ok(items);
            }
            items.push(item(self)?);
            if !self.take(Kind::Comma) && self.kind() != close {
                return Err(self.expected(&format!("`,` or {}", close.describe())));
            }
        }
    }

    /// Passes over tokens up to where the next statement or declaration may begin.
    fn recover(&mut self) {
        let (mut open, mut brackets) = (0_u32, 0_u32);
        loop {
            let kind = self.kind();
            match kind {
                Kind::End => return,
                _ if self.too_deep && !(kind.begins_declaration() && self.is_first_in_line()) => {}
                Kind::Const | Kind::Enum | Kind::Final | Kind::Plain | Kind::Proc => return,
                // That of a type like `[int; 2]` ends nothing.
                Kind::Semicolon if brackets > 0 && !self.is_last_in_line() => {}
                Kind::Semicolon if open == 0 => {
                    self.at += 1;
                    return;
                }
                Kind::LeftParen | Kind::LeftBracket => brackets += 1,
                Kind::RightParen | Kind::RightBracket => brackets = brackets.saturating_sub(1),
                Kind::LeftBrace => open += 1,
                Kind::RightBrace if open == 0 => return,
                Kind::RightBrace => {
                    open -= 1;
                    if open == 0 {
                        self.at += 1;
                        return;
                    }
                }
                _ if open == 0
                    && (kind.begins_statement() || kind.begins_declaration())
                    && self.is_first_in_line()
                    && self.complained_at != Some(self.at) =>
                {
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}
