//! The ways in which executions are run.

use crate::building::built;
use crate::run::{Scratch, caissa};

const COUNTER: &str = r#"
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *work(void *arg) {
    for (int i = 0; i < 2; i++) { pthread_mutex_lock(&lock); total++; pthread_mutex_unlock(&lock); }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == 4);
    return 0;
}"#;

#[test]
fn all_modes_and_any_number_of_workers_run_the_same_executions() {
    let scratch = Scratch::new();
    let program = built(&scratch, "counter", COUNTER);
    let mut counts = Vec::new();
    for (mode, workers) in [("fork", "1"), ("inproc", "1"), ("os", "1"), ("fork", "2"), ("inproc", "2")] {
        let args = [
            "check",
            &program,
            "--mode",
            mode,
            "--workers",
            workers,
            "--bound",
            "1",
            "--search",
            "preemptions",
        ];
        let run = caissa(&[&args[..], &["--json", "--quiet"]].concat());
        counts.push((run.json().verdict().to_owned(), run.json().number("executions")));
    }
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    assert_eq!(counts[0].0, "bounded");
}

#[test]
fn a_search_goes_on_from_its_file() {
    let scratch = Scratch::new();
    let (program, file) = (built(&scratch, "counter", COUNTER), scratch.file("search.resume"));
    let all = caissa(&["check", &program, "--json", "--quiet"]).json().number("executions");
    let part = ["check", &program, "--resume", &file, "--quiet"];
    caissa(&[&part[..], &["--max-executions", "20"]].concat()).expect(0, &["incomplete"]);
    let rest = caissa(&[&part[..], &["--json"]].concat());
    assert_eq!(rest.json().number("executions"), all);
}

#[test]
fn what_changes_the_kernels_state_is_run_in_copies_and_that_is_said_once() {
    let scratch = Scratch::new();
    let text = "#include <unistd.h>\nint main(void) { int ends[2]; char c = 1; pipe(ends); write(ends[1], &c, 1); read(ends[0], &c, 1); return 0; }\n";
    let program = built(&scratch, "pipes", text);
    let run = caissa(&["check", &program, "--quiet"]);
    run.expect(0, &["verified"]);
    assert_eq!(run.err.matches("--mode fork").count(), 1, "{run}");
    caissa(&["check", &program, "--mode", "inproc", "--quiet"]).expect_mistake(&["it makes a pipe"]);
    let text = "#include <unistd.h>\nint main(void) { return chdir(\"/\"); }\n";
    let program = built(&scratch, "moves", text);
    let words = ["check", &program, "--mode", "inproc", "--quiet"];
    caissa(&words).expect_mistake(&["it makes the system call chdir"]);
}

#[test]
fn there_can_be_many_threads() {
    let scratch = Scratch::new();
    let text = "#include <pthread.h>\nstatic void *run(void *arg) { return arg; }\nint main(void) { pthread_t t; for (int i = 0; i < 200; i++) { pthread_create(&t, 0, run, 0); pthread_join(t, 0); } return 0; }\n";
    let program = built(&scratch, "many", text);
    for mode in ["auto", "fork"] {
        caissa(&["check", &program, "--mode", mode, "--quiet"]).expect(0, &["verified"]);
    }
}

#[test]
fn thread_local_variables_and_errno_are_each_threads_own() {
    let scratch = Scratch::new();
    let text = "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\nstatic _Thread_local int mine = 5;\nstatic void *run(void *arg) { assert(mine == 5 && errno == 0); mine = errno = (int)(long)arg; sched_yield(); assert(mine == (int)(long)arg && errno == mine); return arg; }\nint main(void) { pthread_t a, b; pthread_create(&a, 0, run, (void *)1); pthread_create(&b, 0, run, (void *)2); pthread_join(a, 0); pthread_join(b, 0); assert(mine == 5); return 0; }\n";
    let program = built(&scratch, "locals", text);
    for mode in ["auto", "fork", "os"] {
        caissa(&["check", &program, "--mode", mode, "--bound", "1", "--quiet"]).expect(0, &["bounded"]);
    }
}
