//! Reads a model: from its text to a program, or to everything that is wrong with it.

use crate::diagnostic::{Diagnostic, Diagnostics, Sink};
use crate::ir::{Program, SourceText};
use crate::lower::lower;
use crate::syntax::{MAX_BYTES, format as formatter, lexer, parser};

/// Reads a model. `name` is its file name, for messages; `sets` gives constants other values than those in the text.
pub fn load(name: &str, text: &str, sets: &[(String, String)]) -> Result<Program, Diagnostics> {
    let source = sized(name, text)?;
    let mut sink = Sink::default();
    let program = {
        let lexed = lexer::lex(&source.text, &mut sink);
        let mut file = parser::parse(&source.text, &lexed.tokens, &mut sink);
        file.lost |= lexed.swallowed;
        lower(&file, &source, sets, &mut sink)
    };
    match program {
        Some(program) => Ok(program),
        None => Err(sink.finish(source)),
    }
}

/// Reads a model as it is in a file: [`load`] for bytes that may not even be text.
pub fn load_bytes(name: &str, bytes: &[u8], sets: &[(String, String)]) -> Result<Program, Diagnostics> {
    match std::str::from_utf8(bytes) {
        Ok(text) => load(name, text, sets),
        Err(error) => Err(not_text(name, bytes, error.valid_up_to())),
    }
}

/// The text of a model in good order, with its comments. It need not be right in names and types, but must have no syntax errors.
pub fn format(name: &str, text: &str) -> Result<String, Diagnostics> {
    let source = sized(name, text)?;
    let mut sink = Sink::default();
    let lexed = lexer::lex(&source.text, &mut sink);
    parser::parse(&source.text, &lexed.tokens, &mut sink);
    match sink.is_empty() {
        true => Ok(formatter::format(&source.text, &lexed)),
        false => Err(sink.finish(source)),
    }
}

/// [`format()`] for bytes that may not even be text.
pub fn format_bytes(name: &str, bytes: &[u8]) -> Result<String, Diagnostics> {
    match std::str::from_utf8(bytes) {
        Ok(text) => format(name, text),
        Err(error) => Err(not_text(name, bytes, error.valid_up_to())),
    }
}

/// The source, if it is not too long.
fn sized(name: &str, text: &str) -> Result<SourceText, Diagnostics> {
    if text.len() <= MAX_BYTES {
        return Ok(SourceText { name: name.to_owned(), text: text.to_owned() });
    }
    let mut sink = Sink::default();
    let message = format!("{name} has {} bytes, and a model may have {MAX_BYTES}", text.len());
    sink.push(Diagnostic::nowhere(message).hint("is it the right file?"));
    Err(sink.finish(SourceText { name: name.to_owned(), text: String::new() }))
}

fn not_text(name: &str, bytes: &[u8], at: usize) -> Diagnostics {
    let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let message = format!(
        "{name} is not UTF-8 text: byte 0x{:02x} in line {line}, the {}. of the line and number {at} of the file, cannot stand there",
        bytes[at],
        at - start + 1
    );
    let mut sink = Sink::default();
    sink.push(Diagnostic::nowhere(message).hint("save the file as UTF-8; is it a model at all?"));
    sink.finish(SourceText { name: name.to_owned(), text: String::new() })
}
