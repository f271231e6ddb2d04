// An event loop with a timeout. After an event it handles what else has come; the order to quit
// ends it wherever it is met.
// origin: folklore
// verdict: verified, 22 executions
// preemptions: 2, 13 executions
// delays rr: 2, 12 executions
// delays dfs: 2, 16 executions
// unfair: bounded
// twin: fail/event_loop.rs

enum Event {
    Work,
    Quit,
}

fn run(events: &mpsc::Receiver<Event>) {
    loop {
        match events.recv_timeout(Duration::from_millis(1)) {
            Ok(Event::Work) => {
                while let Ok(event) = events.try_recv() {
                    if let Event::Quit = event {
                        return;
                    }
                }
            }
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
