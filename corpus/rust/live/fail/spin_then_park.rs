// A task spins a little and then parks. It looks, says that it parks, and parks. If the flag is set
// between the look and the word, nobody wakes it.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 7 executions
// delays rr: 1, 6 executions
// delays dfs: 2, 8 executions
// dfs: 31 executions
// twin: pass/spin_then_park.rs

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
        while !self.set.load(SC) {
            self.parked.store(true, SC);
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
