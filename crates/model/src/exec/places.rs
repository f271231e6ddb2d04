//! Places of a model's source, kept once for the life of the process, as the core wants them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use caissa_core::{Place, Source};

use crate::code::Code;
use crate::ir::{SourceText, Span};

/// All places so far, by file, line and column; and the names of files.
#[derive(Default)]
struct Known {
    places: HashMap<(&'static str, u32, u32), &'static Place>,
    files: HashSet<&'static str>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The place where a part of the source begins.
pub(crate) fn place(source: &SourceText, span: Span) -> Source {
    let (line, column) = source.line_and_column(span.start);
    keep(&source.name, line, column)
}

fn keep(name: &str, line: u32, column: u32) -> Source {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Known { places, files } = &mut *known;
    let file = files.get(name).copied().unwrap_or_else(|| {
        let file: &'static str = Box::leak(name.to_owned().into_boxed_str());
        files.insert(file);
        file
    });
    let place = places
        .entry((file, line, column))
        .or_insert_with(|| Box::leak(Box::new(Place { file, line, column, call: "" })));
    Source::File(place)
}

/// The places of all instructions.
pub(super) fn places(code: &Code) -> Arc<[Source]> {
    let source = &code.program.source;
    let mut starts: Vec<u32> = code.spans.iter().map(|span| span.start).collect();
    starts.sort_unstable();
    starts.dedup();
    // One pass over the text, for it may be long.
    let mut found = HashMap::new();
    let (mut line, mut column, mut at) = (1, 1, 0);
    for start in starts {
        let end = source.text.floor_char_boundary(start as usize).max(at);
        for char in source.text[at..end].chars() {
            if char == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        at = end;
        found.insert(start, keep(&source.name, line, column));
    }
    code.spans.iter().map(|span| found[&span.start]).collect()
}
