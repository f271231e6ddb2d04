//! Random programs, once in C and once as a closure that uses the library: both engines must run the same number of executions, of as many
//! classes, and find the same. `AGREE_PROGRAMS=N` tries N of them.

use std::fmt::Write as _;
use std::sync::Arc;

use caissa::sync::atomic::{AtomicI32, Ordering};
use caissa::sync::{Mutex, RwLock};
use caissa::{Builder, Search};

use crate::building::built;
use crate::run::{Scratch, caissa};

/// What a thread does.
#[derive(Clone, Debug)]
enum Step {
    Add(usize),
    Load(usize),
    /// Sets it to 1 if it is 0.
    Claim(usize),
    Yield,
    Lock(usize, Vec<Step>),
    TryLock(usize, Vec<Step>),
    Read(usize, Vec<Step>),
    Write(usize, Vec<Step>),
}

const OBJECTS: usize = 2;

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % limit
    }

    /// `held`: locks that must not be taken again.
    fn steps(&mut self, most: u64, held: &mut Vec<usize>) -> Vec<Step> {
        (0..1 + self.below(most)).map(|_| self.step(held)).collect()
    }

    fn step(&mut self, held: &mut Vec<usize>) -> Step {
        let object = self.below(OBJECTS as u64) as usize;
        let kind = self.below(12);
        // Mutexes and reader-writer locks are told apart by their numbers.
        let lock = if kind < 9 { object } else { OBJECTS + object };
        if kind < 4 || held.len() > 1 || held.contains(&lock) {
            return match kind % 6 {
                0 | 1 => Step::Add(object),
                2 | 3 => Step::Load(object),
                4 => Step::Claim(object),
                _ => Step::Yield,
            };
        }
        held.push(lock);
        let inside = self.steps(2, held);
        held.pop();
        match kind {
            4..=7 => Step::Lock(object, inside),
            8 => Step::TryLock(object, inside),
            9 | 10 => Step::Read(object, inside),
            _ => Step::Write(object, inside),
        }
    }
}

/// A program: what each of its threads does.
type Program = Vec<Vec<Step>>;

fn program(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let threads = 2 + random.below(2) as usize;
    (0..threads).map(|_| random.steps(if threads == 2 { 3 } else { 2 }, &mut Vec::new())).collect()
}

// ---- in C ----

fn in_c(program: &Program) -> String {
    let mut text = String::from(
        "#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\nstatic atomic_int x[2];\nstatic pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, \
         PTHREAD_MUTEX_INITIALIZER};\nstatic pthread_rwlock_t l[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};\n",
    );
    for (thread, steps) in program.iter().enumerate() {
        writeln!(text, "static void *run{thread}(void *arg) {{").unwrap();
        steps.iter().for_each(|step| write_step(&mut text, step));
        text.push_str("return arg; }\n");
    }
    text.push_str("int main(void) { pthread_t t[8];\n");
    for thread in 0..program.len() {
        writeln!(text, "pthread_create(&t[{thread}], 0, run{thread}, 0);").unwrap();
    }
    for thread in 0..program.len() {
        writeln!(text, "pthread_join(t[{thread}], 0);").unwrap();
    }
    text.push_str("return 0; }\n");
    text
}

fn write_step(text: &mut String, step: &Step) {
    let mut around = |before: String, inside: &[Step], after: String| {
        text.push_str(&before);
        inside.iter().for_each(|step| write_step(text, step));
        text.push_str(&after);
    };
    match step {
        Step::Add(x) => around(format!("atomic_fetch_add(&x[{x}], 1);\n"), &[], String::new()),
        Step::Load(x) => around(format!("(void)atomic_load(&x[{x}]);\n"), &[], String::new()),
        Step::Claim(x) => around(
            format!("{{ int old = 0; atomic_compare_exchange_strong(&x[{x}], &old, 1); }}\n"),
            &[],
            String::new(),
        ),
        Step::Yield => around("sched_yield();\n".to_owned(), &[], String::new()),
        Step::Lock(m, inside) => around(
            format!("pthread_mutex_lock(&m[{m}]);\n"),
            inside,
            format!("pthread_mutex_unlock(&m[{m}]);\n"),
        ),
        Step::TryLock(m, inside) => around(
            format!("if (pthread_mutex_trylock(&m[{m}]) == 0) {{\n"),
            inside,
            format!("pthread_mutex_unlock(&m[{m}]); }}\n"),
        ),
        Step::Read(l, inside) => around(
            format!("pthread_rwlock_rdlock(&l[{l}]);\n"),
            inside,
            format!("pthread_rwlock_unlock(&l[{l}]);\n"),
        ),
        Step::Write(l, inside) => around(
            format!("pthread_rwlock_wrlock(&l[{l}]);\n"),
            inside,
            format!("pthread_rwlock_unlock(&l[{l}]);\n"),
        ),
    }
}

// ---- with the library ----

#[derive(Default)]
struct Shared {
    x: [AtomicI32; OBJECTS],
    m: [Mutex<()>; OBJECTS],
    l: [RwLock<()>; OBJECTS],
}

fn run(shared: &Shared, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Add(x) => {
                shared.x[*x].fetch_add(1, Ordering::SeqCst);
            }
            Step::Load(x) => {
                shared.x[*x].load(Ordering::SeqCst);
            }
            Step::Claim(x) => {
                let _ = shared.x[*x].compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst);
            }
            Step::Yield => caissa::thread::yield_now(),
            Step::Lock(m, inside) => {
                let _guard = shared.m[*m].lock().unwrap();
                run(shared, inside);
            }
            Step::TryLock(m, inside) => {
                if let Ok(_guard) = shared.m[*m].try_lock() {
                    run(shared, inside);
                }
            }
            Step::Read(l, inside) => {
                let _guard = shared.l[*l].read().unwrap();
                run(shared, inside);
            }
            Step::Write(l, inside) => {
                let _guard = shared.l[*l].write().unwrap();
                run(shared, inside);
            }
        }
    }
}

fn closure(program: &Program) {
    let shared = Arc::new(Shared::default());
    let spawn = |steps: &Vec<Step>| {
        let (shared, steps) = (Arc::clone(&shared), steps.clone());
        caissa::thread::spawn(move || run(&shared, &steps))
    };
    let handles: Vec<_> = program.iter().map(spawn).collect();
    handles.into_iter().for_each(|handle| handle.join().unwrap());
}

const MOST: u64 = 20_000;

#[test]
fn the_library_and_the_native_engine_run_the_same_executions() {
    let count = std::env::var("AGREE_PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let scratch = Scratch::new();
    let (mut bugs, mut compared) = (0, 0);
    for seed in 0..count {
        let program = program(seed);
        let native = built(&scratch, &format!("p{seed}"), &in_c(&program));
        let text = in_c(&program);
        for (search, name) in
            [(Search::Preemptions, "preemptions"), (Search::Delays, "delays"), (Search::Dfs, "dfs")]
        {
            let builder = Builder::new()
                .search(search)
                .faults(0)
                .keep_going(true)
                .max_executions(MOST)
                .progress(Default::default());
            let builder = if name == "dfs" { builder } else { builder.bound(2) };
            let subject = program.clone();
            let report = builder.explore(move || closure(&subject)).expect("it can be run");
            let most = MOST.to_string();
            let mut args = vec![
                "check",
                &native,
                "--search",
                name,
                "--faults",
                "0",
                "--keep-going",
                "--max-executions",
                &most,
            ];
            args.extend(["--json", "--quiet"]);
            if name != "dfs" {
                args.extend(["--bound", "2"]);
            }
            let json = caissa(&args).json();
            let ours = (report.verdict.word(), report.executions(), report.summary.classes());
            let theirs =
                (json.verdict(), json.number("executions").unwrap_or(0), json.number("classes").unwrap_or(0));
            assert_eq!(ours, theirs, "seed {seed}, {name}: the library and the native engine\n{text}");
            bugs += (json.verdict() == "bug") as u32;
            compared += 1;
        }
    }
    assert!(
        compared >= 3 * count && (count < 25 || bugs > 0),
        "{compared} comparisons, {bugs} with a deadlock"
    );
}
