// What the future of get_or_init does is ordered before every end of it.
// origin: folklore
// verdict: verified
// twin: fail/async_once_cell.rs

async fn user(shared: Arc<(Pair, future::sync::OnceCell<usize>)>, me: usize) {
    let fill = || async {
        shared.0.write(1);
        me
    };
    shared.1.get_or_init(fill).await;
    shared.0.read();
}

pub fn async_once_cell() {
    let shared = Arc::new((Pair::new(), future::sync::OnceCell::new()));
    future::block_on(async {
        let other = future::spawn(user(shared.clone(), 0));
        user(shared.clone(), 1).await;
        other.await.unwrap();
    });
}
