// Bodies of tests, with the types of a library in scope: std's, or Caissa's.

/// Two threads increment a counter under a mutex, twice each.
pub fn mutex() {
    let total = Arc::new(Mutex::new(0));
    let threads = [(); 2].map(|()| {
        let total = Arc::clone(&total);
        thread::spawn(move || {
            for _ in 0..2 {
                *total.lock().unwrap() += 1;
            }
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*total.lock().unwrap(), 4);
}

/// A thread sends three numbers, which are received until the channel is closed.
pub fn channel() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || (1..=3).for_each(|number| sender.send(number).unwrap()));
    assert_eq!(receiver.iter().sum::<u32>(), 6);
    thread.join().unwrap();
}

/// A thread hands a number over and is told when it was taken.
pub fn condvar() {
    let slot = Arc::new((Mutex::new(None), Condvar::new()));
    let other = Arc::clone(&slot);
    let thread = thread::spawn(move || {
        let (number, changed) = &*other;
        *number.lock().unwrap() = Some(1);
        changed.notify_one();
        let taken = changed.wait_while(number.lock().unwrap(), |number| number.is_some());
        drop(taken);
    });
    let (number, changed) = &*slot;
    let mut there = changed.wait_while(number.lock().unwrap(), |number| number.is_none()).unwrap();
    assert_eq!(there.take(), Some(1));
    drop(there);
    changed.notify_one();
    thread.join().unwrap();
}

/// Two scoped threads increment an atomic, three times each.
pub fn scoped() {
    let total = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..3 {
                    total.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(total.load(Ordering::Relaxed), 6);
}

/// One writes two numbers under a lock, twice, and two read them.
pub fn rwlock() {
    let pair = Arc::new(RwLock::new((0, 0)));
    let readers = [(); 2].map(|()| {
        let pair = Arc::clone(&pair);
        thread::spawn(move || {
            let pair = pair.read().unwrap();
            assert_eq!(pair.0, pair.1);
        })
    });
    for number in 1..=2 {
        *pair.write().unwrap() = (number, number);
    }
    for reader in readers {
        reader.join().unwrap();
    }
}

/// Two threads meet, twice.
pub fn barrier() {
    let barrier = Arc::new(Barrier::new(2));
    let other = Arc::clone(&barrier);
    let thread = thread::spawn(move || [other.wait().is_leader(), other.wait().is_leader()]);
    let led = [barrier.wait().is_leader(), barrier.wait().is_leader()];
    assert_eq!(thread.join().unwrap(), led.map(|led| !led));
}
