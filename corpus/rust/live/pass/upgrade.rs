// Two readers who both want to write. The only reader of a lock may become its writer, and each
// polls for that while it reads. Who intends to write says so first, and only one may at a time.
// origin: folklore
// verdict: bounded
// preemptions: 2, 59 executions
// delays rr: 2, 59 executions
// delays dfs: 2, 73 executions
// unfair: incomplete
// twin: fail/upgrade.rs

const WRITER: usize = 100;

struct Upgradable {
    /// Whether a reader intends to write.
    intent: AtomicBool,
    /// How many read, or `WRITER`.
    readers: AtomicUsize,
}

impl Upgradable {
    fn read_to_write(&self) {
        while self.intent.swap(true, SC) {
            hint::spin_loop();
        }
        loop {
            let readers = self.readers.load(SC);
            if readers != WRITER && self.readers.compare_exchange(readers, readers + 1, SC, SC).is_ok() {
                return;
            }
            hint::spin_loop();
        }
    }

    /// Waits until this is the only reader, and makes it the writer.
    fn upgrade(&self) {
        while self.readers.compare_exchange(1, WRITER, SC, SC).is_err() {
            hint::spin_loop();
        }
    }

    fn end_write(&self) {
        self.readers.store(0, SC);
        self.intent.store(false, SC);
    }
}

fn add_one(lock: &Upgradable, value: &AtomicUsize) {
    lock.read_to_write();
    let seen = value.load(SC);
    lock.upgrade();
    value.store(seen + 1, SC);
    lock.end_write();
}

pub fn upgrade() {
    let lock = Upgradable { intent: AtomicBool::new(false), readers: AtomicUsize::new(0) };
    let shared = Arc::new((lock, AtomicUsize::new(0)));
    let other = {
        let shared = shared.clone();
        thread::spawn(move || add_one(&shared.0, &shared.1))
    };
    add_one(&shared.0, &shared.1);
    other.join().unwrap();
    assert_eq!(shared.1.load(SC), 2);
}
