//! The words of the library in reports.

use caissa_check::Words;
use caissa_core::PanicNote;

/// What things are called in a Rust test.
#[derive(Debug)]
pub(super) struct LibraryWords;

impl Words for LibraryWords {
    fn option(&self, name: &str) -> String {
        name.to_owned()
    }

    fn variable(&self, name: &str) -> Option<String> {
        Some(format!("CAISSA_{}", name.to_uppercase()))
    }

    /// A long message goes on lines of its own.
    fn panicked(&self, task: &str, note: &PanicNote) -> String {
        if note.message.contains('\n') {
            let message: Vec<String> =
                note.message.lines().map(|line| format!("    {}", line.trim())).collect();
            return format!("task {task} panicked at {}:\n{}", note.source, message.join("\n"));
        }
        let end = if note.message.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("task {task} panicked at {}: {}{end}", note.source, note.message)
    }

    fn panics(&self) -> &'static str {
        "panics"
    }

    fn more_of_a_trace(&self) -> String {
        "CAISSA_FULL=on shows every step, CAISSA_TRACE=FILE writes the trace to a file.".to_owned()
    }

    fn trace_file(&self) -> String {
        "`trace_file`, CAISSA_TRACE".to_owned()
    }

    fn nothing_shared(&self) -> &'static str {
        "Do the tasks share anything through caissa's types?"
    }

    fn how_to_yield(&self) -> &'static str {
        "put `caissa::hint::spin_loop()` or `caissa::thread::yield_now()` into it. std's are not seen."
    }

    fn left_waiting(&self) -> &'static str {
        "The closure itself has returned. If tasks may be left waiting, set `allow_detached`."
    }

    fn what_orders(&self) -> &'static str {
        "a join, a channel, or a Release store that an Acquire load sees"
    }

    fn what_can_differ(&self) -> &'static str {
        "what can differ between two runs: time, random numbers, addresses, the order of a HashMap, environment, files, a static that \
         keeps its value, threads that the check does not control"
    }
}
