// The item is there before the consumer is woken.
// origin: folklore
// verdict: verified, 388 executions
// preemptions: 2, 26 executions
// delays rr: 2, 26 executions
// delays dfs: 2, 26 executions
// twin: fail/wakes_before_it_pushes.rs

#[derive(Default)]
struct Queue {
    items: SyncMutex<Vec<u32>>,
    consumer: SyncMutex<Option<Waker>>,
}

impl Queue {
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<u32> {
        *self.consumer.lock().unwrap() = Some(cx.waker().clone());
        match self.items.lock().unwrap().pop() {
            Some(item) => Poll::Ready(item),
            None => Poll::Pending,
        }
    }
    fn push(&self, item: u32) {
        self.items.lock().unwrap().push(item);
        let waker = self.consumer.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

pub fn wakes_before_it_pushes() {
    let queue = Arc::new(Queue::default());
    let consumer = {
        let queue = Arc::clone(&queue);
        spawn(async move { poll_fn(|cx| queue.poll_pop(cx)).await })
    };
    queue.push(7);
    assert_eq!(block_on(consumer).unwrap(), 7);
}
