// What can lose is only `recv`, which has taken nothing when it is dropped; the rest is done after
// the choice.
// origin: the chapter on select of tokio's tutorial
// verdict: verified, 2282 executions
// preemptions: 2, 36 executions
// delays rr: 2, 36 executions
// delays dfs: 2, 35 executions
// twin: fail/select_drops_message.rs

pub fn select_drops_message() {
    let log = Arc::new(Mutex::new(0));
    let (sender, mut receiver) = mpsc::channel(1);
    let (stop, mut stopped) = oneshot::channel();
    let other = {
        let log = Arc::clone(&log);
        spawn(async move {
            let logged = log.lock().await;
            sender.send(7).await.unwrap();
            stop.send(()).unwrap();
            drop(logged);
        })
    };
    let got = block_on(async {
        let chosen = match select(pin!(receiver.recv()), &mut stopped).await {
            Either::Left((message, _)) => Some(message),
            Either::Right(_) => None,
        };
        let message = match chosen {
            Some(message) => message,
            None => receiver.recv().await,
        };
        *log.lock().await += 1;
        message
    });
    block_on(other).unwrap();
    assert_eq!(got, Some(7));
}
