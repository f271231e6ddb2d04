// An event loop that drops the order to quit. After an event it handles what else has come and
// takes all of it for work; then it waits for an order that has been, timeout after timeout.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/event_loop.rs

enum Event {
    Work,
    Quit,
}

fn run(events: &mpsc::Receiver<Event>) {
    loop {
        match events.recv_timeout(Duration::from_millis(1)) {
            Ok(Event::Work) => while events.try_recv().is_ok() {},
            Ok(Event::Quit) => return,
            Err(_) => {}
        }
    }
}

pub fn event_loop() {
    let (sender, receiver) = mpsc::channel();
    let runs = thread::spawn(move || run(&receiver));
    sender.send(Event::Work).unwrap();
    sender.send(Event::Quit).unwrap();
    runs.join().unwrap();
    drop(sender);
}
