//! Shows diagnostics as the Rust compiler does, by the crate that it uses.
//!
//! The renderer is given only the lines it is to show, so that a large file costs no more than a small one; of very long lines it is given
//! a part.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Diagnostics, SHOWN};
use crate::ir::Span;

/// Places that are farther apart than this are shown apart.
const NEAR_LINES: usize = 30;

/// Longer lines are cut; the renderer cuts what is shown of shorter ones by itself.
const LONG_LINE: usize = 10_000;

/// What is shown of a long line, before and behind the place.
const AROUND: usize = 100;

/// How many lines of one place are shown.
const MAX_LINES: usize = 6;

/// Longer messages are cut.
const LONG_MESSAGE: usize = 2_000;

pub(super) fn render(diagnostics: &Diagnostics, colours: bool) -> String {
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let lines = Lines::of(&diagnostics.source.text);
    let mut text = String::new();
    for diagnostic in diagnostics.list.iter().take(SHOWN) {
        text.push_str(&renderer.render(&[group(diagnostic, &diagnostics.source.name, &lines)]));
        text.push_str("\n\n");
    }
    let count = diagnostics.count();
    let errors = if count == 1 { "1 error".to_owned() } else { format!("{count} errors") };
    let _ = match count.saturating_sub(SHOWN) {
        0 => writeln!(text, "{}: {errors}", diagnostics.source.name),
        more => writeln!(text, "{}: {errors}: those above, and {more} more", diagnostics.source.name),
    };
    text
}

/// Where lines begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
        Lines { text, starts: [0].into_iter().chain(breaks).collect() }
    }

    /// The line of a byte, from 0.
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at) - 1
    }

    /// The bytes of lines, without the last line break.
    fn bytes(&self, first: usize, last: usize) -> (usize, usize) {
        let end = match self.starts.get(last + 1) {
            Some(&next) => next - 1,
            None => self.text.len(),
        };
        (self.starts[first], end)
    }

    fn is_long(&self, line: usize) -> bool {
        let (start, end) = self.bytes(line, line);
        end - start > LONG_LINE
    }
}

/// A place to be shown, within the text and not too long.
#[derive(Clone, Copy)]
struct Mark<'d> {
    start: usize,
    end: usize,
    label: &'d str,
    is_primary: bool,
}

impl<'d> Mark<'d> {
    fn new(span: Span, label: &'d str, is_primary: bool, lines: &Lines<'_>) -> Mark<'d> {
        let start = lines.text.floor_char_boundary(span.start as usize);
        let mut end = lines.text.floor_char_boundary(span.end as usize).max(start);
        let first = lines.line(start);
        if lines.line(end) >= first + MAX_LINES {
            end = lines.bytes(first, first).1.max(start);
        }
        Mark { start, end, label, is_primary }
    }
}

fn group<'d>(diagnostic: &'d Diagnostic, name: &'d str, lines: &Lines<'d>) -> Group<'d> {
    let mut group = Level::ERROR.primary_title(shortened(&diagnostic.message)).elements(NO_SNIPPETS);
    if let Some(span) = diagnostic.span {
        let mut marks = vec![Mark::new(span, &diagnostic.label, true, lines)];
        marks.extend(diagnostic.related.iter().map(|(span, label)| Mark::new(*span, label, false, lines)));
        for near in near(&marks, lines) {
            group = show(group, &near, name, lines);
        }
    }
    match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(shortened(hint))),
        None => group,
    }
}

const NO_SNIPPETS: [Origin<'static>; 0] = [];

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONG_MESSAGE)]
}

/// The marks that are shown together; the first one is in the first group.
fn near<'d>(marks: &[Mark<'d>], lines: &Lines<'_>) -> Vec<Vec<Mark<'d>>> {
    let mut groups: Vec<Vec<Mark<'d>>> = Vec::new();
    for mark in marks {
        let line = lines.line(mark.start);
        let fits = |group: &&mut Vec<Mark<'d>>| {
            let other = lines.line(group[0].start);
            let between = line.min(other)..=line.max(other);
            line.abs_diff(other) <= NEAR_LINES && !between.into_iter().any(|line| lines.is_long(line))
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(*mark),
            None => groups.push(vec![*mark]),
        }
    }
    groups
}

fn show<'d>(group: Group<'d>, marks: &[Mark<'d>], name: &'d str, lines: &Lines<'d>) -> Group<'d> {
    let first = marks.iter().map(|mark| lines.line(mark.start)).min().expect("there is a mark");
    let last = marks.iter().map(|mark| lines.line(mark.end)).max().expect("there is a mark");
    if (first..=last).any(|line| lines.is_long(line)) {
        return show_part(group, &marks[0], name, lines);
    }
    let (start, end) = lines.bytes(first, last);
    let snippet = Snippet::source(&lines.text[start..end]).line_start(first + 1).path(name);
    group.element(snippet.annotations(marks.iter().map(|mark| annotation(mark, start))))
}

/// A place in a long line.
fn show_part<'d>(group: Group<'d>, mark: &Mark<'d>, name: &'d str, lines: &Lines<'d>) -> Group<'d> {
    let line = lines.line(mark.start);
    let (start, end) = lines.bytes(line, line);
    let column = lines.text[start..mark.start].chars().count() + 1;
    let from = lines.text.floor_char_boundary(mark.start.saturating_sub(AROUND)).max(start);
    let to = lines.text.floor_char_boundary((mark.start + 2 * AROUND).min(end)).max(mark.start);
    let mark = Mark { end: mark.end.min(to), ..*mark };
    let snippet = Snippet::source(&lines.text[from..to]).line_start(line + 1);
    group
        .element(Origin::path(name).line(line + 1).char_column(column))
        .element(snippet.annotation(annotation(&mark, from)))
}

fn annotation<'d>(mark: &Mark<'d>, offset: usize) -> annotate_snippets::Annotation<'d> {
    let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let label = if mark.label.is_empty() { None } else { Some(shortened(mark.label)) };
    kind.span(mark.start - offset..mark.end - offset).label(label)
}
