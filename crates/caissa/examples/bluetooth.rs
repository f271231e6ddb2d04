//! The Bluetooth driver bug: run with `cargo run --release --example bluetooth`.
//!
//! A driver counts the requests that are under way. `stop` waits for them before it frees the driver's resources; `add`
//! must not touch those once the driver has stopped. Between the moment `add` looks whether the driver is stopping and
//! the moment it counts its request, `stop` can run to its end. (The program is from Qadeer and Wu's KISS, PLDI 2004.)

use caissa::sync::Arc;
use caissa::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use caissa::thread;

struct Driver {
    stopping: AtomicBool,
    stopped: AtomicBool,
    pending: AtomicUsize,
}

impl Driver {
    fn new() -> Driver {
        Driver {
            stopping: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            pending: AtomicUsize::new(1),
        }
    }

    fn add(&self) {
        if self.stopping.load(SeqCst) {
            return;
        }
        self.pending.fetch_add(1, SeqCst);
        assert!(!self.stopped.load(SeqCst), "the driver is used after it has stopped");
        self.finish_request();
    }

    fn stop(&self) {
        self.stopping.store(true, SeqCst);
        if self.finish_request() {
            self.stopped.store(true, SeqCst);
        }
    }

    /// True for the last one.
    fn finish_request(&self) -> bool {
        self.pending.fetch_sub(1, SeqCst) == 1
    }
}

/// One request races with the end of the driver.
pub fn scenario() {
    let driver = Arc::new(Driver::new());
    let stopper = {
        let driver = Arc::clone(&driver);
        thread::Builder::new().name("stop".into()).spawn(move || driver.stop()).unwrap()
    };
    driver.add();
    stopper.join().unwrap();
}

fn main() {
    caissa::check(scenario);
}
