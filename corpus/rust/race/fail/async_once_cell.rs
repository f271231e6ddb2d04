// An async OnceCell, and what belongs to it written after.
// origin: folklore
// verdict: bug race
// preemptions: 0
// consequence: panic, half of the pair is new
// promoted: 1
// twin: pass/async_once_cell.rs

async fn user(shared: Arc<(Pair, future::sync::OnceCell<usize>)>, me: usize) {
    let maker = *shared.1.get_or_init(|| async { me }).await;
    if maker == me {
        shared.0.write(1); // race
    }
    shared.0.read(); // race
}

pub fn async_once_cell() {
    let shared = Arc::new((Pair::new(), future::sync::OnceCell::new()));
    future::block_on(async {
        let other = future::spawn(user(shared.clone(), 0));
        user(shared.clone(), 1).await;
        other.await.unwrap();
    });
}
