// Woken too early. The producer wakes the consumer and adds the item then. The consumer may look in
// between, find nothing and wait for a wake-up that was there already.
// origin: folklore
// verdict: bug deadlock
// preemptions: 1, 4 executions
// delays rr: 1, 4 executions
// delays dfs: 1, 5 executions
// twin: pass/wakes_before_it_pushes.rs

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
        let waker = self.consumer.lock().unwrap().take();
        if let Some(waker) = waker {
            waker.wake();
        }
        self.items.lock().unwrap().push(item);
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
