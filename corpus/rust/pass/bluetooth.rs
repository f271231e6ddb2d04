// Bluetooth driver, fixed (f). A request first registers itself as pending, then checks that the
// driver is not stopping, and withdraws if it is. A request that passes the check was pending
// before the stop began, and the stop waits for it.
// origin: Bluetooth PnP sample driver; KISS, PLDI 2004; ICB, PLDI 2007
// verdict: verified, 129 executions
// preemptions: 3, 45 executions
// delays rr: 3, 45 executions
// delays dfs: 3, 55 executions
// twin: fail/bluetooth.rs

const SC: Ordering = Ordering::SeqCst;

struct Driver {
    /// One for the driver itself, and one for each request under way.
    pending_io: AtomicUsize,
    /// Set when the driver is asked to stop.
    stopping: AtomicBool,
    /// Set when nothing is pending any more.
    stopping_event: AtomicBool,
    /// Set when the driver's resources are gone.
    stopped: AtomicBool,
}

impl Driver {
    /// A request to a worker.
    fn add(&self) {
        self.pending_io.fetch_add(1, SC);
        if !self.stopping.load(SC) {
            self.work();
        }
        self.release();
    }

    /// The request to stop. A real driver waits for the event; where it would still be waiting,
    /// nothing more happens here.
    fn stop(&self) {
        self.stopping.store(true, SC);
        self.release();
        if self.stopping_event.load(SC) {
            self.stopped.store(true, SC);
        }
    }

    fn release(&self) {
        if self.pending_io.fetch_sub(1, SC) == 1 {
            self.stopping_event.store(true, SC);
        }
    }

    fn work(&self) {
        assert!(!self.stopped.load(SC), "the driver was used after it had stopped");
    }
}

pub fn bluetooth() {
    let driver = Arc::new(Driver {
        pending_io: AtomicUsize::new(1),
        stopping: AtomicBool::new(false),
        stopping_event: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
    });
    let stopper = {
        let driver = driver.clone();
        thread::spawn(move || driver.stop())
    };
    driver.add();
    stopper.join().unwrap();
}
