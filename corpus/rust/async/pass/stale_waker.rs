// A future that is polled with another waker keeps that one.
// origin: the rule is in the documentation of std::task::Waker
// verdict: verified, 31933 executions
// preemptions: 2, 204 executions
// delays rr: 2, 70 executions
// delays dfs: 2, 19 executions
// twin: fail/stale_waker.rs

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
        match &mut state.1 {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
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
