//! Programs as gcc, clang and rustc compile them.

use std::path::PathBuf;

use super::*;
use crate::scratch::Scratch;

/// Below a directory, so that there is a path to be shown.
const QUEUE_C: &str = r#"
static int counter;
int table[8];

static inline __attribute__((always_inline)) void store(int at, int value) {
    table[at] = value;
}

__attribute__((noinline)) void push(int value) {
    static int pushes;
    pushes++;
    store(counter++ & 7, value);
}

int main(void) {
    push(1);
    return table[0];
}
"#;

const QUEUE_CC: &str = r#"
#include <vector>
namespace ns {
namespace {
__attribute__((noinline)) int hidden(int x) { return x + 1; }
}
static __attribute__((noinline)) int f(int x) { return x * 3; }
template <class T> struct Queue {
    static int made;
    std::vector<T> items;
    __attribute__((noinline)) void push(T item) { items.push_back(item); }
    __attribute__((noinline)) auto adder(T item);
};
template <class T> int Queue<T>::made = 5;
template <class T> auto Queue<T>::adder(T item) {
    return [item](T other) __attribute__((noinline)) { return item + other + f(item); };
}
}
int main(int argc, char **argv) {
    ns::Queue<int> queue;
    queue.push(ns::hidden(argc));
    queue.made++;
    return queue.adder(1)(argc) + ns::f(argc);
}
"#;

/// Compiles a program and opens its symbols, with the directory as base.
fn open(scratch: &Scratch, compiler: &str, source: &str, text: &str, flags: &[&str]) -> Symbols {
    scratch.write(source, text);
    let mut words = vec![compiler, "-g", "-O1", source, "-o", "program"];
    words.extend(flags);
    scratch.must_run(&words);
    Symbols::open(&program(scratch), Some(scratch.path())).expect("symbols")
}

fn program(scratch: &Scratch) -> PathBuf {
    scratch.path().join("program")
}

/// The line of the source that has a text.
fn line_of(source: &str, text: &str) -> u32 {
    let at = source.lines().position(|line| line.contains(text)).expect("the text");
    u32::try_from(at + 1).expect("a line")
}

/// Where the only symbol with a name is.
fn address(symbols: &Symbols, name: &str) -> Range<u64> {
    let found: Vec<Range<u64>> = symbols
        .functions(name)
        .into_iter()
        .filter(|(found, _)| found.contains(name))
        .map(|(_, range)| range)
        .collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].clone()
}

#[test]
fn inlined_functions_are_expanded() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::new();
        let symbols = open(&scratch, compiler, "src/queue.c", QUEUE_C, &[]);
        assert_eq!(symbols.gap(), None);
        let store = line_of(QUEUE_C, "table[at] = value");
        let ranges = symbols.ranges_of(&|file, line, _| file == "src/queue.c" && line == store);
        assert!(!ranges.is_empty());
        let push = address(&symbols, "push");
        let inside = ranges.iter().find(|range| push.contains(&range.start)).expect("inlined into push");
        let frames = symbols.frames(inside.start);
        let names: Vec<_> = frames.iter().map(|frame| frame.function.as_deref().unwrap_or("")).collect();
        assert_eq!(names, ["store", "push"], "{compiler}");
        assert!(frames.iter().all(|frame| frame.file.as_deref() == Some("src/queue.c")));
        assert_eq!((frames[0].line, frames[1].line), (store, line_of(QUEUE_C, "store(counter++")));
        assert!(frames[0].column > 0 && !frames[0].is_of_the_toolchain());
        // Not elsewhere: the predicate has seen the same that the frames show.
        for range in ranges {
            assert_eq!(symbols.frames(range.end - 1)[0].line, store);
        }
    }
}

#[test]
fn a_return_address_belongs_to_its_call() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::new();
        let source = "void stop(void) __attribute__((noreturn));\nvoid first(int x) {\n    if (x)\n        stop();\n}\n\
                      void second(void) {}\nvoid stop(void) { for (;;); }\nint main(void) { first(0); second(); }\n";
        let symbols = open(
            &scratch,
            compiler,
            "stop.c",
            source,
            &["-fno-inline", "-fno-optimize-sibling-calls", "-O0"],
        );
        let first = address(&symbols, "first");
        // At the end of the call, which never returns, may be another function.
        let ends = symbols.ranges_of(&|_, line, _| line == 4);
        let call = ends.iter().find(|range| first.contains(&range.start)).expect("the call");
        let frames = symbols.frames_of_call(call.end);
        assert_eq!((frames[0].function.as_deref(), frames[0].line), (Some("first"), 4), "{compiler}");
        assert_ne!(symbols.frames(call.end).first().map(|frame| frame.line), Some(4), "{compiler}");
    }
}

#[test]
fn variables_are_found_by_any_address_in_them() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::new();
        let symbols = open(&scratch, compiler, "src/queue.c", QUEUE_C, &[]);
        let nm = scratch.must_run(&["nm", "program"]);
        let at = |wanted: &str| {
            let line = nm
                .lines()
                .find(|line| line.split(' ').next_back().is_some_and(|name| name.starts_with(wanted)));
            u64::from_str_radix(line.expect(wanted).split(' ').next().expect("an address"), 16)
                .expect("a number")
        };
        assert_eq!(symbols.variable(at("table") + 12), Some(("table".to_owned(), 12)));
        assert_eq!(symbols.variable(at("counter")), Some(("counter".to_owned(), 0)));
        let (symbol, name) =
            if compiler == "gcc" { ("pushes", "pushes") } else { ("push.pushes", "push.pushes") };
        assert_eq!(symbols.variable(at(symbol)), Some((name.to_owned(), 0)));
        assert_eq!(symbols.variable(0), None);
        assert_eq!(symbols.variable(at("main")), None, "a function is no variable");
    }
}

#[test]
fn functions_are_found_by_name_and_by_file() {
    for compiler in ["gcc", "clang"] {
        let scratch = Scratch::new();
        let symbols = open(&scratch, compiler, "src/queue.c", QUEUE_C, &[]);
        let names = |pattern: &str| {
            let mut names: Vec<String> =
                symbols.functions(pattern).into_iter().map(|(name, _)| name).collect();
            names.dedup();
            names.sort();
            names.dedup();
            names
        };
        assert_eq!(names("push"), ["push"]);
        assert_eq!(names("queue.c"), ["main", "push", "store"], "{compiler}");
        assert_eq!(names("src/queue.c"), ["main", "push", "store"]);
        assert_eq!(names("_start"), ["_start"], "without debug information, by the symbol table");
        assert!(names("nothing").is_empty() && names("").is_empty());
        let push = address(&symbols, "push");
        let stores = symbols.functions("store");
        assert!(stores.iter().any(|(_, range)| push.contains(&range.start)), "{compiler}: inlined into push");
    }
}

#[test]
fn names_of_cpp_are_complete_also_in_unnamed_namespaces() {
    for compiler in ["g++", "clang++"] {
        let scratch = Scratch::new();
        let symbols = open(&scratch, compiler, "queue.cc", QUEUE_CC, &[]);
        let name_at = |line: &str| {
            let line = line_of(QUEUE_CC, line);
            let ranges = symbols.ranges_of(&|file, other, _| file == "queue.cc" && line == other);
            let frames = symbols.frames(ranges.first().expect("instructions").start);
            frames.last().expect("a frame").function.clone().expect("a name")
        };
        assert_eq!(name_at("int hidden"), "ns::(anonymous namespace)::hidden(int)");
        assert_eq!(name_at("int f("), "ns::f(int)", "{compiler}");
        assert_eq!(name_at("void push"), "ns::Queue<int>::push(int)");
        let found = |pattern: &str| symbols.functions(pattern).len();
        assert!(
            found("ns::") >= 4
                && found("Queue::push") >= 1
                && found("ns::Queue::push") >= 1
                && found("f") >= 1
        );
        assert!(found("hidden") >= 1 && found("(anonymous namespace)::hidden") >= 1);
        assert!(found("Queue::adder") >= 2, "{compiler}: the lambda too: {:?}", symbols.functions("ns::"));
        let library = symbols.functions("push_back");
        let frames = symbols.frames(library.first().expect("inlined").1.start);
        assert!(
            frames.iter().any(Frame::is_of_the_toolchain)
                && !frames.last().expect("a frame").is_of_the_toolchain()
        );
        assert!(frames.iter().all(|frame| frame.file.as_deref().is_some_and(|file| !file.contains("./"))));
        let made = scratch.must_run(&["nm", "program"]);
        let made = made.lines().find(|line| line.contains("made")).expect("a variable");
        let made = u64::from_str_radix(made.split(' ').next().expect("an address"), 16).expect("a number");
        assert_eq!(symbols.variable(made), Some(("ns::Queue<int>::made".to_owned(), 0)));
    }
}

#[test]
fn rust_names_have_no_hashes() {
    let scratch = Scratch::new();
    scratch.write(
        "app.rs",
        "mod ns {\n    pub struct Queue(pub Vec<u32>);\n    pub static mut MADE: u32 = 3;\n    impl Queue {\n        #[inline(never)]\n        \
         pub fn push(&mut self, item: u32) {\n            self.0.push(item)\n        }\n    }\n}\nfn main() {\n    let mut queue = \
         ns::Queue(Vec::new());\n    queue.push(1);\n    std::process::exit(queue.0.len() as i32 - 1);\n}\n",
    );
    scratch.must_run(&["rustc", "-g", "-Copt-level=1", "app.rs", "-o", "program"]);
    let symbols = Symbols::open(&program(&scratch), Some(scratch.path())).expect("symbols");
    assert_eq!(symbols.gap(), None);
    let found = symbols.functions("ns::Queue::push");
    let (name, range) = found.first().expect("the function");
    assert!(name.ends_with("Queue>::push") || name == "app::ns::Queue::push", "{name}");
    let frames = symbols.frames(range.start);
    let outermost = frames.last().expect("a frame");
    assert_eq!((outermost.file.as_deref(), outermost.line), (Some("app.rs"), 6));
    assert_eq!(outermost.function.as_ref(), Some(name));
    assert!(!symbols.functions("Vec::push").is_empty());
    let std = symbols.functions("std::process::exit");
    let frames = symbols.frames(std.first().expect("a function of std").1.start);
    assert!(frames.iter().all(Frame::is_of_the_toolchain), "{frames:?}");
}

#[test]
fn where_there_are_only_lines_functions_still_have_their_names_and_files() {
    let scratch = Scratch::new();
    scratch.write("app.rs", "mod ns {\n    #[inline(never)]\n    pub fn push(item: i32) -> i32 {\n        item + 1\n    }\n}\nfn main() {\n    \
                             std::process::exit(ns::push(std::env::args().count() as i32 - 2));\n}\n");
    scratch.must_run(&["rustc", "-Cdebuginfo=line-tables-only", "-Copt-level=1", "app.rs", "-o", "program"]);
    scratch.write("queue.cc", QUEUE_CC);
    for compile in [None, Some(["g++", "-g1"]), Some(["clang++", "-gline-tables-only"])] {
        if let Some([compiler, level]) = compile {
            scratch.must_run(&[compiler, level, "-O1", "queue.cc", "-o", "program"]);
        }
        let symbols = Symbols::open(&program(&scratch), Some(scratch.path())).expect("symbols");
        let file = if compile.is_some() { "queue.cc" } else { "app.rs" };
        let scope = if compile.is_some() { "ns::" } else { "app::ns::" };
        assert!(!symbols.functions(scope).is_empty(), "{compile:?}");
        let found = symbols.functions(file);
        assert!(found.iter().any(|(name, _)| name.contains("push")), "{compile:?}: {found:?}");
        let (name, range) = found.iter().find(|(name, _)| name.contains("::push")).expect("with its scopes");
        let frames = symbols.frames(range.start);
        assert_eq!(frames.last().and_then(|frame| frame.function.as_ref()), Some(name), "{compile:?}");
    }
}

#[test]
fn without_debug_information_there_are_names_and_a_gap() {
    let scratch = Scratch::new();
    let all = open(&scratch, "gcc", "queue.c", QUEUE_C, &[]);
    let push = address(&all, "push");
    let reopen = || Symbols::open(&program(&scratch), None).expect("symbols");

    scratch.must_run(&["objcopy", "--only-keep-debug", "program", "program.debug"]);
    scratch.must_run(&["objcopy", "--strip-debug", "--add-gnu-debuglink=program.debug", "program"]);
    let symbols = reopen();
    assert_eq!(symbols.gap(), Some(&Gap::Elsewhere { file: "program.debug".to_owned() }));
    let name = Some("push".to_owned());
    assert_eq!(symbols.frames(push.start), [Frame { function: name, file: None, line: 0, column: 0 }]);
    assert_eq!(symbols.functions("push"), [("push".to_owned(), push.clone())]);
    assert!(symbols.ranges_of(&|_, _, _| true).is_empty());

    scratch.must_run(&["strip", "-R", ".gnu_debuglink", "program"]);
    let symbols = reopen();
    assert_eq!(symbols.gap(), Some(&Gap::NoDebugInformation));
    assert!(symbols.frames(push.start).is_empty());

    let compressed = open(&scratch, "gcc", "queue.c", QUEUE_C, &["-gz"]);
    assert_eq!(compressed.gap(), Some(&Gap::Compressed));
    assert_eq!(compressed.frames(push.start)[0].function.as_deref(), Some("push"));

    let split = open(&scratch, "gcc", "queue.c", QUEUE_C, &["-gsplit-dwarf"]);
    assert_eq!(split.gap(), Some(&Gap::Split));
    let frames = split.frames(push.start);
    assert_eq!((frames[0].function.as_deref(), frames[0].file.as_deref()), (Some("push"), Some("queue.c")));
}

#[test]
fn what_has_no_symbols_is_refused() {
    let scratch = Scratch::new();
    let text = scratch.write("script", "#!/bin/sh\n");
    let refused = |path: &Path| Symbols::open(path, None).err().expect("an error");
    assert!(matches!(refused(&text), SymbolError::NotElf { .. }));
    assert!(matches!(refused(&scratch.path().join("none")), SymbolError::Unreadable { .. }));
    scratch.write("queue.c", QUEUE_C);
    scratch.must_run(&["gcc", "-c", "queue.c"]);
    let object = refused(&scratch.path().join("queue.o"));
    assert!(matches!(object, SymbolError::NotLinked { .. }) && object.to_string().contains("Link it first"));
    // Half a program: refused or full of gaps, but no crash.
    open(&scratch, "gcc", "queue.c", QUEUE_C, &[]);
    let whole = std::fs::read(program(&scratch)).expect("the program");
    for part in 0..16 {
        let cut = scratch.write("cut", &whole[..whole.len() * part / 16]);
        if let Ok(symbols) = Symbols::open(&cut, None) {
            symbols.frames(0x1139);
            symbols.functions("push");
        }
    }
}

#[test]
fn symbols_can_be_moved_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Symbols>();
}
