// Once-lock that makes its value. Two tasks register with a table that whoever comes first makes, in one step
// with finding that there is none.
// origin: folklore
// verdict: verified, 17 executions
// preemptions: 3, 14 executions
// delays rr: 3, 14 executions
// delays dfs: 3, 15 executions
// twin: fail/once_lock_asked_first.rs

static TABLE: OnceLock<Mutex<Vec<usize>>> = OnceLock::new();

fn register(task: usize) {
    TABLE.get_or_init(Mutex::default).lock().unwrap().push(task);
}

pub fn once_lock_asked_first() {
    let other = thread::spawn(|| register(1));
    register(0);
    other.join().unwrap();
    let registered = TABLE.get().map_or(0, |table| table.lock().unwrap().len());
    assert_eq!(registered, 2, "a task was lost");
}
