// A task spins a little and then parks. Having said that it parks it looks once more, so the one
// that sets the flag either sees that or has been seen.
// origin: folklore
// verdict: verified, 45 executions
// preemptions: 2, 30 executions
// delays rr: 2, 27 executions
// delays dfs: 3, 27 executions
// unfair: bounded
// twin: fail/spin_then_park.rs

#[derive(Default)]
struct Event {
    set: AtomicBool,
    parked: AtomicBool,
}

impl Event {
    fn wait(&self) {
        if self.set.load(SC) {
            return;
        }
        hint::spin_loop();
        self.parked.store(true, SC);
        while !self.set.load(SC) {
            thread::park();
        }
    }

    fn set(&self, waiter: &thread::Thread) {
        self.set.store(true, SC);
        if self.parked.load(SC) {
            waiter.unpark();
        }
    }
}

pub fn spin_then_park() {
    let event = Arc::new(Event::default());
    let setter = {
        let (event, waiter) = (event.clone(), thread::current());
        thread::spawn(move || event.set(&waiter))
    };
    event.wait();
    setter.join().unwrap();
}
