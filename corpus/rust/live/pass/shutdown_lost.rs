// A server with one word for request and end. After a request it goes back to idle only if it has
// not been told to end meanwhile.
// origin: folklore
// verdict: verified, 48 executions
// preemptions: 3, 25 executions
// delays rr: 3, 25 executions
// delays dfs: 3, 48 executions
// unfair: incomplete
// twin: fail/shutdown_lost.rs

const IDLE: usize = 0;
const REQUEST: usize = 1;
const STOP: usize = 2;

fn serve(state: &AtomicUsize) {
    loop {
        match state.load(SC) {
            STOP => return,
            REQUEST => {
                let _ = state.compare_exchange(REQUEST, IDLE, SC, SC);
            }
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
