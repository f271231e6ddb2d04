//! Spaces between tokens, and where a line that is too long is broken.

use crate::syntax::token::Kind;

/// A token or a comment with what comes before it.
pub(super) struct Piece {
    text: String,
    /// A space stands before it.
    space: bool,
    /// How bad it is to break the line before it; `None` if it cannot be.
    breaks: Option<u32>,
    /// The line must be broken before it.
    must_break: bool,
}

/// What is known from the tokens before.
#[derive(Default)]
pub(super) struct Spacing {
    before: Option<Kind>,
    /// An operand has ended: an operator with two operands may come.
    operand: bool,
    /// The token before is an operator with one operand.
    unary: bool,
    /// How many brackets are open, and how many `?` wait for their `:`.
    depth: u32,
    questions: Vec<u32>,
    /// The piece before is a comment up to the end of the line.
    line_comment: bool,
    comment: bool,
}

/// How loosely an operator binds its operands: it is better to break lines at loose ones.
fn looseness(kind: Kind) -> Option<u32> {
    Some(match kind {
        Kind::Question => 1,
        Kind::OrOr => 2,
        Kind::AndAnd => 3,
        Kind::EqualEqual | Kind::BangEqual => 4,
        Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => 5,
        Kind::Pipe => 6,
        Kind::Caret => 7,
        Kind::Ampersand => 8,
        Kind::LessLess | Kind::GreaterGreater => 9,
        Kind::Plus | Kind::Minus => 10,
        Kind::Star | Kind::Slash | Kind::Percent => 11,
        _ => return None,
    })
}

/// More than any looseness: how much worse it is to break inside brackets.
const DEEPER: u32 = 16;

impl Spacing {
    pub(super) fn token(&mut self, kind: Kind, text: String) -> Piece {
        if matches!(kind, Kind::RightParen | Kind::RightBracket) {
            self.depth = self.depth.saturating_sub(1);
        }
        let is_second = kind == Kind::Colon && self.questions.last() == Some(&self.depth);
        if is_second {
            self.questions.pop();
        }
        let is_operator = looseness(kind).is_some() && self.operand || is_second;
        let piece = Piece {
            text,
            space: self.before.is_some() && (self.comment || self.space(kind, is_operator)),
            breaks: self.breaks(kind, is_operator),
            must_break: self.line_comment,
        };
        self.unary = match kind {
            Kind::Bang | Kind::Tilde => true,
            Kind::Minus => !is_operator,
            _ => false,
        };
        // A star that is no operator is a choice.
        self.operand = kind.ends_operand() || kind == Kind::Star && !is_operator;
        match kind {
            Kind::LeftParen | Kind::LeftBracket => self.depth += 1,
            Kind::Question => self.questions.push(self.depth),
            Kind::Semicolon | Kind::LeftBrace | Kind::RightBrace => self.questions.clear(),
            _ => {}
        }
        (self.before, self.comment, self.line_comment) = (Some(kind), false, false);
        piece
    }

    /// The token before closed a block.
    pub(super) fn behind_block(&self) -> bool {
        self.before == Some(Kind::RightBrace)
    }

    pub(super) fn comment(&mut self, text: String, own_line: bool) -> Piece {
        let must_break = self.line_comment || own_line && self.before.is_some();
        self.comment = true;
        self.line_comment = text.starts_with("//");
        let space = self.before.is_some();
        self.before = self.before.or(Some(Kind::Semicolon));
        Piece { text, space, breaks: Some(0), must_break }
    }

    fn space(&self, kind: Kind, is_operator: bool) -> bool {
        let Some(before) = self.before else { return false };
        if is_operator {
            return true;
        }
        match (before, kind) {
            (_, Kind::Semicolon | Kind::Comma | Kind::RightParen | Kind::RightBracket) => false,
            (_, Kind::Dot | Kind::Dots | Kind::Colon) => false,
            (Kind::LeftParen | Kind::LeftBracket | Kind::Dot | Kind::Dots, _) => false,
            (_, Kind::LeftParen) => !(before.is_name() || before == Kind::Choose || self.unary),
            (_, Kind::LeftBracket) => !self.operand && !self.unary,
            _ => !self.unary,
        }
    }

    fn breaks(&self, kind: Kind, is_operator: bool) -> Option<u32> {
        let deep = self.depth * DEEPER;
        match (self.before?, kind) {
            (Kind::Comma, _) => Some(deep),
            (_, Kind::Colon) if is_operator => Some(deep + 1),
            (Kind::Becomes | Kind::Equals, _) => Some(deep + DEEPER - 1),
            _ if is_operator => looseness(kind).map(|looseness| deep + looseness),
            _ => None,
        }
    }
}

impl Piece {
    /// Puts it behind what is on the line.
    pub(super) fn push_to(&self, line: &mut String) {
        if self.space && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&self.text);
    }
}

/// How wide pieces are on one line.
pub(super) fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(wide).sum()
}

fn wide(piece: &Piece) -> usize {
    piece.text.chars().count() + usize::from(piece.space)
}

/// Lines of pieces; those behind the first are put in by `further`.
pub(super) fn wrap(pieces: &[Piece], indent: usize, further: usize, limit: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < pieces.len() {
        let left = if lines.is_empty() { indent } else { further };
        let end = line_end(&pieces[start..], left, limit) + start;
        let mut line = " ".repeat(left);
        for (at, piece) in pieces[start..end].iter().enumerate() {
            if piece.space && at > 0 {
                line.push(' ');
            }
            line.push_str(&piece.text);
        }
        lines.push(line);
        start = end;
    }
    lines
}

/// How many pieces stand on a line that begins at column `left`.
fn line_end(pieces: &[Piece], left: usize, limit: usize) -> usize {
    let mut column = left;
    let mut best: Option<(u32, usize)> = None;
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 && piece.must_break {
            return at;
        }
        if at > 0
            && let Some(badness) = piece.breaks
            && best.is_none_or(|(least, _)| badness <= least)
        {
            best = Some((badness, at));
        }
        column += wide(piece) - usize::from(at == 0 && piece.space);
        if column > limit
            && let Some((_, end)) = best
        {
            return end;
        }
    }
    pieces.len()
}
