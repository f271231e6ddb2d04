//! Puts the text of a model in good order.
//!
//! Tokens and comments stay as they are, and in their order; only the space between them changes. So nothing can be lost, and the
//! program stays the same. A statement whose blocks stand on one line in the text keeps them there if they fit; all others are opened.
//! One blank line is kept where there are some. Lines that are too long are broken where that helps to read them, and comments at the
//! end of lines that follow each other are put below each other.

mod line;
mod tree;

use super::lexer::Lexed;
use super::token::Kind;
use crate::diagnostic::Sink;
use line::{Piece, Spacing};
use tree::{Entry, Group, Item, Part};

/// Lines are not longer, where it can be helped.
const WIDTH: usize = 100;

/// How far blocks are put in.
const INDENT: usize = 4;

/// How far the rest of a line that was broken is put in.
const CONTINUATION: usize = 8;

/// The text of a file without syntax errors, in good order.
pub(crate) fn format(text: &str, lexed: &Lexed) -> String {
    let entries = tree::entries(text, lexed);
    let mut writer = Writer { text, entries: &entries, lines: Vec::new() };
    writer.items(&tree::items(text, &entries), 0);
    writer.finish()
}

/// A part of a text on one line, without its comments; no more than about `limit` characters.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let lexed = super::lexer::lex(text, &mut Sink::default());
    let mut spacing = Spacing::default();
    let mut line = String::new();
    for token in lexed.tokens.iter().filter(|token| token.kind != Kind::End) {
        if line.len() > limit {
            line.push_str(" ...");
            break;
        }
        spacing
            .token(token.kind, text[token.span.start as usize..token.span.end as usize].to_owned())
            .push_to(&mut line);
    }
    line
}

/// A line of the result.
struct Line {
    code: String,
    comment: Option<String>,
}

impl Line {
    fn indent(&self) -> usize {
        self.code.len() - self.code.trim_start_matches(' ').len()
    }
}

struct Writer<'t> {
    text: &'t str,
    entries: &'t [Entry],
    lines: Vec<Line>,
}

impl Writer<'_> {
    fn items(&mut self, items: &[Item], indent: usize) {
        for (at, item) in items.iter().enumerate() {
            let blank = match item {
                Item::Comment { blank_before, .. } | Item::Stmt { blank_before, .. } => *blank_before,
            };
            if blank && at > 0 {
                self.lines.push(Line { code: String::new(), comment: None });
            }
            match item {
                Item::Comment { entry, .. } => {
                    let code = format!("{:indent$}{}", "", self.entry(*entry));
                    self.lines.push(Line { code, comment: None });
                }
                Item::Stmt { parts, one_line, trailing, .. } => {
                    self.stmt(parts, *one_line, indent);
                    if let Some(entry) = trailing {
                        self.comment_last_line(*entry);
                    }
                }
            }
        }
    }

    /// A token or a comment as it is printed.
    fn entry(&self, entry: usize) -> String {
        let Entry { span, kind, .. } = self.entries[entry];
        let text = &self.text[span.start as usize..span.end as usize];
        match kind {
            Some(_) => text.to_owned(),
            None => text.replace("\r\n", "\n").trim_end().to_owned(),
        }
    }

    fn stmt(&mut self, parts: &[Part], one_line: bool, indent: usize) {
        let mut spacing = Spacing::default();
        let mut pieces = Vec::new();
        let is_simple = |group: &Group| group.is_simple();
        let groups = || parts.iter().filter_map(Part::group);
        if one_line && groups().all(is_simple) {
            for part in parts {
                self.inline(part, &mut spacing, &mut pieces);
            }
            let has_blocks = groups().next().is_some();
            if !has_blocks || indent + line::width(&pieces) <= WIDTH {
                return self.push(&pieces, indent);
            }
            (spacing, pieces) = (Spacing::default(), Vec::new());
        }
        for part in parts {
            match part {
                // A comment between a block and its `else`: both begin lines of their own.
                Part::Entry(entry)
                    if self.entries[*entry].kind.is_none() && pieces.len() <= 1 && spacing.behind_block() =>
                {
                    self.push(&pieces, indent);
                    pieces.clear();
                    self.comment_behind_block(*entry, indent);
                }
                Part::Entry(entry) => self.piece(*entry, &mut spacing, &mut pieces),
                Part::Group(group) if group.is_empty() => self.inline(part, &mut spacing, &mut pieces),
                Part::Group(group) => {
                    self.piece(group.open, &mut spacing, &mut pieces);
                    self.push(&pieces, indent);
                    pieces.clear();
                    if let Some(entry) = group.behind_open {
                        self.comment_last_line(entry);
                    }
                    self.items(&group.items, indent + INDENT);
                    spacing = Spacing::default();
                    self.piece(group.close, &mut spacing, &mut pieces);
                }
            }
        }
        self.push(&pieces, indent);
    }

    /// Puts a comment at the end of the line before.
    fn comment_last_line(&mut self, entry: usize) {
        let comment = self.entry(entry);
        self.lines.last_mut().expect("there is one").comment = Some(comment);
    }

    fn comment_behind_block(&mut self, entry: usize, indent: usize) {
        let is_first =
            self.lines.last().is_some_and(|line| line.comment.is_none() && line.code.ends_with('}'));
        if self.entries[entry].newlines == 0 && is_first {
            return self.comment_last_line(entry);
        }
        let code = format!("{:indent$}{}", "", self.entry(entry));
        self.lines.push(Line { code, comment: None });
    }

    /// A part of a statement that is not broken.
    fn inline(&self, part: &Part, spacing: &mut Spacing, pieces: &mut Vec<Piece>) {
        match part {
            Part::Entry(entry) => self.piece(*entry, spacing, pieces),
            Part::Group(group) => {
                self.piece(group.open, spacing, pieces);
                for item in &group.items {
                    let Item::Stmt { parts, .. } = item else {
                        unreachable!("simple groups have no comments")
                    };
                    for part in parts {
                        self.inline(part, spacing, pieces);
                    }
                }
                self.piece(group.close, spacing, pieces);
            }
        }
    }

    fn piece(&self, entry: usize, spacing: &mut Spacing, pieces: &mut Vec<Piece>) {
        let Entry { kind, newlines, .. } = self.entries[entry];
        pieces.push(match kind {
            Some(kind) => spacing.token(kind, self.entry(entry)),
            None => spacing.comment(self.entry(entry), newlines > 0),
        });
    }

    fn push(&mut self, pieces: &[Piece], indent: usize) {
        for code in line::wrap(pieces, indent, indent + CONTINUATION, WIDTH) {
            self.lines.push(Line { code, comment: None });
        }
    }

    /// All lines, with the comments at their ends below each other.
    fn finish(self) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut at = 0;
        while at < self.lines.len() {
            let indent = self.lines[at].indent();
            let belongs = |line: &&Line| line.comment.is_some() && line.indent() == indent;
            let run = self.lines[at..].iter().take_while(belongs).count();
            let column =
                self.lines[at..at + run].iter().map(|line| line.code.chars().count()).max().unwrap_or(0);
            for line in &self.lines[at..at + run.max(1)] {
                text.push_str(&line.code);
                if let Some(comment) = &line.comment {
                    let space = column - line.code.chars().count() + 2;
                    text.extend(std::iter::repeat_n(' ', space));
                    text.push_str(comment);
                }
                text.push('\n');
            }
            at += run.max(1);
        }
        text
    }
}
