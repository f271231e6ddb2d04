// A join that polls a ready future again. It polls both halves whenever it is woken, also one that
// has given its result already; that is not allowed. It shows only if the two do not get ready
// together.
// origin: folklore
// verdict: bug panic
// preemptions: 1, 3 executions
// delays rr: 1, 3 executions
// delays dfs: 1, 4 executions
// twin: pass/join_polls_twice.rs

async fn both<A: Future + Unpin, B: Future + Unpin>(mut a: A, mut b: B) -> (A::Output, B::Output) {
    poll_fn(|cx| match (Pin::new(&mut a).poll(cx), Pin::new(&mut b).poll(cx)) {
        (Poll::Ready(a), Poll::Ready(b)) => Poll::Ready((a, b)),
        _ => Poll::Pending,
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
