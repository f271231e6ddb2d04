//! Programs that do what cannot be controlled, or do not end: a clear message within their limits, and nothing is left behind.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::building::built;
use crate::run::{Run, Scratch, caissa};

/// Checks a program and expects a mistake in both modes.
#[track_caller]
fn refused(name: &str, text: &str, parts: &[&str]) {
    let scratch = Scratch::new();
    let program = built(&scratch, name, text);
    for mode in ["auto", "fork"] {
        caissa(&["check", &program, "--mode", mode, "--hang", "1", "--quiet"]).expect(2, parts);
    }
}

/// Checks a program and expects a bug of this kind in both modes.
#[track_caller]
fn found(name: &str, text: &str, options: &[&str], parts: &[&str]) -> Run {
    let scratch = Scratch::new();
    let program = built(&scratch, name, text);
    let check = |mode: &str| {
        let mut args = vec!["check", &program, "--mode", mode, "--hang", "1", "--quiet"];
        args.extend(options);
        caissa(&args)
    };
    check("fork").expect(1, parts);
    check("auto").expect(1, parts).clone()
}

#[test]
fn waiting_outside_our_control_is_refused_with_the_place() {
    let text = "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n    int ends[2]; pipe(ends);\n    FILE *file = fdopen(ends[0], \"r\");\n    return fgetc(file);\n}\n";
    refused("waits", text, &["outside our control", "waits.c:6"]);
}

#[test]
fn loops_without_points_are_found() {
    let text = "#include <pthread.h>\nstatic void *spin(void *arg) { for (;;) __asm__ volatile(\"\"); return arg; }\nint main(void) { pthread_t t; pthread_create(&t, 0, spin, 0); pthread_join(t, 0); return 0; }\n";
    found("spins", text, &[], &["runs on without a scheduling point", "spins.c:2"]);
    let text = "#include <pthread.h>\nint go;\nstatic void *spin(void *arg) { int *p = &go; while (!*p) { __asm__ volatile(\"\" ::: \"memory\"); } return arg; }\nint main(void) { pthread_t t; pthread_create(&t, 0, spin, 0); go = 1; pthread_join(t, 0); return 0; }\n";
    found("polls", text, &[], &["runs on without a scheduling point", "polls.c:3"]);
}

#[test]
fn overflows_of_a_stack_are_found() {
    let text = "#include <pthread.h>\n#include <alloca.h>\nstatic int deep(int n) { volatile char room[4096]; room[0] = n; return n == 0 ? 0 : deep(n - 1) + room[0]; }\nstatic void *run(void *arg) { deep(1 << 30); return arg; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }\n";
    found("deep", text, &[], &["T1 (run) overflows its stack", "deep.c:3"]);
    let text = "static int deep(int n) { volatile char room[4096]; room[0] = n; return n == 0 ? 0 : deep(n - 1) + room[0]; }\nint main(void) { return deep(1 << 30); }\n";
    found("main", text, &[], &["overflows its stack"]);
}

#[test]
fn crashes_are_found_with_their_place() {
    let text = "#include <pthread.h>\nstatic int *p;\nstatic void *run(void *arg) { *p = 1; return arg; }\nint main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }\n";
    found("null", text, &[], &["null pointer", "null.c:3"]);
    found("aborts", "#include <stdlib.h>\nint main(void) { abort(); }\n", &[], &["aborts, at", "aborts.c:2"]);
}

#[test]
fn corrupted_heaps_are_found() {
    let text = "#include <stdlib.h>\n#include <string.h>\nchar *a, *b;\nint main(void) { a = malloc(16), b = malloc(16); memset(a, 7, 40); free(b); free(a); return 0; }\n";
    found("overrun", text, &[], &["was overwritten", "overrun.c:4"]);
    let text = "#include <stdlib.h>\nchar *a;\nint main(void) { a = malloc(16); char *volatile b = a + 4; free(b); return 0; }\n";
    found("middle", text, &[], &["byte 4 of a block of 16 bytes"]);
}

#[test]
fn memory_is_limited() {
    let text = "#include <stdlib.h>\nint main(void) { for (;;) if (!malloc(1 << 20)) return 1; }\n";
    found("eats", text, &["--heap", "64"], &["the limit of 64 MiB"]);
    let text = "#include <stdlib.h>\nint main(void) { void *volatile much = malloc(1ul << 35); return much != 0; }\n";
    found("is greedy", text, &[], &["the limit of 1024 MiB"]);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    refused(
        "execs",
        "#include <unistd.h>\nint main(void) { return execl(\"/bin/true\", \"true\", (char *)0); }\n",
        &["/bin/true"],
    );
    refused(
        "alarms",
        "#include <unistd.h>\nint main(void) { alarm(1); return 0; }\n",
        &["alarm", "cannot be controlled"],
    );
}

#[test]
fn a_process_that_is_forked_is_let_go() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#include <sys/wait.h>\n#include <unistd.h>\nint main(void) { int status; pid_t child = fork(); if (child == 0) _exit(7); waitpid(child, &status, 0); assert(WEXITSTATUS(status) == 7); return 0; }\n";
    let program = built(&scratch, "forks", text);
    caissa(&["check", &program, "--quiet"]).expect(0, &["verified", "it starts a process"]);
}

#[test]
fn programs_that_differ_from_run_to_run_are_diverged() {
    let scratch = Scratch::new();
    // Reads something that is another in every process.
    let text = "#include <fcntl.h>\n#include <pthread.h>\n#include <sched.h>\n#include <unistd.h>\nstatic void *run(void *arg) { sched_yield(); return arg; }\nint main(void) {\n    unsigned char byte = 0; int file = open(\"/dev/urandom\", O_RDONLY); read(file, &byte, 1);\n    pthread_t t; pthread_create(&t, 0, run, 0);\n    for (int i = 0; i < byte; i++) sched_yield();\n    pthread_join(t, 0); return 0;\n}\n";
    let program = built(&scratch, "random", text);
    caissa(&["check", &program, "--quiet"]).expect(3, &["diverged"]);
}

#[test]
fn what_a_killed_check_left_is_removed_by_the_next() {
    let scratch = Scratch::new();
    let source = scratch.write("fine.c", "int main(void) { return 0; }\n");
    // No process has this number.
    let stale = scratch.path().join("caissa-4194305-x");
    fs::create_dir(&stale).expect("a directory can be made");
    let mut binary = crate::run::binary();
    binary.env("TMPDIR", scratch.path()).args(["check", &source, "--quiet"]);
    Run::of(binary.output().expect("caissa runs")).expect(0, &["verified"]);
    assert!(!stale.exists());
}

#[test]
fn nothing_is_left_behind() {
    let scratch = Scratch::new();
    let hangs = built(&scratch, "hangs", "int main(void) { for (;;) __asm__ volatile(\"\"); }\n");
    let forks = built(
        &scratch,
        "forks",
        "#include <unistd.h>\nint main(void) { if (fork() == 0) for (;;) pause(); return 0; }\n",
    );
    let dies = built(
        &scratch,
        "dies",
        "#include <signal.h>\n#include <unistd.h>\nint main(void) { raise(SIGKILL); return 0; }\n",
    );
    let temporary = scratch.path().join("tmp");
    fs::create_dir(&temporary).expect("a directory can be made");
    let source = scratch.write("crash.c", "int main(void) { *(volatile int *)0 = 1; }\n");
    // Two generations on, in a session of its own.
    let daemon = built(
        &scratch,
        "daemon",
        "#include <pthread.h>\n#include <unistd.h>\nint main(void) { if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); _exit(0); } return 0; }\n",
    );
    for round in 0..8 {
        for target in [&hangs, &forks, &dies, &source, &daemon] {
            let mut binary = crate::run::binary();
            let mode = if round % 2 == 0 { "auto" } else { "fork" };
            binary
                .env("TMPDIR", &temporary)
                .args(["check", target, "--hang", "0.2", "--quiet", "--mode", mode]);
            Run::of(binary.output().expect("caissa runs"));
        }
    }
    assert_eq!(fs::read_dir(&temporary).expect("it is there").count(), 0);
    let mark = scratch.path().file_name().expect("it has a name").to_string_lossy().into_owned();
    let listed = Command::new("ps").args(["-eo", "args"]).output().expect("ps runs");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(
        ["hangs", "forks", "daemon"].iter().all(|name| !listed.contains(&format!("{mark}/{name}"))),
        "{listed}"
    );
}

#[test]
fn who_is_told_to_end_does_not_wait_for_an_execution_that_hangs() {
    let scratch = Scratch::new();
    let program = built(&scratch, "hangs", "int main(void) { for (;;) __asm__ volatile(\"\"); }\n");
    for mode in ["inproc", "fork", "os"] {
        let mut binary = crate::run::binary();
        binary.args(["check", &program, "--hang", "1000", "--quiet", "--mode", mode]);
        let mut child = binary.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("caissa runs");
        std::thread::sleep(Duration::from_millis(1500));
        let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        assert!(told.expect("kill runs").success());
        // Far less than it would hang for.
        let ended = (0..600).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            child.try_wait().expect("it is ours").is_some()
        });
        let _ = child.kill();
        assert!(ended, "{mode}");
    }
}

#[test]
fn a_program_that_does_nothing_is_told_so() {
    let scratch = Scratch::new();
    let program = built(&scratch, "nothing", "int main(void) { return 1; }\n");
    caissa(&["check", &program]).expect(0, &["verified", "there was one schedule only"]);
}
