//! A visit is counted by fetch_add, and the await comes before it (tokio, multi-thread runtime).

use std::sync::atomic::{AtomicU32, Ordering};
use tokio::task::yield_now;

#[derive(Default)]
pub struct Page {
    visits: AtomicU32,
}

impl Page {
    pub async fn visit(&self) {
        yield_now().await;
        self.visits.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::runtime::Builder;

    #[test]
    fn two_tasks() {
        let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let page = Arc::new(Page::default());
        let others = page.clone();
        runtime.block_on(async {
            let other = tokio::spawn(async move { others.visit().await });
            page.visit().await;
            other.await.unwrap();
        });
        assert_eq!(page.visits.load(Ordering::SeqCst), 2);
    }
}
