//! Shows diagnostics.

use std::fmt::Write as _;

use super::{Diagnostics, SHOWN};

pub(super) fn render(diagnostics: &Diagnostics, _colours: bool) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.list.iter().take(SHOWN) {
        let _ = write!(text, "error: {}", diagnostic.message);
        if let Some(span) = diagnostic.span {
            let (line, column) = diagnostics.source.line_and_column(span.start);
            let _ = write!(text, "\n  --> {}:{line}:{column}", diagnostics.source.name);
        }
        if let Some(hint) = &diagnostic.hint {
            let _ = write!(text, "\n  = help: {hint}");
        }
        text.push('\n');
    }
    let more = diagnostics.count().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    text
}
