// Select that drops a message. The future that loses is dropped where it stands. This one has taken
// a message already and waits for something else before it returns it: the message is gone.
// origin: the chapter on select of tokio's tutorial
// verdict: bug panic
// preemptions: 1, 5 executions
// delays rr: 1, 5 executions
// delays dfs: 1, 6 executions
// twin: pass/select_drops_message.rs

async fn receive_and_log(receiver: &mut mpsc::Receiver<u32>, log: &Mutex<u32>) -> Option<u32> {
    let message = receiver.recv().await?;
    *log.lock().await += 1;
    Some(message)
}

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
        let chosen = {
            let received = pin!(receive_and_log(&mut receiver, &log));
            match select(received, &mut stopped).await {
                Either::Left((message, _)) => Some(message),
                Either::Right(_) => None,
            }
        };
        match chosen {
            Some(message) => message,
            None => receiver.recv().await,
        }
    });
    block_on(other).unwrap();
    assert_eq!(got, Some(7));
}
