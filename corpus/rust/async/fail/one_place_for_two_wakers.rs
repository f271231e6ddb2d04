// One place for two wakers. Two tasks wait for the same flag and the second one's waker takes the
// place of the first one's: it is dropped without being woken.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 10 executions
// delays rr: 1, 3 executions
// delays dfs: 0, 1 executions
// twin: pass/one_place_for_two_wakers.rs

#[derive(Default)]
struct Gate {
    state: SyncMutex<(bool, Option<Waker>)>,
}

impl Gate {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1 = Some(cx.waker().clone());
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
