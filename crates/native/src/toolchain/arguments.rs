//! A compiler's command line as words that know where they come from: an argument, or a response file (`@FILE`).
//!
//! A response file holds arguments, separated by white space, with quotes and backslashes; it can name other such files. Where nothing in
//! it has to change it stays what it is, since it may hold more than a command line can.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

/// How deep response files can name others; more are a circle.
const MAX_DEPTH: u32 = 16;

/// A word as the compiler reads it.
pub(super) struct Word {
    pub(super) text: OsString,
    /// Which argument it is, or is read from.
    argument: usize,
    /// Whether the compiler gets it.
    pub(super) is_kept: bool,
}

/// All words of a command line.
pub(super) struct Words {
    given: Vec<OsString>,
    pub(super) all: Vec<Word>,
}

impl Words {
    pub(super) fn read(given: &[OsString]) -> Words {
        let mut all = Vec::new();
        for (argument, text) in given.iter().enumerate() {
            let mut read = Vec::new();
            expand(text, 0, &mut read);
            all.extend(read.into_iter().map(|text| Word { text, argument, is_kept: true }));
        }
        Words { given: given.to_vec(), all }
    }

    /// The arguments without the words that were dropped, up to a `--` and from there.
    pub(super) fn kept(&self) -> (Vec<OsString>, Vec<OsString>) {
        let end = self.given.iter().position(|argument| argument == "--").unwrap_or(self.given.len());
        let mut parts = (Vec::new(), Vec::new());
        for (argument, given) in self.given.iter().enumerate() {
            let part = if argument < end { &mut parts.0 } else { &mut parts.1 };
            let words = || self.all.iter().filter(|word| word.argument == argument);
            if words().all(|word| word.is_kept) {
                part.push(given.clone());
            } else {
                part.extend(words().filter(|word| word.is_kept).map(|word| word.text.clone()));
            }
        }
        parts
    }
}

/// The words that an argument stands for. A response file that does not exist is an argument like others.
fn expand(text: &OsStr, depth: u32, words: &mut Vec<OsString>) {
    let file = text.as_encoded_bytes().strip_prefix(b"@").map(|name| OsString::from_vec(name.to_vec()));
    let content = file.filter(|_| depth < MAX_DEPTH).and_then(|file| std::fs::read(Path::new(&file)).ok());
    match content {
        Some(content) => {
            for word in split(&content) {
                expand(&word, depth + 1, words);
            }
        }
        None => words.push(text.to_owned()),
    }
}

/// Splits the content of a response file as compilers do: a backslash takes the next byte as it is, also in quotes of both kinds.
fn split(content: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() || byte == b'\x0b' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn words(texts: &[&str]) -> Vec<OsString> {
        texts.iter().map(OsString::from).collect()
    }

    #[test]
    fn response_files_are_split_as_compilers_do() {
        let content = b"-DA=\"b c\" '-DB=\\'x\\''\n\t-I a\\ b \"\" x''y";
        assert_eq!(split(content), words(&["-DA=b c", "-DB='x'", "-I", "a b", "", "xy"]));
        assert!(split(b" \n").is_empty());
    }

    #[test]
    fn a_response_file_stays_unless_something_in_it_goes() {
        let scratch = Scratch::new();
        let inner = scratch.write("inner", "-O2 -flto").into_os_string().into_string().expect("a name");
        let outer =
            scratch.write("outer", format!("-c @{inner}")).into_os_string().into_string().expect("a name");
        let given = words(&[&format!("@{outer}"), "a.c", "@none"]);
        let mut read = Words::read(&given);
        let texts: Vec<&OsStr> = read.all.iter().map(|word| word.text.as_os_str()).collect();
        assert_eq!(texts, ["-c", "-O2", "-flto", "a.c", "@none"]);
        assert_eq!(read.kept(), (given, Vec::new()));
        read.all[2].is_kept = false;
        assert_eq!(read.kept().0, words(&["-c", "-O2", "a.c", "@none"]));
    }

    #[test]
    fn a_response_file_that_names_itself_ends() {
        let scratch = Scratch::new();
        let path = scratch.path().join("circle");
        scratch.write("circle", format!("-c @{}", path.display()));
        let read = Words::read(&words(&[&format!("@{}", path.display())]));
        assert!(read.all.len() < 40);
    }
}
