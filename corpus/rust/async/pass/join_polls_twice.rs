// A result that has come is kept, and its future is not polled any more.
// origin: folklore
// verdict: verified, 101 executions
// preemptions: 2, 17 executions
// delays rr: 2, 17 executions
// delays dfs: 2, 15 executions
// twin: fail/join_polls_twice.rs

async fn both<A: Future + Unpin, B: Future + Unpin>(mut a: A, mut b: B) -> (A::Output, B::Output) {
    let (mut got_a, mut got_b) = (None, None);
    poll_fn(|cx| {
        if got_a.is_none()
            && let Poll::Ready(output) = Pin::new(&mut a).poll(cx)
        {
            got_a = Some(output);
        }
        if got_b.is_none()
            && let Poll::Ready(output) = Pin::new(&mut b).poll(cx)
        {
            got_b = Some(output);
        }
        match (got_a.take(), got_b.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            (a, b) => {
                (got_a, got_b) = (a, b);
                Poll::Pending
            }
        }
    })
    .await
}

pub fn join_polls_twice() {
    let (sender, receiver) = oneshot::channel();
    let (other, others) = oneshot::channel();
    let task = spawn(async move {
        sender.send(1).unwrap();
        other.send(2).unwrap();
    });
    assert_eq!(block_on(both(receiver, others)), (Ok(1), Ok(2)));
    block_on(task).unwrap();
}
