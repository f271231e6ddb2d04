// What is stored knows the number of the lease and refuses an older one.
// origin: the argument about fencing tokens, M. Kleppmann 2016
// verdict: verified, 19915 executions
// preemptions: 2, 380 executions
// delays rr: 2, 88 executions
// delays dfs: 2, 66 executions
// twin: fail/lease_outlived.rs

pub fn lease_outlived() {
    let stored = Arc::new(AtomicUsize::new(0));
    let expires = Instant::now() + 10 * MS;
    let holder = {
        let stored = Arc::clone(&stored);
        spawn(async move {
            if Instant::now() < expires {
                stored.fetch_max(1, SeqCst);
            }
        })
    };
    let next = {
        let stored = Arc::clone(&stored);
        spawn(async move {
            sleep_until(expires).await;
            stored.fetch_max(2, SeqCst);
        })
    };
    block_on(async {
        holder.await.unwrap();
        next.await.unwrap();
    });
    assert_eq!(stored.load(SeqCst), 2);
}
