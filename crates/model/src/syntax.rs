//! From text to a syntax tree, and back to text in good order.
//!
//! The lexer and the parser never stop at a mistake: they report it, go on behind it, and leave a hole in the tree. Nothing in here knows
//! names or types; `lower` does.
//!
//! Nothing recurses deeper than [`MAX_DEPTH`] levels, so that no text can exhaust the stack, neither here nor in what walks the tree later.

pub(crate) mod ast;
pub(crate) mod format;
pub(crate) mod lexer;
pub(crate) mod parser;
pub(crate) mod token;

/// How deep expressions, types and blocks may be nested.
pub(crate) const MAX_DEPTH: u32 = 256;

/// The longest text that is read, in bytes.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// What types there are, in messages.
pub(crate) const TYPES: &str = "types are `bool`, `int`, ranges like `0..3`, names of enums and records, `lock`, and arrays like `[int; 4]`";

/// The keywords of the language, for editors and for tests.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    token::KEYWORDS.iter().map(|&(text, _)| text)
}
