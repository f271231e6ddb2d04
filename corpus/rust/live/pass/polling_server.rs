// A server that polls. It looks for a request and for the end on each turn, and yields between.
// origin: folklore
// verdict: bounded
// preemptions: 2, 85 executions
// delays rr: 2, 85 executions
// delays dfs: 2, 134 executions
// unfair: incomplete
// twin: fail/polling_server.rs

struct Server {
    stop: AtomicBool,
    request: AtomicUsize,
    answer: AtomicUsize,
}

impl Server {
    fn run(&self) {
        while !self.stop.load(SC) {
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
