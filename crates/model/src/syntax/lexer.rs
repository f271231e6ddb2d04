//! Cuts a text into tokens.

use super::token::{Kind, Token};
use crate::diagnostic::{Diagnostic, Sink};
use crate::ir::Span;

/// What a text consists of.
pub(crate) struct Lexed {
    /// The tokens; the last one is [`Kind::End`].
    pub(crate) tokens: Vec<Token>,
    /// The comments, in their order; of use to the formatter only.
    pub(crate) comments: Vec<Span>,
    /// A comment without an end has swallowed the rest.
    pub(crate) swallowed: bool,
}

/// Cuts a text of at most [`super::MAX_BYTES`] into tokens.
pub(crate) fn lex(text: &str, sink: &mut Sink) -> Lexed {
    assert!(text.len() <= super::MAX_BYTES, "spans have 32 bits");
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, sink };
    let mut lexed =
        Lexed { tokens: Vec::with_capacity(text.len() / 4), comments: Vec::new(), swallowed: false };
    if text.starts_with('\u{feff}') {
        lexer.at = 3;
    }
    loop {
        lexer.skip_space();
        let start = lexer.at;
        if lexer.comment() {
            let span = lexer.span_from(start);
            let comment = &text[start..lexer.at];
            lexed.swallowed |= comment.starts_with("/*") && (comment.len() < 4 || !comment.ends_with("*/"));
            lexed.comments.push(span);
            continue;
        }
        let kind = lexer.token();
        let span = lexer.span_from(start);
        lexed.tokens.push(Token { kind, span });
        if kind == Kind::End {
            return lexed;
        }
    }
}

struct Lexer<'s, 'd> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    sink: &'d mut Sink,
}

impl Lexer<'_, '_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span_from(&self, start: usize) -> Span {
        Span { start: start as u32, end: self.at as u32 }
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && test(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        self.skip_while(|byte| byte.is_ascii_whitespace());
    }

    fn comment(&mut self) -> bool {
        let start = self.at;
        match (self.peek(0), self.peek(1)) {
            (b'/', b'/') => {
                self.skip_while(|byte| byte != b'\n');
                if self.bytes[self.at - 1] == b'\r' {
                    self.at -= 1;
                }
                true
            }
            (b'/', b'*') => {
                self.at = match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.at + 2 + length + 2,
                    None => {
                        let span = Span { start: start as u32, end: start as u32 + 2 };
                        self.sink.push(
                            Diagnostic::new(span, "this comment does not end").hint("close it with `*/`"),
                        );
                        self.bytes.len()
                    }
                };
                true
            }
            _ => false,
        }
    }

    fn token(&mut self) -> Kind {
        match self.peek(0) {
            0 if self.at >= self.bytes.len() => Kind::End,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'0'..=b'9' => self.number(),
            b'"' => self.quoted(),
            _ => self.sign(),
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        Kind::keyword(&self.text[start..self.at]).unwrap_or(Kind::Name)
    }

    fn number(&mut self) -> Kind {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let text = &self.text[start..self.at];
        if number(text).is_none() {
            let span = self.span_from(start);
            self.sink.push(
                Diagnostic::new(span, format!("`{}` is no number", shorten(text)))
                    .hint("numbers are like 12 or 0x1f, and names begin with a letter or `_`"),
            );
        }
        Kind::Number
    }

    fn quoted(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return Kind::Text;
                }
                b'\\' if matches!(self.peek(1), b'"' | b'\\' | b'n') => self.at += 2,
                b'\\' => {
                    let span = Span { start: self.at as u32, end: self.at as u32 + 1 };
                    self.sink.push(
                        Diagnostic::new(span, "a `\\` that stands for nothing")
                            .hint("there are \\\\ (for `\\` itself), \\\" and \\n"),
                    );
                    self.at += 1;
                }
                byte if byte == b'\n' || self.at >= self.bytes.len() => {
                    let span = Span { start: start as u32, end: start as u32 + 1 };
                    self.sink.push(
                        Diagnostic::new(span, "this text does not end")
                            .hint("close it with `\"` on the same line; a line break in it is `\\n`"),
                    );
                    return Kind::Bad;
                }
                _ => self.at += 1,
            }
        }
    }

    fn sign(&mut self) -> Kind {
        let (kind, length) = match (self.peek(0), self.peek(1)) {
            (b':', b'=') => (Kind::Becomes, 2),
            (b'.', b'.') => (Kind::Dots, 2),
            (b'|', b'|') => (Kind::OrOr, 2),
            (b'&', b'&') => (Kind::AndAnd, 2),
            (b'=', b'=') => (Kind::EqualEqual, 2),
            (b'!', b'=') => (Kind::BangEqual, 2),
            (b'<', b'=') => (Kind::LessEqual, 2),
            (b'>', b'=') => (Kind::GreaterEqual, 2),
            (b'<', b'<') => (Kind::LessLess, 2),
            (b'>', b'>') => (Kind::GreaterGreater, 2),
            (b'(', _) => (Kind::LeftParen, 1),
            (b')', _) => (Kind::RightParen, 1),
            (b'[', _) => (Kind::LeftBracket, 1),
            (b']', _) => (Kind::RightBracket, 1),
            (b'{', _) => (Kind::LeftBrace, 1),
            (b'}', _) => (Kind::RightBrace, 1),
            (b',', _) => (Kind::Comma, 1),
            (b';', _) => (Kind::Semicolon, 1),
            (b':', _) => (Kind::Colon, 1),
            (b'=', _) => (Kind::Equals, 1),
            (b'.', _) => (Kind::Dot, 1),
            (b'?', _) => (Kind::Question, 1),
            (b'<', _) => (Kind::Less, 1),
            (b'>', _) => (Kind::Greater, 1),
            (b'|', _) => (Kind::Pipe, 1),
            (b'^', _) => (Kind::Caret, 1),
            (b'&', _) => (Kind::Ampersand, 1),
            (b'+', _) => (Kind::Plus, 1),
            (b'-', _) => (Kind::Minus, 1),
            (b'*', _) => (Kind::Star, 1),
            (b'/', _) => (Kind::Slash, 1),
            (b'%', _) => (Kind::Percent, 1),
            (b'!', _) => (Kind::Bang, 1),
            (b'~', _) => (Kind::Tilde, 1),
            _ => return self.unknown(),
        };
        self.at += length;
        kind
    }

    /// Characters that mean nothing: one complaint for all that stand together.
    fn unknown(&mut self) -> Kind {
        let start = self.at;
        let rest = &self.text[start..];
        let first = rest.chars().next().expect("it is not the end");
        let means_nothing = |c: char| {
            !c.is_ascii() || c.is_ascii_control() && !c.is_ascii_whitespace() || "#$'@\\`".contains(c)
        };
        let length = rest.find(|c| !means_nothing(c)).unwrap_or(rest.len());
        self.at += length.max(first.len_utf8());
        let hint = match first {
            '\'' | '`' | '\u{201c}' | '\u{201d}' => "texts stand in plain double quotes: \"...\"",
            '#' => "comments begin with `//`",
            _ if first.is_alphabetic() => "names are made of a-z, A-Z, 0-9 and `_`",
            _ => "take it out",
        };
        let message = format!("the character {first:?} means nothing here");
        self.sink.push(Diagnostic::new(self.span_from(start), message).hint(hint));
        Kind::Bad
    }
}

/// The value of a number, if it has one; it is not limited to 32 bits.
pub(crate) fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    // A number with too many digits is a number all the same, only too large.
    Some(u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}

/// What a text in quotes says.
pub(crate) fn unquote(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let mut said = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(character) = chars.next() {
        match character {
            '\\' => match chars.next() {
                Some('n') => said.push('\n'),
                Some(other) => said.push(other),
                None => {}
            },
            '"' => break,
            other => said.push(other),
        }
    }
    said
}

/// A text that fits into a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
