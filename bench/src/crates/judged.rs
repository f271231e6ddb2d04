//! What was found by looking at findings: a sentence for each, which the page shows. Who looks at a new one adds it here.

const ATOMIC_CELL: &str = "A bug of crossbeam-utils, known (crossbeam#644, #1269): a cell that is too large for atomic instructions is read by `read_volatile` while its lock is held by a writer, and what was read is thrown away then. The code says that this is undefined behaviour.";
const DEQUE: &str = "A bug of the crate, known and deliberate (crossbeam#646; deliberate-ub.md of the unsafe code guidelines): a thief reads a place by `read_volatile` while its owner writes it, and throws away what it has read. The code says that this is undefined behaviour.";

/// Crate, target as cargo selects it, test, and what it is.
const JUDGED: &[(&str, &str, &str, &str)] = &[
    ("crossbeam-channel", "--test tick", "ready", ATOMIC_CELL),
    ("crossbeam-channel", "--test tick", "recv_two", ATOMIC_CELL),
    ("crossbeam-channel", "--test tick", "select", ATOMIC_CELL),
    ("crossbeam-deque", "--test fifo", "no_starvation", DEQUE),
    ("crossbeam-deque", "--test fifo", "stress", DEQUE),
    ("crossbeam-deque", "--test lifo", "no_starvation", DEQUE),
    ("crossbeam-deque", "--test lifo", "stress", DEQUE),
    (
        "triomphe",
        "--lib",
        "arc::tests::into_unique_data_race_no_sleep",
        "A bug of the test: `Arc::into_unique(a).unwrap()` panics if the other thread, which nobody waits for, has not dropped its `Arc` by then. `cargo test` does not see panics of threads that are not joined.",
    ),
];

/// What was said of the finding of a test.
pub fn of(name: &str, target: &str, test: &str) -> Option<&'static str> {
    let known = JUDGED.iter().find(|known| (known.0, known.1, known.2) == (name, target, test));
    known.map(|known| known.3)
}
