//! Loops that get on, though what the task sees of itself looks the same: taken for loops that go round in place they would hide the schedules in which others run at the wrong moment.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::project::Project;

const MANIFEST: &str =
    "[package]\nname = \"in-place\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

const TESTS: &str = r#"
use std::hint::black_box;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;

static X: AtomicUsize = AtomicUsize::new(0);
static DONE: AtomicBool = AtomicBool::new(false);

/// What runs in a thread ends while this one has only looked once.
fn ends_early(run: impl FnOnce() + Send + 'static) {
    let child = thread::spawn(|| { run(); DONE.store(true, SeqCst); });
    X.load(SeqCst);
    assert!(!DONE.load(SeqCst));
    child.join().unwrap();
}

#[inline(never)]
fn looks<const SIZE: usize>() {
    let mut room: [MaybeUninit<u8>; SIZE] = [const { MaybeUninit::uninit() }; SIZE];
    room[5].write(1);
    black_box(&mut room);
    X.load(SeqCst);
}
/// What counts is a register of the caller's, kept at the upper end of the frame.
#[test] fn panic_after_small_frames() { ends_early(|| for _ in 0..20 { looks::<8>() }) }
#[test] fn panic_after_large_frames() { ends_early(|| for _ in 0..20 { looks::<6000>() }) }
#[test] fn panic_after_locks_in_large_frames() {
    static LOCK: Mutex<()> = Mutex::new(());
    #[inline(never)]
    fn locks() {
        let mut room = [0u8; 2300];
        room[7] = 1;
        black_box(&mut room);
        drop(LOCK.lock());
    }
    ends_early(|| for _ in 0..20 { locks() })
}
/// No hook tells of accesses of a local that nobody else can see.
#[test] fn panic_after_counting_on_the_stack() {
    ends_early(|| {
        let mut counts = [0u64; 2048];
        let at = black_box(1500usize);
        while counts[at & 2047] < 20 { counts[at & 2047] += 1; X.load(SeqCst); }
    })
}
#[test] fn panic_after_a_file_was_read() {
    let path = std::env::temp_dir().join(format!("caissa-in-place-{}", std::process::id()));
    std::fs::write(&path, [0; 20]).unwrap();
    let mut file = std::fs::File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    ends_early(move || { let mut byte = [0]; while file.read(&mut byte).unwrap() == 1 { X.load(SeqCst); } })
}
#[test] fn panic_after_seeking() {
    let mut file = std::fs::File::open("/proc/self/maps").unwrap();
    ends_early(move || while file.seek(SeekFrom::Current(1)).unwrap() < 20 { X.load(SeqCst); })
}
#[test] fn panic_after_a_pipe_was_read() {
    let (mut from, mut to) = std::io::pipe().unwrap();
    to.write_all(&[b'a'; 20]).unwrap();
    drop(to);
    ends_early(move || { let mut byte = [0]; while from.read(&mut byte).unwrap() == 1 { X.load(SeqCst); } })
}
#[test] fn panic_after_a_socket_was_read() {
    let (mut one, mut other) = std::os::unix::net::UnixStream::pair().unwrap();
    one.write_all(&[b'a'; 20]).unwrap();
    drop(one);
    ends_early(move || { let mut byte = [0]; while other.read(&mut byte).unwrap() == 1 { X.load(SeqCst); } })
}
#[test] fn cut_off_while_it_reads() {
    let (mut from, mut to) = std::io::pipe().unwrap();
    to.write_all(&vec![0; 60_000]).unwrap();
    drop(to);
    thread::spawn(move || {
        let mut byte = [0];
        while from.read(&mut byte).unwrap() == 1 { X.load(SeqCst); }
    }).join().unwrap();
}
/// The numbers that the kernel has for this file change meanwhile.
#[test] fn looks_whether_a_file_is_there() {
    let child = thread::spawn(|| { X.fetch_add(1, SeqCst); });
    while X.load(SeqCst) < 1 { assert!(std::path::Path::new("changing").exists()); }
    child.join().unwrap();
}
"#;

#[test]
fn a_loop_that_gets_on_may_be_interrupted_anywhere() {
    let project = Project::write("in-place", &[("Cargo.toml", MANIFEST), ("tests/in_place.rs", TESTS)]);
    let run = project.caissa("test --search preemptions --bound 1 --max-steps 20000 -- --skip looks_whether");
    for name in [
        "after_small_frames",
        "after_large_frames",
        "after_locks_in_large_frames",
        "after_counting_on_the_stack",
        "after_a_file_was_read",
        "after_seeking",
        "after_a_pipe_was_read",
        "after_a_socket_was_read",
    ] {
        let line = format!("test panic_{name} ... FAILED (panic, 1 preemption, ");
        assert!(run.out.contains(&line), "{line}\n{run}");
    }
    assert!(run.out.contains("test cut_off_while_it_reads ... cut off (incomplete: "), "{run}");
}

#[test]
fn what_the_kernel_says_of_a_file_decides_nothing() {
    let files = [("Cargo.toml", MANIFEST), ("tests/in_place.rs", TESTS), ("changing", "")];
    let project = Project::write("in-place-files", &files);
    let (path, over) = (project.path().join("changing"), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0u64.. {
                std::fs::write(&path, round.to_string()).expect("files can be written");
                if over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let run = project.caissa("test --max-executions 200 --bound 1 looks_whether");
        over.store(true, Ordering::Relaxed);
        assert!(run.out.contains("test looks_whether_a_file_is_there ... ok ("), "{run}");
    });
}
