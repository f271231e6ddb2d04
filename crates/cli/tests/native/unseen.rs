//! What no hook tells of: instructions of assembly, objects that were compiled otherwise, system calls by number.

use std::path::Path;
use std::process::Command;

use crate::building::{COMPILERS, build};
use crate::run::{Run, Scratch, binary, caissa};

/// What they all include.
const HEAD: &str = "#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
";

/// Checks a program with each compiler, in one process or in copies, and with threads of the system.
#[track_caller]
fn judged(text: &str, code: i32, parts: &[&str]) {
    for [compiler, _] in COMPILERS {
        let scratch = Scratch::new();
        let source = scratch.write("program.c", format!("{HEAD}{text}"));
        let program = scratch.file("program");
        build(Path::new(&source), compiler, &["-w"], Path::new(&program));
        for mode in ["auto", "fork", "os"] {
            caissa(&["check", &program, "--mode", mode, "--bound", "1", "--quiet"]).expect(code, parts);
        }
    }
}

const PAUSES: [&str; 2] = ["__builtin_ia32_pause()", "__asm__ volatile(\"rep; nop\" ::: \"memory\")"];

#[test]
fn who_pauses_in_a_loop_waits() {
    for pause in PAUSES {
        judged(
            &format!(
                "atomic_int flag; int data;
void *set(void *a) {{ data = 1; atomic_store(&flag, 1); return a; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, set, 0); double kept = t != 0 ? 0.5 : 1;
  while (!atomic_load(&flag)) {pause};
  assert(data == 1 && kept == 0.5); pthread_join(t, 0); return 0; }}"
            ),
            0,
            &["assuming sequential consistency"],
        );
    }
}

#[test]
fn who_pauses_for_ever_is_in_a_livelock_and_not_accused_of_keeping_others_from_running() {
    judged(
        "atomic_int a, b;
void *wait(void *p) { while (!atomic_load((atomic_int *)p)) __builtin_ia32_pause(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, wait, &a); wait(&b); pthread_join(t, 0); return 0; }",
        1,
        &["livelock"],
    );
}

#[test]
fn who_pauses_may_block_all_signals_and_handle_traps_itself() {
    judged(
        "#include <signal.h>
atomic_int flag, hits; void handle(int s) { hits++; }
void *set(void *a) { atomic_store(&flag, 1); return a; }
int main(void) { signal(SIGTRAP, handle); sigset_t all; sigfillset(&all); pthread_sigmask(SIG_BLOCK, &all, 0);
  pthread_t t; pthread_create(&t, 0, set, 0); while (!atomic_load(&flag)) __builtin_ia32_pause(); assert(hits == 0);
  sigprocmask(SIG_UNBLOCK, &all, 0); raise(SIGTRAP); assert(hits == 1); pthread_join(t, 0); return 0; }",
        0,
        &["assuming sequential consistency"],
    );
}

#[test]
fn pauses_of_libraries_are_known_also_if_they_are_loaded_later() {
    let scratch = Scratch::new();
    let library = scratch.write(
        "spin.c",
        "#include <stdatomic.h>
void spin(atomic_int *f) { for (int i = 0; i < 6000; i++) __builtin_ia32_pause(); while (!atomic_load(f)) __builtin_ia32_pause(); }",
    );
    let shared = scratch.file("libspin.so");
    build(Path::new(&library), "gcc", &["-shared", "-fPIC"], Path::new(&shared));
    let main = scratch.write(
        "main.c",
        format!(
            "#include <dlfcn.h>
{HEAD}atomic_int f; void *set(void *a) {{ f = 1; return a; }}
int main(void) {{ void *l = dlopen(\"{shared}\", RTLD_NOW); void (*spin)(atomic_int *) = dlsym(l, \"spin\");
  pthread_t t; pthread_create(&t, 0, set, 0); spin(&f); pthread_join(t, 0); return 0; }}"
        ),
    );
    let program = scratch.file("program");
    build(Path::new(&main), "gcc", &["-w", "-ldl"], Path::new(&program));
    for mode in ["auto", "fork", "os"] {
        caissa(&["check", &program, "--mode", mode, "--quiet"])
            .expect(0, &["assuming sequential consistency"]);
    }
}

#[test]
fn a_pause_between_accesses_that_are_not_seen_is_one_all_the_same() {
    // The flag is read and written by assembly only.
    judged(
        "int flag; static inline int get(void) { int r; __asm__ volatile(\"movl %1, %0\" : \"=r\"(r) : \"m\"(flag)); return r; }
void *set(void *a) { sched_yield(); __asm__ volatile(\"movl $1, %0\" : \"=m\"(flag)); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); while (!get()) __builtin_ia32_pause(); pthread_join(t, 0); return 0; }",
        0,
        &["assuming sequential consistency"],
    );
}

#[test]
fn a_delay_of_many_pauses_is_one_yield_and_none_is_lost_behind_it() {
    // Whether the other thread has run is open, however long this one pauses.
    judged(
        "atomic_int x; void *f(void *p) { x = 1; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int i = 0; i < 900; i++) __builtin_ia32_pause(); assert(atomic_load(&x) == 1); return 0; }",
        1,
        &["fails an assertion"],
    );
    judged(
        "atomic_int flag; static __attribute__((noinline)) void delay(int n) { for (int i = 0; i < n; i++) __builtin_ia32_pause(); }
void *f(void *p) { atomic_store(&flag, 1); return p; }
int main(void) { delay(6000); pthread_t t; pthread_create(&t, 0, f, 0); while (!atomic_load(&flag)) delay(10); pthread_join(t, 0); return 0; }",
        0,
        &["assuming sequential consistency"],
    );
}

#[test]
fn pauses_with_nothing_between_them_are_one() {
    let program = |pauses: u32| {
        let text = format!(
            "{HEAD}atomic_int a;
void *work(void *p) {{ a++; for (int i = 0; i < {pauses}; i++) __builtin_ia32_pause(); a++; return p; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); return 0; }}"
        );
        let scratch = Scratch::new();
        let source = scratch.write("program.c", text);
        let run = caissa(&["check", &source, "--search", "dfs", "--json", "--quiet"]);
        run.expect(0, &[]).json().number("executions")
    };
    let [none, one, many] = [0, 1, 40].map(program).map(|executions| executions.expect("a number"));
    assert!(none < one, "one is a scheduling point");
    assert!(many < 2 * one, "forty are hardly more than one: {many} executions, not {one}");
}

#[test]
fn a_spin_lock_with_pauses_guards_what_it_guards() {
    let lock = |order: &str| {
        format!(
            "atomic_flag lock = ATOMIC_FLAG_INIT; int guarded;
void *work(void *a) {{ while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) __builtin_ia32_pause();
  guarded++; atomic_flag_clear_explicit(&lock, {order}); return a; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); assert(guarded == 2); return 0; }}"
        )
    };
    judged(&lock("memory_order_release"), 0, &["assuming sequential consistency"]);
    judged(&lock("memory_order_relaxed"), 1, &["data race"]);
}

#[test]
fn atomics_that_compilers_leave_to_a_library_are_seen() {
    for [_, compiler] in COMPILERS {
        let scratch = Scratch::new();
        let text = "#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>
struct alignas(16) P { uint64_t a, b; }; std::atomic<P> p{P{0, 0}}; struct Q { char c[3]; }; std::atomic<Q> q; int data;
int main() { std::thread t([] { P x = p.load(); p.store(P{x.a + 1, x.b + 1}); data = 1; q.store(Q{{1}}); });
  if (q.load().c[0]) assert(data == 1);
  P y = p.load(); p.store(P{y.a + 1, y.b + 1}); t.join(); assert(!LOST || p.load().a == 2); }";
        let source = scratch.write("atomics.cpp", text);
        for (lost, code, part) in [("0", 0, "assuming sequential consistency"), ("1", 1, "LOST")] {
            let flags = format!("-std=c++17 -latomic -w -DLOST={lost}");
            caissa(&["check", &source, "--cc", compiler, "--cflags", &flags, "--quiet"])
                .expect(code, &[part]);
        }
    }
}

#[test]
fn loops_of_the_library_that_wait_are_no_spins() {
    for [_, compiler] in COMPILERS {
        let scratch = Scratch::new();
        let text = "#include <atomic>
#include <memory>
#include <thread>
std::atomic<std::shared_ptr<int>> sp;
int main() { std::thread b([] { sp.store(nullptr); }); sp.store(nullptr); b.join(); }";
        let source = scratch.write("shared.cpp", text);
        for flags in ["-std=c++20 -O0", "-std=c++20 -O2"] {
            let run = caissa(&[
                "check",
                &source,
                "--cc",
                compiler,
                "--cflags",
                flags,
                "--quiet",
                "--bound",
                "1",
                "--no-races",
            ]);
            run.expect(0, &["at most 1 preemption"]);
        }
    }
}

#[test]
fn system_calls_by_number_are_what_their_functions_are() {
    // A thread waits in a pipe, another one sleeps; the clock is virtual, and so are random numbers.
    judged(
        "int ends[2]; char got;
void *reader(void *a) { syscall(SYS_read, ends[0], &got, 1); return a; }
int main(void) { syscall(SYS_pipe2, ends, 0); pthread_t t; pthread_create(&t, 0, reader, 0);
  struct timespec before, after, nap = {3600, 0}; syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &before);
  syscall(SYS_nanosleep, &nap, 0); syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &after);
  assert(after.tv_sec - before.tv_sec >= 3600);
  unsigned long random[2], again[2]; syscall(SYS_getrandom, random, sizeof random, 0); getentropy(again, sizeof again);
  assert(syscall(SYS_getpid) == getpid() && syscall(SYS_write, ends[1], \"x\", 1) == 1);
  pthread_join(t, 0); assert(got == 'x'); return 0; }",
        0,
        &["assuming sequential consistency"],
    );
}

#[test]
fn what_a_system_call_by_number_changes_in_the_kernel_is_noticed() {
    let scratch = Scratch::new();
    let text =
        "int main(void) { int fd = syscall(SYS_open, \"/dev/null\", O_RDONLY); assert(fd == 3); return 0; }";
    let source = scratch.write("opens.c", format!("{HEAD}{text}"));
    caissa(&["check", &source]).expect(0, &["verified", "copies of the process", "it opens a file"]);
}

#[test]
fn system_calls_by_number_that_cannot_be_followed_are_refused() {
    for (call, part) in [
        ("SYS_vfork", "starts a thread or a process"),
        ("SYS_tgkill, 1, 1, 0", "sends a signal"),
        ("SYS_exit, 0", "ends a thread"),
    ] {
        judged(&format!("int main(void) {{ syscall({call}); return 0; }}"), 2, &[part]);
    }
}

#[test]
fn assembly_that_is_not_seen_is_told_with_its_place() {
    let text = "static int count;
static void add(void) { __asm__ volatile(\"lock addl $1, %0\" : \"+m\"(count)); }
static long process(void) { long r; __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(39L) : \"rcx\", \"r11\", \"memory\"); return r; }
int main(void) { add(); return process() == 0 || __builtin_ia32_rdtsc() == 0; }
";
    let scratch = Scratch::new();
    let source = scratch.write("assembly.c", text);
    caissa(&["check", &source]).expect(
        0,
        &[
            "assembly.c:2:25 in add: assembly accesses memory atomically",
            "in process: assembly calls the system",
            "in main: an instruction reads the processor's clock",
        ],
    );
    let source = scratch.write("plain.c", "_Atomic int a; int main(void) { a++; return 0; }");
    let run = caissa(&["check", &source]);
    assert_eq!(run.expect(0, &[]).err, "", "{run}");
}

#[test]
fn objects_that_were_compiled_otherwise_are_told() {
    let scratch = Scratch::new();
    let main = scratch.write("main.c", "extern int other(void); int main(void) { return other(); }");
    let other = scratch.write("other.c", "int other(void) { return 0; }");
    let object = scratch.file("other.o");
    assert!(Command::new("gcc").args(["-c", &other, "-o", &object]).status().expect("gcc runs").success());
    let program = scratch.file("program");
    let run = Run::of(binary().args(["cc", &main, &object, "-o", &program]).output().expect("caissa runs"));
    run.expect(0, &[]);
    let run = caissa(&["check", &program]);
    run.expect(0, &["other.c was not built with caissa cc"]);
    assert!(!run.err.contains("main.c"), "{run}");
}
