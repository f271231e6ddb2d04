//! Addresses of a program as places of its source.
//!
//! A place is what the compiler has noted for an instruction. Where that lies in the toolchain's own headers, what is shown is where the program came to it:
//! the innermost function of its own, by the calls that led there. Accesses of data keep their own places, since these are what promotion is about.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use caissa_core::race::place_number;
use caissa_core::{Code, Place, Source};
use caissa_wire::{CodeRange, Module};

use crate::symbols::{Frame, Symbols};
use crate::unseen::Unseen;

/// The places of a program.
#[derive(Clone)]
pub struct Places(Arc<Mutex<Known>>);

struct Known {
    base: PathBuf,
    modules: Vec<Module>,
    symbols: HashMap<String, Option<Symbols>>,
    unseen: HashMap<String, Unseen>,
    places: HashMap<(String, u32, u32), &'static Place>,
    /// Frames of calls, by return address.
    frames: HashMap<u64, Arc<[Frame]>>,
}

impl Places {
    /// Those of a program that has not been started yet. Files below `base` are named without it.
    pub fn new(base: PathBuf) -> Places {
        Places(Arc::new(Mutex::new(Known {
            base,
            modules: Vec::new(),
            symbols: HashMap::new(),
            unseen: HashMap::new(),
            places: HashMap::new(),
            frames: HashMap::new(),
        })))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program has been started, and this is where its files lie in memory.
    pub(crate) fn set_modules(&self, modules: &[Module]) {
        let mut known = self.known();
        if known.modules != modules {
            known.modules = modules.to_vec();
            known.frames.clear();
        }
    }

    /// The place of an instruction that is come to by these calls.
    pub(crate) fn of_call(&self, code: Code, stacks: &[Vec<u64>]) -> Source {
        let mut known = self.known();
        let stack = stack_of(code, stacks);
        let frames = stack.iter().map(|&address| known.frames(address));
        let frames: Vec<Arc<[Frame]>> = frames.collect();
        let own = frames.iter().flat_map(|frames| frames.iter()).find(|frame| is_own(frame));
        match own {
            Some(frame) => known.place(frame),
            None => known.innermost(code.address),
        }
    }

    /// What of the program is not seen, in words, one sentence each.
    pub(crate) fn not_seen(&self) -> Vec<String> {
        let mut known = self.known();
        let mut sentences = Vec::new();
        for path in known.own_files() {
            if asks_for_hooks(Path::new(&path)) == Some(false) {
                sentences.push(format!("{path} was not built with caissa cc: {NOT_SEEN}"));
                continue;
            }
            let Unseen { objects, instructions, .. } = known.unseen(&path).clone();
            sentences
                .extend(some(objects).map(|name| format!("{name} was not built with caissa cc: {NOT_SEEN}")));
            let symbols = known.symbols(&path);
            let places = instructions.into_iter().filter_map(|(at, does)| {
                let frames = symbols?.frames(at);
                let frame = frames.iter().find(|frame| is_own(frame))?;
                Some(format!("{}: {}", words(frame), does.words()))
            });
            sentences.extend(some(places.collect()));
        }
        sentences
    }

    /// Instructions by which threads say that they wait in a loop.
    pub(crate) fn pauses(&self) -> Vec<CodeRange> {
        let mut known = self.known();
        let mut code = Vec::new();
        for path in known.own_files() {
            let pauses = known.unseen(&path).pauses.clone();
            code.extend(pauses.into_iter().map(|range| code_range(&path, range)));
        }
        code
    }

    /// The place of an instruction itself.
    pub(crate) fn of_access(&self, code: Code) -> Source {
        self.known().innermost(code.address)
    }

    /// The places by which the program came to an instruction, in words, the innermost first.
    pub(crate) fn stack(&self, stack: &[u64]) -> Vec<String> {
        let mut known = self.known();
        let mut lines = Vec::new();
        for &address in stack {
            for frame in known.frames(address).iter() {
                if frame.file.is_some() && !frame.is_of_the_toolchain() {
                    lines.push(words(frame));
                }
            }
        }
        lines.dedup();
        lines
    }

    /// The function at an address.
    pub(crate) fn function(&self, address: u64) -> Option<String> {
        let frames = self.known().frames(address + 1);
        frames.last().and_then(|frame| frame.function.clone())
    }

    /// The variable at an address, with the offset in it.
    pub(crate) fn variable(&self, address: u64) -> Option<(String, u64)> {
        let mut known = self.known();
        let (symbols, offset) = known.symbols_at(address)?;
        symbols.variable(offset)
    }

    /// The code whose places have these numbers.
    pub(crate) fn code_at(&self, promoted: &[u32]) -> Vec<CodeRange> {
        if promoted.is_empty() {
            return Vec::new();
        }
        let mut known = self.known();
        let mut code = Vec::new();
        for module in known.modules.clone() {
            let Some(symbols) = known.symbols(&module.path) else { continue };
            let wanted = |file: &str, line: u32, column: u32| {
                promoted.contains(&place_number(&format!("{file}:{line}:{column}")))
            };
            code.extend(symbols.ranges_of(&wanted).into_iter().map(|range| code_range(&module.path, range)));
        }
        code
    }

    /// Code of the C++ library in which threads yield a few times before they wait.
    pub(crate) fn spins(&self, program: &Path) -> Vec<CodeRange> {
        let mut known = self.known();
        let path = program.display().to_string();
        let Some(symbols) = known.symbols(&path) else { return Vec::new() };
        const FILE: &str = "atomic_wait.h";
        // Functions take longer to look at than lines.
        if symbols.ranges_of(&|file, _, _| file.ends_with(FILE)).is_empty() {
            return Vec::new();
        }
        symbols.functions(FILE).into_iter().map(|(_, range)| code_range(&path, range)).collect()
    }

    /// The code of functions, classes or files by name.
    pub(crate) fn code_of(&self, pattern: &str) -> Vec<CodeRange> {
        let mut known = self.known();
        let mut ranges = Vec::new();
        for module in known.modules.clone() {
            let Some(symbols) = known.symbols(&module.path) else { continue };
            let functions = symbols.functions(pattern).into_iter();
            ranges.extend(functions.map(|(_, range)| code_range(&module.path, range)));
        }
        ranges
    }
}

/// What follows for accesses where nobody calls hooks.
const NOT_SEEN: &str = "its accesses of memory are not seen";

/// The first few of some sentences, and how many others there are.
fn some(mut sentences: Vec<String>) -> impl Iterator<Item = String> {
    const SHOWN: usize = 5;
    let left = sentences.len().saturating_sub(SHOWN);
    sentences.truncate(SHOWN);
    if left > 0 {
        sentences.push(format!("and {left} more like this"));
    }
    sentences.into_iter()
}

fn code_range(path: &str, range: std::ops::Range<u64>) -> CodeRange {
    CodeRange { path: path.to_owned(), from: range.start, to: range.end }
}

/// Whether a file was instrumented: it calls the hooks. `None` if it cannot be read.
fn asks_for_hooks(path: &Path) -> Option<bool> {
    use object::{Object as _, ObjectSymbol as _};
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut names = file.dynamic_symbols().filter_map(|symbol| symbol.name().ok());
    Some(names.any(|name| name.starts_with("__tsan_")))
}

/// Whether a frame is the program's own, and known by its line.
fn is_own(frame: &Frame) -> bool {
    frame.file.is_some() && frame.line > 0 && !frame.is_of_the_toolchain()
}

fn words(frame: &Frame) -> String {
    let place = match &frame.file {
        Some(file) => format!("{file}:{}:{}", frame.line, frame.column),
        None => "an unknown place".to_owned(),
    };
    match &frame.function {
        Some(function) => format!("{place} in {function}"),
        None => place,
    }
}

/// The return addresses by which an instruction was come to, itself first.
fn stack_of(code: Code, stacks: &[Vec<u64>]) -> Vec<u64> {
    let stack = (code.stack as usize).checked_sub(1).and_then(|number| stacks.get(number));
    stack.cloned().unwrap_or_else(|| vec![code.address])
}

impl Known {
    /// The files of the program, the system's libraries apart.
    fn own_files(&self) -> Vec<String> {
        let is_systems =
            |path: &str| ["/lib", "/usr/lib", "/usr/local/lib"].iter().any(|root| path.starts_with(root));
        let paths = self.modules.iter().map(|module| module.path.clone()).filter(|path| {
            path.starts_with('/') && !is_systems(path) && !path.ends_with(crate::runtime::NAME)
        });
        paths.collect()
    }

    /// What hooks do not tell of in a file.
    fn unseen(&mut self, path: &str) -> &Unseen {
        self.unseen.entry(path.to_owned()).or_insert_with(|| Unseen::of(Path::new(path)))
    }

    fn symbols(&mut self, path: &str) -> Option<&Symbols> {
        let base = &self.base;
        let open = || Symbols::open(Path::new(path), Some(base)).ok();
        self.symbols.entry(path.to_owned()).or_insert_with(open).as_ref()
    }

    /// The symbols of the file that is mapped at an address, and the address in it.
    fn symbols_at(&mut self, address: u64) -> Option<(&Symbols, u64)> {
        let module = self.modules.iter().find(|module| (module.from..module.to).contains(&address))?.clone();
        if module.path.ends_with(crate::runtime::NAME) {
            // Nobody is to look at that.
            return None;
        }
        Some((self.symbols(&module.path)?, address - module.base))
    }

    fn frames(&mut self, address: u64) -> Arc<[Frame]> {
        if let Some(frames) = self.frames.get(&address) {
            return Arc::clone(frames);
        }
        let symbols = self.symbols_at(address.saturating_sub(1));
        let frames: Vec<Frame> =
            symbols.map_or(Vec::new(), |(symbols, offset)| symbols.frames_of_call(offset + 1));
        let frames: Arc<[Frame]> = frames.into();
        self.frames.insert(address, Arc::clone(&frames));
        frames
    }

    fn innermost(&mut self, address: u64) -> Source {
        let frames = self.frames(address);
        match frames.first().filter(|frame| frame.file.is_some()) {
            Some(frame) => self.place(frame),
            None => {
                let module = self.modules.iter().find(|module| (module.from..module.to).contains(&address));
                let file = module.map_or_else(|| "an unknown file".to_owned(), |module| module.path.clone());
                let offset = module.map_or(address, |module| address - module.base);
                self.intern(file, offset as u32, 0)
            }
        }
    }

    fn place(&mut self, frame: &Frame) -> Source {
        let file = frame.file.clone().unwrap_or_default();
        self.intern(file, frame.line, frame.column)
    }

    /// Places are kept for as long as the process lives.
    fn intern(&mut self, file: String, line: u32, column: u32) -> Source {
        let place = self.places.entry((file.clone(), line, column)).or_insert_with(|| {
            let file: &'static str = Box::leak(file.into_boxed_str());
            Box::leak(Box::new(Place { file, line, column }))
        });
        Source::File(place)
    }
}
