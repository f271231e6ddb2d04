//! Atomic accesses of Rust's own library that are nobody else's business.
//!
//! Threads that are started, panics, output and thread-local variables come with counters, caches and locks of the library's own: whichever thread comes
//! first to one of these, the program is the same. They are no scheduling points; what they order is ordered all the same. What a program asks for when it
//! synchronises (`std::sync`, parking) is what it is checked for, and stays. So does whatever is not known to be private: code that was compiled without
//! optimisation calls its atomics by functions that others call too.
//!
//! Where a private access orders something, it is a point all the same if the program has accessed data of its own since the last one: others may access the
//! same data before this takes effect, which nothing orders.
//!
//! A lock that spins before it waits looks again and again whether it is free. Its looks are private, since what it does next looks once more.

use crate::symbols::{Frame, Symbols};

/// Crates of the library that the program has namesakes of, as the test file `tests/test.rs` is one: their names say nothing, only files do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Namesakes(Vec<&'static str>);

impl Namesakes {
    /// Those in a file of a program.
    pub(crate) fn of(symbols: &Symbols) -> Namesakes {
        let has_namesake = |name: &&str| symbols.crates_called(name) > 1;
        let mut crates: Vec<&str> = ["std", "test"].into_iter().filter(has_namesake).collect();
        // Without a harness the only crate that is called so is the program's.
        if symbols.named(&|name| name == HARNESS).next().is_none() {
            crates.push("test");
        }
        Namesakes(crates)
    }

    /// Whether a path begins like this, and what begins like this is known to be the library's.
    fn library_begins(&self, path: &str, start: &str) -> bool {
        let (name, _) = start.trim_start_matches('<').split_once("::").unwrap_or((start, ""));
        path.starts_with(start) && !self.0.contains(&name)
    }
}

/// Whoever runs tests calls this.
const HARNESS: &str = "test::test_main_static";

/// Functions by which locks look whether they are free before they wait.
const SPINS: [(&str, &[&str]); 2] = [
    ("std/src/sys/sync/mutex/futex.rs", &["spin"]),
    ("std/src/sys/sync/rwlock/futex.rs", &["spin_until", "spin_read", "spin_write"]),
];

/// Functions that look after poisoned locks, under the lock.
const POISON: (&str, &[&str]) = ("std/src/sync/poison.rs", &["guard", "done", "borrow"]);

/// Where the library keeps what a program cannot see: how threads begin and end, panics, symbols that were looked up.
const PRIVATE: [&str; 10] = [
    "std/src/thread/",
    "std/src/sys/thread/",
    "std/src/sys/thread_local/",
    "std/src/sys/pal/",
    "std/src/sys/backtrace.rs",
    "std/src/sys/exit.rs",
    "std/src/panicking.rs",
    "std/src/alloc.rs",
    "std/src/rt.rs",
    "test/",
];

/// What of it a program asks for nevertheless.
const ASKED: &[&str] = &["is_finished"];

/// Where threads wait for each other, whoever asks.
const PARKING: &str = "std/src/sys/sync/thread_parking/";

/// Whose values are private when they are dropped or counted.
const OWNERS: [&str; 2] = ["std::thread::", "test::"];

/// Whether an atomic access is private. `frames`: where it is, innermost first; `symbol`: the function that all of it was inlined into.
pub(crate) fn is_private(frames: &[Frame], symbol: Option<&str>, namesakes: &Namesakes) -> bool {
    let library: Vec<(&str, &str)> = frames.iter().map_while(of_library).collect();
    let is_one = |(file, functions): (&str, &[&str])| {
        let is_it = |&(at, function): &(&str, &str)| at == file && functions.contains(&function);
        library.iter().any(is_it)
    };
    let inside = |place: &str| library.iter().any(|(file, _)| file.starts_with(place));
    if SPINS.into_iter().any(is_one) || is_one(POISON) || inside("std/src/panicking.rs") {
        return true;
    }
    let asks = library
        .iter()
        .any(|(file, function)| file.starts_with("std/src/thread/") && ASKED.contains(function));
    // What a thread leaves behind may be anything of the program's.
    let counts = frames.iter().filter_map(|frame| counted(frame.function.as_deref()?));
    if inside(PARKING) || asks || counts.into_iter().any(|owner| !is_owner(owner, namesakes)) {
        return false;
    }
    let starts = |symbol: &str| {
        symbol.match_indices('<').any(|(at, _)| namesakes.library_begins(&symbol[at..], "<test::"))
    };
    let of_harness = symbol.is_some_and(starts);
    match library.iter().rev().find(|(file, _)| file.starts_with("std/") || file.starts_with("test/")) {
        Some((file, _)) => of_harness || PRIVATE.iter().any(|place| file.starts_with(place)),
        None => {
            library.len() == frames.len() && symbol.is_some_and(|symbol| drops_private(symbol, namesakes))
        }
    }
}

/// The type that a function of `Arc` is for, if it is one.
fn counted(function: &str) -> Option<&str> {
    function.strip_prefix("<alloc::sync::Arc<").or_else(|| function.strip_prefix("<alloc::sync::Weak<"))
}

fn is_owner(ty: &str, namesakes: &Namesakes) -> bool {
    OWNERS.iter().any(|owner| namesakes.library_begins(ty, owner))
}

/// Functions that access no data but the library's own begin with these names.
const OWN: [&str; 10] = [
    "std::thread::",
    "<std::thread::",
    "std::sys::thread",
    "<std::sys::thread",
    "std::sys::pal::",
    "<std::sys::pal::",
    "std::panicking::",
    "std::rt::",
    "test::",
    "<test::",
];

/// Unless what they are for is the program's: its code is part of them.
const OTHERS: [&str; 4] =
    ["std::thread::local::", "std::thread::scoped::scope::", "Packet<", "__rust_begin_short_backtrace"];

/// Whether a function accesses no data but the library's own, by its name.
pub(crate) fn accesses_own_data(symbol: &str, namesakes: &Namesakes) -> bool {
    OWN.iter().any(|start| namesakes.library_begins(symbol, start))
        && !OTHERS.iter().any(|other| symbol.contains(other))
}

/// Whether a frame is one of the library's.
pub(crate) fn is_of_library(frame: &Frame) -> bool {
    of_library(frame).is_some()
}

/// What a program has called when it calls a function of the library, as it would write it: `Mutex::lock`. Nothing if it is no function of it.
pub(crate) fn called(frame: &Frame) -> Option<String> {
    let (_, function) = of_library(frame)?;
    let path = frame.function.as_deref()?;
    let path = path.strip_prefix("core::ptr::drop_in_place::").unwrap_or(path);
    // `<std::sync::Mutex<u32>>::lock`, `<alloc::sync::Arc<u32> as core::clone::Clone>::clone`, `std::thread::spawn::<u32>`.
    let ty = path.strip_prefix('<').map(|rest| {
        let end = rest.find(['<', '>', ' ', ',']).unwrap_or(rest.len());
        rest[..end].trim_end_matches("::").rsplit("::").next().unwrap_or_default()
    });
    match ty {
        Some(ty) if path != frame.function.as_deref()? => Some(format!("drop of {ty}")),
        Some(ty) => Some(format!("{ty}::{function}")),
        None => {
            let path = path.split('<').next()?.trim_end_matches("::");
            // Where its functions are kept is the library's own business.
            let module =
                if path.starts_with("std::thread::") { "thread" } else { path.rsplit("::").nth(1)? };
            Some(format!("{module}::{function}"))
        }
    }
}

/// The file of a frame of the library, below its directory, and the function without its scopes.
fn of_library(frame: &Frame) -> Option<(&str, &str)> {
    let file = frame.file.as_deref().filter(|_| frame.is_of_the_toolchain())?;
    let (_, file) = file.split_once("/library/")?;
    Some((file, last_segment(frame.function.as_deref().unwrap_or_default())))
}

/// The last part of a path, what types it is of apart: `spin` of `<std::Mutex>::spin`, `load` of `core::load::<u32>`.
fn last_segment(path: &str) -> &str {
    let (mut depth, mut start, mut last) = (0, 0, "");
    for (at, byte) in path.bytes().chain(*b":").enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth -= 1,
            b':' if depth == 0 => {
                let part = &path[start..at];
                if !part.is_empty() && !part.starts_with(['<', '{']) {
                    last = part;
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    last
}

/// Whether a function drops or counts what only the library has.
fn drops_private(symbol: &str, namesakes: &Namesakes) -> bool {
    let of = |start: &str| {
        let rest = symbol.strip_prefix(start)?;
        let rest = rest.strip_prefix("core::option::Option<").unwrap_or(rest);
        let rest = rest.strip_prefix("alloc::sync::Arc<").unwrap_or(rest);
        Some(is_owner(rest, namesakes))
    };
    ["core::ptr::drop_in_place::<", "<alloc::sync::Arc<"].into_iter().find_map(of).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: &str) -> Frame {
        let file = match file.strip_prefix('~') {
            Some(file) => format!("/rustc/0123/library/{file}"),
            None => file.to_owned(),
        };
        Frame { function: Some(function.to_owned()), file: Some(file), line: 1, column: 1 }
    }

    fn chain(frames: &[(&str, &str)]) -> Vec<Frame> {
        frames.iter().map(|(function, file)| frame(function, file)).collect()
    }

    const LOAD: (&str, &str) = ("core::sync::atomic::atomic_load::<u32>", "~core/src/sync/atomic.rs");
    const SUB: (&str, &str) = ("core::sync::atomic::atomic_sub::<usize>", "~core/src/sync/atomic.rs");
    const OWN: (&str, &str) = ("trial::tests::it", "src/lib.rs");

    #[test]
    fn paths_have_a_last_segment() {
        for (path, last) in [
            ("<std::sys::sync::mutex::futex::Mutex>::spin", "spin"),
            ("core::sync::atomic::atomic_load::<u32>", "atomic_load"),
            ("<alloc::sync::Arc<(a::B, c::D)> as core::clone::Clone>::clone", "clone"),
            ("std::thread::spawn::<trial::tests::it::{closure#0}, ()>", "spawn"),
            ("std::rt::init::{closure#0}", "init"),
            ("main", "main"),
        ] {
            assert_eq!(last_segment(path), last, "{path}");
        }
    }

    #[test]
    fn calls_are_written_as_programs_have_them() {
        for (function, file, written) in [
            (
                "<std::sync::poison::mutex::Mutex<i32>>::lock",
                "~std/src/sync/poison/mutex.rs",
                Some("Mutex::lock"),
            ),
            ("<alloc::sync::Arc<u8> as core::clone::Clone>::clone", "~alloc/src/sync.rs", Some("Arc::clone")),
            (
                "std::thread::functions::spawn::<(), ()>",
                "~std/src/thread/functions.rs",
                Some("thread::spawn"),
            ),
            ("trial::tests::it", "src/lib.rs", None),
        ] {
            assert_eq!(called(&frame(function, file)).as_deref(), written);
        }
    }

    #[test]
    fn what_a_program_asks_for_is_not_private() {
        let lock = ("<std::sys::sync::mutex::futex::Mutex>::lock", "~std/src/sys/sync/mutex/futex.rs");
        let spin = ("<std::sys::sync::mutex::futex::Mutex>::spin", "~std/src/sys/sync/mutex/futex.rs");
        let poison = ("<std::sync::poison::Flag>::guard", "~std/src/sync/poison.rs");
        let mutex = ("<std::sync::poison::mutex::Mutex<i32>>::lock", "~std/src/sync/poison/mutex.rs");
        let begins = ("std::thread::lifecycle::spawn_unchecked::<F, T>", "~std/src/thread/lifecycle.rs");
        let finished = ("<std::thread::JoinInner<()>>::is_finished", "~std/src/thread/lifecycle.rs");
        let park = (
            "<std::sys::sync::thread_parking::futex::Parker>::park",
            "~std/src/sys/sync/thread_parking/futex.rs",
        );
        let parks = ("std::thread::functions::park", "~std/src/thread/functions.rs");
        let of_packet = (
            "<alloc::sync::Arc<std::thread::lifecycle::Packet<()>> as core::ops::drop::Drop>::drop",
            "~alloc/src/sync.rs",
        );
        let of_user = ("<alloc::sync::Arc<trial::Own> as core::ops::drop::Drop>::drop", "~alloc/src/sync.rs");
        let none = Namesakes::default();
        for (frames, private) in [
            (&[LOAD, OWN][..], false),
            (&[LOAD, lock, mutex, OWN], false),
            (&[LOAD, spin], true),
            (&[LOAD, poison, mutex, OWN], true),
            (&[SUB, of_packet, begins, OWN], true),
            (&[SUB, of_user, begins, OWN], false),
            (&[SUB, of_user, OWN], false),
            (&[LOAD, finished, OWN], false),
            (&[LOAD, park, parks, OWN], false),
            (&[LOAD], false),
        ] {
            assert_eq!(is_private(&chain(frames), None, &none), private, "{frames:?}");
        }
        let drops = Some("core::ptr::drop_in_place::<std::thread::join_handle::JoinHandle<u32>>");
        assert!(is_private(&chain(&[SUB]), drops, &none));
        assert!(!is_private(&chain(&[SUB]), Some("core::ptr::drop_in_place::<trial::Own>"), &none));
    }

    #[test]
    fn code_of_the_program_is_not_the_librarys() {
        let own = |symbol| accesses_own_data(symbol, &Namesakes::default());
        assert!(own("<std::thread::Thread>::new"));
        assert!(!own("std::thread::scoped::scope::<trial::f, ()>"));
        assert!(!own("std::sys::backtrace::__rust_begin_short_backtrace::<trial::f, ()>"));
        assert!(!own("<alloc::vec::Vec<u8>>::push"));
    }

    #[test]
    fn a_namesake_of_the_harness_is_the_program() {
        let clone = ("<alloc::sync::Arc<test::Foo> as core::clone::Clone>::clone", "~alloc/src/sync.rs");
        let send = ("<std::sync::mpmc::list::Channel<test::Foo>>::send", "~std/src/sync/mpmc/list.rs");
        for (namesakes, private) in [(Namesakes::default(), true), (Namesakes(vec!["test"]), false)] {
            assert_eq!(is_private(&chain(&[SUB, clone]), Some(clone.0), &namesakes), private);
            assert_eq!(is_private(&chain(&[SUB, send]), Some(send.0), &namesakes), private);
            assert_eq!(accesses_own_data("test::it", &namesakes), private);
            assert!(accesses_own_data("<std::thread::Thread>::new", &namesakes));
        }
        let runs = ("test::run_test", "~test/src/lib.rs");
        assert!(is_private(&chain(&[SUB, runs]), Some(runs.0), &Namesakes(vec!["test"])));
    }
}
