//! The text that is being written: its indentation, and where its lines come from.

use crate::ir::{SourceText, Span};

/// A text under way.
pub(super) struct Page {
    text: String,
    indent: &'static str,
    depth: usize,
    /// Where the lines of the source end.
    ends: Vec<u32>,
    /// The line of the source that was noted last.
    noted: usize,
}

impl Page {
    /// An empty page, for a program that comes from this source.
    pub(super) fn new(source: &SourceText, indent: &'static str) -> Page {
        let ends = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let ends = ends.map(|(at, _)| at as u32).collect();
        Page { text: String::new(), indent, depth: 0, ends, noted: 0 }
    }

    /// Everything that was written.
    pub(super) fn finish(self) -> String {
        assert!(self.depth == 0, "every block is closed");
        self.text
    }

    /// Lines as they are.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A line.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str(self.indent);
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line, with a note of where it comes from if the one before comes from elsewhere.
    pub(super) fn line_at(&mut self, span: Span, text: &str) {
        match self.note(span) {
            Some(note) => self.line(&format!("{text} // {note}")),
            None => self.line(text),
        }
    }

    /// The same, with words about it.
    pub(super) fn line_about(&mut self, span: Span, text: &str, about: &str) {
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let note = self.note(span).map(|note| format!("{note}: ")).unwrap_or_default();
        // A backslash at its end would join the next line to the comment.
        self.line(format!("{text} // {note}{about}").trim_end_matches(['\\', ' ']));
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, span: Span, text: &str) {
        self.line_at(span, text);
        self.depth += 1;
    }

    /// A line that closes one.
    pub(super) fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// A line between two blocks.
    pub(super) fn between(&mut self, text: &str) {
        self.close(text);
        self.depth += 1;
    }

    fn note(&mut self, span: Span) -> Option<String> {
        // What translations add has no place in the source.
        if span.start == span.end {
            return None;
        }
        let line = self.ends.partition_point(|&end| end < span.start) + 1;
        (std::mem::replace(&mut self.noted, line) != line).then(|| format!("line {line}"))
    }
}
