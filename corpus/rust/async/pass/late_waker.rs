// The waker is stored before the flag is looked at: whoever sets the flag finds the waker, or the
// future finds the flag.
// origin: folklore; the rule is in the documentation of std::task::Waker
// verdict: verified, 87 executions
// preemptions: 3, 39 executions
// delays rr: 3, 39 executions
// delays dfs: 2, 21 executions
// twin: fail/late_waker.rs

struct Ready {
    flag: AtomicBool,
    waker: SyncMutex<Option<Waker>>,
}

impl Ready {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        *self.waker.lock().unwrap() = Some(cx.waker().clone());
        if self.flag.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
    }

    fn set(&self) {
        self.flag.store(true, SeqCst);
        let waker = self.waker.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

pub fn late_waker() {
    let ready = Arc::new(Ready { flag: AtomicBool::new(false), waker: SyncMutex::new(None) });
    let waiter = {
        let ready = Arc::clone(&ready);
        spawn(async move { poll_fn(|cx| ready.poll(cx)).await })
    };
    ready.set();
    block_on(waiter).unwrap();
}
