//! Who called: the functions on the stack of the running task, by name.
//!
//! Return addresses are cheap to walk and names are dear, so the chain of addresses is looked up first and only a chain that was
//! never seen before is turned into names, by std's backtraces. That is done on a thread of its own: reading debug information
//! takes more stack than a task may have.
//!
//! Not seen: names in a program without symbols. With line tables only (`debug = "line-tables-only"`) functions are named without
//! their module; the file that goes with a name is then what tells them apart. Functions that were inlined are named where there is
//! debug information at all.

use std::backtrace::Backtrace;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};

/// Chains that have been named, of one engine.
#[derive(Default)]
pub(crate) struct Cache {
    known: HashMap<Box<[usize]>, Callers>,
    /// The chain that is looked up; its memory is kept.
    chain: Vec<usize>,
}

/// The functions on a stack, the innermost first.
#[derive(Debug, Default)]
pub(crate) struct Callers {
    all: Vec<Caller>,
    /// See [`Callers::judge`].
    judged: OnceCell<Option<bool>>,
}

#[derive(Debug)]
struct Caller {
    /// As in a backtrace: with its path, as far as is known, and perhaps type parameters.
    name: String,
    /// The file it stands in; empty if that is not known.
    file: String,
}

impl Callers {
    /// Whether one of them, given by name and source file, is such a one. The file is empty where it is not known.
    pub(crate) fn any(&self, mut wanted: impl FnMut(&str, &str) -> bool) -> bool {
        self.find(&mut wanted).is_some()
    }

    /// The innermost of them that is such a one.
    pub(crate) fn find(&self, mut wanted: impl FnMut(&str, &str) -> bool) -> Option<(&str, &str)> {
        let mut callers = self.all.iter().map(|caller| (caller.name.as_str(), caller.file.as_str()));
        callers.find(|(name, file)| wanted(name, file))
    }

    /// What follows from them, which is found out once.
    pub(crate) fn judge(&self, judge: impl FnOnce(&Callers) -> Option<bool>) -> Option<bool> {
        *self.judged.get_or_init(|| judge(self))
    }

    /// Whether an `Arc` destroys its value below: its last owner is gone.
    pub(crate) fn destroy_arc(&self) -> bool {
        self.any(|name, file| {
            let slow = name.split('<').next().is_some_and(|name| name == "drop_slow")
                || name.ends_with("::drop_slow") && name.contains("sync::Arc")
                || name.contains("sync::Arc<") && name.contains(">::drop_slow");
            slow && (file.is_empty() || file.replace('\\', "/").ends_with("alloc/src/sync.rs"))
        })
    }

    /// Reads a backtrace as std prints it: a line for each function, its number first if it was not inlined into the one
    /// before, and one for its place below it if that is known.
    fn read(text: &str) -> Callers {
        let mut callers: Vec<Caller> = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(place) = line.strip_prefix("at ") {
                // file:line:column
                let file = place.rsplitn(3, ':').last().unwrap_or(place);
                if let Some(caller) = callers.last_mut() {
                    caller.file = file.to_owned();
                }
                continue;
            }
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let name = line[digits..].strip_prefix(": ").filter(|_| digits > 0).unwrap_or(line);
            callers.push(Caller { name: name.to_owned(), file: String::new() });
        }
        Callers { all: callers, judged: OnceCell::new() }
    }
}

/// The functions on the present stack. It must not be called with the engine borrowed by anything but the cache.
pub(crate) fn of_current(cache: &mut Cache) -> &Callers {
    walk(&mut cache.chain);
    if !cache.known.contains_key(&cache.chain[..]) {
        let backtrace = Backtrace::force_capture();
        let named = std::thread::scope(|scope| {
            let named =
                std::thread::Builder::new().spawn_scoped(scope, || Callers::read(&backtrace.to_string()));
            named.ok().and_then(|thread| thread.join().ok()).unwrap_or_default()
        });
        cache.known.insert(cache.chain.clone().into_boxed_slice(), named);
    }
    &cache.known[&cache.chain[..]]
}

#[repr(C)]
struct UnwindContext {
    _opaque: [u8; 0],
}

type Visit = extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int;

// Part of the unwinder that std links for panics.
unsafe extern "C" {
    fn _Unwind_Backtrace(visit: Visit, argument: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// Goes on with the next frame.
const GO_ON: c_int = 0;

extern "C" fn visit(context: *mut UnwindContext, chain: *mut c_void) -> c_int {
    // SAFETY: `walk` passes its vector, which nobody else uses meanwhile, and the unwinder its own context.
    unsafe { (*chain.cast::<Vec<usize>>()).push(_Unwind_GetIP(context)) };
    GO_ON
}

/// The return addresses on the present stack, the innermost first.
fn walk(chain: &mut Vec<usize>) {
    chain.clear();
    // SAFETY: walking only reads; `visit` gets what it expects and does not unwind.
    unsafe { _Unwind_Backtrace(visit, (chain as *mut Vec<usize>).cast()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    struct AtEnd(Arc<Mutex<Cache>>, Arc<Mutex<Vec<bool>>>);

    impl Drop for AtEnd {
        fn drop(&mut self) {
            let mut cache = self.0.lock().unwrap();
            self.1.lock().unwrap().push(of_current(&mut cache).destroy_arc());
        }
    }

    fn ends() -> Vec<bool> {
        let (cache, seen) = (Arc::default(), Arc::default());
        let value = || AtEnd(Arc::clone(&cache), Arc::clone(&seen));
        for _ in 0..3 {
            drop(value());
            drop(Arc::new(value()));
            drop(std::rc::Rc::new(value()));
            let _: Arc<dyn std::any::Any> = Arc::new(value());
            drop(Box::new(Arc::new([value()])));
        }
        // The second and third time nothing is new.
        assert_eq!(cache.lock().unwrap().known.len(), 5);
        seen.lock().unwrap().clone()
    }

    const EXPECTED: [bool; 5] = [false, true, false, true, true];

    #[test]
    fn the_last_owner_of_an_arc_is_told_by_its_stack() {
        assert_eq!(ends(), EXPECTED.repeat(3));
    }

    #[test]
    fn it_is_told_on_the_stack_of_a_task_too() {
        for stack_size in [16 << 10, 1 << 20] {
            let builder = crate::Builder::new().bound(0).stack_size(stack_size);
            builder.check(|| {
                let child = crate::thread::spawn(ends);
                assert_eq!(child.join().unwrap(), EXPECTED.repeat(3));
            });
        }
    }

    #[test]
    fn backtraces_are_read_with_and_without_places() {
        let text = "   0: drop_slow<a::Q, alloc::alloc::Global>\n             at /x/library/alloc/src/sync.rs:2120:18\n      \
                    inlined::into\n   1: a::main\n";
        let callers = Callers::read(text);
        assert!(callers.destroy_arc());
        assert!(callers.any(|name, file| name == "inlined::into" && file.is_empty()));
        assert!(callers.any(|name, _| name == "a::main"));
        let of = |name: &str| Callers::read(&format!("   0: {name}\n")).destroy_arc();
        assert!(of("alloc::sync::Arc<T,A>::drop_slow"));
        assert!(of("<alloc::sync::Arc<a::Q>>::drop_slow"));
        assert!(!of("alloc::rc::Rc<T,A>::drop_slow"));
        assert!(!of("my::drop_slowly"));
    }
}
