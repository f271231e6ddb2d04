//! Tokens and comments by statements and blocks, as the formatter needs them.

use crate::ir::Span;
use crate::syntax::lexer::Lexed;
use crate::syntax::token::Kind;

/// A token or a comment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) span: Span,
    /// `None` for a comment.
    pub(super) kind: Option<Kind>,
    /// Line breaks before it.
    pub(super) newlines: u32,
}

/// What stands in a block or at the top of the file.
pub(super) enum Item {
    /// A comment on lines of its own.
    Comment { entry: usize, blank_before: bool },
    /// A statement, a declaration, or a member of a list in braces.
    Stmt {
        parts: Vec<Part>,
        blank_before: bool,
        /// It stands on one line in the text.
        one_line: bool,
        /// A comment behind it.
        trailing: Option<usize>,
    },
}

/// A part of a statement.
pub(super) enum Part {
    Entry(usize),
    Group(Group),
}

impl Part {
    pub(super) fn group(&self) -> Option<&Group> {
        match self {
            Part::Entry(_) => None,
            Part::Group(group) => Some(group),
        }
    }
}

/// What stands in braces.
pub(super) struct Group {
    pub(super) open: usize,
    /// A comment behind the opening brace.
    pub(super) behind_open: Option<usize>,
    pub(super) items: Vec<Item>,
    pub(super) close: usize,
}

impl Group {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.behind_open.is_none()
    }

    /// It has no blocks and no comments in it.
    pub(super) fn is_simple(&self) -> bool {
        let is_simple = |item: &Item| match item {
            Item::Comment { .. } => false,
            Item::Stmt { parts, trailing, .. } => {
                trailing.is_none() && parts.iter().all(|part| part.group().is_none())
            }
        };
        self.behind_open.is_none() && self.items.iter().all(is_simple)
    }
}

/// All tokens and comments, in their order.
pub(super) fn entries(text: &str, lexed: &Lexed) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(lexed.tokens.len() + lexed.comments.len());
    let mut comments = lexed.comments.iter().peekable();
    let mut end = 0;
    let mut push = |span: Span, kind: Option<Kind>| {
        let between = &text.as_bytes()[end..span.start as usize];
        let newlines = between.iter().filter(|&&byte| byte == b'\n').count() as u32;
        entries.push(Entry { span, kind, newlines });
        end = span.end as usize;
    };
    for token in &lexed.tokens {
        while let Some(comment) = comments.next_if(|comment| comment.start < token.span.start) {
            push(*comment, None);
        }
        if token.kind != Kind::End {
            push(token.span, Some(token.kind));
        }
    }
    comments.for_each(|comment| push(*comment, None));
    entries
}

/// All of a file.
pub(super) fn items(text: &str, entries: &[Entry]) -> Vec<Item> {
    let mut reader = Reader { text, entries, at: 0 };
    let items = reader.items(Kind::Semicolon);
    assert_eq!(reader.at, entries.len(), "braces match in files without errors");
    items
}

struct Reader<'t> {
    text: &'t str,
    entries: &'t [Entry],
    at: usize,
}

impl Reader<'_> {
    fn kind(&self) -> Option<Kind> {
        self.entries.get(self.at).and_then(|entry| entry.kind)
    }

    /// Up to the brace that closes the block, or the end. Each item ends with `separator`, or with a block.
    fn items(&mut self, separator: Kind) -> Vec<Item> {
        let mut items = Vec::new();
        while let Some(entry) = self.entries.get(self.at) {
            let blank_before = entry.newlines > 1;
            match entry.kind {
                Some(Kind::RightBrace) => break,
                Some(_) => items.push(self.stmt(separator, blank_before)),
                None => {
                    items.push(Item::Comment { entry: self.at, blank_before });
                    self.at += 1;
                }
            }
        }
        items
    }

    /// A comment on the same line.
    fn comment_behind(&mut self) -> Option<usize> {
        let entry = self.entries.get(self.at)?;
        if entry.kind.is_some() || entry.newlines > 0 {
            return None;
        }
        // One that something comes behind belongs to that.
        let ends_line = self.entries.get(self.at + 1).is_none_or(|next| next.newlines > 0);
        let is_last = self.entries.get(self.at + 1).is_none_or(|next| next.kind == Some(Kind::RightBrace));
        if !ends_line && !is_last {
            return None;
        }
        self.at += 1;
        Some(self.at - 1)
    }

    fn stmt(&mut self, separator: Kind, blank_before: bool) -> Item {
        let first = self.at;
        let is_list = matches!(self.kind(), Some(Kind::Enum | Kind::Record));
        let mut parts = Vec::new();
        let mut depth = 0_u32;
        while let Some(entry) = self.entries.get(self.at) {
            match entry.kind {
                Some(Kind::LeftBrace) => {
                    parts.push(Part::Group(self.group(if is_list { Kind::Comma } else { Kind::Semicolon })));
                    if !self.goes_on() {
                        break;
                    }
                    continue;
                }
                Some(Kind::RightBrace) => break,
                Some(Kind::LeftParen | Kind::LeftBracket) => depth += 1,
                Some(Kind::RightParen | Kind::RightBracket) => depth = depth.saturating_sub(1),
                // A comment before the brace that closes a list belongs to the list.
                None if separator == Kind::Comma && self.next_token() == Some(Kind::RightBrace) => break,
                _ => {}
            }
            parts.push(Part::Entry(self.at));
            self.at += 1;
            if depth == 0 && entry.kind == Some(separator) {
                break;
            }
        }
        let span = (self.entries[first].span.start, self.entries[self.at - 1].span.end);
        let one_line = !self.text[span.0 as usize..span.1 as usize].contains('\n');
        let trailing = self.comment_behind();
        Item::Stmt { parts, blank_before, one_line, trailing }
    }

    fn next_token(&self) -> Option<Kind> {
        self.entries[self.at..].iter().find_map(|entry| entry.kind)
    }

    /// The statement goes on behind a block, perhaps after comments.
    fn goes_on(&self) -> bool {
        matches!(self.next_token(), Some(Kind::Else | Kind::Or)) || self.kind() == Some(Kind::Semicolon)
    }

    fn group(&mut self, separator: Kind) -> Group {
        let open = self.at;
        self.at += 1;
        let behind_open = self.comment_behind();
        let items = self.items(separator);
        let close = self.at;
        self.at += 1;
        Group { open, behind_open, items, close }
    }
}
