// A stale waker. The future keeps the first waker that it was polled with. It is polled once by one
// task, moved to another, and the wake-up goes to the first.
// origin: the rule is in the documentation of std::task::Waker
// verdict: bug deadlock
// preemptions: 0, 3 executions
// delays rr: 1, 6 executions
// delays dfs: 1, 2 executions
// twin: pass/stale_waker.rs

#[derive(Default)]
struct Signal {
    state: SyncMutex<(bool, Option<Waker>)>,
}

impl Signal {
    fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1.get_or_insert_with(|| cx.waker().clone());
        Poll::Pending
    }

    fn set(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        let waker = state.1.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

pub fn stale_waker() {
    let signal = Arc::new(Signal::default());
    let setter = {
        let signal = Arc::clone(&signal);
        spawn(async move { signal.set() })
    };
    block_on(async move {
        let mut waits = Box::pin(poll_fn(move |cx| signal.poll(cx)));
        let ready = poll_fn(|cx| Poll::Ready(waits.as_mut().poll(cx).is_ready())).await;
        if !ready {
            spawn(waits).await.unwrap();
        }
        setter.await.unwrap();
    });
}
