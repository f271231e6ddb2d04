// A server that polls and looks only once whether it should end. Told to end later, it polls for
// ever.
// origin: folklore
// verdict: bug livelock
// preemptions: 0, 1 executions
// delays rr: 0, 1 executions
// delays dfs: 0, 1 executions
// dfs: 1 executions
// twin: pass/polling_server.rs

struct Server {
    stop: AtomicBool,
    request: AtomicUsize,
    answer: AtomicUsize,
}

impl Server {
    fn run(&self) {
        let stop = self.stop.load(SC);
        while !stop {
            let request = self.request.swap(0, SC);
            if request != 0 {
                self.answer.store(2 * request, SC);
            }
            thread::yield_now();
        }
    }

    fn ask(&self, request: usize) -> usize {
        self.request.store(request, SC);
        loop {
            let answer = self.answer.load(SC);
            if answer != 0 {
                return answer;
            }
            thread::yield_now();
        }
    }
}

pub fn polling_server() {
    let server = Arc::new(Server {
        stop: AtomicBool::new(false),
        request: AtomicUsize::new(0),
        answer: AtomicUsize::new(0),
    });
    let runs = {
        let server = server.clone();
        thread::spawn(move || server.run())
    };
    assert_eq!(server.ask(4), 8);
    server.stop.store(true, SC);
    runs.join().unwrap();
}
