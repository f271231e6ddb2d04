// A lease that runs out between look and act. The holder sees that its lease still holds and writes
// then. Time may pass in between; the other one has taken the lease over, and its write is
// overwritten.
// origin: the argument about fencing tokens, M. Kleppmann 2016
// verdict: bug panic
// preemptions: 1, 31 executions
// delays rr: 1, 12 executions
// delays dfs: 1, 8 executions
// twin: pass/lease_outlived.rs

pub fn lease_outlived() {
    let stored = Arc::new(AtomicUsize::new(0));
    let expires = Instant::now() + 10 * MS;
    let holder = {
        let stored = Arc::clone(&stored);
        spawn(async move {
            if Instant::now() < expires {
                stored.store(1, SeqCst);
            }
        })
    };
    let next = {
        let stored = Arc::clone(&stored);
        spawn(async move {
            sleep_until(expires).await;
            stored.store(2, SeqCst);
        })
    };
    block_on(async {
        holder.await.unwrap();
        next.await.unwrap();
    });
    assert_eq!(stored.load(SeqCst), 2);
}
