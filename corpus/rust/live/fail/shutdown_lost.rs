// A server that loses its end. It has one word for request and end, and goes back to idle after a
// request whatever the word has become; if that was the order to end, it waits for another one for
// ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 2, 9 executions
// delays rr: 2, 9 executions
// delays dfs: 2, 14 executions
// dfs: 8 executions
// twin: pass/shutdown_lost.rs

const IDLE: usize = 0;
const REQUEST: usize = 1;
const STOP: usize = 2;

fn serve(state: &AtomicUsize) {
    loop {
        match state.load(SC) {
            STOP => return,
            REQUEST => state.store(IDLE, SC),
            _ => thread::sleep(Duration::from_millis(1)),
        }
    }
}

pub fn shutdown_lost() {
    let state = Arc::new(AtomicUsize::new(IDLE));
    let server = {
        let state = state.clone();
        thread::spawn(move || serve(&state))
    };
    state.store(REQUEST, SC);
    state.store(STOP, SC);
    server.join().unwrap();
}
