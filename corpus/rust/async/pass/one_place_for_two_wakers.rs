// Every waker is kept.
// origin: folklore
// verdict: verified, 63500 executions
// preemptions: 2, 337 executions
// delays rr: 2, 78 executions
// delays dfs: 2, 88 executions
// twin: fail/one_place_for_two_wakers.rs

#[derive(Default)]
struct Gate {
    state: SyncMutex<(bool, Vec<Waker>)>,
}

impl Gate {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1.push(cx.waker().clone());
        Poll::Pending
    }

    fn open(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        let wakers = std::mem::take(&mut state.1);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

pub fn one_place_for_two_wakers() {
    let gate = Arc::new(Gate::default());
    let tasks = [0, 1].map(|_| {
        let gate = Arc::clone(&gate);
        spawn(async move { poll_fn(|cx| gate.poll(cx)).await })
    });
    gate.open();
    for task in tasks {
        block_on(task).unwrap();
    }
}
