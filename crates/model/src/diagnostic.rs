//! What is wrong with a text: mistakes with their place, what to do about them, and how they are shown.

use std::fmt;

use crate::ir::{SourceText, Span};

mod render;

/// How many diagnostics are shown.
pub const SHOWN: usize = 100;

/// How many diagnostics a phase keeps; the others are only counted.
const KEPT: usize = 1_000;

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where; `None` if it has no place in the text, as a wrong `--set`.
    pub span: Option<Span>,
    /// What to write at that place; may be empty.
    pub label: String,
    /// Other places that have to do with it.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            message: message.into(),
            span: Some(span),
            label: String::new(),
            related: Vec::new(),
            hint: None,
        }
    }

    pub(crate) fn nowhere(message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, ..Diagnostic::new(Span::default(), message) }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn hint_if(mut self, hint: Option<String>) -> Diagnostic {
        self.hint = hint.or(self.hint);
        self
    }

    pub(crate) fn related(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.related.push((span, label.into()));
        self
    }
}

/// Collects what is wrong; how much it keeps is limited, for a large file may be wrong everywhere.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Sink {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < KEPT {
            self.list.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Work that only makes a message better is not worth it any more.
    pub(crate) fn is_crowded(&self) -> bool {
        self.list.len() >= SHOWN
    }

    pub(crate) fn finish(mut self, source: SourceText) -> Diagnostics {
        self.list.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.start, span.end)));
        Diagnostics { source, list: self.list, left_out: self.left_out }
    }
}

/// Everything that is wrong with a text, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    source: SourceText,
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    /// The diagnostics. There may be more, if there are very many: see [`Diagnostics::count`].
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len() + self.left_out
    }

    /// The text that they are about.
    pub fn source(&self) -> &SourceText {
        &self.source
    }

    /// The diagnostics as text for people: each with the lines of the source it is about, and its hint. At most [`SHOWN`] of them.
    pub fn render(&self, colours: bool) -> String {
        render::render(self, colours)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}
