//! What a solver says, taken apart.

use rustc_hash::FxHashMap;

/// Looks for the end of the first expression in a text that grows.
#[derive(Default)]
pub(super) struct Scan {
    /// How far it has looked.
    at: usize,
    /// Where the expression starts.
    start: Option<usize>,
    depth: usize,
    /// Inside a string or a quoted symbol: what ends it.
    quoted: Option<u8>,
}

impl Scan {
    /// The first byte of the expression and the one behind it, if it is complete. A word is complete if something follows it, or if
    /// nothing can, as the text has `ended`.
    pub(super) fn first(&mut self, said: &[u8], ended: bool) -> Option<(usize, usize)> {
        while let Some(&byte) = said.get(self.at) {
            self.at += 1;
            let Some(start) = self.start.or((!byte.is_ascii_whitespace()).then_some(self.at - 1)) else {
                continue;
            };
            self.start = Some(start);
            match (self.quoted, byte) {
                (Some(end), _) => self.quoted = (byte != end).then_some(end),
                (None, b'"' | b'|') => self.quoted = Some(byte),
                (None, b'(') => self.depth += 1,
                (None, b')') if self.depth <= 1 => return Some((start, self.at)),
                (None, b')') => self.depth -= 1,
                (None, _) if self.depth == 0 && byte.is_ascii_whitespace() => {
                    return Some((start, self.at - 1));
                }
                _ => (),
            }
        }
        self.start.filter(|_| ended && self.depth == 0).map(|start| (start, self.at))
    }
}

/// The reply to `get-value`: `((name value) ...)`.
pub(super) fn values(reply: &str) -> Option<FxHashMap<String, i32>> {
    let words = words(reply);
    let mut words = words.iter().map(String::as_str);
    let mut values = FxHashMap::default();
    if words.next()? != "(" {
        return None;
    }
    loop {
        match words.next()? {
            ")" => return words.next().is_none().then_some(values),
            "(" => (),
            _ => return None,
        }
        let name = words.next()?;
        let value = match words.next()? {
            "(" => {
                let (under, value, width) = (words.next()?, words.next()?, words.next()?);
                if (under, width, words.next()?) != ("_", "32", ")") {
                    return None;
                }
                value.strip_prefix("bv")?.parse::<u32>().ok()? as i32
            }
            "true" => 1,
            "false" => 0,
            word => match word.split_at_checked(2)? {
                ("#x", digits) => u32::from_str_radix(digits, 16).ok()? as i32,
                ("#b", digits) => u32::from_str_radix(digits, 2).ok()? as i32,
                _ => return None,
            },
        };
        if words.next()? != ")" {
            return None;
        }
        values.insert(name.trim_matches('|').to_owned(), value);
    }
}

/// Parentheses and what is between them.
fn words(text: &str) -> Vec<String> {
    text.replace('(', " ( ").replace(')', " ) ").split_whitespace().map(str::to_owned).collect()
}

/// A command as words: split at blanks, where quotes of either kind keep them.
pub(super) fn arguments(command: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => arguments.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    arguments.extend(word);
    arguments
}
