//! What Rust's own library does in the course of a test: what is a point, what orders, what time and panics are.

use std::sync::OnceLock;

use crate::project::Project;
use crate::run::Run;

const MANIFEST: &str =
    "[package]\nname = \"library\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// Tests by what is to come of them: `race_`, `deadlock_`, `panic_` and `freed_` are bugs, the others are none.
const TESTS: &str = r#"
use std::cell::UnsafeCell;
use std::io::Write as _;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

struct Data(UnsafeCell<u32>);
unsafe impl Sync for Data {}
impl Data {
    const fn new() -> Data { Data(UnsafeCell::new(0)) }
    fn write(&self, value: u32) { unsafe { std::hint::black_box(self.0.get()).write(value) } }
}

#[test] fn race_beside_output() {
    static X: Data = Data::new();
    let child = thread::spawn(|| { println!("child"); X.write(1); });
    X.write(2);
    println!("parent");
    child.join().unwrap();
}
#[test] fn race_with_a_scoped_thread() {
    let x = Data::new();
    thread::scope(|scope| { scope.spawn(|| x.write(1)); x.write(2); });
}
#[test] fn race_with_a_thread_that_is_let_go() {
    static X: Data = Data::new();
    drop(thread::spawn(|| X.write(1)));
    X.write(2);
}
#[test] fn race_of_a_thread_that_a_joined_one_has_let_go() {
    static X: Data = Data::new();
    thread::spawn(|| drop(thread::spawn(|| X.write(1)))).join().unwrap();
    X.write(2);
}
#[test] fn race_beside_a_thread_that_was_joined() {
    static X: Data = Data::new();
    let child = thread::spawn(|| X.write(1));
    thread::spawn(|| {}).join().unwrap();
    X.write(2);
    child.join().unwrap();
}
#[test] fn race_of_a_child_that_has_joined_its_own() {
    static X: Data = Data::new();
    let child = thread::spawn(|| { thread::spawn(|| X.write(1)).join().unwrap(); X.write(2); });
    X.write(3);
    child.join().unwrap();
}
#[test] fn race_with_a_thread_that_came_after_others_were_joined() {
    static X: Data = Data::new();
    thread::spawn(|| X.write(1)).join().unwrap();
    X.write(2);
    let child = thread::spawn(|| X.write(3));
    X.write(4);
    child.join().unwrap();
}
#[test] fn freed_use_of_who_is_alone_again() {
    let block = Arc::new(Mutex::new(Box::new(1u64)));
    let place = { let held = block.lock().unwrap(); &raw const **held as usize };
    let its = block.clone();
    thread::spawn(move || *its.lock().unwrap() = Box::new(2)).join().unwrap();
    std::hint::black_box(unsafe { std::hint::black_box(place as *const u64).read() });
}
#[test] fn freed_use_of_a_thread_that_comes_later() {
    let place = Box::into_raw(Box::new(7u64)) as usize;
    thread::spawn(move || unsafe { std::hint::black_box(place as *mut u64).write(1) }).join().unwrap();
    drop(unsafe { Box::from_raw(place as *mut u64) });
    thread::spawn(move || std::hint::black_box(unsafe { std::hint::black_box(place as *const u64).read() })).join().unwrap();
}
#[test] fn freed_write_of_a_thread_that_comes_later() {
    let place = Box::into_raw(Box::new(7u64)) as usize;
    drop(unsafe { Box::from_raw(place as *mut u64) });
    thread::spawn(move || unsafe { std::hint::black_box(place as *mut u64).write(1) }).join().unwrap();
}
unsafe extern "C" { fn atexit(handler: extern "C" fn()) -> i32; }
#[test] fn freed_use_at_exit() {
    static PLACE: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn reads() { std::hint::black_box(unsafe { (PLACE.load(SeqCst) as *const u64).read() }); }
    PLACE.store(Box::into_raw(Box::new(1u64)) as usize, SeqCst);
    unsafe { atexit(reads) };
    drop(thread::spawn(|| drop(unsafe { Box::from_raw(PLACE.load(SeqCst) as *mut u64) })));
}
#[test] fn race_at_exit() {
    static X: Data = Data::new();
    extern "C" fn writes() { X.write(1); }
    unsafe { atexit(writes) };
    drop(thread::spawn(|| { X.write(2); loop { thread::park() } }));
}
#[test] fn at_exit_all_that_was_joined_is_known() {
    static X: Data = Data::new();
    static PLACE: AtomicUsize = AtomicUsize::new(0);
    extern "C" fn writes() {
        X.write(1);
        drop(unsafe { Box::from_raw(PLACE.load(SeqCst) as *mut u64) });
    }
    PLACE.store(Box::into_raw(Box::new(1u64)) as usize, SeqCst);
    unsafe { atexit(writes) };
    let child = thread::spawn(|| { X.write(2); unsafe { (PLACE.load(SeqCst) as *mut u64).write(2) } });
    X.write(if thread::spawn(|| {}).join().is_ok() { child.join().unwrap(); 3 } else { 4 });
}
#[test] fn who_has_joined_all_others_is_alone() {
    static X: Data = Data::new();
    X.write(1);
    let child = thread::spawn(|| { X.write(2); thread::spawn(|| X.write(3)).join().unwrap(); X.write(4); });
    child.join().unwrap();
    X.write(5);
    thread::spawn(|| X.write(6)).join().unwrap();
    X.write(7);
}
#[test] fn panic_if_it_is_finished() {
    let child = thread::spawn(|| {});
    assert!(!child.is_finished());
    child.join().unwrap();
}
#[test] fn deadlock_of_output_and_errors() {
    let child = thread::spawn(|| {
        let mut out = std::io::stdout().lock();
        writeln!(std::io::stderr().lock()).and_then(|()| writeln!(out)).unwrap();
    });
    let mut err = std::io::stderr().lock();
    writeln!(std::io::stdout().lock()).and_then(|()| writeln!(err)).unwrap();
    drop(err);
    child.join().unwrap();
}
#[test] fn panic_of_nobodys_thread() { thread::spawn(|| panic!("nobody joins me")); }
#[test] fn panic_that_is_passed_on() { thread::spawn(|| panic!("the first")).join().unwrap(); }
#[test] fn panic_that_is_taken_up_again() {
    let payload = catch_unwind(|| panic!("once more")).unwrap_err();
    resume_unwind(payload);
}
#[test] fn caught_by_a_scope_around_it() {
    let _ = catch_unwind(|| thread::scope(|scope| { scope.spawn(|| panic!("meant")); }));
}
#[test] fn joined_and_looked_at() { assert!(thread::spawn(|| panic!("meant")).join().is_err()); }
#[test] #[should_panic(expected = "meant")] fn meant_to_panic() { panic!("this is meant"); }
#[test] fn spins_without_a_yield() {
    let (done, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let (its, also) = (done.clone(), seen.clone());
    let child = thread::spawn(move || { also.store(1, Relaxed); its.store(true, Release); });
    while !done.load(Acquire) {}
    assert_eq!(seen.load(Relaxed), 1);
    child.join().unwrap();
}
#[test] fn tries_to_receive() {
    let (sender, receiver) = mpsc::channel();
    let child = thread::spawn(move || sender.send(1).unwrap());
    while receiver.try_recv() != Ok(1) {}
    child.join().unwrap();
}
#[test] fn sleeps_while_others_work() {
    let value = Arc::new(Mutex::new(0));
    let its = value.clone();
    let child = thread::spawn(move || { thread::sleep(Duration::from_millis(10)); *its.lock().unwrap() = 1; });
    thread::sleep(Duration::from_secs(1));
    assert_eq!(*value.lock().unwrap(), 1);
    child.join().unwrap();
}
#[test] fn timers_run_out_together() {
    let first = Instant::now() + Duration::from_millis(1);
    let second = Instant::now() + Duration::from_millis(1);
    thread::sleep(first - Instant::now());
    assert!(first < second && second < Instant::now());
}
#[test] fn stacks_that_are_too_large() {
    assert!(thread::Builder::new().stack_size(isize::MAX as usize).spawn(|| ()).is_err());
}
#[test] fn memory_that_no_machine_has() {
    assert!(Vec::<u8>::new().try_reserve(isize::MAX as usize).is_err());
}
#[test] fn takes_a_lock_again_and_again() {
    let (taken, other) = (Arc::new(Mutex::new(false)), Arc::new(Mutex::new(0)));
    let (its, also) = (taken.clone(), other.clone());
    let child = thread::spawn(move || { *also.lock().unwrap() = 1; *its.lock().unwrap() = true; });
    loop {
        let taken = taken.lock().unwrap();
        let other = other.lock().unwrap();
        if *taken && *other == 1 { break; }
    }
    child.join().unwrap();
}
#[test] fn takes_longer_than_most() {
    let (count, value) = (AtomicU32::new(0), Mutex::new(0));
    while count.fetch_add(1, Relaxed) < 100_000 { *value.lock().unwrap() += 1; }
}
#[test] fn never_comes_to_its_end() {
    let (count, value) = (AtomicU32::new(0), Mutex::new(0));
    while count.fetch_add(1, Relaxed) < 100_000_000 { *value.lock().unwrap() += 1; }
}
#[test] fn time_passes() {
    let begin = Instant::now();
    thread::sleep(Duration::from_secs(3600));
    assert!(begin.elapsed() > Duration::from_secs(3600));
}
"#;

fn project() -> &'static Project {
    static PROJECT: OnceLock<Project> = OnceLock::new();
    PROJECT
        .get_or_init(|| Project::write("library", &[("Cargo.toml", MANIFEST), ("tests/library.rs", TESTS)]))
}

fn explored() -> &'static Run {
    static RUN: OnceLock<Run> = OnceLock::new();
    RUN.get_or_init(|| project().caissa("test --search preemptions --bound 1 --time 600"))
}

/// The names of the tests.
fn names() -> Vec<&'static str> {
    let lines = TESTS.lines().filter_map(|line| line.split_once("fn "));
    let tests = lines.filter(|(before, _)| before.contains("#[test]"));
    tests.filter_map(|(_, rest)| Some(rest.split_once('(')?.0)).collect()
}

#[test]
fn bugs_are_found_and_nothing_else() {
    let run = explored();
    let names = names();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let expected = match name.split('_').next() {
            Some("race") => "FAILED (data race, ",
            Some("deadlock") => "FAILED (deadlock, ",
            Some("panic") => "FAILED (panic, ",
            Some("freed") => "FAILED (use-after-free, ",
            Some("never") => "cut off (incomplete: ",
            _ => "ok (",
        };
        let line = format!("test {name} ... {expected}");
        assert!(run.out.contains(&line), "{line}\n{run}");
    }
}

/// No clocks are needed to know it.
#[test]
fn what_is_used_after_it_was_freed_is_found_without_looking_for_races() {
    let names: Vec<&str> = names().into_iter().filter(|name| name.starts_with("freed_")).collect();
    for option in ["--no-races", "--plain-std"] {
        let run = project().caissa(&format!("test --bound 0 {option} -- freed_"));
        for name in &names {
            let line = format!("test {name} ... FAILED (use-after-free, ");
            assert!(run.out.contains(&line), "{option}: {line}\n{run}");
        }
    }
}

#[test]
fn panics_are_told_where_and_why_they_began() {
    let run = explored();
    for text in [
        "panics at tests/library.rs",
        ": nobody joins me\n",
        ": the first\n",
        "It was passed on: thread T1 (test) panics",
        ": once more\n",
    ] {
        assert!(run.out.contains(text), "{text}\n{run}");
    }
    assert!(!run.out.contains("(no message)"), "{run}");
    assert!(!run.out.contains("/rustc/"), "what nobody can read is left out\n{run}");
}

/// Two threads that wait for each other without a yield, thousands of times: each time it is known within a few rounds, although frames of the queue's functions lie where hooks
/// had theirs before. And who counts is not taken for one that waits.
#[test]
fn who_waits_again_and_again_is_known_to_each_time() {
    const MANIFEST: &str = "[package]\nname = \"waiting\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                            [dependencies]\nconcurrent-queue = \"=2.5.0\"\n\n[workspace]\n";
    const TESTS: &str = r#"
use concurrent_queue::ConcurrentQueue;
#[test]
fn hands_over() {
    let queue = ConcurrentQueue::bounded(3);
    std::thread::scope(|scope| {
        scope.spawn(|| for i in 0..500 { while queue.push(i).is_err() {} });
        for i in 0..500 {
            loop { if let Ok(x) = queue.pop() { assert_eq!(x, i); break; } }
        }
    });
}
/// What counts lies below a large frame.
#[test]
fn has_large_frames() {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    static FLAG: AtomicBool = AtomicBool::new(true);
    #[inline(never)]
    fn looks(flag: &AtomicBool) -> usize {
        let mut room = std::hint::black_box([0u8; 4096]);
        for at in 0..7 { room[at] = flag.load(Relaxed) as u8; }
        std::hint::black_box(&room)[..7].iter().map(|&x| x as usize).sum()
    }
    let other = std::thread::spawn(|| FLAG.store(true, Relaxed));
    let mut sum = 0;
    for _ in 0..100_000 { sum += looks(&FLAG); }
    assert_eq!(sum, 700_000);
    other.join().unwrap();
}
"#;
    let project = Project::write("waiting", &[("Cargo.toml", MANIFEST), ("tests/waiting.rs", TESTS)]);
    let run = project.caissa("test --max-executions 1 --max-steps 20000");
    assert!(run.out.contains("test hands_over ... ok ("), "{run}");
    assert!(run.out.contains("test has_large_frames ... cut off ("), "{run}");
}

/// The atomics of a test file are the program's, whatever the file is called.
#[test]
fn a_crate_that_is_called_like_one_of_the_library_is_none_of_it() {
    const MANIFEST: &str =
        "[package]\nname = \"namesakes\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    const TEST: &str = r#"
pub mod thread { pub struct Counted; }
use std::hint::black_box;
use std::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
#[test]
fn counts() {
    static BEGUN: AtomicU32 = AtomicU32::new(0);
    static CLONED: AtomicU32 = AtomicU32::new(0);
    let one = Arc::new(thread::Counted);
    let two = one.clone();
    let child = std::thread::spawn(move || {
        let clone: fn(&Arc<thread::Counted>) -> Arc<thread::Counted> = black_box(Arc::clone);
        let begun = BEGUN.load(SeqCst);
        if begun == 0 { std::mem::forget(clone(&two)); }
        CLONED.store(1 + begun, SeqCst);
        std::mem::forget(two);
    });
    BEGUN.store(1, SeqCst);
    let count = Arc::strong_count(&one);
    child.join().unwrap();
    if CLONED.load(SeqCst) == 1 { assert_eq!(count, 3); }
}
"#;
    let project = Project::write(
        "namesakes",
        &[
            ("Cargo.toml", MANIFEST),
            ("src/lib.rs", ""),
            ("tests/other.rs", TEST),
            ("tests/std.rs", TEST),
            ("tests/test.rs", TEST),
        ],
    );
    let run = project.caissa("test --tests --search preemptions --bound 2");
    assert_eq!(run.out.matches("test counts ... FAILED (panic, 2 preemptions, ").count(), 3, "{run}");
}

/// Some schedules need more threads than there is room for in the process that has explored the others; another process goes on.
#[test]
fn where_there_is_room_for_more_threads_schedules_are_followed_as_before() {
    const MANIFEST: &str =
        "[package]\nname = \"room\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    const TEST: &str = r#"
use std::sync::{Arc, Mutex, atomic::{AtomicU32, Ordering::SeqCst}};
use std::thread;
#[test]
fn starts_more_threads_in_some_schedules() {
    let (first, sum) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(0)));
    let (its, also) = (first.clone(), sum.clone());
    let child = thread::spawn(move || {
        if its.load(SeqCst) == 0 { (0..20).for_each(|_| thread::spawn(|| {}).join().unwrap()) }
    });
    let adds = || { let sum = also.clone(); thread::spawn(move || for _ in 0..2 { *sum.lock().unwrap() += 1 }) };
    let others = [adds(), adds()];
    first.store(1, SeqCst);
    child.join().unwrap();
    others.map(|other| other.join().unwrap());
}
"#;
    let project = Project::write("room", &[("Cargo.toml", MANIFEST), ("tests/room.rs", TEST)]);
    for executions in [16, 40, 100] {
        let run = project.caissa(&format!("test --max-executions {executions}"));
        assert!(run.out.contains("test starts_more_threads_in_some_schedules ... ok ("), "{run}");
    }
}
