// The plain memory of the race programs. An access is seen at the line of the program that calls for it.

/// A plain value.
struct Plain<T>(Cell<T>);

// SAFETY: a lie, as in the code that these programs stand for: whether tasks keep apart is what is checked. All tasks of a
// check run on one OS thread, so that nothing undefined comes of it.
unsafe impl<T: Send> Sync for Plain<T> {}

impl<T: Copy> Plain<T> {
    const fn new(value: T) -> Plain<T> {
        Plain(Cell::new(value))
    }

    #[track_caller]
    fn get(&self) -> T {
        self.0.get()
    }

    #[track_caller]
    fn set(&self, value: T) {
        self.0.set(value);
    }
}

impl Plain<usize> {
    /// A read, then a write.
    #[track_caller]
    fn increment(&self) {
        let seen = self.0.get();
        self.0.set(seen + 1);
    }
}

/// Two plain fields, which are equal unless a writer is between them.
struct Pair {
    first: UnsafeCell<usize>,
    second: UnsafeCell<usize>,
}

// SAFETY: as above.
unsafe impl Sync for Pair {}

impl Pair {
    const fn new() -> Pair {
        Pair { first: UnsafeCell::new(0), second: UnsafeCell::new(0) }
    }

    #[track_caller]
    fn write(&self, value: usize) {
        // SAFETY: no other task runs before the closure returns.
        self.first.with_mut(|first| unsafe { *first = value });
        // SAFETY: as above.
        self.second.with_mut(|second| unsafe { *second = value });
    }

    /// The fields as they are.
    #[track_caller]
    fn halves(&self) -> (usize, usize) {
        // SAFETY: as above.
        let first = self.first.with(|first| unsafe { *first });
        // SAFETY: as above.
        let second = self.second.with(|second| unsafe { *second });
        (first, second)
    }

    /// The value that was written last.
    #[track_caller]
    fn read(&self) -> usize {
        let (first, second) = self.halves();
        assert_eq!(first, second, "half of the pair is new");
        first
    }
}
