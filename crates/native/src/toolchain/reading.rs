//! What a compiler's command line asks for: how far to go, with which inputs.
//!
//! Only what decides about instrumentation and linking is looked at. Which options take the next word as their value has to be known for all,
//! lest a value is taken for an input.

use super::ToolchainError;
use super::arguments::Words;
use super::reading::options::{Kept, judge, takes_value};

mod options;

/// Where the compiler stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// `-E`, `-M`, `-MM`.
    Preprocessed,
    /// `-S`, `-c`, `-fsyntax-only`, a header.
    Compiled,
    /// The default.
    Linked,
}

/// What an input is to the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Input {
    Source,
    /// A source that the preprocessor is done with.
    Preprocessed,
    /// To be compiled ahead.
    Header,
    Assembler,
    /// Objects, archives, libraries.
    Linkable,
}

/// A command line that was understood.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) stop: Stop,
    /// There is something to instrument.
    pub(super) has_source: bool,
    /// Something of that has to be preprocessed first.
    pub(super) preprocesses: bool,
    /// Something of it is preprocessed already, or will be by a process of its own: the argument that says so.
    pub(super) apart: Option<String>,
    /// There is something to do, rather than a question to answer.
    pub(super) has_input: bool,
    /// `-r`: the output is an object again.
    pub(super) is_partial: bool,
    /// An argument that a linked program cannot have, and why.
    pub(super) unlinkable: Option<(String, &'static str)>,
    /// An option that says what is made, how far or of what kind: `-c`, `-o`, `-x`, `-shared`.
    pub(super) decides_output: Option<String>,
    /// There is a level of optimisation.
    pub(super) has_level: bool,
}

/// Reads a command line, and drops from it what is ours to say.
pub(super) fn read(words: &mut Words) -> Result<Reading, ToolchainError> {
    let mut reading = Reading {
        stop: Stop::Linked,
        has_source: false,
        preprocesses: false,
        apart: None,
        has_input: false,
        is_partial: false,
        unlinkable: None,
        decides_output: None,
        has_level: false,
    };
    let mut language: Option<Input> = None;
    let mut inputs = Vec::new();
    let mut only_inputs = false;
    let mut at = 0;
    while at < words.all.len() {
        let text = words.all[at].text.to_string_lossy().into_owned();
        let is_option = !only_inputs && text.len() > 1 && text.starts_with('-');
        let separate = is_option && takes_value(&text) && at + 1 < words.all.len();
        let value =
            if separate { words.all[at + 1].text.to_string_lossy().into_owned() } else { String::new() };
        let length = if separate { 2 } else { 1 };
        if only_inputs || !is_option {
            inputs.push((language.unwrap_or_else(|| input(&text)), text));
        } else if text == "--" {
            only_inputs = true;
        } else if let Some(joined) = text.strip_prefix("-x") {
            reading.decides_output = Some(text.clone());
            language = forced(if separate { &value } else { joined });
        } else if text.starts_with("-l") {
            inputs.push((Input::Linkable, text.clone()));
            if text == "-ltsan" || (text == "-l" && value == "tsan") {
                drop_words(words, at, length);
            }
        } else {
            match judge(&text)? {
                Kept::No => drop_words(words, at, length),
                Kept::Yes => reading.heed(&text),
            }
        }
        at += length;
    }
    reading.take_inputs(&inputs);
    Ok(reading)
}

fn drop_words(words: &mut Words, at: usize, length: usize) {
    words.all[at..at + length].iter_mut().for_each(|word| word.is_kept = false);
}

impl Reading {
    /// An option that stays.
    fn heed(&mut self, option: &str) {
        let stop = match option {
            "-E" | "-M" | "-MM" | "--preprocess" | "--dependencies" | "--user-dependencies" => {
                Stop::Preprocessed
            }
            "-S" | "-c" | "-fsyntax-only" | "--assemble" | "--compile" | "--analyze" | "-emit-ast"
            | "--precompile" => Stop::Compiled,
            _ => Stop::Linked,
        };
        self.stop = self.stop.min(stop);
        if stop != Stop::Linked || option.starts_with("-o") || matches!(option, "-r" | "-shared") {
            self.decides_output = Some(option.to_owned());
        }
        match option {
            "-r" | "-Wl,-r" | "-Wl,--relocatable" => self.is_partial = true,
            "-static" | "-static-pie" | "--static" => {
                let why = "a statically linked program cannot be checked, for its locks and threads cannot be interposed. Link it \
                           dynamically";
                self.unlinkable = Some((option.to_owned(), why));
            }
            "-m32" | "-mx32" | "-m16" => {
                let why = "only 64-bit programs can be checked. Leave it out";
                self.unlinkable = Some((option.to_owned(), why));
            }
            "-no-integrated-cpp" => self.apart = Some(option.to_owned()),
            _ if option.starts_with("-save-temps") || option.starts_with("--save-temps") => {
                self.apart = Some(option.to_owned());
            }
            _ => {}
        }
        self.has_level |= option.starts_with("-O");
    }

    fn take_inputs(&mut self, inputs: &[(Input, String)]) {
        self.has_input = !inputs.is_empty();
        for (input, text) in inputs {
            match input {
                Input::Source | Input::Header => {
                    self.has_source = true;
                    self.preprocesses = true;
                }
                Input::Preprocessed => {
                    self.has_source = true;
                    self.apart = Some(text.clone());
                }
                Input::Assembler | Input::Linkable => {}
            }
        }
        if self.has_input && inputs.iter().all(|(input, _)| *input == Input::Header) {
            self.stop = self.stop.min(Stop::Compiled);
        }
    }
}

/// What a file is by its name.
fn input(name: &str) -> Input {
    let extension =
        name.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension);
    match extension {
        "c" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "m" | "mm" | "M" => Input::Source,
        "i" | "ii" | "mi" | "mii" => Input::Preprocessed,
        "h" | "H" | "hh" | "hp" | "hxx" | "hpp" | "HPP" | "h++" | "tcc" => Input::Header,
        "s" | "S" | "sx" => Input::Assembler,
        // From standard input, which has a meaning only to the preprocessor.
        "" if name == "-" => Input::Source,
        _ => Input::Linkable,
    }
}

/// What files are by `-x`; none if their names decide again.
fn forced(language: &str) -> Option<Input> {
    match language {
        "none" => None,
        "assembler" | "assembler-with-cpp" => Some(Input::Assembler),
        _ if language.ends_with("header") => Some(Input::Header),
        _ if language.ends_with("cpp-output") => Some(Input::Preprocessed),
        _ => Some(Input::Source),
    }
}
