// Lost wake-up. A future looks at the flag and stores its waker only then. The flag is set and the
// waker looked for in between: there is none, and nobody wakes the task again.
// origin: folklore; the rule is in the documentation of std::task::Waker
// verdict: bug deadlock
// preemptions: 2, 7 executions
// delays rr: 2, 7 executions
// delays dfs: 1, 4 executions
// twin: pass/late_waker.rs

struct Ready {
    flag: AtomicBool,
    waker: SyncMutex<Option<Waker>>,
}

impl Ready {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        if self.flag.load(SeqCst) {
            return Poll::Ready(());
        }
        *self.waker.lock().unwrap() = Some(cx.waker().clone());
        Poll::Pending
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
