//! What things are called in a native program.

use caissa_check::Words;
use caissa_core::PanicNote;

/// What things are called in a native program.
#[derive(Debug)]
pub struct NativeWords;

impl Words for NativeWords {
    fn option(&self, name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }

    fn panicked(&self, task: &str, note: &PanicNote) -> String {
        let (place, message) = (&note.source, &note.message);
        match note.kind {
            "assertion" => format!("thread {task} fails an assertion at {place}: {message}"),
            "panic" => format!("thread {task} panics at {place}: {message}"),
            _ => format!("thread {task} {message}, at {place}."),
        }
    }

    fn releases_where_taken(&self) -> bool {
        false
    }

    fn more_of_a_trace(&self) -> String {
        "--full shows every step, --trace FILE writes the trace to a file.".to_owned()
    }

    fn trace_file(&self) -> String {
        "`--trace`".to_owned()
    }

    fn nothing_shared(&self) -> &'static str {
        "Does the program start threads, and was all of it built with `caissa cc`?"
    }

    fn one_schedule(&self) -> Option<&'static str> {
        Some(
            "there was one schedule only: no two threads could ever run at the same time. Is this what the program was meant to do?",
        )
    }

    fn how_to_yield(&self) -> &'static str {
        "call sched_yield() in it. A program that is meant to run for ever is checked with --no-fair."
    }

    fn left_waiting(&self) -> &'static str {
        "The main thread has ended by pthread_exit."
    }

    fn what_orders(&self) -> &'static str {
        "a condition variable, a semaphore, an atomic with release and acquire, or pthread_join"
    }

    fn what_can_differ(&self) -> &'static str {
        "input from outside and from other processes, addresses that decide something, time that is not asked for by a function of the C library, inline assembly"
    }
}

/// What things are called in a native program written in Rust. Its checks have the options of other native programs.
#[derive(Debug)]
pub struct RustWords;

impl Words for RustWords {
    fn option(&self, name: &str) -> String {
        NativeWords.option(name)
    }

    fn panicked(&self, task: &str, note: &PanicNote) -> String {
        NativeWords.panicked(task, note)
    }

    fn releases_where_taken(&self) -> bool {
        false
    }

    fn more_of_a_trace(&self) -> String {
        NativeWords.more_of_a_trace()
    }

    fn trace_file(&self) -> String {
        NativeWords.trace_file()
    }

    fn nothing_shared(&self) -> &'static str {
        "Do threads have anything to do with each other?"
    }

    fn one_schedule(&self) -> Option<&'static str> {
        // Most tests have one thread.
        None
    }

    fn how_to_yield(&self) -> &'static str {
        "call std::thread::yield_now() or std::hint::spin_loop() in it. A program that is meant to run for ever is checked with --no-fair."
    }

    fn left_waiting(&self) -> &'static str {
        // The main one is the harness.
        ""
    }

    fn what_orders(&self) -> &'static str {
        "a channel, a Condvar, an atomic with Release and Acquire, or join()"
    }

    fn what_can_differ(&self) -> &'static str {
        "input from outside and from other processes, addresses that decide something, threads and clocks of libraries that are not written in Rust"
    }
}
