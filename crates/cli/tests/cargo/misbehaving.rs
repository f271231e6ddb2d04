//! Tests that do what no test should: each has its line, the others go on, and nothing is left behind.

use std::fs;
use std::path::Path;

use crate::project::{Project, run};

const MANIFEST: &str =
    "[package]\nname = \"misbehaving\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";

/// Above each test stands how its line goes on, `?` if that is not the same everywhere.
const TESTS: &str = r#"
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread;

//: ok (
#[test] fn behaves() { assert_eq!(thread::spawn(|| 5).join().unwrap(), 5); }

// When its output comes is not under control.
//: ?
#[test] fn runs_a_process() {
    let output = Command::new("echo").arg("word").output().unwrap();
    assert_eq!(output.stdout, b"word\n");
}
//: ok (
#[test] fn leaves_a_process_behind() {
    drop(Command::new("sleep").arg("98765.25").stdout(Stdio::null()).spawn().unwrap());
}
//: not explored (thread T1 runs true in its own place
#[test] fn becomes_another_process() {
    use std::os::unix::process::CommandExt as _;
    panic!("{}", Command::new("true").exec());
}
//: FAILED (
#[test] fn exits() { std::process::exit(3); }
//: FAILED (
#[test] fn exits_as_if_it_had_passed() { std::process::exit(0); }
//: FAILED (
#[test] fn aborts() { std::process::abort(); }
//: FAILED (
#[test] fn kills_itself() { unsafe { kill(std::process::id() as i32, 9); } }
//: FAILED (
#[test] fn crashes() { unsafe { std::ptr::null_mut::<u32>().write_volatile(1) } }
//: FAILED (
#[test] fn overflows_its_stack() {
    fn deeper(n: u64) -> u64 { if std::hint::black_box(n) == 0 { 0 } else { 1 + deeper(n + 1) } }
    assert!(deeper(1) > 0);
}
//: FAILED (
#[test] fn panics_while_it_panics() {
    struct Worse;
    impl Drop for Worse { fn drop(&mut self) { panic!("worse"); } }
    let _worse = Worse;
    panic!("bad");
}
//: ok (
#[test] fn talks_to_itself() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client = thread::spawn(move || TcpStream::connect(address).unwrap().write_all(b"hello").unwrap());
    let mut text = String::new();
    listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
    client.join().unwrap();
    assert_eq!(text, "hello");
}
//: not explored (thread T1 waits for something outside our control)
#[test] fn waits_for_nobody() { drop(TcpListener::bind("127.0.0.1:0").unwrap().accept()); }
//: not explored (thread T1 waits for something outside our control)
#[test] fn waits_for_a_message() { drop(UdpSocket::bind("127.0.0.1:0").unwrap().recv(&mut [0; 8])); }
//: ok (
#[test] fn reads_what_nobody_types() {
    assert_eq!(std::io::stdin().read_to_string(&mut String::new()).unwrap(), 0);
}
//: FAILED (good-samaritan
#[test] fn never_ends() {
    let count = std::hint::black_box(Arc::new(AtomicU64::new(0)));
    while count.load(SeqCst) == 0 {}
}
//: not explored (thread T1 runs on without a scheduling point
#[test] fn never_does_anything() { loop { std::hint::black_box(0); } }
//: FAILED (deadlock
#[test] fn waits_for_itself() {
    let lock = Mutex::new(0);
    let _held = lock.lock().unwrap();
    drop(lock.lock());
}
//: FAILED (deadlock
#[test] fn nobody_sends() { let (_sender, receiver) = mpsc::channel::<u32>(); receiver.recv().unwrap_err(); }
//: FAILED (deadlock
#[test] fn nobody_notifies() {
    let (lock, condvar) = (Mutex::new(()), Condvar::new());
    drop(condvar.wait(lock.lock().unwrap()));
}
//: ok (
#[test] fn leaves_a_thread_behind() {
    static STOP: AtomicBool = AtomicBool::new(false);
    drop(thread::spawn(|| while !STOP.load(SeqCst) { thread::yield_now() }));
}
//: ok (
#[test] fn sleeps_for_a_year() { thread::sleep(std::time::Duration::from_secs(365 * 86400)); }
//: FAILED (memory
#[test] fn takes_all_memory() {
    let mut all = Vec::new();
    loop { all.push(std::hint::black_box(vec![1u8; 1 << 24])); }
}
//: not explored (the program starts more than 2048 threads)
#[test] fn starts_threads_without_end() {
    let all = Arc::new(Mutex::new(Vec::new()));
    loop { let thread = thread::spawn(|| {}); all.lock().unwrap().push(thread); }
}
//: ok (
#[test] fn says_very_much() { (0..2_000).for_each(|n| println!("{n} {}", "x".repeat(200))); }
//: ok (
#[test] fn leaves_files_behind() { std::fs::write(std::env::temp_dir().join("caissa-misbehaving"), "x").unwrap(); }
//: ok (
#[test] fn changes_directory() { std::env::set_current_dir("/").unwrap(); }

unsafe extern "C" { fn kill(process: i32, signal: i32) -> i32; }
"#;

#[test]
fn tests_that_misbehave_are_told_of_and_the_others_go_on() {
    let project = Project::write(
        "misbehaving",
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", ""), ("tests/all.rs", TESTS)],
    );
    let temporary = project.path().join("temporary");
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir(&temporary).expect("directories can be made");
    let line = "test --test all --search preemptions --max-executions 30 --hang 1 --heap 256";
    let run = run(project.command(line).env("TMPDIR", &temporary));
    assert_eq!(run.code, 1, "{run}");

    let mut lines = TESTS.lines().peekable();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let Some(expected) = line.strip_prefix("//: ") else { continue };
        let name = lines.peek().and_then(|line| line.strip_prefix("#[test] fn ")?.split('(').next());
        let name = name.expect("a test comes next");
        let begin = format!("test {name} ... {}", expected.trim_start_matches('?'));
        assert!(run.out.lines().any(|line| line.starts_with(&begin)), "{begin}\n{run}");
        count += 1;
    }
    assert!(count >= 25, "{count}");
    assert!(run.out.contains(&format!("running {count} tests")), "{run}");

    // What the tests themselves have written stays, and nothing else does.
    let left: Vec<_> = fs::read_dir(&temporary)
        .expect("it is there")
        .map(|entry| entry.expect("it can be read").file_name())
        .collect();
    assert_eq!(left, ["caissa-misbehaving"]);
    assert_eq!(processes_called_with("98765.25"), Vec::<String>::new());
}

/// Command lines of processes that have this argument.
fn processes_called_with(argument: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("it is there").filter_map(Result::ok);
    let lines = processes.filter_map(|process| fs::read(Path::new(&process.path()).join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.split(' ').any(|word| word == argument)).collect()
}
