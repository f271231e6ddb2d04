// Once-lock asked first. Two tasks register with a table that whoever comes first makes: each asks whether
// there is one and sets it if not. Both may find none; one of them then registers with a table of its own
// that is thrown away.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 3 executions
// twin: pass/once_lock_asked_first.rs

static TABLE: OnceLock<Mutex<Vec<usize>>> = OnceLock::new();

fn register(task: usize) {
    if let Some(table) = TABLE.get() {
        table.lock().unwrap().push(task);
    } else {
        let _ = TABLE.set(Mutex::new(vec![task]));
    }
}

pub fn once_lock_asked_first() {
    let other = thread::spawn(|| register(1));
    register(0);
    other.join().unwrap();
    let registered = TABLE.get().map_or(0, |table| table.lock().unwrap().len());
    assert_eq!(registered, 2, "a task was lost");
}
