//! Addresses of a program as places of its source.
//!
//! A place is what the compiler has noted for an instruction. Where that lies in the toolchain's own headers, what is shown is where the program came to it:
//! the innermost function of its own, by the calls that led there. Accesses of data keep their own places, since these are what promotion is about.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use caissa_core::race::place_number;
use caissa_core::{Code, Place, Source};
use caissa_wire::{Calls, CodeRange, Module};

use crate::private::{Namesakes, accesses_own_data, called, is_of_library, is_private};
use crate::symbols::{Frame, Symbols};
use crate::unseen::Unseen;

/// Code of the C++ library that yields; see [`Places::spins`].
#[derive(Default)]
pub(crate) struct Spins {
    pub(crate) spins: Vec<CodeRange>,
    pub(crate) relaxes: Vec<CodeRange>,
}

/// What of a file has to be known where Rust's library is part of it.
#[derive(Default)]
struct OfRust {
    /// Atomic accesses that are private to the library, by where they return to.
    private: Vec<u64>,
    /// Functions of the library that access no data but its own.
    own_functions: Vec<Range<u64>>,
    /// Functions that run the bodies of threads.
    bodies: Vec<Range<u64>>,
    /// Pauses, save those that are private.
    pauses: Vec<Range<u64>>,
}

/// Functions that run the bodies of threads have this in their names.
const BODY: &str = "__rust_begin_short_backtrace";

/// The places of a program.
#[derive(Clone)]
pub struct Places(Arc<Mutex<Known>>);

struct Known {
    base: PathBuf,
    modules: Vec<Module>,
    /// Files that are loaded in the course of an execution.
    later: Vec<String>,
    /// How often more were seen.
    times_later: u32,
    symbols: HashMap<String, Option<Symbols>>,
    unseen: HashMap<String, Unseen>,
    /// What there is of Rust in a file.
    rust: HashMap<String, Arc<OfRust>>,
    places: HashMap<(String, u32, u32, String), &'static Place>,
    /// Frames of calls, by return address.
    frames: HashMap<u64, Arc<[Frame]>>,
}

impl Places {
    /// Those of a program that has not been started yet. Files below `base` are named without it.
    pub fn new(base: PathBuf) -> Places {
        Places(Arc::new(Mutex::new(Known {
            base,
            modules: Vec::new(),
            later: Vec::new(),
            times_later: 0,
            symbols: HashMap::new(),
            unseen: HashMap::new(),
            rust: HashMap::new(),
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

    /// The program loads these files too, some time after its start. False if it does not stop loading others.
    pub(crate) fn add_files(&self, modules: &[Module]) -> bool {
        const MOST: usize = 1_000;
        let mut known = self.known();
        for module in modules {
            if !known.later.contains(&module.path) {
                known.later.push(module.path.clone());
            }
        }
        known.times_later += 1;
        known.later.len() < MOST && known.times_later < MOST_TIMES
    }

    /// All files that are known.
    pub(crate) fn files(&self) -> Vec<String> {
        self.known().all_files()
    }

    /// The place of an instruction that is come to by these calls.
    pub(crate) fn of_call(&self, code: Code, stacks: &[Vec<u64>]) -> Source {
        let mut known = self.known();
        let stack = stack_of(code, stacks);
        let frames = stack.iter().map(|&address| known.frames(address));
        let frames: Vec<Arc<[Frame]>> = frames.collect();
        let all = || frames.iter().flat_map(|frames| frames.iter());
        match all().position(is_own) {
            Some(own) => {
                let frame = all().nth(own).expect("it was found");
                let called = own.checked_sub(1).and_then(|before| all().nth(before)).and_then(called);
                known.place(frame, &called.unwrap_or_default())
            }
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
            let mut places: Vec<String> = places.collect();
            places.sort();
            places.dedup();
            sentences.extend(some(places));
        }
        let libraries = known.others_libraries();
        if !libraries.is_empty() {
            sentences.push(format!(
                "what these libraries do is not seen, and threads that they synchronise look unordered: {}",
                libraries.join(", ")
            ));
        }
        sentences
    }

    /// Instructions by which threads say that they wait in a loop.
    pub(crate) fn pauses(&self) -> Vec<CodeRange> {
        self.of_rust(|rust| &rust.pauses)
    }

    /// Atomic accesses that are private to Rust's library; none in a program that has none of it.
    pub(crate) fn private(&self) -> Vec<Calls> {
        let mut known = self.known();
        let files = known.own_files().into_iter();
        let calls = files.map(|path| Calls { returns: known.of_rust(&path).private.clone(), path });
        calls.filter(|calls| !calls.returns.is_empty()).collect()
    }

    /// The functions of Rust's library that access no data but its own.
    pub(crate) fn own_functions(&self) -> Vec<CodeRange> {
        self.of_rust(|rust| &rust.own_functions)
    }

    /// The functions that run the bodies of threads written in Rust.
    pub(crate) fn bodies(&self) -> Vec<CodeRange> {
        self.of_rust(|rust| &rust.bodies)
    }

    fn of_rust(&self, what: impl Fn(&OfRust) -> &Vec<Range<u64>>) -> Vec<CodeRange> {
        let mut known = self.known();
        let mut code = Vec::new();
        for path in known.own_files() {
            let rust = known.of_rust(&path);
            code.extend(what(&rust).iter().map(|range| code_range(&path, range.clone())));
        }
        code
    }

    /// The place of an instruction itself.
    pub(crate) fn of_access(&self, code: Code) -> Source {
        self.known().innermost(code.address)
    }

    /// Whether an instruction is part of a function of Rust's library, and of none of the program's that was compiled into it.
    pub(crate) fn is_of_rusts_library(&self, code: Code) -> bool {
        let frames = self.known().frames(code.address);
        !frames.is_empty() && frames.iter().all(is_of_library)
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

    /// Code of the C++ library in which threads yield a few times before they wait, and what it does so by, which serves others too.
    pub(crate) fn spins(&self, program: &Path) -> Spins {
        let mut known = self.known();
        let path = program.display().to_string();
        let Some(symbols) = known.symbols(&path) else { return Spins::default() };
        const FILE: &str = "bits/atomic_wait.h";
        let is_it = |file: &str| file.ends_with(FILE) && crate::symbols::is_the_toolchains(file);
        // Functions take longer to look at than lines.
        if symbols.ranges_of(&|file, _, _| is_it(file)).is_empty() {
            return Spins::default();
        }
        let functions = symbols.functions(FILE);
        let code = |functions: Vec<(String, Range<u64>)>| {
            functions.into_iter().map(|(_, range)| code_range(&path, range)).collect()
        };
        let spins = functions.iter().filter(|(name, _)| name.contains("spin")).cloned().collect();
        Spins { spins: code(spins), relaxes: code(functions) }
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

/// Whether a file is one of the system's.
fn is_systems(path: &str) -> bool {
    ["/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"]
        .iter()
        .any(|root| path.starts_with(root))
}

/// Libraries of C and C++: what they do is known, or nobody's concern.
const LANGUAGES: [&str; 13] = [
    "libc.so",
    "libm.so",
    "libpthread.so",
    "libdl.so",
    "librt.so",
    "ld-linux",
    "libgcc_s.so",
    "libstdc++.so",
    "libc++.so",
    "libc++abi.so",
    "libunwind.so",
    "libatomic.so",
    "libresolv.so",
];

/// So often a program may load files that it had not loaded before.
const MOST_TIMES: u32 = 50;

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

fn code_range(path: &str, range: Range<u64>) -> CodeRange {
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
    /// The files of the program: those that it starts with, and those that it was seen to load later.
    fn all_files(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.modules.iter().map(|module| module.path.clone()).collect();
        let later: Vec<String> = self.later.iter().filter(|path| !paths.contains(path)).cloned().collect();
        paths.extend(later);
        paths
    }

    /// The same, the system's libraries apart.
    fn own_files(&self) -> Vec<String> {
        let is_own = |path: &String| {
            // What has no directory is the kernel's.
            path.contains('/') && !is_systems(path) && !path.ends_with(crate::runtime::NAME)
        };
        self.all_files().into_iter().filter(is_own).collect()
    }

    /// Libraries of the system beside those of the languages, by name.
    fn others_libraries(&self) -> Vec<String> {
        let systems = self.all_files().into_iter().filter(|path| is_systems(path));
        let names = systems.filter_map(|path| Some(path.rsplit_once('/')?.1.to_owned()));
        names.filter(|name| !LANGUAGES.iter().any(|library| name.starts_with(library))).collect()
    }

    /// What hooks do not tell of in a file.
    fn unseen(&mut self, path: &str) -> &Unseen {
        self.unseen.entry(path.to_owned()).or_insert_with(|| Unseen::of(Path::new(path)))
    }

    /// What has to be known of code that Rust's library may be part of.
    fn of_rust(&mut self, path: &str) -> Arc<OfRust> {
        if let Some(known) = self.rust.get(path) {
            return Arc::clone(known);
        }
        let Unseen { atomics, mut pauses, .. } = self.unseen(path).clone();
        let mut rust = OfRust::default();
        if let Some(symbols) = self.symbols(path) {
            rust.bodies = symbols.named(&|name| name.contains(BODY)).collect();
            if !rust.bodies.is_empty() {
                let namesakes = Namesakes::of(symbols);
                let private = |at: &u64| {
                    is_private(&symbols.frames_of_call(*at), symbols.symbol(at - 1).as_deref(), &namesakes)
                };
                rust.own_functions = symbols.named(&|name| accesses_own_data(name, &namesakes)).collect();
                rust.private = atomics.into_iter().filter(private).collect();
                pauses.retain(|range| !is_private(&symbols.frames(range.start), None, &namesakes));
            }
        }
        rust.pauses = pauses;
        let rust = Arc::new(rust);
        self.rust.insert(path.to_owned(), Arc::clone(&rust));
        rust
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
            Some(frame) => self.place(frame, ""),
            None => {
                let module = self.modules.iter().find(|module| (module.from..module.to).contains(&address));
                let file = module.map_or_else(|| "an unknown file".to_owned(), |module| module.path.clone());
                let offset = module.map_or(address, |module| address - module.base);
                self.intern(file, offset as u32, 0, "")
            }
        }
    }

    fn place(&mut self, frame: &Frame, call: &str) -> Source {
        let file = frame.file.clone().unwrap_or_default();
        self.intern(shortened(file), frame.line, frame.column, call)
    }

    /// Places are kept for as long as the process lives.
    fn intern(&mut self, file: String, line: u32, column: u32, call: &str) -> Source {
        let key = (file.clone(), line, column, call.to_owned());
        let place = self.places.entry(key).or_insert_with(|| {
            let file: &'static str = Box::leak(file.into_boxed_str());
            let call: &'static str = Box::leak(call.to_owned().into_boxed_str());
            Box::leak(Box::new(Place { file, line, column, call }))
        });
        Source::File(place)
    }
}

/// Where files of Rust's library are said to be.
pub(crate) const LIBRARY: &str = "library/";

/// Where the sources of Rust's library were when it was compiled says nothing to anybody.
fn shortened(file: String) -> String {
    match file.strip_prefix("/rustc/").and_then(|rest| rest.split_once("/library/")) {
        Some((_, file)) => format!("{LIBRARY}{file}"),
        None => file,
    }
}
